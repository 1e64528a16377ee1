"""What the model is shown of a file."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.folder_given import Folder
from yeaft.tools.file_read import OUTPUT_BYTES, FileRead, portion
from yeaft.tools.files.file_bytes import sha256_of


async def test_lines_are_numbered_and_the_file_is_remembered(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    file = folder.file("notes.txt", "milk\neggs\n")
    vp = folder.vp()

    result = await vp.call("FileRead", file_path="notes.txt")

    assert result.text == "1\tmilk\n2\teggs"
    assert [(fact.path, fact.sha256, fact.written) for fact in result.facts.files] == [
        (str(file), sha256_of(b"milk\neggs\n"), False)
    ]
    assert vp.reads.last(file) == sha256_of(b"milk\neggs\n")


async def test_offset_and_limit_show_a_portion_and_say_how_to_go_on(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.file("n", "a\nb\nc\nd\n")
    vp = folder.vp()

    told = [await vp.told("FileRead", file_path="n", offset=offset, limit=2) for offset in (1, 2, 4)]

    assert told == [
        "2\tb\n3\tc\n[lines 2-3 of 4; continue with offset=3]",
        "3\tc\n4\td",
        "[at end of file: n has 4 lines]",
    ]
    assert "offset 5 is behind its end" in await vp.refusal("FileRead", file_path="n", offset=5)


async def test_an_empty_file_is_at_its_end(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.file("empty", "")

    assert await folder.vp().told("FileRead", file_path="empty") == "[at end of file: empty has 0 lines]"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=40), max_size=8))
def test_following_the_notes_shows_every_character_once(parts: list[str]) -> None:
    lines = [part * 900 for part in parts]
    text = "".join(f"{line}\n" for line in lines)
    seen: dict[int, str] = {}
    offset = column = 0

    for _ in range(200):
        if offset >= len(lines):
            break
        told = portion(text, FileRead(file_path="f", offset=offset, column_offset=column), "f")
        assert len(told.encode()) <= OUTPUT_BYTES
        note = told.rpartition("\n[")[2] if "continue with" in told else ""
        body = told.rpartition("\n[")[0] if note else told
        for row in body.split("\n"):
            number, _, shown = row.partition("\t")
            seen[int(number)] = seen.get(int(number), "") + shown.removeprefix(f"[column {column}]" if column else "")
            column = 0
        words = dict(word.split("=") for word in note.rstrip("]").split() if "=" in word)
        offset, column = int(words.get("offset", len(lines))), int(words.get("column_offset", 0))

    assert seen == dict(enumerate(lines, 1))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
async def test_chinese_is_read_in_the_encodings_it_comes_in(tmp_path: Path, encoding: str) -> None:
    folder = Folder(tmp_path)
    folder.file("读我.txt", "你好，世界\n第二行\n".encode(encoding))

    assert await folder.vp().told("FileRead", file_path="读我.txt") == "1\t你好，世界\n2\t第二行"


@pytest.mark.parametrize(("encoding", "text"), [("latin-1", "Ça marche, né à Évry"), ("cp1252", "it’s “fine”")])
async def test_western_text_is_not_taken_for_chinese(tmp_path: Path, encoding: str, text: str) -> None:
    folder = Folder(tmp_path)
    folder.file("f.txt", text.encode(encoding))

    assert await folder.vp().told("FileRead", file_path="f.txt") == f"1\t{text}"


async def test_what_is_no_text_is_refused_with_the_tool_to_use(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.file("a.png", b"\x89PNG")
    folder.file("a.bin", b"ab\0cd")
    folder.file("a.zip", b"PK")
    folder.file("big.log", b"x" * (10 * 1024 * 1024 + 1))
    folder.file("Readme.md", "")
    vp = folder.vp()

    refusals = {name: await vp.refusal("FileRead", file_path=name) for name in ("a.png", "a.bin", "a.zip", ".")}
    missing = await vp.refusal("FileRead", file_path="README.md")
    big = await vp.refusal("FileRead", file_path="big.log")

    assert refusals == {
        "a.png": "a.png is a picture; use ViewImage.",
        "a.bin": "a.bin is binary (5 bytes); use Bash to look inside.",
        "a.zip": "a.zip is a binary file (.zip); use Bash with a program that understands it.",
        ".": ". is a folder; use ListDir or Glob.",
    }
    assert missing == "No file README.md. Did you mean Readme.md in the same folder?"
    assert "limit is 10,485,760; use Grep or Bash" in big


async def test_svg_is_text(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.file("a.svg", "<svg/>")

    assert await folder.vp().told("FileRead", file_path="a.svg") == "1\t<svg/>"
