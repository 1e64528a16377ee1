"""`yeaft perms`: the verdict that a call would get, by the same policy that judges it, and nothing is run."""

import json
import shutil

import pytest

from tests.cli.commands_given import CHECKOUT, Given

CORPUS = CHECKOUT / "tests" / "tools" / "shell_corpus.txt"


def settings(given: Given, text: str) -> None:
    given.home.mkdir(exist_ok=True)
    (given.home / "config.toml").write_text(text, encoding="utf-8")


def explained(given: Given, *words: str) -> dict[str, object]:
    done = given.yeaft("perms", "explain", "--json", *words)
    assert done.code == 0, done.err
    return dict(json.loads(done.out))


@pytest.mark.parametrize(
    ("words", "verdict", "rule", "commands"),
    [
        (["git log | head -3"], "allow", "", ["allow", "allow"]),
        (["git status && rm -rf src"], "ask", "", ["allow", "ask"]),
        (["--allow", "Bash(make:*)", "make && make test"], "allow", "Bash(make:*)", ["allow", "allow"]),
        (["--allow", "Bash(git:*)", "--ask", "Bash(git push:*)", "git push"], "ask", "Bash(git push:*)", ["ask"]),
        (["--allow", "Bash(*)", "--deny", "Bash(rm:*)", "ls; env rm x"], "deny", "Bash(rm:*)", ["allow", "deny"]),
        (["--mode", "plan", "touch x"], "deny", "", ["deny"]),
        (["--mode", "auto", "make"], "allow", "", ["allow"]),
        (['ls "'], "ask", "", None),
    ],
)
def test_a_command_gets_its_verdict_with_one_for_each_part(
    given: Given, words: list[str], verdict: str, rule: str, commands: list[str] | None
) -> None:
    told = explained(given, "--bare", *words[:-1], "--", words[-1])

    assert (told["verdict"], told["rule"]) == (verdict, rule)
    assert isinstance(told["commands"], list)
    if commands is not None:
        assert [one["verdict"] for one in told["commands"]] == commands
    assert told["reason"]
    assert not given.home.exists()


def test_the_users_rules_count_unless_bare(given: Given) -> None:
    settings(given, '[permissions]\nallow = ["Bash(make:*)"]\n[vps.skeptic]\ndeny = ["Bash(make:*)"]\nmode = "plan"\n')

    assert explained(given, "--", "make")["verdict"] == "allow"
    assert explained(given, "--bare", "--", "make")["verdict"] == "ask"
    skeptic = explained(given, "--vp", "质疑者", "--", "make")
    assert (skeptic["verdict"], skeptic["vp"], skeptic["mode"]) == ("deny", "skeptic", "plan")


def test_the_flag_that_would_allow_it_does_allow_it(given: Given) -> None:
    asked = explained(given, "--bare", "--", "npm install left-pad")

    assert asked["flag"] == "--allow 'Bash(npm install left-pad)'"
    allowed = explained(given, "--bare", "--allow", str(asked["offer"]), "--", "npm install left-pad")
    assert allowed["verdict"] == "allow"


def test_other_tools_are_judged_by_path_host_and_guard(given: Given) -> None:
    def verdict(*words: str) -> object:
        return explained(given, "--bare", *words)["verdict"]

    assert verdict("--tool", "FileRead", "--path", "notes.txt") == "allow"
    assert verdict("--tool", "FileRead", "--path", "~/.ssh/id_rsa") == "ask"
    assert verdict("--tool", "FileWrite", "--path", "notes.txt") == "ask"
    assert verdict("--tool", "FileWrite", "--path", "notes.txt", "--mode", "edits") == "allow"
    rule = "WebFetch(domain:*.example.com)"
    assert verdict("--tool", "WebFetch", "--domain", "docs.example.com") == "ask"
    assert verdict("--tool", "WebFetch", "--domain", "docs.example.com", "--allow", rule) == "allow"
    assert (
        verdict("--tool", "WebFetch", "--domain", "docs.example.com", "--allow", "WebFetch", "--deny", rule) == "deny"
    )
    assert verdict("--tool", "WebFetch", "--domain", "example.com", "--allow", rule) == "ask"
    assert verdict("--tool", "mcp__git__push") == "ask"
    assert verdict("--tool", "mcp__git__push", "--allow", "mcp__git__*") == "allow"


def test_a_question_for_people_shows_what_hides(given: Given) -> None:
    text = given.says("perms", "explain", "--bare", "--", "ls && rm \u202egpj.exe")

    assert text.startswith("asks\n")
    assert "\u202e" not in text
    assert "To allow it: --allow" in text
    assert given.says("--lang", "zh", "perms", "explain", "--", "ls").startswith("允许")


def test_the_command_can_come_from_standard_input(given: Given) -> None:
    done = given.process("perms", "explain", "--bare", "--json", "-", stdin="ls\nrm a\n")

    assert [one["command"] for one in json.loads(done.out)["commands"]] == ["ls", "rm a"]


@pytest.mark.parametrize("words", [["perms", "explain"], ["perms", "explain", "--tool", "Bash", "--", "ls"]])
def test_without_a_command_or_with_too_much_it_is_a_usage_error(given: Given, words: list[str]) -> None:
    assert given.yeaft(*words).code == 2


def test_a_list_says_where_each_rule_comes_from(given: Given) -> None:
    settings(given, '[permissions]\nallow = ["Bash(make:*)"]\n[vps.skeptic]\ndeny = ["Bash(rm:*)"]\n')
    project = given.folder / ".yeaft" / "config.toml"
    project.parent.mkdir()
    project.write_text('[permissions]\nmode = "auto"\nallow = ["Bash(*)"]\ndeny = ["Bash(curl:*)"]\n', encoding="utf-8")
    user = str(given.home / "config.toml")

    rows = given.yeaft("--deny", "Bash(ssh:*)", "perms", "ls", "--json").json

    assert [tuple(row.values()) for row in rows] == [
        ("allow", "Bash(make:*)", "user", user, ""),
        ("deny", "Bash(rm:*)", "user", user, "skeptic"),
        ("deny", "Bash(curl:*)", "project", str(project), ""),
        ("deny", "Bash(ssh:*)", "flag", "--deny", ""),
    ]
    told = given.yeaft("perms", "ls")
    assert "Mode: ask." in told.err
    assert "not trusted" in told.err


def test_a_rule_that_is_none_names_its_place(given: Given) -> None:
    settings(given, '[permissions]\nallow = ["Bash("]\n')

    done = given.yeaft("perms", "explain", "--", "ls")

    assert done.code == 78
    assert "config.toml" in done.err
    assert given.yeaft("perms", "ls", "--allow", "(x)").code == 78


def test_a_file_of_verdicts_is_checked_line_by_line(given: Given) -> None:
    file = given.folder / "verdicts.txt"
    file.write_text("# mine\nallow\tls\nask\tls -la\n[--allow 'Bash(make:*)']\nallow\tmake\\nls\n", encoding="utf-8")

    done = given.yeaft("perms", "test", "verdicts.txt", "--bare", "--json")

    assert done.code == 1
    told = json.loads(done.out)
    assert told["cases"] == 3
    assert [(one["line"], one["wanted"], one["verdict"]) for one in told["differing"]] == [(3, "ask", "allow")]
    assert "line 3: allow instead of ask: ls -la" in given.yeaft("perms", "test", "verdicts.txt").out
    file.write_text("allow\tls\n", encoding="utf-8")
    assert given.yeaft("perms", "test", "verdicts.txt").code == 0
    file.write_text("maybe\tls\n", encoding="utf-8")
    assert given.yeaft("perms", "test", "verdicts.txt").code == 65


def test_the_corpus_of_the_project_passes_where_its_files_are(given: Given) -> None:
    (given.folder / "src").mkdir()
    for name in ("a.py", "notes.txt", "src/b.py", "two words.txt", ".env"):
        (given.folder / name).write_text("x\n", encoding="utf-8")
    (given.folder / "hosts").symlink_to("/etc/hosts")
    (given.folder / "src" / "link").symlink_to("/etc")
    shutil.copy(CORPUS, given.folder / "corpus.txt")

    done = given.yeaft("perms", "test", "corpus.txt", "--bare", "--json")

    assert json.loads(done.out)["differing"] == []
    assert done.code == 0
