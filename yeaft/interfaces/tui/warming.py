"""Loads, while nothing else happens, what the first exchange and the first command need: typing never waits for it."""

from __future__ import annotations

import logging
from importlib import import_module

NEEDED = (
    "yeaft.llm.anthropic",
    "yeaft.llm.responses",
    "yeaft.tools.policy.shell_grammar",
    "yeaft.tools.policy.shell_judge",
)
AHEAD = ("html",)
"""Packages that load a module of their own which others ask for first.

Python locks both in the order in which they are asked for: two threads that come from either side wait for each other,
until an error ends one of them, wherever that is.
"""
logger = logging.getLogger(__name__)


def load_ahead() -> None:
    """Import what has to be there before another thread imports anything (2 ms)."""
    for package in AHEAD:
        import_module(package)


def warm_up() -> None:
    """Import what the first exchange with a model and the first judgement of a command need. Blocks; for a thread.

    Never raises: what cannot be loaded here is loaded, or told, where it is needed.
    """
    from yeaft.interfaces.tui.transcript.code_lines import warm_up as warm_up_colours
    from yeaft.llm.transport import preload

    try:
        preload()
        for module in NEEDED:
            import_module(module)
        warm_up_colours()
    except Exception:
        logger.exception("Not everything could be loaded beforehand")
