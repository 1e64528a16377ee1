"""What stands for a result that was left out: what it was, how it began, and a call that truly brings it back."""

from collections.abc import Container, Mapping

from yeaft.engine.state import CallState
from yeaft.prompts.fill import fill

PREVIEW_CHARS = 160
LOG_READER = "ReadTaskLog"
"""The tool that shows any result of the same VP again, by the id of its call."""


def stub_text(state: CallState, phrases: Mapping[str, str], offered: Container[str]) -> str:
    """The line for a call's result; `offered` are the names of the tools that the request offers.

    What only reads can be called again. The result of anything else can be read from the journal, where that is
    offered; it is not to be done twice just to see its result.
    """
    finished = state.finished
    assert finished is not None, "only a result can be left out"
    again = "stub_final"
    if state.started is not None and state.started.guard == "read" and finished.tool in offered:
        again = "stub_repeat"
    elif LOG_READER in offered:
        again = "stub_log"
    return fill(
        phrases["result_stubbed"],
        {
            "tool": finished.tool,
            "bytes": str(len(finished.text.encode("utf-8", "surrogatepass"))),
            "preview": preview(finished.text),
            "again": fill(phrases[again], {"tool": finished.tool, "call": finished.call_id}),
        },
    )


def preview(text: str, limit_chars: int = PREVIEW_CHARS) -> str:
    """The beginning of `text` on one line."""
    line = " ".join(text[: 4 * limit_chars].split())
    return line if len(line) <= limit_chars and len(text) <= 4 * limit_chars else line[:limit_chars] + "…"
