"""Keeps fetching out of private networks: which addresses are public, checked after names have been resolved."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from yeaft.kernel.errors import ToolFailed

Resolve = Callable[[str, int], Awaitable[tuple[str, ...]]]
"""All addresses of a host name, for a port; raises `OSError` or `UnicodeError` when it has none."""

NOT_PUBLIC_V4 = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT; some clouds keep their metadata service here
        "127.0.0.0/8",
        "168.63.129.16/32",  # the metadata service of Azure
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",  # multicast, reserved, broadcast
    )
)
"""https://www.iana.org/assignments/iana-ipv4-special-registry, multicast, and one address that only looks public."""

PUBLIC_V6 = IPv6Network("2000::/3")
NOT_PUBLIC_V6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # Teredo, benchmarking, ORCHID
        "2001:db8::/32",
        "2002::/16",  # 6to4: an IPv4 address inside
        "2620:4f:8000::/48",
        "3fff::/20",
    )
)
"""What https://www.iana.org/assignments/iana-ipv6-special-registry takes out of the public 2000::/3.

Mapped and compatible IPv4, NAT64, unique local, link-local, site-local and multicast addresses lie outside of it.
"""
ISATAP = frozenset({0x00005EFE, 0x02005EFE})  # the interface id begins with one of these, then an IPv4 address


def is_public(address: str) -> bool:
    """Whether this IPv4 or IPv6 address belongs to the open internet; what is no address does not."""
    try:
        match ip_address(address):
            case IPv4Address() as v4:
                return not any(v4 in network for network in NOT_PUBLIC_V4)
            case IPv6Address() as v6:
                isatap = (int(v6) >> 32) & 0xFFFFFFFF in ISATAP
                return v6 in PUBLIC_V6 and not isatap and not any(v6 in network for network in NOT_PUBLIC_V6)
    except ValueError:
        return False


async def system_resolve(host: str, port: int) -> tuple[str, ...]:
    """Ask the system's resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


async def open_addresses(host: str, port: int, resolve: Resolve, *, allow_private: bool) -> tuple[str, ...]:
    """The addresses of `host` that may be connected to, in the resolver's order; empty if the name is not known.

    The caller must connect to one of these, not to the name, or a second answer of the resolver could lead elsewhere.
    Raises `ToolFailed` if any of them is not public, unless `allow_private`.
    """
    try:
        addresses = await resolve(host, port)
    except (OSError, UnicodeError):
        return ()
    if allow_private:
        return addresses
    for address in addresses:
        if not is_public(address):
            leads = "is" if address == host else f"leads to {address},"
            raise ToolFailed(
                f"{host} {leads} an address in a private or reserved network, which is not fetched. "
                "The user can allow it with web.allow_private = true in config.toml."
            )
    return addresses
