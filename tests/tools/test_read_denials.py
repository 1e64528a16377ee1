"""What a rule denies reading is not read by searching the folder around it either."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.shell_given import Call
from yeaft.config.settings import Mode
from yeaft.kernel.errors import ConfigError
from yeaft.tools.glob_files import glob_files
from yeaft.tools.grep import Backend, grep
from yeaft.tools.paths import Paths
from yeaft.tools.policy.policy import Policy
from yeaft.tools.policy.rules import Rules, check_tool, rule
from yeaft.tools.search.ripgrep import best_backend, own_search
from yeaft.tools.tool import AnyTool

LEFT_OUT = "(left out: what FileRead(secrets/**) denies reading)"
SEARCHES = (
    *("grep -r key .", "grep -rn key", "grep --recursive key .", "rg key", "rg key .", "git grep key", "ag key"),
    *("diff -r . other", "timeout 5 rg key", "rg key | head"),
)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    for name in ("secrets/deep/a.txt", "src/b.txt", "other/c.txt"):
        (work / name).parent.mkdir(parents=True)
        (work / name).write_text("key\n")
    return work


def policy(
    work: Path, *, mode: Mode = "ask", allow: str = "Bash(nothing)", deny: str = "FileRead(secrets/**)"
) -> Policy:
    return Policy(mode=mode, rules=Rules(allow=(rule(allow),), deny=(rule(deny),)), paths=Paths(work))


async def told(tool: AnyTool, **args: object) -> str:
    said = await tool.bind(json.dumps(args)).start(Call("c_1"))
    assert isinstance(said, str)
    return said


@pytest.mark.parametrize("backend", [own_search, best_backend()], ids=["own", "best"])
@pytest.mark.parametrize("mode", ["content", "count", "files_with_matches"])
async def test_grep_leaves_out_what_may_not_be_read_and_says_so(work: Path, backend: Backend, mode: str) -> None:
    tool = grep(Paths(work), backend, withholding=policy(work).withheld)

    said = await told(tool, pattern="key", output_mode=mode)

    assert "secrets/deep" not in said
    assert "src/b.txt" in said
    assert said.endswith(LEFT_OUT)
    assert await told(tool, pattern="nowhere") == f"(no matches)\n{LEFT_OUT}"
    assert "left out" not in await told(tool, pattern="key", path="src")


@pytest.mark.parametrize("deny", ["FileRead(secrets)", "Read(**/deep/*)", "Grep(secrets/**)"])
async def test_glob_leaves_it_out_however_the_rule_is_written(work: Path, deny: str) -> None:
    said = await told(glob_files(Paths(work), policy(work, deny=deny).withheld), pattern="**/*.txt")

    assert set(said.split("\n")) == {"src/b.txt", "other/c.txt", f"(left out: what {deny} denies reading)"}


@pytest.mark.parametrize("mode", ["ask", "auto"])
@pytest.mark.parametrize("command", SEARCHES)
def test_a_command_that_reads_the_whole_folder_is_asked_about(work: Path, command: str, mode: Mode) -> None:
    verdict = policy(work, mode=mode).judge_command(command)

    assert verdict.decision == "ask"
    assert "may read what FileRead(secrets/**) denies" in verdict.reason


@pytest.mark.parametrize("allow", ["Bash(rg:*)", "Bash(*)", "Bash"])
def test_a_rule_that_allows_searching_does_not_open_what_another_denies(work: Path, allow: str) -> None:
    assert policy(work, allow=allow).judge_command("rg key").decision == "ask"
    assert policy(work, allow="Bash(rg key)").judge_command("rg key").decision == "allow"


@pytest.mark.parametrize("command", ["rg key src", "grep -r key src", "grep key src/b.txt", "git log", "ls -R"])
def test_what_does_not_read_there_stays_free(work: Path, command: str) -> None:
    assert policy(work).judge_command(command).decision == "allow"


@pytest.fixture
def check() -> Callable[[str], None]:
    return lambda text: check_tool(rule(text), ("Bash", "FileRead", "WebFetch"))


@pytest.mark.parametrize(
    ("text", "meant"), [("FileRaed(a)", "FileRead(a)"), ("bash(rm:*)", "Bash(rm:*)"), ("Webfetch", "WebFetch")]
)
def test_a_rule_for_no_tool_is_refused_with_the_nearest_name(
    check: Callable[[str], None], text: str, meant: str
) -> None:
    with pytest.raises(ConfigError, match="there is no tool") as caught:
        check(text)

    assert f"Did you mean {meant}?" in str(caught.value)


@pytest.mark.parametrize("text", ["Bash(ls)", "Read(a)", "File*(a)", "mcp__git__*", "mcp__x__y"])
def test_a_rule_for_tools_globs_and_servers_is_taken(check: Callable[[str], None], text: str) -> None:
    check(text)
