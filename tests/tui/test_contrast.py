"""Whatever the screen is drawn in, its words can be read: in each theme, on each background, in the usual palettes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict
from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as Ground
from textual.strip import Strip
from textual.theme import Theme

from tests.tui.asks.asks_given import Seat, seated
from yeaft.interfaces.tui.legible import LEAST_CONTRAST, WORDLESS, Legible, contrast, legible, legible_in_16
from yeaft.interfaces.tui.look import Colours, Look
from yeaft.interfaces.tui.themes import DARK, LIGHT
from yeaft.interfaces.tui.transcript.palette import palette_of
from yeaft.llm.scripted.script import Calls, Says, ScriptedCall

BLACK, WHITE = ColorTriplet(0, 0, 0), ColorTriplet(255, 255, 255)
PALETTES = {
    "xterm": "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
    "linux": "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    "gnome": "2e3436 cc0000 4e9a06 c4a000 3465a4 75507b 06989a d3d7cf 555753 ef2929 8ae234 fce94f 729fcf ad7fa8 34e2e2 eeeeec",
    "windows": "0c0c0c c50f1f 13a10e c19c00 0037da 881798 3a96dd cccccc 767676 e74856 16c60c f9f1a5 3b78ff b4009e 61d6d6 f2f2f2",
}
"""The 16 colours as these terminals show them when nobody has changed them."""
FULL = {"dark": (Look(), DARK), "light": (Look(is_dark=False), LIGHT)}
TRIPLETS = st.builds(ColorTriplet, *[st.integers(0, 255)] * 3)
FLAGS = st.sampled_from((None, True, False))
NAMED = st.none() | st.builds(Color.from_ansi, st.integers(0, 15))
EDIT = Calls(
    calls=(
        ScriptedCall(
            tool="FileWrite", id="w1", args={"file_path": "retry.py", "content": "raise OSError('no')  # 30\n"}
        ),
    )
)


def shown(color: Color | None, palette: str, default: ColorTriplet) -> ColorTriplet:
    """A colour as a terminal shows it."""
    if color is None or color.is_default:
        return default
    if color.number is None:
        return color.get_truecolor()
    return Color.parse(f"#{PALETTES[palette].split()[color.number]}").get_truecolor()


def colour_of(look: Look, vp_id: str) -> str:
    color = look.of_vp(vp_id).style.color
    assert color is not None
    return color.name


def grounds(theme: Theme) -> Iterator[ColorTriplet]:
    """All backgrounds that words stand on."""
    for color in (theme.background, theme.surface, theme.panel):
        assert color is not None
        yield Color.parse(color).get_truecolor()


def faint(seat: Seat, palette: str, default: tuple[ColorTriplet, ColorTriplet]) -> list[tuple[str, float]]:
    """The words on the screen that are hard to read, with their contrast."""
    found: list[tuple[str, float]] = []
    for strip in strips(seat):
        for text, style, _ in strip:
            if style is None or not text.strip(WORDLESS):
                continue
            fore, back = shown(style.color, palette, default[0]), shown(style.bgcolor, palette, default[1])
            if (told := contrast(fore, back)) < LEAST_CONTRAST or style.dim:
                found.append((text, told))
    return found


@given(TRIPLETS, TRIPLETS, FLAGS, FLAGS, FLAGS)
def test_whatever_colours_are_asked_for_words_stand_out(
    fore: ColorTriplet, back: ColorTriplet, dim: bool | None, reverse: bool | None, bold: bool | None
) -> None:
    style = Style(color=Color.from_triplet(fore), bgcolor=Color.from_triplet(back), dim=dim, reverse=reverse, bold=bold)

    made = legible(style, WHITE, BLACK)

    assert made.color is not None
    assert made.bgcolor is not None
    assert contrast(made.color.get_truecolor(), made.bgcolor.get_truecolor()) >= LEAST_CONTRAST
    assert (made.dim, made.reverse, made.bold) == (False, False, bold)


@given(st.builds(Style, color=NAMED, bgcolor=NAMED, dim=FLAGS, reverse=FLAGS), st.booleans())
def test_whichever_of_16_colours_are_asked_for_words_stand_out(style: Style, is_dark: bool) -> None:
    text, ground = (WHITE, BLACK) if is_dark else (BLACK, WHITE)

    made = legible_in_16(style, is_dark=is_dark)

    for palette in PALETTES:
        assert contrast(shown(made.color, palette, text), shown(made.bgcolor, palette, ground)) >= LEAST_CONTRAST
    assert not made.dim
    assert made.reverse or style.bgcolor is None


@pytest.mark.parametrize("name", FULL)
def test_the_colours_of_a_theme_can_be_read_as_they_are(name: str) -> None:
    look, theme = FULL[name]
    texts = {
        "foreground": theme.foreground,
        **{key: theme.variables[key] for key in ("text-muted", "text-disabled")},
        **{key: getattr(theme, key) for key in ("primary", "secondary", "accent", "warning", "error", "success")},
        **{f"vp {number}": colour_of(look, str(number)) for number in range(200)},
    }

    poor = {
        (text, ground.hex): contrast(Color.parse(color).get_truecolor(), ground)
        for text, color in texts.items()
        for ground in grounds(theme)
        if color and contrast(Color.parse(color).get_truecolor(), ground) < LEAST_CONTRAST
    }

    assert poor == {}


@pytest.mark.parametrize("name", FULL)
def test_the_styles_of_the_transcript_can_be_read_as_they_are(name: str) -> None:
    look, theme = FULL[name]
    ground = next(grounds(theme))
    styles = {key: one for key, one in asdict(palette_of(look)).items() if isinstance(one, Style) and one.color}

    assert len(styles) > 8
    for key, style in {**styles, "chosen": look.chosen}.items():
        assert style.color is not None
        behind = style.bgcolor.get_truecolor() if style.bgcolor else ground
        assert contrast(style.color.get_truecolor(), behind) >= LEAST_CONTRAST, key


@pytest.mark.parametrize("is_dark", [True, False])
@pytest.mark.parametrize("palette", PALETTES)
def test_16_colours_are_chosen_so_that_they_can_be_read(palette: str, is_dark: bool) -> None:
    look = Look(colours="ansi", is_dark=is_dark)
    ground, text = (BLACK, WHITE) if is_dark else (WHITE, BLACK)
    styles = [one for one in asdict(palette_of(look)).values() if isinstance(one, Style)]
    styles += [look.of_vp(str(number)).style for number in range(100)]

    for style in styles:
        assert contrast(shown(style.color, palette, text), ground) >= LEAST_CONTRAST, style
        assert legible_in_16(style, is_dark=is_dark).color == style.color or style.reverse


def test_lines_may_be_as_faint_as_they_like_but_words_are_not_dimmed() -> None:
    dimmed = [Segment("│ ", Style(dim=True)), Segment("words", Style(dim=True))]

    bar, words = Legible(Look(colours="none")).apply(dimmed, Ground(0, 0, 0))

    assert bar == dimmed[0]
    assert words == Segment("words", Style(dim=False))


@pytest.mark.parametrize(
    ("colours", "is_dark"), [("full", True), ("full", False), ("ansi", True), ("ansi", False), ("none", True)]
)
async def test_every_word_on_the_screen_can_be_read_and_what_is_chosen_or_typed_into_is_marked(
    tmp_path: Path, colours: Colours, is_dark: bool
) -> None:
    look = Look(colours=colours, is_dark=is_dark, is_chosen=True)
    default = (WHITE, BLACK) if is_dark else (BLACK, WHITE)
    palettes = ("",) if colours == "full" else tuple(PALETTES)

    def hard_to_read() -> dict[str, list[tuple[str, float]]]:
        return {palette: found for palette in palettes if (found := faint(seat, palette, default))}

    async with seated(tmp_path, EDIT, Says(text="Not `written`."), look=look, size=(80, 24)) as seat:
        await seat.types("/")
        await seat.until(lambda: "/status" in text_of(seat))
        assert hard_to_read() == {}
        assert is_one_row(seat, "/help")
        await seat.presses("ctrl+u")
        await seat.says("@omni write")
        await seat.sees("OSError", "yes, once")
        assert hard_to_read() == {}
        await seat.presses("4", "enter")
        await seat.until(lambda: "written" in text_of(seat))
        assert hard_to_read() == {}
        for key, wanted in (("f5", "claude"), ("f4", "write"), ("f6", "write"), ("f1", "Esc")):
            await seat.presses(key)
            await shows(seat, wanted)
            assert hard_to_read() == {}
            if key == "f4":
                await types_into_the_marked_place(seat)
            await seat.presses("escape")


async def test_what_orders_do_begins_in_one_column(tmp_path: Path) -> None:
    async with seated(tmp_path, Says(text="Fine."), size=(80, 24)) as seat:
        await seat.types("/")
        await seat.until(lambda: "/status" in text_of(seat))

        lines = [
            line for line in text_of(seat).splitlines() if line.lstrip("▸ ").startswith("/") and "  " in line.strip()
        ]

        (theme,) = [line for line in lines if "/theme" in line]
        assert len({len(line) - len(line.lstrip("▸ ").partition("  ")[2].lstrip()) for line in lines}) == 1
        assert "/theme …" in theme


async def test_a_locale_of_ascii_is_shown_nothing_else(tmp_path: Path) -> None:
    look = Look(colours="ansi", is_plain=True, is_chosen=True)
    async with seated(tmp_path, Says(text="| a | b |\n|---|---|\n| 1 | “x” |\n" * 9), look=look, size=(40, 24)) as seat:
        await seat.says("@omni a table")
        await seat.until(lambda: "answered" in text_of(seat))
        for key in ("f4", "f5", "f1"):
            await seat.presses(key)
            assert text_of(seat).isascii()
            await seat.presses("escape")
        assert text_of(seat).isascii()
        assert "?" not in {strip.text[-1:] for strip in strips(seat)}


def is_one_row(seat: Seat, chosen: str) -> bool:
    """Whether the row that is chosen has one background from end to end, which is not that beside it."""
    (row,) = [strip for strip in strips(seat) if chosen in strip.text]
    behind = [(style.bgcolor, bool(style.reverse)) for text, style, _ in row for _ in text if style]
    return len(set(behind[2:])) == 1 and behind[0] != behind[2] and len(behind) == 80


async def types_into_the_marked_place(seat: Seat) -> None:
    """See the first letter of what is asked for marked, as the caret stands on it; and the place behind what is typed."""
    assert marked(seat) == "T"
    await seat.types("he")
    await seat.until(lambda: marked(seat) == " ")


async def shows(seat: Seat, wanted: str) -> None:
    await seat.until(lambda: wanted in text_of(seat))


def strips(seat: Seat) -> list[Strip]:
    return seat.app.screen._compositor.render_strips(seat.app.size)


def text_of(seat: Seat) -> str:
    return "\n".join(strip.text.rstrip() for strip in strips(seat))


def marked(seat: Seat) -> str:
    """What stands in the second line on another background than the rest of that line."""
    cells = [(one, style.bgcolor, bool(style.reverse)) for text, style, _ in strips(seat)[1] if style for one in text]
    return "".join(one for one, *looks in cells if looks != list(cells[-3][1:]))
