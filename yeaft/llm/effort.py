"""How hard a model should think: the words for it, and what a given model makes of them."""

import re
from collections.abc import Sequence

from yeaft.config.settings import EFFORTS


def clamp(requested: str, supported: Sequence[str]) -> str:
    """The word to send to a model that knows only the words in `supported`; empty when there is none to send.

    A level the model lacks becomes the next lower one it has, else its lowest. Unknown words are not sent.
    """
    if requested in supported or requested not in EFFORTS:
        return requested if requested in supported else ""
    ranked = sorted((word for word in supported if word in EFFORTS), key=EFFORTS.index)
    lower = [word for word in ranked if EFFORTS.index(word) < EFFORTS.index(requested)]
    return lower[-1] if lower else next(iter(ranked), "")


def version_of(model_id: str) -> tuple[int, ...]:
    """The version in a model's id as numbers to compare: `gpt-5.10-mini` is (5, 10), `claude-opus-4-8` is (4, 8).

    Dates and sizes are no part of it: `claude-opus-4-20250514` is (4,), `qwen3-32b` (3,); `smollm` has none: ().
    """
    match = re.search(r"(?<!\d)(\d{1,2})(?:[.-](\d{1,2})(?![0-9a-z]))?(?!\d)", model_id)
    return tuple(int(number) for number in match.groups() if number) if match else ()
