"""What happens after quiet is seen at once; a stream costs only so many frames a second."""

from hypothesis import given
from hypothesis import strategies as st

from yeaft.interfaces.tui.frames import AT_ONCE, FRAME_S, SOON_S, Frames


def drawn_at(changes: list[float]) -> list[float]:
    """When frames are drawn, if something changes at these times."""
    frames, drawn = Frames(), list[float]()
    for now_s in changes:
        if not drawn or drawn[-1] <= now_s:
            due_s = now_s + frames.wait_s(now_s)
            frames.drawn(due_s)
            drawn.append(due_s)
    return drawn


def test_the_first_changes_after_quiet_are_drawn_at_once_and_a_stream_then_at_an_even_pace() -> None:
    drawn = drawn_at([5 + number / 1000 for number in range(2000)])

    assert [round(at - 5, 3) for at in drawn[:AT_ONCE]] == [0.016, 0.032, 0.048]
    apart = [later - earlier for earlier, later in zip(drawn[AT_ONCE:], drawn[AT_ONCE + 1 :], strict=False)]
    assert all(FRAME_S * 0.98 <= one <= FRAME_S * 1.02 for one in apart)


def test_after_a_pause_changes_are_drawn_at_once_again() -> None:
    drawn = drawn_at([*(5 + number / 1000 for number in range(1000)), 8.0, 8.1, 8.2])

    assert drawn[-3:] == [8.0 + SOON_S, 8.1 + SOON_S, 8.2 + SOON_S]


@given(st.lists(st.floats(0, 0.5), min_size=1, max_size=200))
def test_no_change_waits_longer_than_a_frame_and_no_second_has_more_frames_than_it_may(pauses: list[float]) -> None:
    changes = [sum(pauses[: number + 1]) for number in range(len(pauses))]
    drawn = drawn_at(changes)

    for change in changes:
        assert min(at for at in drawn if at >= change) - change <= FRAME_S + SOON_S
    for at in drawn:
        assert sum(1 for one in drawn if at <= one < at + 1) <= 1 / FRAME_S + AT_ONCE
