"""What is drawn of a transcript is drawn once, and is what would be drawn anew."""

from textual.filter import LineFilter
from textual.geometry import Offset, Region
from textual.pilot import Pilot
from textual.selection import Selection
from textual.strip import Strip

from tests.tui.transcript.transcript_given import OneTranscript, call, heading, over, said, words
from yeaft.interfaces.tui.legible import Legible
from yeaft.interfaces.tui.look import Look

LINES = "\n".join(f"line **{number}**" for number in range(1, 31))
TWENTY = "\n".join(f"line {number}" for number in range(1, 21))


class InColours(OneTranscript):
    """With the filter that yeaft draws through."""

    def __init__(self) -> None:
        super().__init__()
        self.legible = Legible(Look())

    def get_line_filters(self) -> list[LineFilter]:
        return [self.legible]


def cells(strip: Strip) -> list[tuple[str, str]]:
    return [(one, str(style)) for text, style, _ in strip for one in text]


def drawn(app: OneTranscript) -> list[Strip]:
    width, height = app.transcript.size
    return app.transcript.render_lines(Region(0, 0, width, height))


async def grown(app: OneTranscript, pilot: Pilot[None], text: str) -> None:
    app.shows((), [words(1, text, is_live=True)])
    await pilot.pause()


async def test_each_row_is_drawn_part_by_part() -> None:
    app = InColours()
    async with app.run_test(size=(60, 14)) as pilot:
        blocks = [said(1, "go"), heading(1), words(1, "So `be` **it**.\n\n> quoted\n\n- an item"), call(1), over(1)]
        app.shows(blocks, is_reset=True)
        await pilot.pause()

        behind = app.transcript.background_colors[1]
        rows = [app.transcript.render_line(y).apply_filter(app.legible, behind) for y in range(14)]

        assert [cells(strip) for strip in drawn(app)] == [cells(strip) for strip in rows]


async def test_lines_that_have_only_moved_are_not_drawn_again() -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 10)) as pilot:
        app.shows([said(1, "go")], [words(1, LINES, is_live=True)], is_reset=True)
        await pilot.pause()
        before = drawn(app)

        await grown(app, pilot, LINES + "\nline **31**\nline 32")
        after = drawn(app)

        assert all(old is new for old, new in zip(before[2:], after[:-2], strict=True))
        assert [strip.text.strip() for strip in after[-3:]] == ["line 30", "line 31", "line 32"]


async def test_a_line_that_has_changed_or_is_looked_at_otherwise_is_drawn_again() -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 10)) as pilot:
        app.shows([said(1, "go")], [words(1, LINES, is_live=True)], is_reset=True)
        await pilot.pause()
        plain = drawn(app)

        await grown(app, pilot, LINES[:-2] + " and more")
        changed = drawn(app)
        await grown(app, pilot, LINES)
        app.screen.selections = {app.transcript: Selection(Offset(0, 0), Offset(9, 10_000))}
        await pilot.pause()
        selected = drawn(app)
        app.screen.clear_selection()
        await pilot.pause()
        assert drawn(app) == plain
        app.theme = "textual-light"
        await pilot.pause()
        light = drawn(app)

        assert changed[-1].text.strip() == "line **30 and more"
        assert all(old != new for other in (selected, light) for old, new in zip(plain, other, strict=True))
        assert [strip.text for strip in light] == [strip.text for strip in plain]


async def test_the_scroll_bar_that_is_left_as_it_is_stands_where_it_would_be_drawn() -> None:
    app, text = OneTranscript(), LINES
    async with app.run_test(size=(60, 10)) as pilot:
        app.shows([said(1, "go")], [words(1, text, is_live=True)], is_reset=True)
        await pilot.pause()

        for number in range(60):
            text += f"\nline {number}" * (number % 4)
            await grown(app, pilot, text)
            bar = app.transcript.vertical_scrollbar
            left = bar.render_lines(bar.size.region)
            bar.refresh()

            assert bar.render_lines(bar.size.region) == left


async def test_the_scroll_bar_shows_the_end_from_the_moment_it_comes() -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 10)) as pilot:
        app.shows([said(1, "go")], is_reset=True)
        await pilot.pause()
        assert not app.transcript.show_vertical_scrollbar

        app.shows([words(1, TWENTY)])
        await pilot.pause()

        assert app.transcript.show_vertical_scrollbar
        assert app.transcript.vertical_scrollbar.position == app.transcript.viewport.top == app.transcript.max_scroll_y


async def test_the_scroll_bar_stands_where_the_view_is_when_the_terminal_gets_smaller() -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 30)) as pilot:
        app.shows([said(1, "go"), words(1, TWENTY)], is_reset=True)
        await pilot.pause()
        assert not app.transcript.show_vertical_scrollbar

        await pilot.resize_terminal(60, 10)
        await pilot.pause()

        assert app.transcript.show_vertical_scrollbar
        assert app.transcript.vertical_scrollbar.position == app.transcript.viewport.top == app.transcript.max_scroll_y
