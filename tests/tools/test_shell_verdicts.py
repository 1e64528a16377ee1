"""What may be run without asking: a corpus of command lines with the verdict each must get."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.shell_given import shell_in
from yeaft.tools.paths import Paths
from yeaft.tools.policy import Policy
from yeaft.tools.rules import Rules, rule

ROOT = Path(__file__).parents[2]
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
    return {"n": "\n", "t": "\t"}.get(escape[0][1]) or chr(int(escape[0].removeprefix("\\u"), base=16))


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


def everyday() -> list[str]:
    return [command for section, wanted, command in cases() if (section, wanted) == ("ask", "allow")]


def questionable() -> list[str]:
    return [command for section, wanted, command in cases() if (section, wanted) == ("ask", "ask")]


def test_the_corpus_is_large_enough_to_mean_something() -> None:
    assert len(everyday()) >= 60
    assert len(questionable()) >= 120


@given(
    st.sampled_from([command for command in everyday() if "#" not in command and "<<" not in command]),
    st.sampled_from([command for command in questionable() if "#" not in command]),
    st.sampled_from([" ; ", " && ", " || ", " | ", " & ", "\n", ";", "&"]),
)
@settings(max_examples=300, deadline=None)
def test_a_questionable_command_stays_questionable_behind_an_everyday_one(
    folder: Path, first: str, second: str, joint: str
) -> None:
    assert policy("ask", folder).judge_command(first + joint + second).decision == "ask"


@given(st.text(alphabet=st.sampled_from("ab -/.'\"\\$(){}[]|&;<>`~*?!#=\n\té\u202e"), max_size=30))
@settings(max_examples=300, deadline=None)
def test_any_text_gets_a_verdict(folder: Path, text: str) -> None:
    assert policy("ask deny=Bash(a:*)", folder).judge_command(text).decision in {"allow", "ask", "deny"}


def test_a_command_of_more_than_ten_thousand_characters_is_asked(folder: Path) -> None:
    assert policy("ask", folder).judge_command("ls " + "a" * 10_000).decision == "ask"


def test_a_plain_command_is_judged_without_loading_the_parser() -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom yeaft.tools.paths import Paths\n"
        "from yeaft.tools.policy import Policy\nfrom yeaft.tools.rules import Rules\n"
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

    assert policy("auto deny=Bash(rm:*)", folder).judge_command(command).decision != "allow"
