"""Web addresses as a model or a server writes them, in the one reading that policy, guard and client share."""

from typing import TYPE_CHECKING

from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.pattern import Pattern

if TYPE_CHECKING:
    from httpx2 import URL

ECHO_CHARS = 200
MOST_PORT = 65535
HOST = Pattern(r"[a-z0-9._-]+|[0-9a-f:.]+")
"""A name in lower-case ASCII, or an address."""


def web_address(text: str) -> "URL":
    """The http or https address that `text` is, without fragment.

    Raises `ToolFailed` for every other scheme, for a missing host, and for a name or password in the address.
    """
    from httpx2 import URL, InvalidURL

    shown = repr(text[:ECHO_CHARS])
    try:
        url = URL(text.strip())
    except InvalidURL as error:
        raise ToolFailed(f"{shown} is not a web address: {error}") from error
    return checked(url, shown)


def redirected(url: "URL", location: str) -> "URL":
    """The address to which the server at `url` sends us on. Raises `ToolFailed` as `web_address` does."""
    from httpx2 import InvalidURL

    shown = f"The redirect of {url} to {location[:ECHO_CHARS]!r}"
    try:
        target = url.join(location)
    except InvalidURL as error:
        raise ToolFailed(f"{shown} is not a web address: {error}") from error
    return checked(target, shown)


def checked(url: "URL", shown: str) -> "URL":
    """`url` without its fragment. Raises `ToolFailed`, calling it `shown`, if it is not one that may be fetched."""
    if url.scheme not in {"http", "https"}:
        raise ToolFailed(f"{shown} does not begin with http:// or https://; only those can be fetched.")
    if not domain_of(url):
        raise ToolFailed(f"{shown} names no host.")
    if url.userinfo:
        raise ToolFailed(f"{shown} has a name or password in it; write the address without.")
    if not HOST.fullmatch(domain_of(url)) or (url.port or 0) > MOST_PORT:
        raise ToolFailed(f"{shown} is not a web address: no host can be called {url.netloc.decode('ascii')}.")
    return url.copy_with(fragment=None)


def domain_of(url: "URL") -> str:
    """The host of `url` as rules about domains know it: lower-case ASCII (punycode), without port and final dot."""
    return url.raw_host.decode("ascii").rstrip(".")


def domains_in(text: str) -> tuple[str, ...]:
    """The domain of the address `text`; none if it is not one that can be fetched. Never raises."""
    try:
        return (domain_of(web_address(text)),)
    except ToolFailed:
        return ()
