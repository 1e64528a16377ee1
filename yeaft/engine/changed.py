"""A call that the human changed before saying yes: what may be changed about it, and what the model is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from yeaft.kernel.errors import BadArguments
from yeaft.prompts.fill import fill
from yeaft.tools.tool import arguments

if TYPE_CHECKING:
    from yeaft.engine.state import CallState
    from yeaft.tools.tool import BoundCall


class Changed(Struct, frozen=True, kw_only=True):
    """The human's yes to other arguments than the model gave; `args_raw` is a JSON object."""

    args_raw: str


def misfit(proposed: BoundCall, changed: BoundCall) -> bool:
    """Whether `changed` is more than another way to do what was `proposed`: it may only write fewer files otherwise."""
    old, new = proposed.touches, changed.touches
    is_write = proposed.guard == changed.guard == "verify" and bool(new.writes)
    fewer = all(set(after) <= set(before) for after, before in ((new.writes, old.writes), (new.reads, old.reads)))
    return not (is_write and fewer and proposed.tool == changed.tool)


def with_change(text: str, state: CallState, phrases: Mapping[str, str]) -> str:
    """Return the result of a call with what was run instead of what the model had sent, if that is not the same."""
    found = "\n".join(_differences(state))
    return f"{text}\n{fill(phrases['call_changed'], {'differences': found})}" if found else text


def _differences(state: CallState) -> Iterator[str]:
    started = state.started
    if started is None or started.guard != "verify":
        return
    try:
        sent = arguments(state.call.tool, state.call.args_raw)
    except BadArguments:
        return
    if msgspec.json.encode(sent) == bytes(started.args):
        return
    ran = msgspec.json.decode(started.args, type=dict[str, Any])
    for name in dict.fromkeys((*sent, *ran)):
        if sent.get(name) != ran.get(name):
            yield from _difference(name, sent.get(name), ran.get(name))


def _difference(name: str, sent: object, ran: object) -> Iterator[str]:
    """Yield how one argument differs, as a diff of its lines if it is text."""
    if not (isinstance(sent, str) and isinstance(ran, str)):
        yield f"{name}: {msgspec.json.encode(ran).decode()}"
        return
    import difflib

    names = (f"{name} as you sent it", f"{name} as it was run")
    yield from difflib.unified_diff(sent.split("\n"), ran.split("\n"), *names, lineterm="")
