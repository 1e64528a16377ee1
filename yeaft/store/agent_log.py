"""The log of a sub-agent, `agents/<id>.log` of its Session: what happened, one JSON object a line, texts cut short.

It is for people and programs that look on; the truth is the agent's stream in the journal. A full log is kept as
`<id>.log.1` while the next one grows.
"""

import logging
from pathlib import Path

import msgspec

from yeaft.events.codec import Recorded, encode, type_of

Json = dict[str, "Json"] | list["Json"] | str | float | bool | None
TEXT_CHARS = 2_048
LOG_BYTES = 2 * 1024 * 1024
logger = logging.getLogger(__name__)


def log_path(agents: Path, agent_id: str) -> Path:
    """Where the log of an agent is, below its Session's directory `agents`."""
    return agents / f"{agent_id}.log"


def full_log_path(log: Path) -> Path:
    """Where the part of a log is that came before it."""
    return log.with_name(f"{log.name}.1")


class AgentLog:
    """Appends to one log. The first write that fails ends the writing, and nothing else."""

    def __init__(self, path: Path, limit_bytes: int = LOG_BYTES) -> None:
        self.path = path
        self._limit_bytes = limit_bytes
        self._works = True

    def add(self, recorded: Recorded) -> None:
        """Write one event as a line."""
        fields: dict[str, Json] = msgspec.json.decode(encode(recorded.event))
        cut = {key: _cut(value) for key, value in fields.items()}
        line = {"t": recorded.ts, "type": type_of(recorded.event), **cut}
        self._write(msgspec.json.encode(line) + b"\n")

    def _write(self, line: bytes) -> None:
        if not self._works:
            return
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self.path.open("ab") as log:
                if log.tell() and log.tell() + len(line) > self._limit_bytes:
                    self.path.replace(full_log_path(self.path))
                else:
                    log.write(line)
                    return
            self.path.write_bytes(line)
        except OSError as error:
            self._works = False
            logger.warning("%s cannot be written any more: %s", self.path, error.strerror)


def _cut(value: Json) -> Json:
    """Return JSON data with its long texts cut."""
    if isinstance(value, str):
        return value if len(value) <= TEXT_CHARS else value[:TEXT_CHARS] + "…"
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items()}
    return [_cut(item) for item in value] if isinstance(value, list) else value
