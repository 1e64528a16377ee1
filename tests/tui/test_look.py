"""How things look follows from the terminal, the locale and the user's wish alone."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.interfaces.cli.terminal_text import width
from yeaft.interfaces.tui.ascii_text import in_ascii
from yeaft.interfaces.tui.look import Colours, Look, look_of

FULL = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        (FULL, "full"),
        ({"TERM": "xterm"}, "ansi"),
        ({"TERM": "linux"}, "ansi"),
        ({**FULL, "NO_COLOR": "1"}, "none"),
        ({**FULL, "NO_COLOR": ""}, "full"),
        ({**FULL, "CLICOLOR": "0"}, "none"),
        ({**FULL, "NO_COLOR": "1", "YEAFT_COLOR": "always"}, "full"),
        ({**FULL, "YEAFT_COLOR": "never"}, "none"),
        ({"TERM": "vt100", "YEAFT_COLOR": "always"}, "none"),
        ({"TERM": "vt100"}, "none"),
        ({"TERM": "xterm-mono"}, "none"),
    ],
)
def test_colours_are_those_that_can_be_shown_and_are_wanted(environ: dict[str, str], expected: Colours) -> None:
    assert look_of(environ).colours == expected


def test_a_theme_that_was_chosen_wins_over_what_the_environment_says() -> None:
    assert look_of({**FULL, "NO_COLOR": "1"}, "light").theme == "yeaft-light"
    assert look_of({**FULL, "COLORFGBG": "0;15"}).theme == "yeaft-light"
    assert look_of({**FULL, "COLORFGBG": "15;0"}).theme == "yeaft-dark"
    assert look_of({**FULL, "COLORFGBG": "0;15"}, "dark").theme == "yeaft-dark"
    assert look_of(FULL, "ansi").theme == "yeaft-ansi-dark"
    assert look_of(FULL, "none").colours == "none"


def test_a_locale_is_ascii_only_if_somebody_says_so() -> None:
    assert look_of({}).is_plain is False
    assert look_of({"LANG": "C.UTF-8"}).is_plain is False
    assert look_of({"LANG": "C"}).is_plain is True
    assert look_of({"LANG": "C", "LC_CTYPE": "C.UTF-8"}).is_plain is True
    assert look_of({"LANG": "C", "LC_ALL": "en_US.utf8"}).is_plain is False


def test_the_vps_that_come_along_can_be_told_apart_without_colour() -> None:
    ids = {path.name.partition(".")[0] for path in Path("templates/vps").glob("*.md")}

    for look in (Look(), Look(is_plain=True)):
        assert len({look.of_vp(vp_id).glyph for vp_id in ids}) == len(ids)
    assert all(Look(colours="none").of_vp(vp_id).style.color is None for vp_id in ids)


@given(st.text(st.characters(exclude_categories=("Cs", "Cc", "Mn", "Me", "Cf"))))
def test_text_in_ascii_takes_as_many_columns(text: str) -> None:
    plain = in_ascii(text)

    assert plain.isascii()
    assert width(plain) == width(text)
