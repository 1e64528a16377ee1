"""One very long answer: only what somebody comes near is laid out, and all that is seen is as if all of it were."""

import re

import pytest
from textual.selection import Selection

from tests.tui.transcript.transcript_given import OneTranscript, call, said, view, words
from yeaft.interfaces.tui.blocks import AnyBlock
from yeaft.interfaces.tui.look import Look
from yeaft.interfaces.tui.transcript.column import Column, Place
from yeaft.interfaces.tui.transcript.line import Line
from yeaft.interfaces.tui.transcript.long_words import LongWords
from yeaft.interfaces.tui.transcript.markdown.growing import Growing, cut
from yeaft.interfaces.tui.transcript.palette import palette_of
from yeaft.interfaces.tui.transcript.viewport import Viewport

PALETTE = palette_of(Look(colours="none"))
PARAGRAPH = " ".join(f"word{number} and some more of it," for number in range(4_000))
CHINESE = "".join(f"第{number}句话说的是完全不同的事情，" for number in range(4_000))
CODE = (
    "Look:\n\n```text\n"
    + "".join(f"line {number} of {'x' * (number % 90)}\n" for number in range(3_000))
    + "```\n\nDone."
)
LIST = "".join(f"- item {number} with **stress** and `code`, which goes on\n\n  below\n" for number in range(800))
WIDE = "".join(f"word{number} of {'what is printed in lines that are too wide ' * 3}\n" for number in range(60))
TEXTS = {"paragraph": PARAGRAPH, "chinese": CHINESE, "code": CODE, "list": LIST}


def whole(text: str, columns: int) -> list[Line]:
    growing = Growing(columns, PALETTE, (Line(),))
    growing.grow(text)
    return growing.lines


def waiting(column: Column, index: int) -> int:
    """How many lines of a block are a guess."""
    laid = column.laid(index)
    return sum(laid.waiting_at(number) is not None for number in range(len(laid.lines)))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("columns", [23, 80])
def test_what_is_laid_out_in_any_order_is_the_whole(name: str, columns: int) -> None:
    text = TEXTS[name]
    expected = whole(text, columns)
    long = LongWords(cut(text).all_pieces, columns, PALETTE)

    middle = len(long.lines) // 2
    while long.lay(middle, middle + 50) is not None:
        pass
    assert long.lines != expected
    while long.lay(0, len(long.lines)) is not None:
        pass

    assert long.lines == expected


@pytest.mark.parametrize("name", TEXTS)
def test_who_goes_up_from_the_end_sees_every_line_once(name: str) -> None:
    text, rows = TEXTS[name], 7
    column = Column(view(40))
    column.apply([said(1, "go"), words(1, text)], (), is_reset=True)
    viewport = Viewport(column, rows)
    expected = [line.text for line in whole(text, 40)]

    viewport.settle()
    assert waiting(column, 1) > len(expected) // 2
    seen = list[str]()
    while len(seen) < 400:
        in_view = [column.lines(index)[within].text for index, within in map(column.at, _rows(viewport))]
        seen[:0] = in_view
        viewport.by(-rows)

    assert seen == expected[-len(seen) :]


def _rows(viewport: Viewport) -> range:
    return range(viewport.top, viewport.top + viewport.rows)


async def test_a_resize_lays_out_what_is_in_view_and_keeps_what_stands_at_the_top() -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 10)) as pilot:
        app.shows([said(1, "go"), words(1, PARAGRAPH)])
        await pilot.pause()
        app.transcript.scroll_by(-500)
        tops = [first_number(app)]

        for columns in (43, 60, 90, 60):
            await pilot.resize_terminal(columns, 10)
            assert all(app.lines)
            tops.append(first_number(app))
            lines = app.transcript.column.lines(1)
            assert waiting(app.transcript.column, 1) > len(lines) * 0.8

    assert max(tops) - min(tops) <= 4


def first_number(app: OneTranscript) -> int:
    """The number of the first word that is in view and has one."""
    return int(re.findall(r"word(\d+) ", " ".join(app.lines))[0])


@pytest.mark.parametrize("name", TEXTS)
async def test_a_resize_while_a_long_answer_grows_lays_out_what_is_in_view_and_the_rest_when_somebody_comes(
    name: str,
) -> None:
    text, app = TEXTS[name], OneTranscript(Look(colours="none"))
    parts = [text[: len(text) * share // 10] for share in (7, 8, 9)]
    async with app.run_test(size=(60, 10)) as pilot:
        app.shows((), [words(1, parts[0], is_live=True)])
        await pilot.pause()

        for columns, part in ((43, parts[1]), (90, parts[2]), (60, text)):
            await pilot.resize_terminal(columns, 10)
            column = app.transcript.column
            assert waiting(column, 0) > len(column.lines(0)) * 0.8
            app.shows((), [words(1, part, is_live=True)])
            assert app.lines == [line.text.rstrip() for line in whole(part, column.view.columns)[-10:]]
        app.shows([words(1, text)])
        while app.transcript.viewport.top:
            app.transcript.scroll_by(-9)

        assert column.lines(0) == whole(text, column.view.columns)


@pytest.mark.parametrize("is_live", [True, False], ids=["growing", "whole"])
@pytest.mark.parametrize("text", [PARAGRAPH, PARAGRAPH[:20_000]], ids=["long", "short"])
async def test_who_has_scrolled_up_reads_on_at_the_same_words_after_a_resize(text: str, is_live: bool) -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 10)) as pilot:
        app.shows((), [words(1, text, is_live=is_live)])
        await pilot.pause()
        app.transcript.scroll_by(-200)
        tops = [first_number(app)]

        for columns in (43, 90, 60):
            await pilot.resize_terminal(columns, 10)
            app.shows((), [words(1, text + f" and word{columns} more", is_live=is_live)])
            tops.append(first_number(app))

    assert max(tops) - min(tops) <= 4


@pytest.mark.parametrize("block", [call(1, "Bash", WIDE, command="make"), said(1, WIDE)], ids=["output", "message"])
async def test_who_reads_wide_lines_reads_on_at_the_same_line_after_a_resize(block: AnyBlock) -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 10)) as pilot:
        app.shows([block, said(2, "and\n" * 20)])
        await pilot.pause()
        app.transcript.toggle(block.key)
        app.transcript.go_to_start()
        app.transcript.scroll_by(58)
        tops = [first_number(app)]

        for columns in (43, 120, 60):
            await pilot.resize_terminal(columns, 10)
            tops.append(first_number(app))

    assert max(tops) - min(tops) <= 1, tops


async def test_a_word_that_is_found_far_from_the_view_is_brought_into_it() -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 10)) as pilot:
        app.shows([said(1, "go"), words(1, PARAGRAPH)])
        await pilot.pause()
        app.transcript.finding.search("word1234 ", app.transcript.column.blocks, None)

        app.transcript.show_found()

        assert any("word1234 " in line for line in app.lines)
        assert waiting(app.transcript.column, 1) > 1_000


async def test_what_is_selected_is_the_whole_text_though_little_of_it_is_laid_out() -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 10)) as pilot:
        app.shows([words(1, PARAGRAPH)])
        await pilot.pause()

        found = app.transcript.get_selection(Selection(None, None))

        lines = whole(PARAGRAPH, app.transcript.column.view.columns)
        assert found == ("".join(f"{line.source()}{line.joint}" for line in lines[:-1]) + lines[-1].source(), "\n")
        assert waiting(app.transcript.column, 0) > 1_000


def test_a_place_stays_where_it_is_whatever_is_laid_out_above_it() -> None:
    column = Column(view(40))
    column.apply([words(1, CODE)], (), is_reset=True)
    viewport = Viewport(column, 10)
    viewport.settle()
    viewport.by(-40)
    before = [column.lines(0)[number].text for number in _rows(viewport)]

    while (grown := column.lay_between(0, viewport.top)) is not None:
        viewport.keep(grown)
    viewport.settle()

    assert [column.lines(0)[number].text for number in _rows(viewport)] == before
    assert viewport.anchor == Place("w1", viewport.top)
