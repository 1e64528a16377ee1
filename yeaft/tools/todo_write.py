"""The tool with which a VP keeps its todo list."""

import json
from collections import Counter
from typing import Annotated, Literal

from msgspec import Meta, Struct

from yeaft.events.call import TodoChanged, TodoItem
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.tool import Running, Tool, ToolResult


class Todo(Struct, frozen=True, rename={"active_form": "activeForm"}):
    """One item as the model writes it."""

    content: str
    status: Literal["pending", "in_progress", "completed"]
    active_form: str


class TodoWrite(Struct, frozen=True):
    """What the model says to set its list."""

    todos: Annotated[tuple[Todo, ...], Meta(min_length=1)]


def todo_write(vp_id: str) -> Tool[TodoWrite]:
    """Let the VP replace its whole list; the list is part of the Session, not a file."""

    async def run(args: TodoWrite, _: Running) -> ToolResult:
        counts = Counter(todo.status for todo in args.todos)
        if counts["in_progress"] > 1:
            raise ToolFailed(
                f"{counts['in_progress']} items are in_progress; at most one may be. The list is unchanged."
            )
        if any(not todo.content.strip() for todo in args.todos):
            raise ToolFailed("An item has an empty content. The list is unchanged.")
        items = tuple(
            TodoItem(content=todo.content, status=todo.status, active_form=todo.active_form) for todo in args.todos
        )
        told = {"total": len(items), **{status: counts[status] for status in ("completed", "in_progress", "pending")}}
        return ToolResult(text=json.dumps(told), emits=(TodoChanged(vp_id=vp_id, items=items),))

    return Tool(name="TodoWrite", args=TodoWrite, run=run, guard="local")
