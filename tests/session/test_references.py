"""Which files a user means with `@path`, and what is left to be plain text."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.session.at_signs import path_at
from yeaft.session.attachments.references import Located, Missing, find_references, locate
from yeaft.session.mentions import find_mentions
from yeaft.tools.paths import Paths
from yeaft.vp.names import Names
from yeaft.vp.persona import Vp

NAMES = Names((Vp(id="skeptic", name="Skeptic", name_zh="质疑者"), Vp(id="src", name="Source")))


def found(text: str) -> list[str]:
    return [token.text for token in find_references(text, lambda: NAMES)]


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    folder = tmp_path / "work"
    for name in ("src/a.py", "a b.txt", "notes.txt", "报告.pdf", "odd:10", "app/[id]/page.tsx", "src/deep/x.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n" * 50)
    (tmp_path / "outside.txt").write_text("out")
    return Paths(folder, home=tmp_path)


@pytest.mark.parametrize(
    ("text", "references"),
    [
        ("look at @src/a.py please", ["src/a.py"]),
        ("(@src/a.py), @notes.txt.", ["src/a.py", "notes.txt"]),
        ("@\"a b.txt\" and @'c d/e':3", ["a b.txt", "c d/e:3"]),
        ("@src/a.py:10-40, @src/a.py#L7 @doc.pdf:3-7!", ["src/a.py:10-40", "src/a.py#L7", "doc.pdf:3-7"]),
        ("@./x @../y @~/z @/etc/hosts", ["./x", "../y", "~/z", "/etc/hosts"]),
        ("看 @报告.pdf，还有「@src/a.py」里的函数", ["报告.pdf", "src/a.py"]),
        ("@app/[id]/page.tsx", ["app/[id]/page.tsx"]),
        ("@dir/ @README @omni", ["dir/"]),
        ("me@example.com a@b.c git@host:x/y", []),
        ("`@src/a.py` and\n```\n@src/b.py\n```\n@src/c.py", ["src/c.py"]),
        ("@skeptic @skeptic, @质疑者.你好 @skeptic/@omni", []),
        ("@skeptic/ @质疑者/报告.md", ["skeptic/", "质疑者/报告.md"]),
        ("@src/a.py @src/a.py", ["src/a.py"]),
        ("@... @. @ @/ @: @//", []),
        ('@"never closed @notes.txt', ["notes.txt"]),
    ],
)
def test_a_path_has_a_slash_a_dot_or_quotes_and_a_vp_goes_first(text: str, references: list[str]) -> None:
    assert found(text) == references


@pytest.mark.parametrize(
    "text", ["@src/a.py", "@dir/", "@报告.pdf", "@文档/计划.md", "@./x", '@"a b.txt"', "@types/node", "@notes.txt"]
)
def test_a_path_is_no_mention_of_somebody_unknown(text: str) -> None:
    assert find_mentions(text, NAMES) == ()


def test_a_mention_beside_a_path_still_counts() -> None:
    mentions = find_mentions("@skeptic look at @src/a.py, @nobody too", NAMES)

    assert [(one.token, one.vp_id) for one in mentions] == [("skeptic", "skeptic"), ("nobody", "")]


def where(paths: Paths, written: str) -> object:
    token = path_at(written, 0)
    assert token is not None
    return locate(token, paths)


@pytest.mark.parametrize(
    ("written", "name", "part"),
    [
        ("src/a.py", "src/a.py", (0, 0)),
        ("src/a.py:10-40", "src/a.py", (10, 40)),
        ("src/a.py:7", "src/a.py", (7, 7)),
        ("src/a.py#L7-L9", "src/a.py", (7, 9)),
        ("./odd:10", "odd:10", (0, 0)),
        ('"a b.txt":2-3', "a b.txt", (2, 3)),
        ("src/a.py里的函数", "src/a.py", (0, 0)),
        ("src/a.py:10-40里的函数", "src/a.py", (10, 40)),
        ("src/", "src", (0, 0)),
        ("src/deep/../a.py", "src/a.py", (0, 0)),
        ("~/outside.txt", "../outside.txt", (0, 0)),
    ],
)
def test_what_is_there_is_found_with_the_part_that_is_wanted(
    paths: Paths, written: str, name: str, part: tuple[int, int]
) -> None:
    located = where(paths, written)

    assert isinstance(located, Located)
    assert located.path == (paths.folder / name).resolve()
    assert (located.first, located.last) == part


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("./missing.txt", Missing(text="./missing.txt")),
        ("note.txt", Missing(text="note.txt", nearest="notes.txt")),
        ("src/b.js", Missing(text="src/b.js")),
        ('"no such"', Missing(text="no such")),
        ("types/node", None),
        ("app.route", None),
        ("angular/core", None),
        ("/components/button", None),
    ],
)
def test_what_is_missing_is_only_said_where_a_file_must_have_been_meant(
    paths: Paths, written: str, expected: Missing | None
) -> None:
    assert where(paths, written) == expected


@given(st.text(alphabet="@＠./\"'ab中 :-1()`\n,~", max_size=60))
def test_any_text_can_be_searched_and_what_is_found_stands_in_it(text: str) -> None:
    tokens = find_references(text, lambda: NAMES)

    assert all(token.text and token.path for token in tokens)
    assert all(token.end <= len(text) for token in tokens)
    assert len({token.text for token in tokens}) == len(tokens)


def test_a_million_signs_are_no_trouble() -> None:
    assert found("@" * 1_000_000) == []
    assert found("@" + "a.b" * 300_000) != []
    assert len(found("@a/b))))) " * 10_000)) == 1
