"""What is written to a terminal by a thread of its own: in order and whole, and nobody who draws waits for it."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event

import pytest

from yeaft.interfaces.tui.output import MOST_WAITING_BYTES, Output

FRAME = "\x1b[1mframe" * 2_000
MOST_FRAMES = 50
PATIENCE_S = 60


class Looker:
    """Somebody at the other end of a pipe, who reads only when asked to; `output` is what is written to."""

    def __init__(self) -> None:
        self.has_room_again = Event()
        self.reading, self.writing = os.pipe()
        self.output = Output(self.writing, is_plain=False, on_room=self.has_room_again.set)

    def reads(self, until: bytes) -> bytes:
        """Read until something was written."""
        seen = b""
        while until not in seen:
            seen += os.read(self.reading, 2**16)
        return seen


@pytest.fixture
def looker() -> Iterator[Looker]:
    one = Looker()
    yield one
    for descriptor in (one.reading, one.writing):
        with suppress(OSError):
            os.close(descriptor)


def test_who_draws_never_waits_and_hears_when_there_is_room_again(looker: Looker) -> None:
    drawn = 0
    while looker.output.has_room() and drawn < MOST_FRAMES:
        looker.output.draw(FRAME)
        drawn += 1
    looker.output.write("and a title")

    assert MOST_WAITING_BYTES < drawn * len(FRAME) < MOST_FRAMES * len(FRAME)
    assert not looker.has_room_again.is_set()
    seen = looker.reads(b"and a title")
    assert looker.has_room_again.wait(PATIENCE_S)
    assert seen == (FRAME * drawn + "and a title").encode()
    assert looker.output.has_room()
    assert looker.output.is_written()


def test_frames_that_nobody_would_see_are_dropped_and_all_else_is_written(looker: Looker) -> None:
    for _ in range(MOST_FRAMES):
        looker.output.draw(FRAME)
    looker.output.write("copied")
    looker.output.draw("never seen")

    looker.output.drop_frames()
    looker.output.write("given back")

    seen = looker.reads(b"given back")
    whole_frames = len(seen) // len(FRAME)
    assert seen == (FRAME * whole_frames + "copiedgiven back").encode()


def test_what_is_cut_off_is_cut_between_two_sequences_and_the_last_word_is_the_last(looker: Looker) -> None:
    looker.output.write(FRAME * 100)
    looker.output.write("never seen")

    with ThreadPoolExecutor(1) as thread:
        ending = thread.submit(looker.output.end, b"the end")
        seen = looker.reads(b"the end")
        ending.result()

    frames, mark, end = seen.rpartition(b"\x1b\\")
    assert (mark, end) == (b"\x1b\\", b"the end")
    assert (frames + b"\x1b[1m").count(b"\x1b[1m") == frames.count(b"frame") + 1
    assert b"never seen" not in frames


@pytest.mark.parametrize(
    ("before", "times"), [("", 0), ("\x1b[>25u", 1), ("\x1b[>25u\x1b[<u", 1), ("\x1b[>25u\x1b[<u\x1b[>25u", 2)]
)
def test_the_last_word_gives_the_keys_back_only_if_they_are_still_taken(
    looker: Looker, before: str, times: int
) -> None:
    looker.output.write(before)
    looker.output.write(FRAME * 100)

    with ThreadPoolExecutor(1) as thread:
        seen = os.read(looker.reading, 100)  # the thread is within what comes after it
        ending = thread.submit(looker.output.end, b"\x1b[<uthe end")
        seen += looker.reads(b"the end")
        ending.result()

    assert seen.count(b"\x1b[<u") == times


def test_a_terminal_that_is_gone_takes_everything(looker: Looker) -> None:
    os.close(looker.reading)

    looker.output.write(FRAME * 100)
    looker.output.end(b"the end")

    assert looker.output.is_written()
    assert looker.output.is_idle
