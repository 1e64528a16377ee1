"""Durations as people write them: `90`, `90s`, `10m`, `1.5h`."""

from yeaft.kernel.pattern import Pattern

_FORM = Pattern(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)?")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, None: 1.0}


def seconds(text: str) -> float:
    """Return the number of seconds. Raises `ValueError` with a text that says what is accepted."""
    found = _FORM.fullmatch(text.strip())
    if found is None or float(found[1]) <= 0:
        raise ValueError(f"{text!r} is not a duration; write 90, 90s, 10m or 1.5h.")
    return float(found[1]) * _SECONDS[found[2]]
