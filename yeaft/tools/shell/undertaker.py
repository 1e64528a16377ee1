"""Collects the dead whom this process has adopted and whom nobody waits for, as long as it lives.

Whoever has adopted orphans is the parent of all that commands leave behind, also of what was never seen alive: the
process between a double fork, or a helper of a git that was stopped.
"""

import contextlib
import os
import time
from collections.abc import Callable

from yeaft.tools.shell.descendants import own_children, sighting

FORGOTTEN_S = 30.0
"""Who has started a process waits for its end and collects it at once; this is a thousand times longer."""


class Undertaker:
    """Remembers since when a child of this process is dead; `now_s` is a clock that never goes back."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._dead_since: dict[tuple[int, int], float] = {}

    def look(self) -> None:
        """Collect those who were dead a while ago already. Costs a small read for each child there is."""
        now_s, before = self._now_s(), self._dead_since
        seen = filter(None, map(sighting, own_children() or ()))
        dead = {(one.pid, one.started): before.get((one.pid, one.started), now_s) for one in seen if one.state == "Z"}
        forgotten = {who for who, since_s in dead.items() if now_s - since_s >= FORGOTTEN_S}
        for pid, _ in forgotten:
            with contextlib.suppress(ChildProcessError):  # somebody has waited for it after all
                os.waitpid(pid, os.WNOHANG)
        self._dead_since = {who: since_s for who, since_s in dead.items() if who not in forgotten}
