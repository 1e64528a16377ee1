"""`--input-format stream-json` for a run of a graph: answers to what it asks, as lines on standard input."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from yeaft.events.ops import Answer, Interrupt
from yeaft.interfaces.cli.json_input import Lines, read_op
from yeaft.kernel.errors import BadData, NotFound, YeaftError

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened

Refuse = Callable[[YeaftError], None]
"""Hears of a line that cannot be done."""


async def follow_answers(here: Opened, lines: Lines, cancel: Callable[[], None], refuse: Refuse) -> None:
    """Give the answers that come to whoever asks, until there are no more lines.

    A line that cannot be understood ends the input. Open questions are withdrawn then: nobody could answer them any
    more.
    """
    while (line := await lines.next()) is not None:
        if not line.strip():
            continue
        try:
            match read_op(line, lines.number):
                case Answer() as answer:
                    here.session.send(answer)
                case Interrupt():
                    cancel()
                case _:
                    known = "a run takes lines of the types answer and interrupt"
                    raise BadData(f"Line {lines.number} of standard input: {known}; its input is an argument.")
        except NotFound as error:
            refuse(NotFound(f"Line {lines.number} of standard input: {error}"))
        except YeaftError as error:
            refuse(error)
            break
    here.approvals.leave()
