"""Commands that look like reading but run, replace or read something else are asked about."""

from pathlib import Path

import pytest
from msgspec import structs

from yeaft.tools.paths import Paths
from yeaft.tools.policy.policy import Policy
from yeaft.tools.policy.rules import Rules

ASKED = (
    *(f"{program} @options" for program in ("nm", "objdump", "size", "readelf", "strings")),
    *("nm -D @options", "nm *", "strings -- @options", "ar t @options"),
    *("bundle --version", "cargo --help", "go env -w GOFLAGS=x", "cargo --version --config x", "rustup run x ls"),
    *("xz -t -d a.xz", "xz -l -d a.xz", "xz -td a.xz", "gunzip -t -d a.gz", "gzip -tkd a.gz", "xz a", "gunzip a.gz"),
    *("grep -rf/etc/passwd x", "grep -nrf/etc/passwd x", "grep -rf../../x x", "rg -if/etc/passwd x"),
    "grep -rfout/hosts x",
)
FREE = (
    *("nm a.o", "nm lib*.a", "strings a.bin", "objdump -d a.o", "python --version", "node -v", "git --version"),
    *("xz -dc a.xz", "xz -t a.xz", "xz -l a.xz", "gzip -l a.gz", "gunzip -c a.gz", "gzip -dc a.gz", "xz -d -c a.xz"),
    *("grep -rn foo .", "grep -rfwords x", "head -n20 a", "ls -la src", "grep -rnA3 foo src"),
)


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    work = tmp_path / "work"
    work.mkdir()
    (work / "out").symlink_to("/etc")
    return Policy(mode="ask", rules=Rules(), paths=Paths(work, home=tmp_path))


@pytest.mark.parametrize("command", ASKED)
def test_what_only_seems_to_read_is_asked_about(policy: Policy, command: str) -> None:
    assert policy.judge_command(command).decision == "ask"


@pytest.mark.parametrize("command", FREE)
def test_everyday_reading_beside_it_stays_free(policy: Policy, command: str) -> None:
    assert policy.judge_command(command).decision == "allow"


def test_a_script_does_not_choose_by_a_file_it_writes_what_a_version_command_runs(policy: Policy) -> None:
    edits = structs.replace(policy, mode="edits")

    assert edits.judge_command("echo x > conftest.py; pytest --version").decision == "ask"
    assert edits.judge_command("pytest --version 2>/dev/null").decision == "allow"
    assert edits.judge_command("echo x > notes.txt").decision == "allow"
