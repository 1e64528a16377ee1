"""Keys that are pressed in the moment in which text is put above the line that is edited."""

import os
import pty
import termios
from collections.abc import Iterator

import pytest

from yeaft.interfaces.line.steady_input import SteadyInput

LOCAL_FLAGS = 3


@pytest.fixture
def terminal() -> Iterator[tuple[int, SteadyInput]]:
    """The end at which somebody types, and the one that is read."""
    fingers, descriptor = pty.openpty()
    with os.fdopen(descriptor, encoding="utf-8") as stdin:
        yield fingers, SteadyInput(stdin)
    os.close(fingers)


def test_they_stay_what_they_are_and_are_not_echoed(terminal: tuple[int, SteadyInput]) -> None:
    fingers, keys = terminal

    with keys.raw_mode(), keys.cooked_mode():
        os.write(fingers, b"/quit\r\x04")
        assert os.read(keys.fileno(), 100) == b"/quit\r\x04"
        os.write(keys.fileno(), b"what is put")

    assert os.read(fingers, 100) == b"what is put"


def test_what_another_program_has_changed_is_changed_back(terminal: tuple[int, SteadyInput]) -> None:
    _, keys = terminal
    usual = termios.tcgetattr(keys.fileno())

    with keys.raw_mode():
        raw = termios.tcgetattr(keys.fileno())
        with keys.cooked_mode():
            termios.tcsetattr(keys.fileno(), termios.TCSANOW, usual)
        assert termios.tcgetattr(keys.fileno()) == raw != usual

    assert termios.tcgetattr(keys.fileno())[LOCAL_FLAGS] == usual[LOCAL_FLAGS]
