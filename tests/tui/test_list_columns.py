"""The columns of lists and the hints of panels at every width: what is needed most stays, and nothing is broken off."""

from hypothesis import given as supposing
from hypothesis import strategies as st

from yeaft.interfaces.cli.terminal_text import width
from yeaft.interfaces.tui.panels.columns import in_columns, joined, widths
from yeaft.interfaces.tui.panels.hint_line import hint_lines

ROWS = [("* demo/large", "200k", "http://127.0.0.1:8080"), ("  demo/中文", "32k", "missing: KEY")]
HINTS = ("Alt+E all folders", "Alt+R rename", "Alt+D delete", "Esc leave")


def told(room: int) -> list[str]:
    columns = widths(ROWS, (8, 4, 10), room)
    return ["".join(in_columns(row, columns)).rstrip() for row in ROWS]


def test_columns_are_as_wide_as_what_stands_in_them() -> None:
    assert told(60) == ["* demo/large  200k  http://127.0.0.1:8080", "  demo/中文   32k   missing: KEY"]


def test_the_least_needed_column_gives_way_first_and_is_then_left_out() -> None:
    assert told(34) == ["* demo/large  200k  http://127.0.…", "  demo/中文   32k   missing: KEY"]
    assert told(28) == ["* demo/la…  200k  http://12…", "  demo/中…  32k   missing: …"]
    assert told(20) == ["* demo/large  200k", "  demo/中文   32k"]


def test_a_column_in_which_nothing_stands_takes_no_room() -> None:
    rows = [("name", "", "now"), ("other", "", "")]

    assert ["".join(in_columns(row, widths(rows, (4, 4, 3), 40))).rstrip() for row in rows] == ["name   now", "other"]


@supposing(
    st.lists(st.tuples(*(st.text("ab 中", max_size=30),) * 3), max_size=4),
    st.tuples(*(st.integers(1, 20),) * 3),
    st.integers(20, 120),
)
def test_no_row_is_wider_than_its_list(
    rows: list[tuple[str, str, str]], least: tuple[int, int, int], room: int
) -> None:
    columns = widths(rows, least, room)

    assert all(width("".join(in_columns(row, columns))) <= room for row in rows)


def test_hints_are_broken_only_between_them() -> None:
    assert hint_lines(HINTS, 60) == ["Alt+E all folders  Alt+R rename  Alt+D delete  Esc leave"]
    assert hint_lines(HINTS, 40) == ["Alt+E all folders  Alt+R rename", "Alt+D delete  Esc leave"]


def test_what_finds_no_room_in_two_lines_is_left_out_whole_but_never_how_to_leave() -> None:
    assert hint_lines(HINTS, 24) == ["Alt+E all folders", "Alt+R rename  Esc leave"]
    assert hint_lines(HINTS, 10)[-1] == "Esc leave"


def test_of_parts_in_a_line_those_are_left_out_that_would_not_fit_whole() -> None:
    parts = ("r_2xq", "2 steps done", "4.7k tok")

    assert [joined(parts, room) for room in (40, 30, 20, 3)] == [
        "r_2xq · 2 steps done · 4.7k tok",
        "r_2xq · 2 steps done",
        "r_2xq · 2 steps done",
        "r_2xq",
    ]
