"""The texts that panels show: what commands print about the Session, logs, where one is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from yeaft.interfaces.orders import SESSION
from yeaft.interfaces.tui.panels.printed import printed
from yeaft.interfaces.tui.panels.text_panel import View
from yeaft.kernel.errors import NotFound
from yeaft.store.directory import session_paths

if TYPE_CHECKING:
    from yeaft.interfaces.tui.panels.situation import Situation

LOG_BYTES = 512 * 1024
USAGE_BY = ("vp", "model", "session", "day")


def printed_view(situation: Situation, words: tuple[str, ...], title: str = "") -> View:
    """Return the view of what a command prints; the flags that hold for all that is done here go before it."""
    whole = situation.words(words)
    wish = situation.dialogue.wish
    flags = ("--lang", situation.ui.lang, *(flag for one in wish.settings for flag in ("--set", one)))
    flags = (*flags, "--trust") if wish.trust else flags
    folder, environ = situation.here.folder, situation.environ

    async def text(columns: int) -> str:
        return await printed((*flags, *whole), folder=folder, environ=environ, columns=columns)

    return View(title or f"yeaft {' '.join(whole)}", text, has_escapes=True)


def status_view(situation: Situation) -> View:
    """Return the view of where one is, who takes part, and what it has cost."""
    from yeaft.interfaces.line.telling import status_lines

    async def text(columns: int) -> str:
        del columns
        return "\n".join(status_lines(situation.here))

    return View(_title(situation, "status"), text)


def context_views(situation: Situation) -> tuple[View, ...]:
    """Return what fills the window of everybody who has one, then of each VP alone."""
    words = ("session", "context", SESSION)
    title = _title(situation, "context")
    vps = [vp_id for vp_id in situation.vp_ids if vp_id in situation.state.turns_of]
    alone = [printed_view(situation, (*words, "--vp", vp_id), f"{title} · @{vp_id}") for vp_id in vps]
    return (printed_view(situation, words, title), *(alone if len(alone) > 1 else ()))


def usage_views(situation: Situation) -> tuple[View, ...]:
    """Return what this Session has used by VP and by model, and what all of this folder have by Session and by day."""
    mine = ("--session", SESSION)
    return tuple(
        printed_view(
            situation,
            ("usage", "--by", by, *(mine if by in ("vp", "model") else ())),
            situation.text("usage.title", by=situation.text(f"usage.by_{by}")),
        )
        for by in USAGE_BY
    )


def _title(situation: Situation, order: str) -> str:
    """Return what an order is for, as a title."""
    told = situation.text(f"order.{order}")
    return told[:1].upper() + told[1:]


def log_view(situation: Situation, kind: str, one_id: str, *, follow_s: float) -> View:
    """Return the log of a task or of an agent, followed while the panel that shows it is open."""
    if kind == "agent":
        words = ("agent", "logs", one_id, "--session", SESSION)
        view = printed_view(situation, words, situation.text("panel.agent_log", agent=one_id))
        return View(view.title, view.text, has_escapes=True, follow_s=follow_s and 2.0, at_end=True)

    async def text(columns: int) -> str:
        del columns
        return await asyncio.to_thread(_task_log, situation, one_id)

    return View(situation.text("panel.task_log", task=one_id), text, follow_s=follow_s, at_end=True)


def _task_log(situation: Situation, task_id: str) -> str:
    from yeaft.store.task_files import log_of, read_record
    from yeaft.store.task_log import read_tail
    from yeaft.tools.shell.captured import cleaned

    place = session_paths(situation.home, situation.state.session_id).tasks / task_id
    record = read_record(place)
    if record is None:
        raise NotFound(f"The record of task {task_id} cannot be read: {place}.")
    return cleaned(read_tail(log_of(place, record), LOG_BYTES).content.decode("utf-8", "replace"))
