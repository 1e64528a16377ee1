"""How a VP is told, exactly once, that a task of its own has ended."""

from collections.abc import Mapping
from pathlib import Path

from yeaft.events.session import MessagePosted
from yeaft.events.task import TaskEnded, TaskOrphaned, TaskStarted
from yeaft.kernel import ids
from yeaft.kernel.text import without_surrogates
from yeaft.prompts.fill import fill
from yeaft.session.state import SessionState
from yeaft.store.task_log import read_tail
from yeaft.tools.shell.captured import cleaned

OUTPUT_CHARS = 4000
COMMAND_CHARS = 1000
_IN_ATTRIBUTE = {ord(char): entity for char, entity in (('"', "&quot;"), ("<", "&lt;"), (">", "&gt;"), ("\n", " "))}
_CLOSING = "</task-result"


def root_of(state: SessionState, started: TaskStarted) -> str:
    """The user message that a task goes back to; empty if it is not in this journal."""
    turn = state.turns.get(state.turn_of_call(started.call_id))
    return state.messages[turn.started.message_id].root_id if turn else ""


def notice_of(
    state: SessionState,
    started: TaskStarted,
    ended: TaskEnded | TaskOrphaned,
    *,
    log: Path,
    left_id: str,
    phrases: Mapping[str, str],
) -> MessagePosted:
    """The message that tells the VP. `left_id` is the task that what is left running has become, if anything is.

    Its id follows from the task's, so that a process after a crash posts the same. If the VP is at work, it belongs to
    that turn and is seen in its next round; else before its next turn.
    """
    vp_id = started.vp_id
    message_id = ids.derive("m_", started.task_id, "notice")
    turn_id = next((turn.started.turn_id for turn in state.open_turns() if turn.started.vp_id == vp_id), "")
    return MessagePosted(
        message_id=message_id,
        sender="system",
        to=(vp_id,),
        kind="notice",
        text=fill(phrases["task_result"], {"block": _block(started, ended, log, left_id)}),
        root_id=root_of(state, started) or message_id,
        call_id=started.call_id,
        turn_id=turn_id,
    )


def _block(started: TaskStarted, ended: TaskEnded | TaskOrphaned, log: Path, left_id: str) -> str:
    facts = {
        "id": started.task_id,
        "title": started.title,
        **_ending(ended),
        "left_running": left_id,
        "log": str(log) if log.exists() else "",
    }
    shown = "".join(f' {name}="{value.translate(_IN_ATTRIBUTE)}"' for name, value in facts.items() if value)
    output = cleaned(read_tail(log, 4 * OUTPUT_CHARS).content.decode("utf-8", "replace"))[-OUTPUT_CHARS:]
    body = f"$ {started.command[:COMMAND_CHARS]}\n{output}".rstrip()
    return f"<task-result{shown}>\n{without_surrogates(body).replace(_CLOSING, '&lt;/task-result')}\n</task-result>"


def _ending(ended: TaskEnded | TaskOrphaned) -> dict[str, str]:
    if isinstance(ended, TaskOrphaned):
        return {"state": "orphaned", "error": ended.error}
    code = "" if ended.exit_code is None else str(ended.exit_code)
    return {"state": ended.state, "exit_code": code, "signal": ended.signal, "error": ended.error}
