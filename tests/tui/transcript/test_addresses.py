"""Addresses are shown as people read them, and lead where they are shown to lead."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.interfaces.tui.look import Look
from yeaft.interfaces.tui.transcript.markdown.addresses import readable
from yeaft.interfaces.tui.transcript.markdown.growing import grown
from yeaft.interfaces.tui.transcript.palette import palette_of

PLAIN = palette_of(Look(colours="none"))
ESCAPED = "https://zh.example/wiki/%E4%B8%AD%E6%96%87"


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        ("[百科](https://zh.example/wiki/中文)", "百科 (https://zh.example/wiki/中文)"),
        (f"[百科]({ESCAPED})", "百科 (https://zh.example/wiki/中文)"),
        ("<https://zh.example/wiki/中文>", "https://zh.example/wiki/中文"),
        (f"<{ESCAPED}>", "https://zh.example/wiki/中文"),
        (f"See {ESCAPED}.", "See https://zh.example/wiki/中文."),
        (f"`{ESCAPED}`", ESCAPED),
        ("![图](图.png)", "[图] (图.png)"),
    ],
)
def test_a_chinese_address_is_shown_in_chinese(said: str, seen: str) -> None:
    (line,) = grown(said, 80, PLAIN).lines

    assert line.text == seen


@pytest.mark.parametrize("said", ["[百科](https://zh.example/wiki/中文)", f"<{ESCAPED}>", f"See {ESCAPED}"])
def test_what_is_opened_is_the_very_address(said: str) -> None:
    (line,) = grown(said, 80, palette_of(Look())).lines

    assert {part.style.link for part in line.parts} - {None} == {ESCAPED}


UNSEEN = "\u3164\uffa0\u115f\u1160\u2800\u034f\ufe0f\U000e0100\u17b4\u180b\u2028\u3000\ue000"


@pytest.mark.parametrize(
    "address",
    [
        *(f"https://a.example/{quote(character)}" for character in UNSEEN),
        "mailto:you@%E4%B8%AD.example",
        "http:/%E4%B8%AD.example",
        "https://a.example/%E2%80%AEgpj.exe",
        "https://a.example/%E2%80%8B",
        "https://a.example/%C2%A0",
        "https://a.example/%2Fb%20c%0A",
        "https://a.example/%E4%B8",
        "https://a.example%EF%BC%8F.b.example/",
        "https://a.example/100%",
    ],
)
def test_what_could_mislead_stays_escaped(address: str) -> None:
    assert readable(address) == address


@given(st.text())
def test_a_readable_address_is_the_same_address(path: str) -> None:
    address = "https://a.example/" + quote(path, safe="")

    assert quote(readable(address), safe=":/%~") == address
    assert readable(readable(address)) == readable(address)
