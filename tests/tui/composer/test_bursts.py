"""Keys that come too fast for a hand are a paste."""

from yeaft.interfaces.tui.composer.bursts import Bursts, Over

FAST, SLOW = 0.001, 0.2


def typed(keys: str, gap_s: float) -> tuple[str, int, Over | None]:
    """Return what was typed at once, how much of that was taken back, and the burst."""
    bursts, now, direct, taken = Bursts(), 100.0, "", 0
    for key in keys:
        now += gap_s
        back = bursts.takes(key, now)
        if back is None:
            direct += key
        else:
            taken += back
    return direct, taken, bursts.over()


def test_lines_that_come_as_keys_are_one_paste():
    direct, taken, over = typed("a\nb\nc", FAST)

    assert direct[len(direct) - taken :] == "a"
    assert over == Over("a\nb\nc")


def test_a_burst_that_ends_with_its_only_line_break_is_sent():
    assert typed("hello\n", FAST)[2] == Over("hello", is_sent=True)
    assert typed("y\n", FAST)[2] == Over("y", is_sent=True)


def test_a_paste_of_several_lines_is_not_sent_by_its_last_one():
    assert typed("one\ntwo\n", FAST)[2] == Over("one\ntwo\n")


def test_what_is_typed_by_hand_is_typed():
    assert typed("hello\n", SLOW) == ("hello\n", 0, None)


def test_two_letters_at_once_are_still_typed():
    assert typed("th", FAST) == ("th", 0, None)
