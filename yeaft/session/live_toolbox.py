"""The tools of a VP while a Session runs: those that are built in, and those of servers, which may become more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from yeaft.tools.tool import AnyTool, Toolbox


class Served(Protocol):
    """The tools of servers as one VP has them."""

    def offered(self) -> Sequence[AnyTool]:
        """What a turn that begins now is offered; what was offered before stays."""
        ...

    def get(self, name: str, /) -> AnyTool | None:
        """The tool that a model calls by `name`, also one that it was not offered but found."""
        ...

    def names(self) -> Sequence[str]:
        """What has been offered so far."""
        ...


def with_served(built_in: Toolbox, served: Served | None) -> Toolbox:
    """The tools that a VP can call: those built in, and those of servers if there are any."""
    return built_in if served is None else LiveToolbox(built_in, served)


class LiveToolbox(Mapping[str, AnyTool]):
    """Finds a tool among both kinds; lists what has been offered so far."""

    def __init__(self, built_in: Toolbox, served: Served) -> None:
        self._built_in = built_in
        self._served = served

    def __getitem__(self, name: str) -> AnyTool:
        found = self._built_in.get(name) or self._served.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        yield from self._built_in
        yield from self._served.names()

    def __len__(self) -> int:
        return len(self._built_in) + len(self._served.names())
