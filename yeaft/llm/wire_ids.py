"""The ids that calls go by on the wire: the provider's own where they are usable, else ours."""

from collections.abc import Iterable

from yeaft.kernel.messages import Call
from yeaft.kernel.pattern import Pattern

_USABLE = Pattern(r"[a-zA-Z0-9_-]{1,64}")  # what the Anthropic API documents for tool_use ids; OpenAI takes more


class WireIds:
    """The wire id of each call so far, by `call_id`; no two are equal.

    The first call with an id keeps it and later ones get ours, so that adding calls changes none of the ids already
    given and the provider's cache stays valid.
    """

    def __init__(self) -> None:
        self.of: dict[str, str] = {}
        self._taken: set[str] = set()

    def add(self, calls: Iterable[Call]) -> None:
        """Give the calls of another reply their ids."""
        for call in calls:
            usable = _USABLE.fullmatch(call.wire_id) is not None and call.wire_id not in self._taken
            wire_id = call.wire_id if usable else self._free(call.call_id)
            self.of[call.call_id] = wire_id
            self._taken.add(wire_id)

    def copy(self) -> "WireIds":
        """The same ids, to which others can be added."""
        other = WireIds()
        other.of, other._taken = dict(self.of), set(self._taken)
        return other

    def _free(self, call_id: str) -> str:
        candidate, number = call_id, 1
        while candidate in self._taken:
            number += 1
            candidate = f"{call_id}_{number}"
        return candidate
