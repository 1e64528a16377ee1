"""Settings that were frozen already, for minds that think alike: the steps of one run that one VP does.

It only saves time: whatever the settings depend on and such minds do not share is part of what is compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yeaft.engine.settings import Frozen
    from yeaft.events.fact import BlobRef


class KnownSettings:
    """The settings that were frozen last, and where what belongs to them is stored.

    Minds that share one have the same VP, tools, texts and Session id.
    """

    def __init__(self) -> None:
        self._last: tuple[object, Frozen] | None = None
        self._stored: dict[tuple[str, str], BlobRef] = {}

    def frozen(self, key: object, make: Callable[[], Frozen]) -> Frozen:
        """Return the settings that `key` stands for, by `make` if they are not the last ones."""
        if self._last is None or self._last[0] != key:
            self._last = (key, make())
        return self._last[1]

    def stored(self, kind: str, digest: str, put: Callable[[], BlobRef]) -> BlobRef:
        """Return where a thing of that digest is stored, by `put` if it is not yet."""
        ref = self._stored.get((kind, digest))
        if ref is None:
            ref = self._stored[kind, digest] = put()
        return ref
