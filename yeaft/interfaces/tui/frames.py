"""When the screen is drawn: what comes after quiet at once, a stream only so often."""

FRAME_S = 0.11
"""While much comes, it is drawn once in this time."""
AT_ONCE = 3
"""So many frames may follow each other without waiting, once nothing was drawn for as long as that many take."""
SOON_S = 0.016
"""What comes together is drawn together: a frame is never due sooner."""


class Frames:
    """Spreads frames over time. Times are seconds of a clock that never goes back."""

    def __init__(self) -> None:
        self._used_until_s = 0.0

    def wait_s(self, now_s: float) -> float:
        """Return in how many seconds what has just changed is to be drawn."""
        return max(SOON_S, self._used_until_s - (AT_ONCE - 1) * FRAME_S - now_s)

    def drawn(self, now_s: float) -> None:
        """Take notice that a frame was drawn."""
        self._used_until_s = max(self._used_until_s, now_s) + FRAME_S
