"""A column of blocks of which most are never laid out."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tui.transcript.transcript_given import call, heading, over, remark, said, thought, view, words
from yeaft.interfaces.tui.blocks import AnyBlock
from yeaft.interfaces.tui.transcript.block_lines import block_lines
from yeaft.interfaces.tui.transcript.column import Column
from yeaft.interfaces.tui.transcript.viewport import Viewport

BITS = ("\n\n\n\n", "# a\n", "- b\n", "x" * 70, "words of a line\n", "你好", "```\n", "| a | b |\n|---|---|\n", "> ")
texts = st.lists(st.sampled_from(BITS), max_size=12).map("".join)
kinds = st.one_of(
    st.tuples(st.sampled_from((said, words, thought, remark)), texts),
    st.tuples(st.sampled_from((heading, over, call)), st.none()),
)


def made(drawn: list[tuple], first: int = 0) -> list[AnyBlock]:
    return [make(first + at) if text is None else make(first + at, text) for at, (make, text) in enumerate(drawn)]


@st.composite
def columns_of_blocks(draw: st.DrawFn) -> Column:
    column = Column(view(draw(st.integers(10, 90)), outputs=draw(st.booleans()), thinking=draw(st.booleans())))
    blocks = made(draw(st.lists(kinds, min_size=1, max_size=25)))
    tail = draw(st.integers(0, len(blocks)))
    column.apply(blocks[:tail], blocks[tail:], is_reset=True)
    for block in blocks:
        if draw(st.booleans()):
            column.fold(block.key, is_open=True)
    return column


@given(columns_of_blocks())
@settings(deadline=None)
def test_the_heights_of_all_blocks_are_the_lines_that_are_drawn(column: Column) -> None:
    drawn = [line for index in range(len(column.blocks)) for line in column.lines(index)]

    assert column.total == len(drawn)
    for number, line in enumerate(drawn):
        index, within = column.at(number)
        assert column.lines(index)[within] == line


@given(columns_of_blocks(), st.integers(1, 20), st.lists(st.integers(-40, 40), max_size=8))
@settings(deadline=None)
def test_scrolling_goes_over_each_line_once_however_wrong_the_guesses_were(
    column: Column, rows: int, steps: list[int]
) -> None:
    drawn = [
        line for block in column.blocks for line in block_lines(block, column.view, is_open=block.key in column.opened)
    ]
    viewport = Viewport(column, rows)
    viewport.settle()
    top = max(len(drawn) - rows, 0)

    for step in steps:
        viewport.by(step)
        viewport.settle()
        top = min(max(top + step, 0), max(len(drawn) - rows, 0))

        seen = seen_by(viewport, column)
        assert seen == drawn[top : top + rows]


def seen_by(viewport: Viewport, column: Column) -> list:
    last = min(viewport.top + viewport.rows, column.total)
    seen = []
    for number in range(viewport.top, last):
        index, within = column.at(number)
        seen.append(column.lines(index)[within])
    return seen


@given(columns_of_blocks(), st.integers(1, 12), st.integers(0, 200), st.lists(kinds), st.lists(kinds))
@settings(deadline=None)
def test_what_a_user_looks_at_stays_whatever_comes_above_and_below(
    column: Column, rows: int, line: int, above: list[tuple], below: list[tuple]
) -> None:
    viewport = Viewport(column, rows)
    viewport.settle()
    viewport.to(line)
    seen, was_following = seen_by(viewport, column), viewport.is_following

    column.prepend(made(above, first=1000))
    column.apply((), [*column.blocks[column.tail_start :], *made(below, first=2000)], is_reset=False)
    viewport.settle()

    now = seen_by(viewport, column)
    if was_following:
        assert not viewport.below
    else:
        assert now[: len(seen)] == seen


@given(columns_of_blocks(), st.integers(1, 12), st.integers(0, 200), st.integers(10, 90))
@settings(deadline=None)
def test_the_block_at_the_top_stays_there_when_the_width_changes(
    column: Column, rows: int, line: int, columns: int
) -> None:
    viewport = Viewport(column, rows)
    viewport.settle()
    viewport.to(line)
    held, was_following = viewport.anchor, viewport.is_following

    column.look(view(columns))
    viewport.settle()

    assert held is not None
    assert viewport.anchor is not None
    if not was_following and viewport.below:
        assert viewport.anchor.key == held.key


@given(st.lists(kinds, max_size=12), st.lists(st.lists(kinds, max_size=6), max_size=6), st.data())
@settings(deadline=None)
def test_a_column_that_changes_bit_by_bit_is_the_column_that_is_made_at_once(
    first: list[tuple], changes: list[list[tuple]], data: st.DataObject
) -> None:
    column, done = Column(view()), made(first)
    column.apply(done, (), is_reset=True)
    number, tail = 100, list[AnyBlock]()
    for drawn in changes:
        if data.draw(st.booleans()):
            finished, tail = [*tail, *made(drawn, number)], []
        else:
            finished, tail = [], [*tail[: data.draw(st.integers(0, 3))], *made(drawn, number)]
        number += 100
        column.apply(finished, tail, is_reset=False)
        done += finished
        for index in data.draw(st.lists(st.integers(0, 20), max_size=3)):
            if index < len(column.blocks):
                column.lines(index)

    assert column.blocks == [*done, *tail]
    at_once = Column(view())
    at_once.apply(done, tail, is_reset=True)
    assert [column.lines(at) for at in range(len(column.blocks))] == [
        at_once.lines(at) for at in range(len(column.blocks))
    ]
    assert column.total == at_once.total


def test_a_very_long_block_is_not_laid_out_again_for_each_line_of_what_stands_beside_it() -> None:
    column = Column(view())
    column.apply([heading(1), words(1, "line\n\n" * 5_000), over(1)], (), is_reset=True)
    long = column.laid(1)

    column.laid(0)
    column.laid(2)

    assert column.laid(1) is long


def test_only_so_much_of_what_was_laid_out_is_kept() -> None:
    column = Column(view(outputs=True))
    column.apply([call(number, text="line\n" * 150) for number in range(400)], (), is_reset=True)
    first = column.laid(0)

    for index in range(400):
        column.laid(index)

    assert column.laid(0) is not first
