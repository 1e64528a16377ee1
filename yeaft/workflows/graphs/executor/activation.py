"""What there is to do in a run: one visit of one step, and times to wait for."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from yeaft.events.graph import Frame
from yeaft.kernel import ids

Scope = tuple[Frame, ...]


class Activation(Struct, frozen=True, kw_only=True):
    """A step with a value that has reached it. `inbox` is what was left for it before; `order` sorts what is ready."""

    act_id: str
    node: str
    scope: Scope
    visit: int
    value: Any
    order: tuple[int, int]
    inbox: tuple[Any, ...] = ()
    is_detached: bool = False
    error: str = ""


class Timer(Struct, frozen=True, kw_only=True):
    """A value that waits before it goes on over an edge."""

    timer_id: str
    edge: int
    scope: Scope
    value: Any
    delay_ms: int
    from_ms: int
    is_detached: bool = False


def act_id(run_id: str, node: str, scope: Scope, visit: int) -> str:
    """The id of a visit: it follows from the structure of the run, never from the order in which things were done."""
    return ids.derive("x_", run_id, node, _path(scope), visit)


def timer_id(run_id: str, edge: int, scope: Scope, visit: int) -> str:
    """The id of the wait of the `visit`-th value that goes over an edge in a scope."""
    return ids.derive("w_", run_id, edge, _path(scope), visit)


def _path(scope: Scope) -> str:
    return "/".join(f"{frame.edge}.{frame.visit}.{frame.index}" for frame in scope)
