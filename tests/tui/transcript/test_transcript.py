"""The transcript as its user sees it, moves in it and takes from it."""

import io

from PIL import Image
from textual.geometry import Offset
from textual.selection import Selection

from tests.tui.transcript.transcript_given import OneTranscript, call, heading, over, remark, said, thought, words
from yeaft.events.fact import BlobRef
from yeaft.interfaces.tui.look import Look

NUMBERS = "\n".join(f"line {number}" for number in range(1, 201))


async def test_the_end_stays_in_view_until_the_user_scrolls_up() -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 10)) as pilot:
        app.shows([said(1, "go")], [words(1, NUMBERS, is_live=True)], is_reset=True)
        await pilot.pause()
        assert app.lines[-1] == "line 200"

        app.transcript.scroll_by(-50)
        seen = app.lines
        app.shows([words(1, NUMBERS + "\nline 201"), over(1), said(2, "more"), words(2, "something else")])
        await pilot.pause()

        assert [line[:9] for line in app.lines] == [line[:9] for line in seen]
        assert app.lines[-1].endswith("↓ 4 new")

        app.transcript.go_to_end()
        await pilot.pause()
        assert app.lines[-1] == "something else"


async def test_the_sign_that_there_is_more_below_stands_whole_beside_the_scroll_bar() -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 10)) as pilot:
        app.shows([said(1, "go")], [words(1, NUMBERS, is_live=True)], is_reset=True)
        await pilot.pause()

        app.transcript.scroll_by(-50)
        await pilot.pause()
        last = app.transcript.render_line(9)

        seen = last.crop(0, app.transcript.scrollable_content_region.width)
        assert app.transcript.show_vertical_scrollbar
        assert (seen.text[-4:], last.cell_length) == ("  ↓ ", app.transcript.size.width)


async def test_the_wheel_goes_up_line_by_line_and_back_to_the_end() -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 10)) as pilot:
        app.shows([words(number, f"**one** {number}\n\n\n\ntwo") for number in range(50)], is_reset=True)
        await pilot.pause()
        at_end = app.lines

        for _ in range(30):
            app.transcript.scroll_up(animate=False)
            await pilot.pause()
        assert app.lines != at_end
        for _ in range(30):
            app.transcript.scroll_down(animate=False)
            await pilot.pause()

        assert app.lines == at_end
        assert app.transcript.viewport.is_following


async def test_older_blocks_are_asked_for_near_the_top_and_move_nothing() -> None:
    app = OneTranscript()
    app.older = [tuple(said(number, f"old {number}") for number in range(100))]
    async with app.run_test(size=(60, 10)) as pilot:
        app.shows([said(1000 + number, f"new {number}") for number in range(40)], is_reset=True)
        await pilot.pause()
        assert app.asked == 0

        app.transcript.go_to_start()
        assert app.lines[1] == "❯ new 0"
        await pilot.pause()

        assert app.asked == 1
        assert app.lines[1] == "❯ new 0"
        app.transcript.scroll_by(-2)
        assert app.lines[1] == "❯ old 99"
        app.transcript.go_to_start()
        await pilot.pause()
        assert app.lines[1] == "❯ old 0"
        assert app.asked == 2


async def test_a_resize_while_words_stream_loses_and_doubles_no_line() -> None:
    app, columns = OneTranscript(), 80
    async with app.run_test(size=(80, 300)) as pilot:
        for number in range(1, 201):
            text = "\n".join(f"line {one}" for one in range(1, number + 1))
            app.shows([], [words(1, text, is_live=number < 200)], is_reset=number == 1)
            if number % 20 == 0:
                columns = 120 - columns
                await pilot.resize_terminal(columns, 300)
        await pilot.pause()

        assert [line for line in app.lines if line] == [f"line {number}" for number in range(1, 201)]


async def test_what_the_user_reads_stays_at_the_top_when_the_width_changes() -> None:
    app = OneTranscript()
    async with app.run_test(size=(80, 10)) as pilot:
        app.shows([said(number, f"{number} " + "word " * 40) for number in range(60)], is_reset=True)
        await pilot.pause()
        app.transcript.jump(-1)
        app.transcript.scroll_by(-90)
        first = app.transcript.viewport.anchor

        for columns in (40, 80, 40, 80):
            await pilot.resize_terminal(columns, 10)
            await pilot.pause()

        assert first is not None
        assert app.transcript.viewport.anchor is not None
        assert app.transcript.viewport.anchor.key == first.key


async def test_a_call_is_one_line_that_unfolds_and_folds() -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 12)) as pilot:
        app.shows([call(1, text="first\nsecond\n", command="make all"), call(2, command="ls")], is_reset=True)
        await pilot.pause()
        assert app.lines[:2] == ["  ✓ Bash make all", "  ✓ Bash ls"]

        await pilot.click(app.transcript, offset=(10, 0))
        await pilot.pause()
        assert app.lines[:4] == ["  ✓ Bash make all", "  │ first", "  │ second", "  ✓ Bash ls"]
        app.transcript.focus()
        await pilot.press("k", "enter")
        assert app.lines[:2] == ["  ✓ Bash make all", "  ✓ Bash ls"]

        app.transcript.reading.does("outputs")
        assert app.lines[4:6] == ["  │ done", ""]


async def test_a_call_that_failed_says_why_and_one_that_was_denied_is_no_failure() -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 8)) as pilot:
        failed = call(1, text="\nNo such file.\nmore", status="failed", command="cat x")
        app.shows([failed, call(2, text="no", status="denied", command="rm x")], is_reset=True)
        await pilot.pause()

        assert app.lines[:3] == ["  ✗ Bash cat x  failed", "    No such file.", "  ⊘ Bash rm x  denied"]


async def test_a_command_that_ended_with_a_code_but_0_says_so_without_being_unfolded() -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 8)) as pilot:
        app.shows([call(1, command="make", exit_code=2), call(2, command="ls", exit_code=0)], is_reset=True)
        await pilot.pause()

        assert app.lines[:2] == ["  ! Bash make  exit code 2", "  ✓ Bash ls"]


async def test_a_running_command_shows_the_end_of_what_it_prints_however_long() -> None:
    app = OneTranscript()
    async with app.run_test(size=(40, 8)) as pilot:
        output = "".join(f"{number}\n" for number in range(5000)) + "y" * 4000
        app.shows([], [call(1, text=None, output=output, command="yes")], is_reset=True)
        await pilot.pause()

        assert app.lines[:5] == ["  ▶ Bash yes", "  │ 4996", "  │ 4997", "  │ 4998", "  │ 4999"]
        assert app.lines[5] == "  │ " + "y" * 33 + "…"


async def test_an_edit_unfolds_to_a_diff_with_signs_and_claims_no_line_numbers_that_it_does_not_know() -> None:
    app = OneTranscript(Look(colours="none"))
    async with app.run_test(size=(60, 10)) as pilot:
        edit = call(1, "FileEdit", "ok", file_path="a.py", old_string="one\ntwo\n", new_string="one\n2\n3\n")
        app.shows([edit], is_reset=True)
        await pilot.pause()
        assert app.lines[0] == "  ✓ FileEdit a.py  +2 −1"

        app.transcript.toggle("c1")

        assert app.lines[1:5] == ["      one", "    - two", "    + 2", "    + 3"]


async def test_a_long_result_is_cut_and_says_where_the_rest_is() -> None:
    app = OneTranscript()
    async with app.run_test(size=(80, 12)) as pilot:
        app.shows([call(1, text="x\n" * 50_000, command="yes")], is_reset=True)
        app.transcript.toggle("c1")
        app.transcript.go_to_end()
        await pilot.pause()

        assert app.transcript.column.total == 202
        assert app.lines[-1] == "  │ … 49800 more lines; `p` shows all in the pager, `o` in the editor"


async def test_thinking_is_folded_once_it_is_done() -> None:
    app = OneTranscript()
    async with app.run_test(size=(50, 10)) as pilot:
        app.shows([heading(1)], [thought(1, "First.\nThen.", is_live=True)], is_reset=True)
        await pilot.pause()
        assert app.lines[2:4] == ["✻ First.", "  Then."]

        app.shows([thought(1, "First.\nThen."), words(1, "Done.")])
        assert app.lines[2] == "✻ Thought: First."
        app.transcript.reading.does("thinking")

        assert app.lines[2:4] == ["✻ First.", "  Then."]


async def test_brackets_and_escapes_of_others_are_text() -> None:
    app = OneTranscript()
    evil = "[red]x[/red] \x1b[31mred\x1b[0m [link=http://x]y[/link] \u202eabc"
    async with app.run_test(size=(100, 20)) as pilot:
        blocks = [said(1, evil), words(1, evil), thought(1, evil), call(1, text=evil, status="failed", command=evil)]
        app.shows([*blocks, remark(1, evil)], is_reset=True)
        await pilot.pause()

        shown = "[red]x[/red] ⟨U+001B⟩[31mred⟨U+001B⟩[0m [link=http://x]y[/link] ⟨U+202E⟩abc"
        assert sum(shown in line for line in app.lines) == 6


async def test_what_is_selected_is_what_was_written() -> None:
    app = OneTranscript()
    async with app.run_test(size=(30, 20)) as pilot:
        text = "- one item that is longer than the line\n- two\n\n```py\nif x:\n\ty = 1\n```\n\n> quoted"
        app.shows([words(1, text)], is_reset=True)
        await pilot.pause()
        total = app.transcript.column.total

        found = app.transcript.get_selection(Selection(Offset(0, 1), Offset(30, total)))

        assert found is not None
        assert found[0] == "- one item that is longer than the line\n- two\n\nif x:\n    y = 1\n\nquoted"
        assert app.transcript.get_selection(Selection(Offset(3, 1), Offset(6, 1))) == ("one", "\n")


async def test_dragging_the_mouse_selects_and_stays_on_the_words_when_more_comes() -> None:
    app = OneTranscript()
    async with app.run_test(size=(40, 6)) as pilot:
        app.shows([words(1, "alpha\nbeta\ngamma")], is_reset=True)
        await pilot.pause()

        await pilot.mouse_down(app.transcript, offset=(1, 1))
        await pilot.hover(app.transcript, offset=(5, 2))
        await pilot.mouse_up(app.transcript, offset=(5, 2))
        assert app.screen.get_selected_text() == "alpha\nbeta"
        app.shows([words(number, "more") for number in range(2, 9)])
        await pilot.pause()

        assert app.screen.get_selected_text() == "alpha\nbeta"


async def test_search_finds_while_one_types_also_in_what_is_folded_and_lies_back() -> None:
    app = OneTranscript()
    app.older = [(said(900, "an old needle"),)]
    async with app.run_test(size=(60, 12)) as pilot:
        blocks = [said(number, f"message {number}") for number in range(40)]
        app.shows([*blocks, call(1, text="hay\nNeedle\n", command="ls"), said(50, "end")], is_reset=True)
        await pilot.pause()

        app.transcript.reading.does("search")
        await pilot.pause()
        await pilot.press(*"needle")
        await pilot.pause()
        assert "  │ Needle" in app.lines
        assert app.transcript.finding.number == 2
        assert len(app.transcript.finding.keys) == 2
        await pilot.press("up")
        await pilot.pause()

        assert any(line.endswith("an old needle") for line in app.lines)
        await pilot.press("enter", "n")
        await pilot.pause()
        assert "  │ Needle" in app.lines


async def test_the_place_that_the_search_looks_at_looks_unlike_the_others() -> None:
    app = OneTranscript(Look(colours="none"))
    async with app.run_test(size=(60, 12)) as pilot:
        app.shows([said(1, "a needle"), words(1, "hay"), said(2, "one needle more")], is_reset=True)
        await pilot.pause()

        app.transcript.reading.does("search")
        await pilot.pause()
        await pilot.press(*"needle")
        await pilot.pause()
        last = reversed_rows(app)
        await pilot.press("up")
        await pilot.pause()

        assert [app.lines[row] for row in last] == ["❯ one needle more"]
        assert [app.lines[row] for row in reversed_rows(app)] == ["❯ a needle"]


def reversed_rows(app: OneTranscript) -> list[int]:
    strips = [app.transcript.render_line(y) for y in range(app.transcript.size.height)]
    return [
        row
        for row, strip in enumerate(strips)
        if any(part.text == "needle" and part.style is not None and part.style.reverse for part in strip)
    ]


async def test_one_can_jump_from_message_to_message() -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 8)) as pilot:
        app.shows([block for at in range(20) for block in (said(at, f"q {at}"), words(at, NUMBERS))], is_reset=True)
        await pilot.pause()

        app.transcript.jump(-1)
        assert app.lines[1] == "❯ q 19"
        app.transcript.jump(-1)
        assert app.lines[1] == "❯ q 18"
        app.transcript.jump(1)
        assert app.lines[1] == "❯ q 19"
        app.transcript.jump(1)
        assert app.transcript.viewport.is_following


async def test_an_ascii_terminal_gets_ascii_alone() -> None:
    app = OneTranscript(Look(colours="none", is_plain=True))
    async with app.run_test(size=(70, 30)) as pilot:
        table = "| a | b |\n|---|---|\n| 1 | 2 |\n\n- x\n\n> q\n\n---\n\n```\ncode\n```"
        blocks = [said(1, "hi"), heading(1), thought(1, "hm"), words(1, table), call(1, command="ls"), over(1)]
        app.shows([*blocks, remark(1, "note")], is_reset=True)
        await pilot.pause()

        assert all(line.replace("·", "").isascii() for line in app.lines)


async def test_a_reset_shows_what_there_is_now() -> None:
    app = OneTranscript()
    async with app.run_test(size=(60, 8)) as pilot:
        app.shows([said(1, "one"), words(1, "two"), said(2, "three")], is_reset=True)
        app.transcript.scroll_by(-2)
        app.shows([said(1, "one")], is_reset=True)
        await pilot.pause()

        assert [line for line in app.lines if line] == ["❯ one"]


async def test_the_end_is_followed_through_every_change_of_the_size() -> None:
    app = OneTranscript()
    async with app.run_test(size=(80, 20)) as pilot:
        app.shows([words(number, "word " * 60) for number in range(30)], is_reset=True)
        await pilot.pause()

        for columns, rows in ((40, 20), (80, 5), (80, 30), (40, 7), (120, 12), (80, 3), (80, 20)):
            app.shows([words(100 * columns + rows, "more " * 30)])
            await pilot.resize_terminal(columns, rows)
            await pilot.pause()
            assert app.transcript.viewport.is_following
            assert app.transcript.viewport.rows == rows
            assert not app.transcript.viewport.below


async def test_a_picture_is_drawn_once_it_was_read_and_named_where_there_are_no_colours() -> None:
    raw = io.BytesIO()
    Image.new("RGB", (8, 8), (255, 0, 0)).save(raw, "PNG")
    image = BlobRef(sha256="a" * 64, size_bytes=len(raw.getvalue()), mime="image/png")
    seen = call(1, "ViewImage", "shown", file_path="a.png", images=(image,))
    for look, rows in ((Look(), 4), (Look(colours="none"), 0)):
        app = OneTranscript(look)
        async with app.run_test(size=(40, 10)) as pilot:
            app.transcript.find_pictures(lambda _: raw.getvalue())
            app.shows([seen], is_reset=True)
            await pilot.pause()
            await app.workers.wait_for_complete()
            await pilot.pause()

            assert app.lines[1 : 1 + rows] == ["    " + "▀" * 8] * rows
            assert app.lines[1 + rows].startswith("    [picture image/png, ")
