"""Text at the edges: surrogates out, bytes counted, cuts on code-point boundaries."""


def without_surrogates(text: str) -> str:
    """`text` with every lone surrogate replaced by U+FFFD, so that it can be encoded as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def head_bytes(text: str, limit_bytes: int) -> str:
    """The longest prefix of `text` whose UTF-8 form has at most `limit_bytes` bytes."""
    raw = text.encode()
    return text if len(raw) <= limit_bytes else raw[:limit_bytes].decode("utf-8", "ignore")


def tail_bytes(text: str, limit_bytes: int) -> str:
    """The longest suffix of `text` whose UTF-8 form has at most `limit_bytes` bytes."""
    raw = text.encode()
    return text if len(raw) <= limit_bytes else raw[len(raw) - limit_bytes :].decode("utf-8", "ignore")
