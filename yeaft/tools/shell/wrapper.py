"""What a shell command leaves on disk while it runs, so that its fate can be learnt after yeaft was killed.

Every call has a directory `<calls>/<call_id>/`:

    pid    the wrapper's line of /proc/PID/stat (on other systems its bare pid), written before the command starts
    log    what the command printed, both streams as they came; missing if it printed nothing
    exit   the exit code as the shell gives it (128 + n for signal n), written when the command has ended

The wrapper is a few lines of POSIX sh that start no program but the user's shell, or what confines that (about 1 ms,
measured). It survives
the signals that end the command, so that it can still write the code; only SIGKILL to the wrapper itself leaves no
`exit`. Its own remarks ("Killed") go nowhere. It does not carry the call's mark in its own environment, so that a hunt
for marked processes passes it by.
"""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from yeaft.tools.shell.captured import cleaned
from yeaft.tools.shell.descendants import Sighting, sighting, sighting_in

SCRIPT = """
trap : HUP INT TERM
read -r stat 2>/dev/null </proc/self/stat || stat=$$
place=$1 call=$2 shell=$3
shift 3
echo "$stat" >"$place/pid" || exit 125
exec 3>&2 2>/dev/null
(export YEAFT_CALL="$call" YEAFT_SHELL="$shell"; exec "$@" 2>&3 3>&-)
code=$?
echo "$code" >"$place/exit"
exit "$code"
"""
TAIL_BYTES = 16 * 1024


class Known(Struct, frozen=True, kw_only=True):
    """What can be said of a command that nobody waits for any more.

    `finished`: it ended with `exit_code`. `running`: it still runs as `pid`. `gone`: it was started, or was about to
    be, and nobody knows how it ended. `never`: it was not started. `output_tail` is the end of what it printed.
    """

    state: Literal["finished", "running", "gone", "never"]
    exit_code: int | None = None
    pid: int | None = None
    output_tail: str = ""


def prepare(calls: Path, call_id: str) -> Path:
    """Make the directory of a call and return it. Raises `OSError`."""
    place = calls / call_id
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return place


def wrapped(place: Path, call_id: str, shell_token: str, argv: Sequence[str]) -> list[str]:
    """The argument vector that runs `argv` and leaves its traces in `place`."""
    return ["/bin/sh", "-c", SCRIPT, "yeaft-call", str(place), call_id, shell_token, *argv]


def probe(calls: Path, call_id: str) -> Known:
    """What became of a call, from its directory and the process table; never raises for what is missing."""
    place = calls / call_id
    started = _read(place / "pid")
    if started is None:  # without the directory nothing can have been started; with it, that may be just happening
        return Known(state="gone" if place.is_dir() else "never")
    then = _sighting_at_start(started)
    pid = then.pid if then else None
    tail = _tail(place / "log")
    code = (_read(place / "exit") or "").strip()
    if code.isdigit():
        return Known(state="finished", exit_code=int(code), pid=pid, output_tail=tail)
    alive = then is not None and _still_there(then)
    return Known(state="running" if alive else "gone", pid=pid, output_tail=tail)


def forget(calls: Path, call_id: str, *, keep_log: bool) -> None:
    """Remove what a call left once its result is in the journal; `keep_log` when the result names the log."""
    place = calls / call_id
    for name in ("pid", "exit") if keep_log else ("pid", "exit", "log"):
        (place / name).unlink(missing_ok=True)
    if not keep_log:
        with contextlib.suppress(OSError):
            place.rmdir()


def _sighting_at_start(line: str) -> Sighting | None:
    text = line.strip()
    if text.isdigit():
        return Sighting(pid=int(text), parent=0, session=0, state="", started=0)
    return sighting_in(text)


def _still_there(then: Sighting) -> bool:
    now = sighting(then.pid)
    return now is not None and now.alive and then.started in {0, now.started}


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return None


def _tail(log: Path) -> str:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - TAIL_BYTES))
            raw = file.read()
    except OSError:
        return ""
    return cleaned(raw.decode("utf-8", "replace"))
