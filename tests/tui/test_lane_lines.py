"""The lanes of VPs at work as lines: columns that stand below each other, at every width."""

from hypothesis import given as supposing
from hypothesis import strategies as st

from yeaft.interfaces.cli.terminal_text import width
from yeaft.interfaces.tui.blocks import Lane
from yeaft.interfaces.tui.lane_lines import lane_lines
from yeaft.interfaces.tui.look import Look
from yeaft.prompts.ui import Ui

NOW_MS = 100_000


def lane(vp_id: str, state: str = "speaking", **facts: object) -> Lane:
    return Lane(vp_id=vp_id, turn_id=vp_id, state=state, **facts)


def lines(lanes: list[Lane], columns: int, *, watched: str = "", lang: str = "en") -> list[str]:
    return [line.plain for line in lane_lines(lanes, watched, columns, Look(), Ui(lang), now_ms=NOW_MS)]


def test_every_column_begins_at_the_same_place_in_all_lanes() -> None:
    lanes = [
        lane("builder", about="I would double it", started_ms=99_000, tokens=7),
        lane("qa", "thinking", about="Hm", started_ms=88_000, tokens=1_234, cost_usd=0.02),
        lane("reviewer", "asking", about="Bash make", started_ms=30_000),
    ]

    assert [line[2:] for line in lines(lanes, 80, watched="qa")] == [
        " @builder   speaks       1s     7 tok         I would double it",
        " @qa        thinks      12s  1.2k tok  $0.02  Hm",
        " @reviewer  asks you  1m10s                   Bash make",
    ]
    assert [line[0] for line in lines(lanes, 80, watched="qa")] == [" ", "▸", " "]


def test_where_there_is_little_room_the_last_numbers_go_first_and_for_all() -> None:
    lanes = [
        lane("builder", about="I would double it", started_ms=99_000, tokens=7, cost_usd=0.01),
        lane("qa", about="Hm", started_ms=88_000, tokens=1_234),
    ]

    assert [line[2:] for line in lines(lanes, 46)] == [
        " @builder  speaks   1s     7 tok  I would d…",
        " @qa       speaks  12s  1.2k tok  Hm",
    ]
    assert [line[2:] for line in lines(lanes, 36)] == [
        " @builder  speaks   1s  I would d…",
        " @qa       speaks  12s  Hm",
    ]


def test_a_sentence_about_a_failure_makes_no_column_of_the_others_wider() -> None:
    lanes = [
        lane("omni", "retrying", failed="overloaded", status=529, model="env/m", left_s=3.0, started_ms=99_000),
        lane("builder", about="words", started_ms=99_000),
    ]

    told, other = lines(lanes, 100)

    assert told[2:] == " @omni     env is overloaded (529), not your machine; again in 3 s - Esc stops  1s"
    assert other[2:] == " @builder  speaks  1s  words"


def test_whoever_cannot_be_reached_is_not_said_to_be_to_blame() -> None:
    waiting = lane("omni", "retrying", failed="connect", model="gone/large", left_s=3.0)

    assert lines([waiting], 100)[0][2:] == " @omni  gone cannot be reached; again in 3 s - Esc stops"
    assert lines([waiting], 100, lang="zh")[0][2:] == " @omni  连不上 gone；3 秒后重试，按 Esc 停止"


@supposing(
    st.lists(
        st.builds(
            lane,
            st.sampled_from(["a", "builder", "a-name-that-is-rather-long-for-a-lane"]),
            st.sampled_from(["waiting", "speaking", "asking", "retrying"]),
            about=st.text("ab 中文\n", max_size=60),
            started_ms=st.integers(0, NOW_MS),
            tokens=st.integers(0, 10**6),
            cost_usd=st.none() | st.floats(0, 99),
        ),
        max_size=5,
    ),
    st.integers(30, 200),
    st.sampled_from(["en", "zh"]),
)
def test_no_lane_is_wider_than_the_screen(lanes: list[Lane], columns: int, lang: str) -> None:
    shown = lines(lanes, columns, lang=lang)

    assert len(shown) == len(lanes)
    assert all(width(line) <= columns for line in shown)


def test_where_a_sentence_about_a_failure_has_no_room_what_matters_stands_first_and_fits() -> None:
    waiting = lane("omni", "retrying", failed="connect", model="gone/large", left_s=1.0, started_ms=99_000)

    assert [line[2:] for line in lines([waiting], 40)] == [" @omni  again in 1 s: gone cannot be …"]
    assert [line[2:] for line in lines([waiting], 40, lang="zh")] == [" @omni  1 秒后重试：连不上 gone  1s"]
