"""Which addresses are public, and that a name is only as public as the worst of its addresses."""

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.web.web_address import domains_in, web_address
from yeaft.tools.web.web_guard import is_public, open_addresses

PUBLIC = ("1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "192.169.0.1", "2606:4700::1111", "2a00:1450::200e")
NOT_PUBLIC = (
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.251",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:93.184.216.34",
    "::7f00:1",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2001:20::1",
    "2002:5db8:d822::1",
    "2606:4700::5efe:10.0.0.1",
    "2606:4700::200:5efe:7f00:1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%2",
    "fec0::1",
    "ff02::1",
    "localhost",
    "",
    "1.1.1",
)


def test_public_addresses_are_public() -> None:
    assert [address for address in PUBLIC if not is_public(address)] == []


def test_every_kind_of_other_address_is_not() -> None:
    assert [address for address in NOT_PUBLIC if is_public(address)] == []


@settings(max_examples=300, deadline=None)
@given(st.ip_addresses())
def test_nothing_that_python_calls_private_or_special_is_public(address: IPv4Address | IPv6Address) -> None:
    special = address.is_private or address.is_multicast or address.is_reserved or address.is_link_local

    assert not (special and is_public(str(address)))


@settings(max_examples=100, deadline=None)
@given(st.ip_addresses(v=4))
def test_no_ipv4_address_gets_through_inside_an_ipv6_one(inner: IPv4Address) -> None:
    number = int(inner)
    forms = (
        (0xFFFF << 32) | number,  # mapped
        number,  # compatible
        (0x64FF9B << 96) | number,  # NAT64
        (0x2002 << 112) | (number << 80),  # 6to4
        (0x20010000 << 96) | number,  # Teredo
        (0x26064700 << 96) | (0x5EFE << 32) | number,  # ISATAP
    )

    assert not any(is_public(str(IPv6Address(form))) for form in forms)


async def test_one_private_address_among_public_ones_closes_a_name() -> None:
    async def resolve(host: str, port: int) -> tuple[str, ...]:
        return {"good.test": ("1.1.1.1", "2606:4700::1111"), "bad.test": ("1.1.1.1", "10.0.0.1")}[host]

    good = await open_addresses("good.test", 80, resolve, allow_private=False)
    with pytest.raises(ToolFailed) as caught:
        await open_addresses("bad.test", 80, resolve, allow_private=False)

    assert good == ("1.1.1.1", "2606:4700::1111")
    assert str(caught.value).startswith("bad.test leads to 10.0.0.1, an address in a private or reserved network")
    assert await open_addresses("bad.test", 80, resolve, allow_private=True) == ("1.1.1.1", "10.0.0.1")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("example.com", "does not begin with http:// or https://"),
        ("ftp://example.com/x", "does not begin with http"),
        ("file:///etc/passwd", "does not begin with http"),
        ("http://", "names no host"),
        ("http://./", "names no host"),
        ("http:///path", "names no host"),
        ("http://user:secret@example.com/", "name or password"),
        ("http://good.com\\@evil.com/", "name or password"),
        ("http://exa mple.com/", "not a web address"),
        ("http://example.com:99999/", "not a web address"),
        ("http://a\nb.com/", "not a web address"),
        ("http://１２７.０.０.１/", "not a web address"),
        ("http://fe80::1%25eth0/", "not a web address"),
    ],
)
def test_what_is_no_plain_web_address_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ToolFailed) as caught:
        web_address(text)

    assert reason in str(caught.value)
    assert domains_in(text) == ()


def test_a_domain_is_spelled_one_way_for_the_policy() -> None:
    texts = ("http://Example.COM.:8080/x?y#z", " https://example.com ", "http://bücher.example", "http://[::1]:80/")

    assert [domains_in(text) for text in texts] == [
        ("example.com",),
        ("example.com",),
        ("xn--bcher-kva.example",),
        ("::1",),
    ]
