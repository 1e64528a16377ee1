"""What each step of a run gave last, within which list elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yeaft.workflows.graphs.executor.activation import Scope


class LatestOutputs:
    """Owned by the fold of a run. Lists may be long, so that it is never gone through as a whole."""

    def __init__(self) -> None:
        self.newest: Any = None
        """What a step gave last, whichever it was."""
        self._by_scope: dict[Scope, dict[str, Any]] = {}

    def keep(self, node: str, scope: Scope, value: Any) -> None:
        """Take in what a step gave."""
        self._by_scope.setdefault(scope, {})[node] = value
        self.newest = value

    def seen_from(self, scope: Scope) -> dict[str, Any]:
        """What each step gave last, as seen from within `scope`."""
        seen: dict[str, Any] = {}
        for depth in range(len(scope) + 1):
            seen.update(self._by_scope.get(scope[:depth], {}))
        return seen
