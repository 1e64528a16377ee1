"""What happened in one visit of a step, in lines: what was asked of it, said and called in it, and what it gave."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import indent
from typing import TYPE_CHECKING

import msgspec

from yeaft.events.call import CallFinished, CallStarted
from yeaft.events.graph import StepFinished
from yeaft.events.session import MessagePosted
from yeaft.events.turn import ReplyCompleted, TurnEnded
from yeaft.interfaces.cli.call_lines import call_line, failure_line
from yeaft.interfaces.runs.run_lines import begun_line, ended_line, left_out_line
from yeaft.kernel.messages import text_of as text_of_items
from yeaft.workflows.graphs.conditions import text_of
from yeaft.workflows.graphs.runs.run_ledger import STREAM

if TYPE_CHECKING:
    from yeaft.interfaces.runs.run_view import RunView, Visit
    from yeaft.prompts.ui import Ui
    from yeaft.store.journal import Journal


def told_lines(ui: Ui, journal: Journal, visit: Visit) -> Iterator[str]:
    """Yield what was told, said and called in a visit, in all its attempts."""
    for number, stream in enumerate(visit.streams):
        if number:
            yield f"  -- {ui.text('graph_run.try', number=number + 1)}"
        for recorded in journal.read(stream):
            match event := recorded.event:
                case MessagePosted(kind="user", text=text):
                    yield indent(text, "  > ")
                case ReplyCompleted(items=items) if said := text_of_items(items).strip():
                    yield indent(said, "  ")
                case CallStarted(tool=tool, args=args):
                    yield "  " + call_line(tool, args, vp="", columns=None)
                case CallFinished(tool=tool, status=status, text=text) if status != "ok":
                    yield "  " + failure_line(tool, status, text, columns=None)
                case TurnEnded(error=error) if error is not None:
                    yield f"  {ui.retold(error.message)}"
                case _:
                    del event


def step_text(ui: Ui, journal: Journal, view: RunView, node: str) -> str:
    """Return all that is known of the visits of a step, the newest last, as people read it."""
    visits = view.of(node)
    given = {
        recorded.event.act_id: recorded.event
        for recorded in journal.read(STREAM + view.run_id)
        if isinstance(recorded.event, StepFinished)
    }
    if not visits:
        return ui.text("runs.step_waits", step=node)
    return "\n\n".join("\n".join(_visit(ui, journal, one, given.get(one.act_id))) for one in visits)


def _visit(ui: Ui, journal: Journal, visit: Visit, finished: StepFinished | None) -> Iterator[str]:
    yield begun_line(visit) if finished is None else ended_line(ui, visit)
    yield from told_lines(ui, journal, visit)
    if finished is None:
        return
    value = text_of(msgspec.json.decode(finished.value)).strip()
    if value and value != "null":
        yield f"{ui.text('runs.gave')}"
        yield indent(value, "    ")
    if said := left_out_line(ui, visit):
        yield said
    for one in finished.artifacts:
        yield f"    @{one}"
