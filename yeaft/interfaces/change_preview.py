"""What a call that waits for the user's yes would change, as the lines of a diff whose hunks have numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from yeaft.interfaces.cli.terminal_text import unmasked

if TYPE_CHECKING:
    from yeaft.interfaces.proposals.taking import Taking


def change_preview(taking: Taking, retold: Callable[[str], str] = str) -> list[str]:
    """Return the lines of a unified diff of what is proposed; what cannot be shown says so in one line, `retold`."""
    return [unmasked(line) for line in (*_lines(taking), *map(retold, taking.proposal.remarks))]


def _lines(taking: Taking) -> Iterator[str]:
    counts, seen = len(taking.hunks), -1
    for number, (of, rows) in enumerate(taking.rows(), start=1):
        part = taking.part(of)
        if of != seen:
            yield f"--- {'/dev/null' if part.before is None else part.name}"
            yield f"+++ {'/dev/null' if part.after is None else part.name}"
            seen = of
        old, new = [row.old for row in rows if row.old], [row.new for row in rows if row.new]
        mark = f" ({number}/{counts})" if counts > 1 else ""
        yield f"@@ -{next(iter(old), 0)},{len(old)} +{next(iter(new), 0)},{len(new)} @@{mark}"
        for row in rows:
            yield row.sign + row.line.rstrip("\r\n")
