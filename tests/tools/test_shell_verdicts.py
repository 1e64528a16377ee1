"""What may be run without asking: a corpus of command lines with the verdict each must get."""

import re
from pathlib import Path

import pytest

from yeaft.tools.paths import Paths
from yeaft.tools.policy import Policy
from yeaft.tools.rules import Rules, rule

CORPUS = Path(__file__).with_name("shell_corpus.txt")


def cases() -> list[tuple[str, str, str]]:
    section, found = "", []
    for line in CORPUS.read_text().splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            wanted, command = line.split("\t", 1)
            found.append((section, wanted, re.sub(r"\\n|\\t|\\u[0-9a-f]{4}", _character, command)))
    return found


def _character(escape: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t"}.get(escape[0][1]) or chr(int(escape[0][2:], 16))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    work = tmp_path_factory.mktemp("work")
    (work / "src").mkdir()
    for name in ("a.py", "notes.txt", "src/b.py", "two words.txt", ".env"):
        (work / name).write_text("x\n")
    (work / "hosts").symlink_to("/etc/hosts")
    (work / "src/link").symlink_to("/etc")
    return work


def policy(section: str, folder: Path) -> Policy:
    mode, *settings = section.split()
    lists = {"allow": [], "ask": [], "deny": []}
    for setting in settings:
        kind, _, text = setting.partition("=")
        lists[kind].append(rule(text.replace("_", " ")))
    home = folder.parent / "home"
    rules = Rules(**{kind: tuple(found) for kind, found in lists.items()})
    return Policy(mode=mode, rules=rules, paths=Paths(folder, home=home))


@pytest.mark.parametrize(("section", "wanted", "command"), cases())
def test_each_command_of_the_corpus_gets_its_verdict(section: str, wanted: str, command: str, folder: Path) -> None:
    verdict = policy(section, folder).judge_command(command)

    assert verdict.decision == wanted, verdict


@pytest.mark.parametrize("command", [c for s, w, c in cases() if s == "ask" and w == "ask"])
def test_the_flag_that_is_offered_for_a_question_does_allow_the_command(command: str, folder: Path) -> None:
    asked = policy("ask", folder).judge_command(command)
    offered = rule(asked.offer or "Bash(*)")

    answered = Policy(mode="ask", rules=Rules(allow=(offered,)), paths=Paths(folder, home=folder.parent / "home"))

    assert answered.judge_command(command).decision == "allow"
    assert asked.flag.startswith("--allow ")
