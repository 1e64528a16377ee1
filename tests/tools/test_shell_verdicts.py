"""What may be run without asking: a corpus of command lines with the verdict each must get."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.shell_given import shell_in
from yeaft.config.settings import Mode
from yeaft.tools.paths import Paths
from yeaft.tools.policy.policy import Policy
from yeaft.tools.policy.rule_cases import Case, cases
from yeaft.tools.policy.rules import Rules, rule
from yeaft.tools.policy.verdict import Verdict

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).with_name("shell_corpus.txt")


CASES = tuple(cases(CORPUS.read_text("utf-8")))
BARE = Rules()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    work = tmp_path_factory.mktemp("work")
    fill(work)
    return work


def fill(work: Path) -> None:
    (work / "src").mkdir()
    for name in ("a.py", "notes.txt", "src/b.py", "two words.txt", ".env"):
        (work / name).write_text("x\n")
    (work / "hosts").symlink_to("/etc/hosts")
    (work / "src/link").symlink_to("/etc")


def policy(folder: Path, mode: Mode = "ask", rules: Rules = BARE) -> Policy:
    return Policy(mode=mode, rules=rules, paths=Paths(folder, home=folder.parent / "home"))


@pytest.mark.parametrize("wanted", ["allow", "ask", "deny"])
def test_each_command_of_the_corpus_gets_its_verdict(wanted: str, folder: Path) -> None:
    verdicts = [(case, verdict_on(case, folder)) for case in CASES if case.wanted == wanted]

    assert [(case.line, case.command, verdict) for case, verdict in verdicts if verdict.decision != wanted] == []
    assert verdicts


def verdict_on(case: Case, folder: Path) -> Verdict:
    return policy(folder, case.mode or "ask", case.rules).judge_command(case.command)


def commands(wanted: str) -> list[str]:
    """The commands of the corpus that are judged in mode ask without any rule."""
    return [one.command for one in CASES if (one.mode, one.rules, one.wanted) == ("ask", BARE, wanted)]


def everyday() -> list[str]:
    return commands("allow")


def questionable() -> list[str]:
    return commands("ask")


def test_the_flag_that_is_offered_for_a_question_does_allow_the_command(folder: Path) -> None:
    for command in questionable():
        asked = policy(folder).judge_command(command)
        offered = rule(asked.offer or "Bash(*)")

        assert policy(folder, rules=Rules(allow=(offered,))).judge_command(command).decision == "allow", command
        assert asked.flag.startswith("--allow "), command


def test_the_corpus_is_large_enough_to_mean_something() -> None:
    assert len(everyday()) >= 600
    assert len(questionable()) >= 500


@given(
    st.sampled_from([command for command in everyday() if "#" not in command and "<<" not in command]),
    st.sampled_from([command for command in questionable() if "#" not in command]),
    st.sampled_from([" ; ", " && ", " || ", " | ", " & ", "\n", ";", "&"]),
)
@settings(max_examples=300, deadline=None)
def test_a_questionable_command_stays_questionable_behind_an_everyday_one(
    folder: Path, first: str, second: str, joint: str
) -> None:
    assert policy(folder).judge_command(first + joint + second).decision == "ask"


@given(st.text(alphabet=st.sampled_from("ab -/.'\"\\$(){}[]|&;<>`~*?!#=\n\té\u202e"), max_size=30))
@settings(max_examples=300, deadline=None)
def test_any_text_gets_a_verdict(folder: Path, text: str) -> None:
    assert policy(folder, rules=Rules(deny=(rule("Bash(a:*)"),))).judge_command(text).decision in {
        "allow",
        "ask",
        "deny",
    }


def test_a_command_of_more_than_ten_thousand_characters_is_asked(folder: Path) -> None:
    assert policy(folder).judge_command("ls " + "a" * 10_000).decision == "ask"


def test_a_plain_command_is_judged_without_loading_the_parser() -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom yeaft.tools.paths import Paths\n"
        "from yeaft.tools.policy.policy import Policy\nfrom yeaft.tools.policy.rules import Rules\n"
        "policy = Policy(mode='ask', rules=Rules(), paths=Paths(Path('/tmp')))\n"
        "print(policy.judge_command('git log --oneline -5').decision, 'tree_sitter' in sys.modules)\n"
        "print(policy.judge_command('ls | wc -l').decision, 'tree_sitter' in sys.modules)\n"
    )

    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=ROOT).stdout

    assert told.split() == ["allow", "False", "allow", "True"]


async def test_what_runs_unasked_changes_nothing_in_the_folder(tmp_path: Path) -> None:
    async with shell_in(tmp_path) as model:
        fill(model.folder)
        await model.told("git init -q && git add . && git -c user.name=x -c user.email=x@x commit -qm x")
        before = contents(model.folder)

        for command in everyday():
            await model.told(command, timeout_ms=1000)

        assert contents(model.folder) == before


def contents(folder: Path) -> dict[str, bytes]:
    """All files; git's index is left out because `git status` may refresh its time stamps."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink() and path.name != "index")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("word", ["env", "sh", "eval", "sudo sh -c"])
def test_a_command_wrapped_a_thousand_times_is_not_allowed_where_it_is_denied(word: str, folder: Path) -> None:
    command = f"{word} " * (9_000 // (len(word) + 1)) + "rm a.py"

    assert policy(folder, "auto", Rules(deny=(rule("Bash(rm:*)"),))).judge_command(command).decision != "allow"


@pytest.mark.parametrize(
    "command", ["sort *", "sort -- notes.txt *", 'for f in *; do sort "$f"; done', "find *", "wc -l ./*"]
)
def test_a_file_that_is_named_like_an_option_is_not_taken_for_a_file(command: str, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "notes.txt").touch()
    before = policy(work).judge_command(command).decision
    (work / "--output=notes.txt").touch()

    after = policy(work).judge_command(command).decision

    assert (before, after) == ("allow", "allow" if "./" in command else "ask")


@pytest.mark.parametrize("command", ["cat $f", "cat *", 'cat "$f"'])
def test_a_name_with_blanks_is_not_split_into_other_names(command: str, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a ..").touch()

    decision = policy(work).judge_command(f"for f in *; do {command}; done").decision

    assert decision == ("ask" if command == "cat $f" else "allow")


def test_every_command_of_a_script_has_its_own_verdict(folder: Path) -> None:
    rules = Rules(allow=(rule("Bash(make:*)"),), deny=(rule("Bash(git push:*)"),))

    told = policy(folder, rules=rules).judge_command("ls; make x && git push; npm i; f=a.py; cat $f hosts; cat $f")

    assert [(one.command, one.verdict, one.rule) for one in told.commands] == [
        ("ls", "allow", ""),
        ("make x", "allow", "Bash(make:*)"),
        ("git push", "deny", "Bash(git push:*)"),
        ("npm i", "ask", ""),
        ("cat $f hosts", "ask", ""),
        ("cat $f", "allow", ""),
    ]
    assert (told.decision, told.rule) == ("deny", "Bash(git push:*)")


def test_a_rule_that_lets_a_file_be_read_also_lets_a_command_read_it(folder: Path) -> None:
    rules = Rules(allow=(rule("FileRead(/etc/hosts)"),))

    assert policy(folder, rules=rules).judge_command("cat hosts /etc/hosts").decision == "allow"
    assert policy(folder, rules=rules).judge_command("cat /etc/hosts > a.py").decision == "ask"
    assert policy(folder, rules=rules).judge_command("cat /etc/hostname").decision == "ask"
    assert policy(folder, rules=rules).judge_command("cp /etc/hosts a.py").decision == "ask"
