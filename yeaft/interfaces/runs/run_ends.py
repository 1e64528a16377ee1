"""What a conversation is told when a run is over, waits for its user, or stands still: all in one notice."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from yeaft.events.session import NoticePosted
from yeaft.interfaces.amounts import money, took
from yeaft.interfaces.runs.more import more_words
from yeaft.interfaces.runs.run_lines import sums
from yeaft.workflows.graphs.conditions import text_of
from yeaft.workflows.graphs.graph import FailTask
from yeaft.workflows.graphs.runs.known_runs import short

if TYPE_CHECKING:
    from yeaft.events.graph import GraphEnded
    from yeaft.interfaces.runs.run_view import RunView
    from yeaft.prompts.ui import Ui
    from yeaft.workflows.graphs.executor.execution import Execution

SHOWN_CHARS = 8000
MINUTE_MS = 60_000


def over(ui: Ui, view: RunView, ended: GraphEnded, named: Callable[[str], str], execution: Execution) -> NoticePosted:
    """Tell how a run has ended, what it gave and took, and where to look deeper; `named` gives names of artifacts.

    Where it has ended at a limit, this names the order that goes on with more.
    """
    value = msgspec.json.decode(ended.value)
    text = "" if value is None else text_of(value)[:SHOWN_CHARS].strip()
    params = {
        "graph": view.graph.name,
        "run": short(view.run_id),
        "sums": _sums(ui, view),
        "text": f"\n{text}" if text else "",
        "artifacts": "".join(f"\n@{one} {named(one)}".rstrip() for one in _artifacts(view)),
    }
    match ended.outcome:
        case "completed":
            return NoticePosted(code="runs.completed", params=params, level="info")
        case "cancelled":
            return NoticePosted(code="runs.cancelled", params=params, level="warn")
        case "limit":
            limit = named_limit(ui, view, ended.limit, is_declared=bool(ended.error))
            more = more_words(view.graph.limits, execution)
            params |= {"reason": ended.error, "limit": limit, "more": more}
            code = "runs.limit_declared" if ended.error else "runs.limit_more" if more else "runs.limit"
            if text or params["artifacts"]:
                return NoticePosted(code=code, params=params, level="warn")
            params["reached"] = reached(ui, view)
            return NoticePosted(code=f"{code}_empty", params=params, level="warn")
        case "failed" | "needs_human":
            step = failed_step(view)
            code = "runs.failed" if step else "runs.failed_between"
            return NoticePosted(code=code, params={**params, "reason": ended.error, "step": step}, level="error")


def stands(ui: Ui, view: RunView) -> NoticePosted:
    """Tell that a run was left, and how it can be gone on with."""
    params = {"graph": view.graph.name, "run": short(view.run_id), "sums": _sums(ui, view)}
    return NoticePosted(code="runs.stands", params=params, level="warn")


def asked(view: RunView, text: str) -> NoticePosted:
    """Tell that a run waits for an answer that nobody was there to give."""
    params = {"graph": view.graph.name, "run": short(view.run_id), "text": text}
    return NoticePosted(code="runs.waits", params=params, level="warn")


def _sums(ui: Ui, view: RunView) -> str:
    return " · ".join((ui.text("graph_run.steps_done", count=view.done.steps), *sums(ui, view, view.now_ms)))


def _artifacts(view: RunView) -> list[str]:
    return list(dict.fromkeys(one for visit in view.visits.values() for one in visit.artifacts))


def named_limit(ui: Ui, view: RunView, limit: str, *, is_declared: bool) -> str:
    """Return a limit that a run has used up: how much that was, too, unless the graph itself says that it is."""
    limits = view.graph.limits
    known = {
        "steps": str(limits.max_steps),
        "cost": "" if limits.cost_usd is None else money(limits.cost_usd),
        "tokens": "" if limits.tokens is None else str(limits.tokens),
        "minutes": "" if limits.minutes is None else took(round(limits.minutes * MINUTE_MS)),
    }
    name, most = ui.text(f"graph_run.limit_{limit}"), known.get(limit, "")
    return ui.text("graph_run.limit_named", limit=name, most=most) if most and not is_declared else name


def reached(ui: Ui, view: RunView) -> str:
    """Say how far a run has come that has nothing to show."""
    declared = {step.id for step in view.graph.steps if isinstance(step.task, FailTask)}
    step = next((one.node for one in reversed(view.own) if one.node not in declared), "")
    return ui.text("graph_run.reached", step=step) if step else ui.text("graph_run.reached_none")


def failed_step(view: RunView) -> str:
    """Return the step that could be tried again, the last that failed.

    It is empty if it went wrong between steps, or if the graph says itself that it has failed.
    """
    failed = [one.node for one in view.own if one.state not in ("ok", "running", "cancelled")]
    declared = [step.id for step in view.graph.steps if isinstance(step.task, FailTask)]
    return "" if not failed or any(node in declared for node in failed) else failed[-1]


def cancelled_step(view: RunView) -> str:
    """Return the step that was under way when the run was cancelled, the first of several; empty for none."""
    return next((one.node for one in view.own if one.state == "cancelled"), "")
