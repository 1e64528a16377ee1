"""Standard output kept for the result: what functions of a graph write there, and what they start, goes to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout

STDOUT, STDERR = 1, 2


@contextmanager
def stdout_aside() -> Generator[None]:
    """Let descriptor 1 lead to where standard error does; whoever has results to write needs a copy made before."""
    sys.stdout.flush()
    kept = os.dup(STDOUT)
    os.dup2(STDERR, STDOUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, STDOUT)
        os.close(kept)
