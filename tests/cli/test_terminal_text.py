"""Texts fit the terminal they are shown on, whatever the language; calls are told in one short line each."""

import os
import pty
import re
from collections.abc import Mapping

import pytest
from hypothesis import example
from hypothesis import given as supposing
from hypothesis import strategies as st
from msgspec import Raw, json

from yeaft.interfaces.cli.call_lines import call_line, changed, failure_line
from yeaft.interfaces.cli.commands.help import TOPICS
from yeaft.interfaces.cli.commands.printing import table
from yeaft.interfaces.cli.emphasis import is_wanted
from yeaft.interfaces.cli.help_text import HELP
from yeaft.interfaces.cli.help_text_zh import HELP_ZH
from yeaft.interfaces.cli.terminal_text import width, wrapped
from yeaft.prompts.find import read_template

OPTION = re.compile(r"^ +((?:-\w, )?--[\w-]+(?:, --?[\w-]+)*)", re.MULTILINE)


def squeezed(text: str) -> str:
    """Return a text without white space, and without the marks that make a broken comment a comment again."""
    return re.sub(r"[\s#]+", "", text)


@pytest.mark.parametrize("columns", [40, 64, 80])
@pytest.mark.parametrize("text", [HELP, HELP_ZH], ids=["en", "zh"])
def test_the_options_fit_any_terminal_and_lose_nothing(text: str, columns: int) -> None:
    shown = wrapped(text, columns)

    assert squeezed(shown) == squeezed(text)
    options = [line for line in shown.splitlines() if not line.lstrip().startswith(("yeaft", "git", "Usage", "用法"))]
    assert max(map(width, options)) <= columns


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("topic", TOPICS)
def test_topics_lose_nothing_when_they_are_wrapped(topic: str, lang: str) -> None:
    text = read_template(f"help/{topic}", lang)

    assert squeezed(wrapped(text, 50)) == squeezed(text)


def test_both_languages_explain_the_same_options_and_commands() -> None:
    assert OPTION.findall(HELP_ZH) == OPTION.findall(HELP)
    commands = [re.findall(r"^  ([a-z]+) {2,}", text, re.MULTILINE) for text in (HELP, HELP_ZH)]
    assert commands[0] == commands[1]


def test_a_paragraph_is_broken_anew_and_an_example_can_still_be_copied() -> None:
    text = (
        "One two three four five six\nseven eight nine ten eleven twelve thirteen fourteen.\n\n"
        "  yeaft -c 'a long example'  # explained at length"
    )

    assert wrapped(text, 40).split("\n") == [
        "One two three four five six seven eight",
        "nine ten eleven twelve thirteen",
        "fourteen.",
        "",
        "  yeaft -c 'a long example'",
        "      # explained at length",
    ]


@example(["aaaaaaaaaaa" + "。" * 15], 40)
@example(["（" * 25], 40)
@supposing(st.lists(st.text("abc 中文，。（", max_size=30), max_size=8), st.integers(40, 90))
def test_prose_never_sticks_out(lines: list[str], columns: int) -> None:
    text = "\n".join(lines)

    shown = wrapped(text, columns)

    assert squeezed(shown) == squeezed(text)
    assert all(width(line) <= columns for line in shown.split("\n"))


@supposing(st.lists(st.tuples(st.just("id"), st.text("ab中", max_size=60), st.text("ab中", max_size=60)), max_size=4))
def test_a_table_fits_the_terminal(rows: list[tuple[str, str, str]]) -> None:
    assert all(width(line) <= 40 for line in table(("id", "a", "b"), rows, 40))


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ('"tea": 34.0,', '"tea": 3.40,', "34.0 → 3.40"),
        ("a b c", "a c", "b → ∅"),
        ("", "x", "∅ → x"),
        ("one\ntwo\n", "one\nthree\nfour\n", "+2 −1"),
        ("same", "same", "∅ → ∅"),
        ("x" * 50, "y", "+1 −1"),
    ],
)
def test_a_change_is_told_by_the_words_that_differ(old: str, new: str, shown: str) -> None:
    assert changed(old, new) == shown


@pytest.mark.parametrize(
    ("tool", "args", "line"),
    [
        ("FileRead", {"file_path": "notes.md"}, "  · FileRead notes.md"),
        ("Bash", {"command": "cd a\nmake"}, "  · Bash cd a ⏎ make"),
        ("FileEdit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, "  · FileEdit a.py  x → y"),
        ("FileWrite", {"file_path": "a.py", "content": "1\n2\n"}, "  · FileWrite a.py  +2"),
        (
            "ApplyPatch",
            {"patch": "*** Update File: a.py\n+x\n*** Add File: b.py\n"},
            "  · ApplyPatch a.py, b.py  +1 −0",
        ),
        ("RouteForward", {"to": "skeptic", "text": "Check it"}, "  ⇢ @skeptic  Check it"),
        ("TodoWrite", {"todos": [{"status": "in_progress", "activeForm": "Reading"}]}, "  · TodoWrite 0/1 Reading"),
        ("TodoWrite", {"todos": "none"}, "  · TodoWrite"),
        ("Grep", {"path": "src", "pattern": "tea"}, "  · Grep tea"),
        ("mcp__box__put", {"n": 3}, "  · mcp__box__put"),
        ("Bash", {"command": "echo \x1b[2J"}, "  · Bash echo ⟨U+001B⟩[2J"),
    ],
)
def test_a_call_is_one_short_line(tool: str, args: dict[str, object], line: str) -> None:
    assert call_line(tool, Raw(json.encode(args))) == line


def test_a_line_names_the_vp_if_asked_and_fits() -> None:
    line = call_line("Bash", Raw(json.encode({"command": "x" * 99})), vp="omni", columns=30)

    assert line == "  · @omni Bash xxxxxxxxxxxxxx…"
    assert failure_line("Bash", "failed", "\nNo such file\nmore") == "    ✗ Bash failed: No such file"


@pytest.mark.parametrize(
    ("environ", "at_terminal", "in_pipe"),
    [
        ({"TERM": "xterm"}, True, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"TERM": "xterm", "CLICOLOR": "0"}, False, False),
        ({"TERM": "dumb", "CLICOLOR_FORCE": "1"}, True, True),
        ({"TERM": "xterm", "FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        ({"TERM": "dumb", "NO_COLOR": "1", "YEAFT_COLOR": "always"}, True, True),
        ({"TERM": "xterm", "FORCE_COLOR": "1", "YEAFT_COLOR": "never"}, False, False),
        ({"TERM": "xterm", "YEAFT_COLOR": "auto"}, True, False),
    ],
)
def test_bold_type_follows_what_the_user_and_the_terminal_say(
    environ: Mapping[str, str], at_terminal: bool, in_pipe: bool
) -> None:
    controlling, terminal = pty.openpty()
    reading, writing = os.pipe()

    assert (is_wanted(terminal, environ), is_wanted(writing, environ)) == (at_terminal, in_pipe)

    for descriptor in (controlling, terminal, reading, writing):
        os.close(descriptor)
