"""Writes the log of a sub-agent to standard output, for people or as it is, and follows it while it grows."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from yeaft.interfaces.cli.commands.printing import local_time, put
from yeaft.store.agent_log import full_log_path

FIRST_LOOK_S, SLOWEST_LOOK_S = 0.02, 0.2
LOOKS_AFTER_END = 3
"""How often a log is looked at after the end of its agent is known: the last line is written after that."""

BRIEF_CHARS = 200
FIELDS = ("tool", "status", "state", "outcome", "model", "args", "args_raw", "text", "result", "error", "code")
"""What is shown of an event, if it has it, in this order."""

NOISE = ("settings.frozen", "vp.frozen", "request.sent", "reply.checkpointed", "owner.released", "session.created")
"""Types that tell a person nothing."""


def put_agent_log(log: Path, *, lines: int | None, is_over: Callable[[], bool] | None = None, for_people: bool) -> None:
    """Write the log, or its last `lines`; to follow it, `is_over` says when the agent has ended."""
    tail = _Tail(log)
    found = deque(_before(log), maxlen=lines)
    found.extend(tail.lines())
    for line in found:
        _put(line, for_people=for_people)
    if is_over is not None and not any(map(_is_end, found)):
        for line in _added(tail, is_over):
            _put(line, for_people=for_people)


def _before(log: Path) -> Iterator[bytes]:
    full = full_log_path(log)
    if full.exists():
        yield from full.read_bytes().splitlines(keepends=True)


def _added(tail: _Tail, is_over: Callable[[], bool]) -> Iterator[bytes]:
    """Yield lines as they are added, until the one that tells of the end, or so long after it that none will come."""
    pause_s, looks_left = FIRST_LOOK_S, LOOKS_AFTER_END
    while looks_left:
        time.sleep(pause_s)
        looks_left -= is_over()
        new = list(tail.lines())
        yield from new
        if any(map(_is_end, new)):
            return
        pause_s = FIRST_LOOK_S if new else min(pause_s * 2, SLOWEST_LOOK_S)


def _is_end(line: bytes) -> bool:
    return b'"type":"agent.ended"' in line[:80]


class _Tail:
    """Reads whole lines of a file that grows, and of the one that takes its place."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._begun = b""

    def lines(self) -> Iterator[bytes]:
        yield from self._rest()
        if self._was_replaced():
            yield from self._rest()
            if self._file is not None:
                self._file.close()
            self._file, self._begun = None, b""
            yield from self._rest()

    def _rest(self) -> Iterator[bytes]:
        if self._file is None and self._path.exists():
            self._file = self._path.open("rb", buffering=0)
        content = self._begun + (self._file.read() or b"" if self._file else b"")
        whole, _, self._begun = content.rpartition(b"\n")
        if whole:
            yield from (whole + b"\n").splitlines(keepends=True)

    def _was_replaced(self) -> bool:
        if self._file is None or not self._path.exists():
            return False
        return os.fstat(self._file.fileno()).st_ino != self._path.stat().st_ino


def _put(line: bytes, *, for_people: bool) -> None:
    text = line.decode("utf-8", "replace").rstrip("\n")
    if not for_people:
        put(text)
        return
    try:
        event: dict[str, Any] = msgspec.json.decode(line)
    except msgspec.DecodeError:
        put(text)
        return
    if event.get("type") not in NOISE:
        put(f"{local_time(event['t'])}  {event['type']}  {_brief(event)}".rstrip())


def _brief(event: dict[str, Any]) -> str:
    shown = [event[field] for field in FIELDS if event.get(field)]
    shown += [item["text"] for item in event.get("items", ()) if item.get("type") == "text"]
    shown += [f"-> {call['tool']}" for call in event.get("calls", ())]
    words = " ".join(" ".join(part if isinstance(part, str) else _json(part) for part in shown).split())
    return words if len(words) <= BRIEF_CHARS else words[: BRIEF_CHARS - 1] + "…"


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
