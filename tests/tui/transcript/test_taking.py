"""What a user takes from the transcript: copies, links, paths, and programs to look at it with."""

import base64
from pathlib import Path

import pytest

from tests.tui.transcript.transcript_given import OneTranscript, call, said, words
from yeaft.interfaces.clipboard import Copied, copy
from yeaft.interfaces.copying import code_blocks
from yeaft.interfaces.tui.transcript.line import Line, Part
from yeaft.interfaces.tui.transcript.outside import editor_of, pager_of
from yeaft.interfaces.tui.transcript.pointing import target_at

ANSWER = "# Title\n\n- **one**\n- `two`\n"


async def test_a_block_is_copied_exactly_as_it_was_written() -> None:
    app, written = OneTranscript(), list[str]()
    async with app.run_test(size=(60, 12)) as pilot:
        app.transcript.reading.environ = {"TERM": "xterm"}
        app.transcript.reading.write = written.append
        app.shows([said(1, "hi"), words(1, ANSWER)], is_reset=True)
        await pilot.pause()

        app.transcript.focus()
        await pilot.pause()
        await pilot.press("y")
        await app.workers.wait_for_complete()

        assert written == [f"\x1b]52;c;{base64.b64encode(ANSWER.encode()).decode()}\a"]


async def test_the_cursor_walks_over_blocks_and_stays_in_view() -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 6)) as pilot:
        app.shows([call(number, command=f"do {number}") for number in range(20)], is_reset=True)
        await pilot.pause()
        app.transcript.focus()
        await pilot.pause()

        await pilot.press(*"kkkkkkkkkk")

        marked = [line for y in range(6) if (line := app.transcript.render_line(y).text).startswith("▌")]
        assert [line.split()[-1] for line in marked] == ["9"]
        await pilot.press("enter")
        assert "  │ done" in app.lines


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"TERM": "xterm"}, Copied("osc52")),
        ({"TERM": "linux"}, "file"),
        ({"TERM": "xterm", "STY": "1.tty"}, "file"),
        ({"TERM": "xterm", "TMUX": "/nowhere,1,0", "PATH": ""}, "file"),
    ],
)
async def test_a_copy_that_would_be_lost_for_sure_becomes_a_file(environ: dict[str, str], expected: object) -> None:
    written = list[str]()

    copied = await copy("text", environ, written.append)

    assert expected in (copied, copied.channel)
    if copied.channel == "file":
        assert text_of(Path(copied.name)) == "text"
        assert not written


async def test_what_is_too_long_for_a_terminal_becomes_a_file() -> None:
    copied = await copy("x" * 100_000, {"TERM": "xterm"}, lambda _: None)

    assert copied.channel == "file"
    assert len(text_of(Path(copied.name))) == 100_000


def text_of(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    path.unlink()
    return text


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("see src/app.py:12 there", 8, ("src/app.py", 12)),
        ("see src/app.py:12 there", 1, None),
        ("in 文件 ./a/b.txt, too", 12, ("./a/b.txt", 0)),
        ("app.py alone is a word", 2, None),
        ("app.py:3:7: error", 2, ("app.py", 3)),
        ("go to https://e.x/a?b=c. Then", 9, ("https://e.x/a?b=c", 0)),
    ],
)
def test_a_click_means_the_path_or_address_under_it(text: str, column: int, expected: object) -> None:
    assert target_at(Line((Part(text),)), column) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("a\n```py\nx\n\ny\n```\nb\n~~~\nz\n~~~", ["x\n\ny\n", "z\n"]),
        ("````\n```\nx\n```\n````", ["```\nx\n```\n"]),
        ("```\nopen", ["open"]),
        ("no code", []),
    ],
)
def test_blocks_of_code_are_found_as_they_stand(markdown: str, expected: list[str]) -> None:
    assert code_blocks(markdown) == expected


def test_the_pager_is_the_users_and_never_that_for_manual_pages() -> None:
    assert pager_of({"PAGER": "less -S", "MANPAGER": "bat"}) == ["less", "-S"]
    assert pager_of({"MANPAGER": "bat", "PATH": ""}) is None


def test_an_editor_is_told_the_line_in_its_own_way() -> None:
    path = Path("a.py")

    assert editor_of({"EDITOR": "nano", "VISUAL": "vim -u x"}, path, 3) == ["vim", "-u", "x", "+3", "a.py"]
    assert editor_of({"EDITOR": "code --wait"}, path, 3) == ["code", "--wait", "--goto", "a.py:3"]
    assert editor_of({"EDITOR": "nano"}, path) == ["nano", "a.py"]
    assert editor_of({}, path) is None
