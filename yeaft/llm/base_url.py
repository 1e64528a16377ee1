"""Whether a base URL can be asked at all, found out without the HTTP library."""

from urllib.parse import urlsplit

from yeaft.kernel.pattern import Pattern

_NEVER = Pattern(r"[\x00-\x20\x7f\\]")


def problem_with_url(url: str) -> str:
    """Say why `url` cannot be the address of a server; empty if it can. Nothing of it, such as a key, is repeated."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError as error:
        return _without_value(str(error))
    if parts.scheme not in ("http", "https"):
        return "it must start with http:// or https://"
    if not host or _NEVER.search(host):
        return "its host is missing or has a character that no host has"
    return "its port cannot be 0" if port == 0 else ""


def _without_value(reason: str) -> str:
    return "its port is not a number from 1 to 65535" if "ort" in reason else "its host cannot be understood"
