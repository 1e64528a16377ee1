"""A second process that sees to it that nothing of a Shell outlives a yeaft that was killed.

One per Shell, started before its first command: a shell that waits on a pipe whose other end only yeaft holds. When
yeaft is gone, however it went (SIGKILL included), the pipe closes, and the warden ends every process that carries the
Shell's mark and every call's process group: SIGTERM, two seconds, SIGKILL. PR_SET_PDEATHSIG would reach only the
wrapper, not what it started, and is lost at a change of user.

It has an environment of its own without any mark, and a session of its own, so that neither Ctrl-C nor the hunt of an
outer yeaft hits it before it has done its work.
"""

import contextlib
import os
import subprocess
from pathlib import Path

SCRIPT = r"""
read -r order
[ "$order" = close ] && exit 0
strike() {
    grep -lzsx "YEAFT_SHELL=$2" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ pid _; do
        kill "-$1" "$pid" 2>/dev/null
    done
    for place in "$3"/*/; do
        [ -s "$place/pid" ] && [ ! -s "$place/exit" ] || continue
        read -r then <"$place/pid"
        pid=${then%% *}
        read -r now 2>/dev/null <"/proc/$pid/stat" || continue
        [ "$(began $then)" = "$(began $now)" ] && kill "-$1" "-$pid" 2>/dev/null
    done
}
began() { shift 21; echo "$1"; }
strike TERM "$1" "$2"
sleep 2
strike KILL "$1" "$2"
"""
SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin"


class Warden:
    """The running warden of one Shell."""

    def __init__(self, shell_token: str, calls: Path) -> None:
        listening, self._line = os.pipe()
        try:
            self._child = subprocess.Popen(
                ["/bin/sh", "-c", SCRIPT, "yeaft-warden", shell_token, str(calls)],
                stdin=listening,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                cwd="/",
                env={"PATH": SEARCH_PATH},
            )
        finally:
            os.close(listening)

    @property
    def pid(self) -> int:
        """The warden's own process id."""
        return self._child.pid

    def dismiss(self) -> None:
        """Send the warden home: nothing is left that it would have to end."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._line, b"close\n")
        os.close(self._line)
        self._child.wait()
