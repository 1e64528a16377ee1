"""A tool call as lines: one while it is folded, with its change or its result below it when it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw, Struct
from rich.cells import cell_len

from yeaft.interfaces import amounts
from yeaft.interfaces.cli.call_lines import call_line
from yeaft.interfaces.tui.transcript.diff_lines import change_of, change_size, diff_lines
from yeaft.interfaces.tui.transcript.line import Line, Part, decor, hung
from yeaft.interfaces.tui.transcript.pictures import picture_lines
from yeaft.interfaces.tui.transcript.shown import shown, shown_on_one_line
from yeaft.interfaces.tui.transcript.wrapping import cut_to, wrapped

if TYPE_CHECKING:
    from rich.style import Style

    from yeaft.interfaces.tui.blocks import ToolUse
    from yeaft.interfaces.tui.transcript.view import View

TAIL_LINES = 5
MOST_LINES = 200
MOST_CHARS = 20_000
"""So much of a result is drawn when it is unfolded; the pager shows all of it."""
NOTABLE_MS = 100
SHOWS_PICTURES = ("ViewImage", "ImageGeneration")
"""Tools whose pictures are shown though the call is folded."""
INDENT = 4
LEAST_SUBJECT_COLUMNS = 4
"""So much of what a call is about is shown, however little room there is."""
SIGNS = {
    "ok": ("✓", "v"),
    "exited": ("!", "!"),
    "failed": ("✗", "x"),
    "denied": ("⊘", "-"),
    "cancelled": ("⊘", "-"),
    "not_run": ("○", "o"),
    "lost": ("?", "?"),
    "unknown": ("?", "?"),
    "running": ("▶", ">"),
    "asking": ("?", "?"),
    "waiting": ("○", "o"),
}


class _Given(Struct, frozen=True):
    command: str = ""
    code: str = ""


def tool_lines(block: ToolUse, view: View, *, is_open: bool) -> list[Line]:
    """Return the lines of a call."""
    call, finished = block.call, block.call.finished
    lines = [_head(block, view)]
    if finished is None:
        shown_lines = MOST_LINES if is_open else TAIL_LINES
        lines += _tail(block.output, shown_lines, view)
    elif not is_open:
        if finished.status in ("failed", "lost", "unknown"):
            lines.append(_reason(finished.text, view))
    else:
        change = change_of(call.call.tool, call.call.args_raw)
        lines += diff_lines(change, view) if change else _command(block, view)
        if not change or finished.status != "ok":
            lines += _result(finished.text, view)
    if finished is not None and (is_open or call.call.tool in SHOWS_PICTURES):
        lines += picture_lines(finished.images, view, INDENT)
    return lines


def state_of(block: ToolUse) -> str:
    """Return the status of a call, or what it waits for; `exited` is a command that has ended with a code but 0."""
    call = block.call
    if call.finished is not None:
        has_exited = call.finished.status == "ok" and call.finished.facts.exit_code
        return "exited" if has_exited else call.finished.status
    return "asking" if call.ask else "running" if call.started else "waiting"


def _head(block: ToolUse, view: View) -> Line:
    """Return the one line: sign, what is done to what, how much it has changed, how long it took."""
    palette, state, finished = view.palette, state_of(block), block.call.finished
    fine, plain = SIGNS[state]
    style = _style(state, view)
    args = Raw(block.call.call.args_raw.encode("utf-8", "replace"))
    told = call_line(block.call.call.tool, args, columns=4 * view.columns, tells_change=False)
    said = shown_on_one_line(told.strip().removeprefix("· "))
    change = change_of(block.call.call.tool, block.call.call.args_raw)
    size = f"  {change_size(change)}" if change else ""
    took = f"  {amounts.took(finished.duration_ms)}" if finished and finished.duration_ms >= NOTABLE_MS else ""
    code = (finished.facts.exit_code if finished else None) or 0
    is_told = state not in ("ok", "running", "waiting")
    told_state = f"  {view.ui.text(f'transcript.call_{state}', code=code)}" if is_told else ""
    name, _, subject = said.partition(" ")
    text = Line((decor(f"  {view.sign(fine, plain)} ", style), Part(name, palette.strong), Part(f" {subject}")))
    short_state = f"  {view.ui.text('transcript.call_asking_short')}" if state == "asking" else told_state
    afters = (f"{size}{took}{told_state}", f"{size}{told_state}", told_state, short_state)
    least = INDENT + cell_len(name) + LEAST_SUBJECT_COLUMNS
    room = min(view.columns // 2, view.columns - least)
    after = next((one for one in afters if cell_len(one) <= room), short_state)
    line = cut_to(text, max(view.columns - cell_len(after), least))
    return cut_to(Line((*line.parts, decor(after, palette.dim if state == "ok" else style))), view.columns)


def _style(state: str, view: View) -> Style:
    palette = view.palette
    match state:
        case "ok":
            return palette.good
        case "failed" | "lost" | "unknown":
            return palette.bad
        case "asking" | "exited":
            return palette.warn
        case _:
            return palette.dim


def _reason(text: str, view: View) -> Line:
    first = next((line for line in text[:MOST_CHARS].splitlines() if line.strip()), "")
    part = Part(shown_on_one_line(first[: 4 * view.columns]), view.palette.bad)
    return cut_to(Line((decor(" " * INDENT), part)), view.columns)


def _tail(output: str, most: int, view: View) -> list[Line]:
    """Return the end of what a call that runs has printed, each line cut to the width."""
    bar = decor("  " + view.sign("│", "|") + " ", view.palette.dim)
    columns = view.columns - INDENT
    lines = [line[: 4 * columns] for line in output.rstrip("\n").splitlines()[-most:]] if output.strip() else []
    return [cut_to(Line((bar, Part(shown(line), view.palette.dim))), view.columns) for line in lines]


def _command(block: ToolUse, view: View) -> list[Line]:
    """Return the whole of a command, if the one line does not hold it."""
    try:
        given = msgspec.json.decode(block.call.call.args_raw or "{}", type=_Given, strict=False)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return []
    command = given.command or given.code
    if not command or ("\n" not in command and len(command) < view.columns - 16):
        return []
    indent = decor(" " * INDENT)
    return hung(wrapped([Part(shown(command[:MOST_CHARS]))], view.columns - INDENT), indent, indent)


def _result(text: str, view: View) -> list[Line]:
    """Return a result up to a limit, and how much is left out."""
    bar = decor("  " + view.sign("│", "|") + " ", view.palette.dim)
    if not text.strip():
        return [Line((bar, decor(view.ui.text("transcript.no_output"), view.palette.dim)))]
    start = "\n".join(text[:MOST_CHARS].rstrip("\n").split("\n", MOST_LINES + 1)[: MOST_LINES + 1])
    lines = wrapped([Part(shown(start), view.palette.dim)], view.columns - INDENT)
    kept = lines[:MOST_LINES]
    shown_lines = hung(kept, bar, bar)
    if len(lines) > MOST_LINES or len(text) > MOST_CHARS:
        left = max(text.rstrip("\n").count("\n") + 1 - sum(line.joint == "\n" for line in kept), 1)
        more = view.ui.text("transcript.more_in_pager", count=left)
        shown_lines += hung(wrapped([decor(more, view.palette.dim)], view.columns - INDENT), bar, bar)
    return shown_lines
