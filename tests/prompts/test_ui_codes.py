"""The texts of screens and the code that says them know each other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import yeaft
from yeaft.prompts.ui import SAID, Ui

SOURCES = Path(yeaft.__file__).parent
MADE = re.compile(r"[a-z_]+\.[a-z_]*\0|\0_[a-z]+")
"""What a code looks like that is put together: its group, or only its end, is written down."""
CODE = re.compile(r"[a-z_]+\.[a-z_]+")


def nodes() -> Iterator[ast.AST]:
    """Every piece of the program; never all at once, for that takes 150 MB."""
    for path in SOURCES.rglob("*.py"):
        yield from ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def written(node: ast.AST) -> str:
    """What a text of the program says, with a zero for each part that is only known when it runs."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(written(value) for value in values)
        case ast.BinOp(left=left, right=right):
            return written(left) + written(right)
        case _:
            return "\0"


class Said(NamedTuple):
    """Every text that the program has, and every code that it names as one."""

    texts: set[str]
    codes: set[str]


@pytest.fixture(scope="module")
def said() -> Said:
    found = Said(set(), set())
    for node in nodes():
        if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp):
            found.texts.add(written(node))
        found.codes.update(codes(node))
    return found


def test_every_text_is_said_somewhere(said: Said) -> None:
    found = said.texts
    made = [re.compile(".+".join(map(re.escape, text.split("\0")))) for text in found if MADE.fullmatch(text)]

    unsaid = {code for code in Ui("en").texts if code not in found and not code.startswith(SAID)}

    assert {code for code in unsaid if not any(pattern.fullmatch(code) for pattern in made)} == set()


def codes(node: ast.AST) -> Iterator[str]:
    """The codes that a call names."""
    match node:
        case ast.Call(func=ast.Attribute(attr="text" | "note" | "tell" | "_tell"), args=[code, *_]):
            given = (code.body, code.orelse) if isinstance(code, ast.IfExp) else (code,)
        case ast.Call(func=ast.Name(id="NoticePosted"), keywords=named):
            given = tuple(one.value for one in named if one.arg == "code")
        case _:
            given = ()
    yield from (text for text in map(written, given) if CODE.fullmatch(text))


def test_every_code_that_is_said_has_a_text(said: Said) -> None:
    assert len(said.codes) > 400
    assert said.codes - set(Ui("en").texts) == set()
