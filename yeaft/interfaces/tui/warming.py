"""Loads, while nothing else happens, what the first message and the first command need: typing never waits for it."""

from __future__ import annotations

from importlib import import_module

NEEDED = (
    "yeaft.llm.anthropic",
    "yeaft.llm.responses",
    "yeaft.tools.policy.shell_grammar",
    "yeaft.tools.policy.shell_judge",
)


def warm_up() -> None:
    """Import what the first exchange with a model and the first judgement of a command need. Blocks; for a thread."""
    from yeaft.llm.transport import preload

    preload()
    for module in NEEDED:
        import_module(module)
