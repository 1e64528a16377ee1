"""The policy's reading of a command line against what a real bash makes of it."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from yeaft.tools.paths import Paths
from yeaft.tools.policy import Policy
from yeaft.tools.rules import Rules

WORDS = ("rm a", "ls", "echo ", "cat ", "true", "x", "1", " a ", "é", "-n ", '"$x"')
MARKS = ("\n", ";", "&&", "||", "|", "&", "#", " ", "\t", "'", '"', "\\", "\\\n", " \\\n", "`", "$", "!", "=", "~", "*")
BRACKETS = ("$(", ")", "(", "{ ", " }", "${", "}", "$((", "))", "[ ", " ]", "<(", "$'")
INPUTS = ("<<EOF\n", "EOF\n", "\nEOF\n", "<<-EOF\n", "\tEOF\n", "<<'EOF'\n", "<<<", "<", ">/dev/null")
CLAUSES = ("if ", " then ", " else ", " fi", "for i in ", " do ", " done", "case x in ", "x)", ";;", " esac")
PIECES = ("rm a", *WORDS, *MARKS, *BRACKETS, *INPUTS, *CLAUSES)


class Sandbox:
    """A folder where the only programs are a few readers and an `rm` that leaves a mark instead of removing."""

    def __init__(self, tmp: Path) -> None:
        self.folder, self.programs, self.mark = tmp / "work", tmp / "bin", tmp / "mark"
        self.folder.mkdir()
        self.programs.mkdir()
        (self.folder / "a").write_text("x\n")
        for name in ("cat", "ls"):
            (self.programs / name).symlink_to(shutil.which(name) or "")
        (self.programs / "rm").write_text(f"#!/bin/sh\n: > {self.mark}\n")
        (self.programs / "rm").chmod(0o755)
        self.policy = Policy(mode="ask", rules=Rules(), paths=Paths(self.folder, home=tmp))

    def does_harm(self, command: str) -> bool:
        subprocess.run(
            ["/bin/bash", "-c", command],
            cwd=self.folder,
            env={"PATH": str(self.programs)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=20,
        )
        return self.mark.exists() or [path.name for path in self.folder.iterdir()] != ["a"]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return Sandbox(tmp_path_factory.mktemp("sandbox"))


def test_the_sandbox_notices_harm(tmp_path: Path) -> None:
    assert Sandbox(tmp_path).does_harm("ls; rm a")


@given(st.lists(st.sampled_from(PIECES), min_size=2, max_size=14).map("".join))
@example("ls\n\\\nrm a")
@example(">/dev/null\\\necho rm a")
@example("true \t a EOF\n\\rm a")
@example("cat <<EOF\n`rm a`\nEOF")
@example("cat <<-EOF\n\t$(rm a)\n\tEOF")
@example("cat <<EOF\n EOF\n: '\nEOF\nrm a\n: '")
@settings(max_examples=1500, deadline=None)
def test_what_is_allowed_does_no_harm_in_a_real_shell(sandbox: Sandbox, command: str) -> None:
    allowed = sandbox.policy.judge_command(command).decision == "allow"

    assert not (allowed and sandbox.does_harm(command))
