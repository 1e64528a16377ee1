"""Where values meet: joins that wait for their inputs, and lists that are gathered again."""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

from yeaft.workflows.graphs.conditions import MISSING, at_path
from yeaft.workflows.graphs.executor.activation import Scope
from yeaft.workflows.graphs.graph import Join
from yeaft.workflows.graphs.reducers import folded


class JoinBuffer:
    """What has reached a join in one scope: a queue for each input, and what each of them gave last.

    An input that gives nothing new in a later round counts with what it gave before.
    """

    def __init__(self, join: Join, scope: Scope) -> None:
        self.join = join
        self.scope = scope
        self.has_fired = False
        self.is_detached = False
        self._queues: dict[str, deque[Any]] = {name: deque() for name in join.inputs}
        self._last: dict[str, Any] = {}

    def put(self, source: str, value: Any) -> None:
        """Take in what an input gives."""
        self._queues[source].append(value)

    @property
    def is_waiting(self) -> bool:
        """Whether anything has come that has not gone on."""
        return any(self._queues.values())

    @property
    def missing(self) -> tuple[str, ...]:
        """The inputs that have given nothing new."""
        return tuple(name for name, queue in self._queues.items() if not queue)

    @property
    def given(self) -> int:
        """How many inputs have given something new."""
        return len(self._queues) - len(self.missing)

    def take(self) -> list[Any]:
        """Take one value of each input, in the order of the inputs."""
        for name, queue in self._queues.items():
            if queue:
                self._last[name] = queue.popleft()
        self.has_fired = True
        return [self._last[name] for name in self.join.inputs if name in self._last]

    @property
    def is_decided(self) -> bool:
        """Whether more than half of all inputs have given the same, so that the others can change nothing."""
        values = (at_path(queue[0], self.join.key) for queue in self._queues.values() if queue)
        counts = Counter(folded(value) for value in values if value is not MISSING)
        return max(counts.values(), default=0) * 2 > len(self._queues)

    def drop(self) -> None:
        """Forget what has not gone on."""
        for queue in self._queues.values():
            queue.clear()


class Gathering:
    """The elements of one list that was spread, as they come back at `edge`, to go on in the `scope` around them.

    Nothing goes on any more with the elements before `first_live`.
    """

    def __init__(self, edge: int, scope: Scope, spread_by: tuple[int, int], count: int) -> None:
        self.edge = edge
        self.scope = scope
        self.spread_by = spread_by
        self.count = count
        self.values: dict[int, Any] = {}
        self.first_live = 0
        self.is_detached = False

    def ordered(self) -> list[Any]:
        """What came back, in the order of the list; elements of which nothing came back are left out."""
        return [self.values[index] for index in sorted(self.values)]
