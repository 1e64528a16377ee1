"""Edits change what they name and not one byte more."""

import asyncio
import itertools
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.tools.folder_given import Folder
from yeaft.tools.files.file_bytes import sha256_of
from yeaft.tools.files.text_edit import replaced
from yeaft.tools.files.text_match import find
from yeaft.tools.files.texts import decode, encode

ENDS = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}
KINDS = {
    "single": ("two", "2", False),
    "multi": ("one\n{in}two\n", "ONE\n{in}TWO\n", False),
    "all": ("row", "line", True),
    "insert": ("two\n", "two\n{in}new\n", False),
    "insert before all": ("one\n", "zero\none\n", False),
    "delete": ("{in}two\n", "", False),
}


def content(kind_of_end: str, indent: str, *, final: bool) -> list[str]:
    """The lines of the file of the matrix, with their ends."""
    words = ["one", f"{indent}two", "row three", "四 row"]
    ends = itertools.cycle(ENDS.values()) if kind_of_end == "mixed" else itertools.repeat(ENDS[kind_of_end])
    lines = [word + end for word, end in zip(words, ends, strict=False)]
    return lines if final else [*lines[:-1], words[-1]]


@pytest.mark.parametrize("final", [True, False])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("indent", ["\t", "    "])
@pytest.mark.parametrize("end", [*ENDS, "mixed"])
async def test_every_kind_of_edit_works_on_every_kind_of_file(
    tmp_path: Path, end: str, indent: str, bom: bytes, final: bool
) -> None:
    for kind, (old, new, everywhere) in KINDS.items():
        folder = Folder(tmp_path / kind)
        lines = content(end, indent, final=final)
        file = folder.file("f.txt", bom + "".join(lines).encode())

        await folder.vp().call(
            "FileEdit",
            file_path="f.txt",
            old_string=old.replace("{in}", indent),
            new_string=new.replace("{in}", indent),
            replace_all=everywhere,
        )

        first, second, third, fourth = lines
        expected = {
            "single": [first, second.replace("two", "2"), third, fourth],
            "multi": [first.replace("one", "ONE"), second.replace("two", "TWO"), third, fourth],
            "all": [first, second, third.replace("row", "line"), fourth.replace("row", "line")],
            "insert": [first, second, second.replace("two", "new"), third, fourth],
            "insert before all": [first.replace("one", "zero"), first, second, third, fourth],
            "delete": [first, third, fourth],
        }[kind]
        assert file.read_bytes() == bom + "".join(expected).encode(), kind


PIECES = st.sampled_from(["a", "b", " ", "\t", "\n", "\r", "\r\n", "“", "é", "行"])
TEXT = st.lists(PIECES, max_size=40).map("".join)


@settings(max_examples=400, deadline=None)
@given(TEXT, st.data())
def test_bytes_around_an_edit_stay_whatever_the_line_ends(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    old = text[start:stop].replace("\r\n", "\n")
    new = data.draw(TEXT)
    assume(old)
    found = find(text, old)
    assume(len(found.spans) == 1)
    ((here, there),) = found.spans

    edited = replaced(text, found.spans, old, new)

    assert edited.startswith(text[:here])
    assert edited.endswith(text[there:])
    assert text[:here].count("\r\n") + text[here:there].count("\r\n") + text[there:].count("\r\n") == text.count("\r\n")


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=80))
def test_what_is_decoded_encodes_to_the_same_bytes(raw: bytes) -> None:
    text = decode(raw)

    assert text is None or encode(text.text, text) == raw


@pytest.mark.parametrize("encoding", ["utf-16", "gb18030", "latin-1"])
async def test_other_encodings_are_kept(tmp_path: Path, encoding: str) -> None:
    folder = Folder(tmp_path)
    text = "né à Évry\nfin\n" if encoding == "latin-1" else "你好，世界\n再见\n"
    file = folder.file("f.txt", text.encode(encoding))
    old, new = text.split("\n", maxsplit=1)[0], text.split("\n")[1]

    await folder.vp().call("FileEdit", file_path="f.txt", old_string=old, new_string=new + new)

    assert file.read_bytes() == text.replace(old, new + new).encode(encoding)


async def test_a_character_the_encoding_lacks_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    file = folder.file("f.txt", "né".encode("latin-1"))

    refusal = await folder.vp().refusal("FileEdit", file_path="f.txt", old_string="n", new_string="你")

    assert "latin-1, which has no '你'" in refusal
    assert file.read_bytes() == "né".encode("latin-1")


@pytest.mark.parametrize(
    ("text", "old", "told"),
    [
        ("a  \nb\n", "a\nb", "trailing blanks"),
        ("say “hi” – now\n", 'say "hi" - now', "typographic quotes, dashes or spaces"),
        ("a\u00a0b\n", "a b", "typographic quotes, dashes or spaces"),
    ],
)
async def test_blanks_and_typography_are_overlooked_once_and_said(
    tmp_path: Path, text: str, old: str, told: str
) -> None:
    folder = Folder(tmp_path)
    file = folder.file("f.txt", f"top\n{text}end\n")
    vp = folder.vp()

    assert told in await vp.told("FileEdit", file_path="f.txt", old_string=old, new_string="x")

    assert file.read_text() == "top\nx\nend\n"


async def test_loose_matches_must_be_unique(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    file = folder.file("f.txt", "“a”\n‘a’\n“a”\n")

    refusal = await folder.vp().refusal(
        "FileEdit", file_path="f.txt", old_string='"a"', new_string="b", replace_all=True
    )

    assert refusal.startswith("old_string is not in f.txt")
    assert file.read_text() == "“a”\n‘a’\n“a”\n"


async def test_errors_say_what_was_looked_for_and_what_is_near(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.file("f.py", "def one():\n    return 1\n\ndef two():\n    return 1\n")
    vp = folder.vp()

    refusals = [
        await vp.refusal("FileEdit", file_path="f.py", old_string=old, new_string=new)
        for old, new in (("    return 1", "x"), ("def thre():" + "é" * 200, "x"), ("", "x"), ("a", "a"))
    ]
    nearest = await vp.refusal("FileEdit", file_path="f.py", old_string="def twoo():", new_string="x")

    assert "occurs 2 times in f.py, at lines 2, 5" in refusals[0]
    assert "é" * 89 in refusals[1]
    assert "é" * 90 not in refusals[1]
    assert refusals[2].startswith("old_string is empty")
    assert refusals[3].startswith("old_string and new_string are the same")
    assert "The nearest line is 4: 'def two():'" in nearest


async def test_a_file_changed_behind_the_vps_back_is_not_overwritten(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    file = folder.file("f.txt", "one\n")
    vp, other = folder.vp(), folder.vp()
    await vp.call("FileRead", file_path="f.txt")
    await other.call("FileEdit", file_path="f.txt", old_string="one", new_string="one, two")

    edit = await vp.refusal("FileEdit", file_path="f.txt", old_string="one", new_string="1")
    write = await vp.refusal("FileWrite", file_path="f.txt", content="1")
    patch = await vp.refusal("ApplyPatch", patch="--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-one, two\n+1\n")

    stale = "f.txt changed since you read it; read it again. Nothing was written."
    assert (edit, write, patch) == (stale, stale, stale)
    assert file.read_text() == "one, two\n"
    await vp.call("FileRead", file_path="f.txt")
    await vp.call("FileEdit", file_path="f.txt", old_string="one", new_string="1")
    await vp.call("FileEdit", file_path="f.txt", old_string="two", new_string="2")
    assert file.read_text() == "1, 2\n"


async def test_vps_that_edit_one_file_at_once_lose_no_edit(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    filler = "x" * 300_000  # large enough for the work to leave the event loop
    file = folder.file("f.txt", "".join(f"line {n};\n" for n in range(12)) + filler)

    async with asyncio.TaskGroup() as group:
        for n in range(12):
            edit = {"file_path": "f.txt", "old_string": f"line {n};", "new_string": f"done {n};"}
            group.create_task(folder.vp().call("FileEdit", **edit))

    assert file.read_text() == "".join(f"done {n};\n" for n in range(12)) + filler


async def test_the_intent_names_the_hashes_before_and_after(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    file = folder.file("f.txt", "one\n")
    vp = folder.vp()
    edit = {"file_path": "f.txt", "old_string": "one", "new_string": "two"}

    intents = vp.intents("FileEdit", **edit)
    before = file.read_bytes()
    result = await vp.call("FileEdit", **edit)

    assert [(i.path, i.pre, i.post) for i in intents] == [(str(file), sha256_of(b"one\n"), sha256_of(b"two\n"))]
    assert before == b"one\n"
    assert [(f.path, f.sha256, f.written) for f in result.facts.files] == [(str(file), sha256_of(b"two\n"), True)]


async def test_mode_and_links_stay(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    script = folder.file("real/run.sh", "echo one\n")
    script.chmod(0o750)
    (folder.root / "run").symlink_to("real/run.sh")
    twin = folder.root / "twin"
    twin.hardlink_to(script)

    await folder.vp().call("FileEdit", file_path="run", old_string="one", new_string="two")

    assert (folder.root / "run").is_symlink()
    assert script.stat().st_mode & 0o777 == 0o750
    assert (script.read_text(), twin.read_text()) == ("echo two\n", "echo two\n")
    assert sorted(path.name for path in folder.root.rglob("*")) == ["real", "run", "run.sh", "twin"]
