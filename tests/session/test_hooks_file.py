"""`hooks.json` as people write it: what can be used is used, and everything else is named with its line."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.commands_given import CHECKOUT
from yeaft.session.hooks.hook_answer import CAN_BLOCK, answer_of
from yeaft.session.hooks.hook_names import matches
from yeaft.session.hooks.hook_process import Ran
from yeaft.session.hooks.hooks_file import EVENTS, Hook, read_hooks

WHOLE = """{
  // mine
  "permissions": {},
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash|Edit", "hooks": [
        {"type": "command", "command": "./guard.sh", "timeout": 10},
        {"type": "prompt", "prompt": "is it wise?"},
        {"type": "command", "command": "  "},
        {"command": "./second.sh", "timeout": "soon", "async": true}
      ]},
      {"matcher": "Ba(sh", "hooks": [{"type": "command", "command": "lost"}]},
      {"matcher": 7, "hooks": [{"type": "command", "command": "lost"}]},
      {"matcher": "Bash", "command": "lost"},
      "lost"
    ],
    "PostToolUs": [],
    "PreCompact": [],
    "Stop": {"hooks": []},
    "SessionEnd": [{"hooks": [{"type": "command", "command": "last", "timeout": 9000}]}],
  }
}"""


def test_a_file_with_every_kind_of_mistake_still_gives_what_is_right_in_it(tmp_path: Path) -> None:
    path = tmp_path / "hooks.json"
    path.write_text(WHOLE)

    hooks, problems = read_hooks(path)

    at = {"path": str(path)}
    assert hooks == (
        Hook(event="PreToolUse", matcher="Bash|Edit", command="./guard.sh", timeout_s=10, line=7, **at),
        Hook(event="PreToolUse", matcher="Bash|Edit", command="./second.sh", line=10, **at),
        Hook(event="SessionEnd", command="last", timeout_s=600, line=20, **at),
    )
    assert [(one.line, one.fatal) for one in problems] == [
        (2, False),
        (8, True),
        (9, True),
        (10, False),
        (10, False),
        (12, True),
        (13, True),
        (14, True),
        (15, True),
        (17, True),
        (18, True),
        (19, True),
        (20, False),
        (20, False),
    ]
    told = "\n".join(map(str, problems))
    assert f"{path}:8: hooks of type 'prompt' are not supported" in told
    assert "'async' means nothing here" in told
    assert "the matcher 'Ba(sh' is no regular expression" in told
    assert "did you mean PostToolUse?" in told
    assert "PreCompact is no event that hooks can listen to; there are PreToolUse, " in told


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "no hook is in force: the text ends where a value is expected"),
        ('{"hooks": ', "no hook is in force"),
        ("[]", "the file must hold an object"),
        ("{}", 'there is no "hooks" object'),
        ('{"hooks": 3}', '"hooks" must be an object of events'),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "hooks.json"
    path.write_text(content)

    hooks, (problem,) = read_hooks(path)

    assert hooks == ()
    assert str(problem).startswith(f"{path}:1: ")
    assert reason in problem.reason


def test_no_file_is_no_problem_and_a_strange_one_is_no_trap(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert read_hooks(tmp_path / "hooks.json") == ((), ())
    assert read_hooks(tmp_path / "hooks.json" / "deeper") == ((), ())
    assert "cannot be read" in read_hooks(tmp_path / "folder")[1][0].reason
    assert "no regular file" in read_hooks(Path("/dev/zero"))[1][0].reason


@pytest.mark.parametrize(
    ("matcher", "name", "is_meant"),
    [
        ("", "Bash", True),
        ("Bash", "Bash", True),
        ("Bash", "BashOutput", False),
        ("Write|Edit", "FileWrite", True),
        ("Edit | Write", "ApplyPatch", True),
        ("FileEdit", "FileEdit", True),
        ("Read", "FileEdit", False),
        ("Task", "SpawnAgent", True),
        ("mcp__box__.*", "mcp__box__open", True),
        ("mcp__box__.*", "mcp__other__open", False),
        ("^(?!Bash$)", "Bash", False),
        ("^File", "FileRead", True),
        ("bash", "Bash", False),
    ],
)
def test_a_matcher_means_tools_by_the_names_that_users_know(matcher: str, name: str, is_meant: bool) -> None:
    assert matches(matcher, name) is is_meant


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_file_that_help_shows_is_a_good_one(tmp_path: Path, lang: str) -> None:
    text = (CHECKOUT / f"templates/help/hooks.{lang}.md").read_text("utf-8")
    shown = text[text.index("  {\n") : text.index("\n  }\n") + 4]
    (tmp_path / "hooks.json").write_text(shown)

    hooks, problems = read_hooks(tmp_path / "hooks.json")

    assert [(hook.event, hook.matcher, hook.timeout_s) for hook in hooks] == [
        ("PreToolUse", "Bash|Edit", 10.0),
        ("Stop", "", 60.0),
    ]
    assert problems == ()
    assert all(event in text for event in EVENTS)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ("hooks", "PreToolUse", "matcher", "command", "type", "timeout", "decision", "continue", "x")
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_no_json_at_all_makes_the_reader_fail(tmp_path_factory: pytest.TempPathFactory, found: object) -> None:
    path = tmp_path_factory.mktemp("any") / "hooks.json"
    path.write_text(json.dumps(found))

    hooks, problems = read_hooks(path)

    assert all(hook.command.strip() for hook in hooks)
    assert all(problem.reason for problem in problems)


@given(st.sampled_from(EVENTS), JSON | st.text(), st.integers(-15, 255) | st.none(), st.text(max_size=9))
def test_whatever_a_hook_prints_only_a_clear_no_blocks(
    event: str, printed: object, code: int | None, complaint: str
) -> None:
    stdout = printed if isinstance(printed, str) else json.dumps(printed)

    answer = answer_of(EVENTS[EVENTS.index(event)], Ran(exit_code=code, stdout=stdout, stderr=complaint))

    said = printed if isinstance(printed, dict) and code == 0 else {}
    is_no = code == 2 or said.get("continue") is False or str(said.get("decision")).casefold() in ("block", "deny")
    if answer.decision == "deny" or answer.stops:
        assert is_no
    if code == 2 and event in CAN_BLOCK:
        assert answer.decision == "deny"
    if code not in (0, 2):
        assert answer.outcome == "warned"
        assert answer.warning
