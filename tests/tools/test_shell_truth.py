"""The policy's reading of a command line against what a real bash makes of it."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from yeaft.tools.paths import Paths
from yeaft.tools.policy.policy import Policy
from yeaft.tools.policy.rules import Rules

WORDS = ("rm a", "ls", "echo ", "cat ", "true", "x", "1", " a ", "é", "-n ", '"$x"')
MARKS = ("\n", ";", "&&", "||", "|", "&", "#", " ", "\t", "'", '"', "\\", "\\\n", " \\\n", "`", "$", "!", "=", "~", "*")
BRACKETS = ("$(", ")", "(", "{ ", " }", "${", "}", "$((", "))", "[ ", " ]", "<(", "$'")
INPUTS = ("<<EOF\n", "EOF\n", "\nEOF\n", "<<-EOF\n", "\tEOF\n", "<<'EOF'\n", "<<<", "<", ">/dev/null")
CLAUSES = ("if ", " then ", " else ", " fi", "for i in ", " do ", " done", "case x in ", "x)", ";;", " esac")
PIECES = ("rm a", *WORDS, *MARKS, *BRACKETS, *INPUTS, *CLAUSES)
SETTING = (
    "f=a",
    "f=s",
    "f=../secret",
    "f=",
    "f='a s'",
    "g=$f",
    "f=$g",
    "g=a",
    "f+=s",
    "read f",
    "f=*",
    "f=$(echo s)",
    "f=(s)",
)
USING = (
    "cat $f",
    'cat "$f"',
    "cat ${f}",
    'cat "./$f"',
    "cat $g",
    "cat a",
    "cat {a,$f}",
    "ls",
    "$f",
    "cat ${f:-s}",
    "rm a",
)
NUMBERS = (
    "i=0",
    "i=$((i+1))",
    'i="a[$(rm a)]"',
    "[ $i -lt 2 ]",
    "[[ $i -eq 1 ]]",
    "echo $((i))",
    "[[ $f == s* ]]",
    "test $f = a",
)
MOVING = (
    "cd d",
    "cd ..",
    "cd .",
    "cat ../a",
    "cat ../s",
    "cat ../secret",
    "cat d/../s",
    "cd d/..",
    'cat "$PWD/a"',
    "cd",
)
SHAPES = (
    "cat $'a'",
    "cat $'s'",
    "cat {a,s}",
    "cat {a,a}",
    "cat ?",
    "cat [a-d]",
    "{rm,a}",
    'cat "$f $g"',
    "cat $f/../s",
)
JOINTS = ("\n", "; ", " && ", " || ", " & ", " | ", " ")
AROUND = (
    "(",
    ")",
    "{ ",
    "; }",
    "if ",
    "; then ",
    "; else ",
    "; fi",
    "for f in *; do ",
    "for f in a s; do ",
    "for f in $g; do ",
)
ROUNDS = (
    "; done",
    "while ",
    "; do ",
    "case $f in s) ",
    "a) ",
    ";; ",
    " esac",
    "$(",
    "<(",
    "< <(",
    "cat <<EOF\n",
    "\nEOF\n",
    "! ",
    "time ",
)
STATEMENTS = (*SETTING, *USING, *MOVING, *SHAPES, *NUMBERS, "(f=s)", "{ f=a; }", "(cd d)", "true", "false")
VARIABLE_PIECES = (*SETTING, *USING, *USING, *MOVING, *SHAPES, *NUMBERS, *JOINTS, *JOINTS, *AROUND, *ROUNDS)


SECRET = "for nobody's eyes"


class Sandbox:
    """A folder where the only programs are a few readers and an `rm` that leaves a mark instead of removing.

    In it are a file `a`, a folder `d` and a link `s` to a secret outside.
    """

    def __init__(self, tmp: Path) -> None:
        self.folder, self.programs, self.mark = tmp / "work", tmp / "bin", tmp / "mark"
        self.folder.mkdir()
        self.programs.mkdir()
        (self.folder / "a").write_text("x\n")
        (self.folder / "d").mkdir()
        (tmp / "secret").write_text(f"{SECRET}\n")
        (self.folder / "s").symlink_to("../secret")
        for name in ("cat", "ls"):
            (self.programs / name).symlink_to(shutil.which(name) or "")
        (self.programs / "rm").write_text(f"#!/bin/sh\n: > {self.mark}\n")
        (self.programs / "rm").chmod(0o755)
        self.policy = Policy(mode="ask", rules=Rules(), paths=Paths(self.folder, home=tmp))

    def does_harm(self, command: str) -> bool:
        done = subprocess.run(
            ["/bin/bash", "-c", command],
            cwd=self.folder,
            env={"PATH": str(self.programs)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=20,
        )
        left = {path.name for path in self.folder.iterdir()}
        return self.mark.exists() or left != {"a", "d", "s"} or SECRET.encode() in done.stdout


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return Sandbox(tmp_path_factory.mktemp("sandbox"))


def test_the_sandbox_notices_harm(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path)

    assert sandbox.does_harm("cat s")
    assert not sandbox.does_harm("ls -l; cat a")
    assert sandbox.does_harm("ls; rm a")


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


@given(st.lists(st.sampled_from(VARIABLE_PIECES), min_size=2, max_size=12).map("".join))
@example("f=a; cat $f; f=s")
@example("f=a || f=s; cat $f")
@example("for f in *; do cat $f; done")
@example('i="a[$(rm a)]"; [[ $i -eq 1 ]]')
@settings(max_examples=1500, deadline=None)
def test_variables_do_not_hide_what_is_read_or_run(sandbox: Sandbox, command: str) -> None:
    allowed = sandbox.policy.judge_command(command).decision == "allow"

    assert not (allowed and sandbox.does_harm(command))


@given(
    st.lists(st.tuples(st.sampled_from(STATEMENTS), st.sampled_from(JOINTS[:-1])), min_size=2, max_size=6).map(
        lambda parts: "".join(word + joint for word, joint in parts[:-1]) + parts[-1][0]
    )
)
@example("cd d; cd ..; cat s")
@example("(cd d); cd ..; cat secret")
@settings(max_examples=1500, deadline=None)
def test_scripts_that_may_run_read_nothing_outside(sandbox: Sandbox, command: str) -> None:
    allowed = sandbox.policy.judge_command(command).decision == "allow"

    assert not (allowed and sandbox.does_harm(command))
