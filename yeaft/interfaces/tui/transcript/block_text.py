"""Each block as the text it stands for: what is copied, searched, and shown in the pager."""

from __future__ import annotations

import msgspec

from yeaft.interfaces.tui.blocks import AnyBlock, Heading, Posted, Remark, Thought, ToolUse, TurnOver, Words


def block_text(block: AnyBlock) -> str:
    """Return the whole text of a block, as it was written: words as Markdown, calls with what they were given."""
    match block:
        case Posted(message=message):
            return message.text
        case Heading(vp_id=vp_id):
            return f"@{vp_id}"
        case Thought(text=text) | Words(text=text) | Remark(text=text):
            return text
        case ToolUse():
            return f"{_asked(block)}\n\n{result_text(block)}".strip("\n") + "\n"
        case TurnOver(ended=ended):
            return ended.error.message if ended.error else ""


def result_text(block: ToolUse) -> str:
    """Return what a call has given back, or what it has printed so far."""
    finished = block.call.finished
    return finished.text if finished else block.output


def _asked(block: ToolUse) -> str:
    """Return a call with its arguments, texts of several lines as they are."""
    call = block.call.call
    try:
        given = msgspec.json.decode(call.args_raw or "{}", type=dict[str, object])
    except (msgspec.DecodeError, msgspec.ValidationError):
        return f"{call.tool} {call.args_raw}"
    lines = [call.tool]
    for name, value in given.items():
        said = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        lines.append(f"{name}:\n{said}" if "\n" in said else f"{name}: {said}")
    return "\n".join(lines)
