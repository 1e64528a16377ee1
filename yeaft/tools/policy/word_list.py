"""Lists of names, written as they are spoken: one after another with blanks between."""


def names(text: str) -> frozenset[str]:
    """The blank-separated words of `text`."""
    return frozenset(text.split())
