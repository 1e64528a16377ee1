"""Which parts of a Session do not count any more, because the user went back to before them; a pure fold."""

from msgspec import Struct

from yeaft.events.history import Rewound

Interval = tuple[int, int]
"""What stands after the first place and up to the second."""
LATEST = 1 << 62
"""A place that is after every event there can be."""


class Voids(Struct, frozen=True):
    """How often the user went back in a Session, and what was void from each of those places on.

    What a message led to counts with the user message that it all goes back to, its root: ask with the place (`seq`)
    of the root. That way no answer is ever cut in half.
    """

    changes: tuple[tuple[int, tuple[Interval, ...]], ...] = ()

    def after(self, event: Rewound, seq: int) -> "Voids":
        """The same after one more event that stands at `seq`; going back in the files alone voids nothing.

        What had been void at the place that the user went back to is void again, and nothing else before it.
        """
        if event.scope == "files":
            return self
        kept = tuple((start, min(end, event.to_seq)) for start, end in self.at(event.to_seq) if start < event.to_seq)
        return Voids((*self.changes, (seq, (*kept, (event.to_seq, seq)))))

    def at(self, seq: int = LATEST) -> tuple[Interval, ...]:
        """What is void for whoever reads the Session up to `seq`."""
        return next((intervals for place, intervals in reversed(self.changes) if place <= seq), ())

    def hide(self, root_seq: int, at: int = LATEST) -> bool:
        """Whether what goes back to the user message at `root_seq` is void for whoever reads up to `at`."""
        return bool(self.changes) and any(start < root_seq <= end for start, end in self.at(at))
