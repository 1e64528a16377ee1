"""Which calls run, which are asked about and which are denied, by mode, rule and place."""

import json
from pathlib import Path

import pytest

from tests.tools.folder_given import Folder
from yeaft.config.settings import Mode, Permissions
from yeaft.kernel.errors import ConfigError
from yeaft.tools.paths import Paths
from yeaft.tools.policy.policy import Policy
from yeaft.tools.policy.rules import rule, rules
from yeaft.tools.policy.verdict import Verdict
from yeaft.tools.policy.visible import visible
from yeaft.tools.todo_write import todo_write
from yeaft.tools.tool import BoundCall, Touches

TODOS = [{"content": "Test", "status": "pending", "activeForm": "Testing"}]


class Desk:
    """A work folder with a policy, and calls to judge."""

    def __init__(self, tmp_path: Path) -> None:
        self.place = Folder(tmp_path)
        self.root, self.home = self.place.root, self.place.home

    def policy(self, mode: Mode = "ask", **lists: tuple[str, ...]) -> Policy:
        return Policy(mode=mode, rules=rules(Permissions(**lists)), paths=Paths(self.root, home=self.home))

    def judge(self, call: BoundCall, mode: Mode = "ask", **lists: tuple[str, ...]) -> Verdict:
        return self.policy(mode, **lists).judge(call)

    def read(self, path: str) -> BoundCall:
        return self.place.vp().bind("FileRead", file_path=path)

    def write(self, path: str) -> BoundCall:
        return self.place.vp().bind("FileWrite", file_path=path, content="x")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [
        ("ask", "allow ask ask ask ask"),
        ("edits", "allow ask allow ask ask"),
        ("plan", "allow ask deny deny deny"),
        ("auto", "allow ask allow ask ask"),
    ],
)
def test_each_mode_has_its_own_freedom(desk: Desk, mode: Mode, wanted: str) -> None:
    calls = (
        desk.read("notes.txt"),
        desk.read("/etc/hosts"),
        desk.write("notes.txt"),
        desk.write("/etc/hosts"),
        desk.write(".git/hooks/pre-commit"),
    )

    assert [desk.judge(call, mode).decision for call in calls] == wanted.split()


@pytest.mark.parametrize(
    "path",
    [
        *(".git/config", ".GIT/config", ".env", "sub/.env.local", ".envrc", ".vscode/tasks.json"),
        *(".yeaft/config.toml", ".claude/commands/x.md", ".agents/skills/x/SKILL.md", ".cursor/skills/x/run.sh"),
        *(".mcp.json", "AGENTS.md", "sub/CLAUDE.md", "agents.MD", "GEMINI.md", ".yeaft/worktrees/a/AGENTS.local.md"),
    ],
)
def test_places_that_make_programs_act_are_asked_about_even_in_auto(desk: Desk, path: str) -> None:
    assert desk.judge(desk.write(path), "auto").decision == "ask"
    assert desk.judge(desk.write(path), "auto", allow=("FileWrite(**)", "FileWrite")).decision == "ask"
    assert desk.judge(desk.write(path), "auto", allow=(f"FileWrite({path})",)).decision == "allow"


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("tee AGENTS.md", "ask"),
        ("echo obey >> CLAUDE.md", "ask"),
        ("cp a.md .claude/commands/a.md", "ask"),
        ("cd .agents && touch skills/a.md", "ask"),
        ("git checkout other -- AGENTS.md", "ask"),
        ("git add .mcp.json", "ask"),
        ("git add AGENTS.md", "allow"),
        ("git commit -qm notes CLAUDE.md", "allow"),
        ("cat AGENTS.md .claude/commands/a.md", "allow"),
    ],
)
def test_a_command_that_may_change_what_agents_obey_is_asked_about_in_auto(
    desk: Desk, command: str, decision: str
) -> None:
    (desk.root / ".agents").mkdir()

    assert desk.policy("auto").judge_command(command).decision == decision


def test_a_link_out_of_the_folder_is_judged_by_where_it_leads(desk: Desk) -> None:
    (desk.root / "link").symlink_to("/etc")
    (desk.root / "dangling").symlink_to("/nowhere/file")

    assert desk.judge(desk.read("link/hosts"), "auto").decision == "ask"
    assert desk.judge(desk.write("dangling"), "auto").decision == "ask"
    assert desk.judge(desk.read("link/hosts"), allow=("FileRead(link/**)",)).decision == "allow"
    assert desk.judge(desk.read("link/hosts"), deny=("FileRead(/etc/**)",)).decision == "deny"


@pytest.mark.parametrize(
    "pattern", ["secret", "secret/", "secret/**", "./secret", "~/../work/secret", "s*/**", "**/key"]
)
@pytest.mark.parametrize("path", ["secret/key", "./secret/key", "secret//key", "x/../secret/key"])
def test_a_denied_path_is_denied_however_it_is_spelled(desk: Desk, pattern: str, path: str) -> None:
    pattern = pattern.replace("~/../work", str(desk.root))

    verdict = desk.judge(desk.read(path), "auto", deny=(f"FileRead({pattern})",), allow=("FileRead",))

    assert verdict.decision == "deny"
    assert verdict.rule == f"FileRead({pattern})"


def test_a_pattern_starts_at_the_work_folder_and_does_not_match_anywhere(desk: Desk) -> None:
    def denied(pattern: str, path: str) -> bool:
        return desk.judge(desk.read(path), deny=(f"FileRead({pattern})",)).decision == "deny"

    assert denied("dir/**", "dir/a/b")
    assert not denied("dir/**", "other/dir/a")
    assert denied("dir/*", "dir/a")
    assert not denied("dir/*", "dir/a/b")
    assert denied("**/dir/**", "other/dir/a")
    assert denied("[ab]?.txt", "ax.txt")
    assert not denied("[!ab]?.txt", "ax.txt")
    assert denied("$HOME/.ssh/**", "~/.ssh/id")


def test_deny_wins_over_ask_and_ask_over_allow(desk: Desk) -> None:
    three = {"allow": ("FileRead(a)",), "ask": ("FileRead(a)",), "deny": ("FileRead(a)",)}

    assert desk.judge(desk.read("a"), **three).decision == "deny"
    assert desk.judge(desk.read("a"), **(three | {"deny": ()})).decision == "ask"
    assert desk.judge(desk.read("/etc/hosts"), allow=("FileRead(/etc/**)",)).decision == "allow"


def test_a_rule_about_reading_holds_for_every_tool_that_reads_and_one_about_writing_for_every_writer(
    desk: Desk,
) -> None:
    grep = desk.place.vp().bind("Grep", pattern="x", path="secret")
    edit = desk.place.vp().bind("FileEdit", file_path="secret/a", old_string="a", new_string="b")

    assert desk.judge(grep, deny=("Read(secret/**)",)).decision == "deny"
    assert desk.judge(edit, "auto", deny=("FileWrite(secret)",)).decision == "deny"
    assert desk.judge(edit, "auto", deny=("FileRead(other)",)).decision == "allow"


def test_a_question_says_what_would_allow_it(desk: Desk) -> None:
    writing = desk.judge(desk.write("a b.txt"))
    reading = desk.judge(desk.read("/etc/hosts"))

    assert (writing.flag, writing.reason) == ("--mode edits", "It writes a b.txt.")
    assert (reading.offer, reading.flag) == ("FileRead(/etc/hosts)", "--allow 'FileRead(/etc/hosts)'")
    assert desk.judge(desk.write("a b.txt"), "edits").decision == "allow"
    assert desk.judge(desk.read("/etc/hosts"), allow=(reading.offer,)).decision == "allow"


def test_tools_that_stay_in_the_session_are_always_allowed_unless_denied(desk: Desk) -> None:
    call = todo_write("omni").bind(json.dumps({"todos": TODOS}))

    assert [desk.judge(call, mode).decision for mode in ("ask", "edits", "plan", "auto")] == ["allow"] * 4
    assert desk.judge(call, deny=("TodoWrite",)).decision == "deny"


def test_a_tool_of_unknown_effect_is_asked_about_and_can_be_allowed_by_a_glob_over_names(desk: Desk) -> None:
    known = desk.read("a")
    foreign = BoundCall(
        tool="mcp__git__push",
        args=known.args,
        guard="unsafe",
        touches=todo_write("omni").bind(json.dumps({"todos": TODOS})).touches,
        timeout_s=None,
        unknown_keys=(),
        start=known.start,
        intend=known.intend,
    )

    asked = desk.judge(foreign)
    assert (asked.decision, asked.flag) == ("ask", "--allow mcp__git__push")
    assert desk.judge(foreign, allow=("mcp__git__*",)).decision == "allow"
    assert desk.judge(foreign, "plan", allow=("mcp__git__*",)).decision == "deny"


@pytest.mark.parametrize("text", ["", "Bash(", "Bash()", "(x)", "Bash ls", "1x"])
def test_a_rule_that_cannot_be_understood_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ConfigError, match=r"write Tool or Tool\(pattern\), for example"):
        rule(text)


def test_a_rule_is_shown_as_it_was_written() -> None:
    for text in ("Bash", "Bash(git log:*)", "FileRead(a (1).txt)"):
        assert rule(text).text == text


def test_nothing_is_hidden_from_the_human_who_must_say_yes() -> None:
    assert visible("ls \u202etxt\u202c\x1b[8m") == "ls ⟨U+202E⟩txt⟨U+202C⟩⟨U+001B⟩[8m"
    assert visible("ls\u200b\ufeff\u00a0\u3164\U000e0041") == "ls⟨U+200B⟩⟨U+FEFF⟩⟨U+00A0⟩⟨U+3164⟩⟨U+E0041⟩"
    assert visible("ls" + " " * 300 + "; rm x\t\r\n") == "ls⟨300 blanks⟩; rm x⇥⟨U+000D⟩\n"
    assert visible("写入 文件 é 👍🏽") == "写入 文件 é 👍🏽"


@pytest.mark.parametrize(
    ("pattern", "denied"),
    [
        ("domain:*.example.com", {"a.example.com", "b.a.example.com"}),
        ("domain:example.com", {"example.com"}),
        ("Example.com.", {"example.com"}),
        ("*", {"example.com", "a.example.com", "b.a.example.com", "example.com.evil.org", "notexample.com"}),
    ],
)
def test_a_rule_about_a_host_matches_that_host_and_no_other(desk: Desk, pattern: str, denied: set[str]) -> None:
    hosts = ("example.com", "a.example.com", "b.a.example.com", "example.com.evil.org", "notexample.com")
    policy = desk.policy(deny=(f"WebFetch({pattern})",))

    judged = {host: policy.judge_use("WebFetch", "read", Touches(domains=(host,))).decision for host in hosts}

    assert {host for host, decision in judged.items() if decision == "deny"} == denied
    assert {host for host in hosts if not policy.may_visit("WebFetch", host)} == denied


def test_nothing_leaves_the_machine_unasked(desk: Desk) -> None:
    fetch, search = ("WebFetch", "read", Touches(domains=("docs.example",))), ("WebSearch", "read", Touches())

    decisions = {
        mode: [desk.policy(mode).judge_use(*use).decision for use in (fetch, search)]
        for mode in ("ask", "edits", "plan", "auto")
    }
    offers = [desk.policy().judge_use(*use).offer for use in (fetch, search)]

    assert decisions == {"ask": ["ask"] * 2, "edits": ["ask"] * 2, "plan": ["ask"] * 2, "auto": ["allow"] * 2}
    assert offers == ["WebFetch(domain:docs.example)", "WebSearch"]
    assert [desk.policy(allow=tuple(offers)).judge_use(*use).decision for use in (fetch, search)] == ["allow"] * 2


def test_a_host_that_must_be_asked_for_is_not_redirected_to_unasked(desk: Desk) -> None:
    policy = desk.policy(ask=("WebFetch(domain:*)",), allow=("WebFetch(domain:docs.example)",))

    assert policy.judge_use("WebFetch", "read", Touches(domains=("docs.example",))).decision == "ask"
    assert not policy.may_visit("WebFetch", "docs.example")
    assert not desk.policy(deny=("WebFetch",)).may_visit("WebFetch", "docs.example")
    assert desk.policy().may_visit("WebFetch", "docs.example")


def test_a_paid_call_is_asked_for_even_where_files_may_be_written(desk: Desk) -> None:
    into = Touches(writes=("a.png",))

    decisions = {
        mode: desk.policy(mode).judge_use("ImageGeneration", "unsafe", into).decision
        for mode in ("ask", "edits", "plan", "auto")
    }

    assert decisions == {"ask": "ask", "edits": "ask", "plan": "deny", "auto": "allow"}
    assert (
        desk.policy("edits", allow=("ImageGeneration",)).judge_use("ImageGeneration", "unsafe", into).decision
        == "allow"
    )


def test_a_worktree_is_a_work_folder_like_any_other(desk: Desk) -> None:
    assert desk.judge(desk.write(".yeaft/worktrees/x/src/a.py"), "edits").decision == "allow"
    assert desk.judge(desk.write(".yeaft/worktrees/x/.git"), "auto").decision == "ask"
    assert desk.judge(desk.write(".yeaft/worktrees/x/.env"), "auto").decision == "ask"
    assert desk.judge(desk.write(".yeaft/skills/x/SKILL.md"), "auto").decision == "ask"
    assert desk.policy("auto").judge_use(
        "EnterWorktree", "unsafe", Touches(writes=(".yeaft/worktrees/x",))
    ).decision == ("allow")


@pytest.mark.parametrize("tool", ["CancelTask", "JsReplReset", "TodoWrite"])
def test_what_only_reaches_what_the_session_has_started_is_never_asked_about(desk: Desk, tool: str) -> None:
    assert desk.policy().judge_use(tool, "unsafe", Touches()).decision == "allow"
    assert desk.policy(deny=(tool,)).judge_use(tool, "unsafe", Touches()).decision == "deny"
