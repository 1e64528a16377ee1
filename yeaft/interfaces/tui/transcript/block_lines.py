"""Each block of a transcript as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from yeaft.interfaces import amounts
from yeaft.interfaces.tui.blocks import AnyBlock, Heading, Posted, Remark, Thought, ToolUse, TurnOver, Words
from yeaft.interfaces.tui.transcript.line import Line, Part, decor, hung
from yeaft.interfaces.tui.transcript.markdown.growing import grown
from yeaft.interfaces.tui.transcript.shown import shown, shown_on_one_line
from yeaft.interfaces.tui.transcript.tool_lines import tool_lines
from yeaft.interfaces.tui.transcript.wrapping import cut_to, wrapped

if TYPE_CHECKING:
    from yeaft.interfaces.tui.transcript.view import View

LONGEST_LINES = 40
"""What the user has said is folded where it has more lines."""
MOST_CHARS = 200_000
"""What is longer is never drawn whole; the pager shows it."""
LIVE_THOUGHT_LINES = 5
LIVE_THOUGHT_CHARS = 2_000


def block_lines(block: AnyBlock, view: View, *, is_open: bool = False) -> list[Line]:
    """Return the lines of a block; `is_open` says that it was unfolded."""
    match block:
        case Posted():
            return _posted(block, view, is_open=is_open)
        case Heading():
            return _heading(block, view)
        case Thought():
            return _thought(block, view, is_open=is_open)
        case Words(text=text):
            return [Line(), *grown(text, view.columns, view.palette).lines]
        case ToolUse():
            return tool_lines(block, view, is_open=is_open or view.outputs)
        case TurnOver():
            return _over(block, view)
        case Remark():
            return _remark(block, view)


def is_foldable(block: AnyBlock) -> bool:
    """Whether there is more to a block than is shown at first."""
    match block:
        case ToolUse() | Thought():
            return True
        case Posted(message=message):
            return message.text.count("\n") >= LONGEST_LINES or len(message.text) > LONGEST_LINES * 60
        case _:
            return False


def _posted(block: Posted, view: View, *, is_open: bool) -> list[Line]:
    palette, message = view.palette, block.message
    text = shown(message.text[:MOST_CHARS])
    if message.kind == "forward":
        arrow = view.sign("→", "->")
        sender = message.sender.removeprefix("vp:")
        whom = " ".join(f"@{name}" for name in message.to)
        style = view.look.of_vp(sender).style
        head = [decor(view.sign("⇢ ", "=> "), palette.dim), Part(f"@{sender} {arrow} {whom}  ", style), Part(text)]
        return [Line(), *_folded(wrapped(head, view.columns), view, is_open=is_open)]
    is_steer = message.kind == "steer"
    mark = decor(view.sign("↳ ", "+ ") if is_steer else view.sign("❯ ", "> "), palette.user)
    lines = wrapped([Part(text, palette.user)], view.columns - 2)
    lines = hung(_folded(lines, view, is_open=is_open), mark, decor("  "))
    if block.files:
        names = ", ".join(map(shown_on_one_line, block.files))
        lines += hung(wrapped([decor(names, palette.dim)], view.columns - 4), decor("  + ", palette.dim), decor("    "))
    if view.times and block.at_ms:
        lines.append(Line((decor(f"  {amounts.clock(block.at_ms)}", palette.dim),)))
    return lines if is_steer else [Line(), *lines]


def _folded(lines: list[Line], view: View, *, is_open: bool) -> list[Line]:
    left = len(lines) - LONGEST_LINES
    if is_open or left <= 0:
        return lines
    more = view.ui.text("transcript.more_lines", count=left)
    return [*lines[:LONGEST_LINES], Line((decor(more, view.palette.dim),))]


def _heading(block: Heading, view: View) -> list[Line]:
    look = view.look.of_vp(block.vp_id)
    parts = [Part(f"{look.glyph} ", look.style, ""), Part(f"@{shown_on_one_line(block.vp_id)}", look.style)]
    if block.model:
        parts.append(decor(f"  {shown_on_one_line(block.model)}", view.palette.dim))
    if view.times and block.at_ms:
        parts.append(decor(f"  {amounts.clock(block.at_ms)}", view.palette.dim))
    return [Line(), cut_to(Line(tuple(parts)), view.columns)]


def _thought(block: Thought, view: View, *, is_open: bool) -> list[Line]:
    dim = view.palette.dim
    if view.thinking or is_open:
        lines = wrapped([Part(shown(block.text.strip()[:MOST_CHARS]), dim + view.palette.stress)], view.columns - 2)
    elif block.is_live:
        end = shown(block.text[-LIVE_THOUGHT_CHARS:].strip())
        lines = wrapped([Part(end, dim + view.palette.stress)], view.columns - 2)[-LIVE_THOUGHT_LINES:]
    else:
        first = next((line for line in block.text.splitlines() if line.strip()), "")
        said = view.ui.text("transcript.thought", text=shown_on_one_line(first[: 4 * view.columns]).strip("*# "))
        return [cut_to(Line((decor(view.sign("✻ ", "~ "), dim), Part(said, dim))), view.columns)]
    return hung(lines, decor(view.sign("✻ ", "~ "), dim), decor("  "))


def _over(block: TurnOver, view: View) -> list[Line]:
    ended, palette = block.ended, view.palette
    outcome = view.ui.text(f"transcript.outcome_{ended.outcome}")
    took = amounts.took(block.duration_ms) if block.duration_ms else ""
    cost = f"${ended.cost_usd:.4f}" if ended.cost_usd is not None else ""
    tokens = ""
    if ended.usage.output:
        counts = {"sent": amounts.short(ended.usage.sent), "got": amounts.short(ended.usage.output)}
        tokens = view.ui.text("transcript.tokens", **counts)
    told = [" · ".join(filter(None, facts)) for facts in ((outcome, took, tokens, cost), (outcome, took, cost))]
    facts = next((one for one in told if cell_len(one) <= view.columns - 2), told[-1])
    is_bad = ended.outcome in ("failed", "lost", "refused")
    style = palette.bad if is_bad else palette.warn if ended.outcome in ("limit", "aborted") else palette.dim
    mark = view.sign("✗ ", "x ") if is_bad else view.sign("─ ", "- ")
    lines = [Line(), cut_to(Line((decor(mark, style), decor(facts, style))), view.columns)]
    if ended.error is not None and ended.outcome == "failed":
        text = shown(view.ui.retold(ended.error.message))
        lines += hung(wrapped([Part(text, palette.bad)], view.columns - 2), decor("  "), decor("  "))
    return lines


def _remark(block: Remark, view: View) -> list[Line]:
    palette = view.palette
    style = {"info": palette.dim, "warn": palette.warn, "error": palette.bad}[block.level]
    mark = {"info": view.sign("· ", "i "), "warn": "! ", "error": view.sign("✗ ", "x ")}[block.level]
    lines = wrapped([Part(shown(block.text), style)], view.columns - 2)
    lines = hung(lines, decor(mark, style), decor("  "))
    return lines if block.follows else [Line(), *lines]
