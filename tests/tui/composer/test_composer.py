"""A person writing: keys and what becomes of them, with and without a Session."""

from pathlib import Path

from tests.tui.composer.composer_given import writing, writing_to_a_session
from yeaft.config.keys import KEYS
from yeaft.events.ops import SetModel
from yeaft.interfaces.key_names import text_code
from yeaft.interfaces.tui.composer.composer import Composer
from yeaft.interfaces.tui.composer.field import Field
from yeaft.prompts.ui import Ui

LONG = "\n".join(f"line {number}" for number in range(300))


async def test_the_draft_grows_to_ten_rows_and_then_scrolls_with_the_caret() -> None:
    async with writing() as desk:
        await desk.types("\n".join(f"row{number}" for number in range(14)))
        await desk.shows("row13", "row4")
        assert "row3" not in desk.text

        await desk.pilot.press(*["up"] * 12)
        await desk.shows("row1")

        assert "row13" not in desk.text


async def test_up_moves_by_rows_first_and_then_through_the_history() -> None:
    async with writing(size=(24, 20)) as desk:
        await desk.types("said before")
        await desk.pilot.press("enter")
        await desk.types("a draft that is wider than one row")

        await desk.pilot.press("up")
        assert desk.composer.text == "a draft that is wider than one row"
        await desk.pilot.press("up")
        assert desk.composer.text == "said before"
        await desk.pilot.press("down")

        assert desk.composer.text == "a draft that is wider than one row"


async def test_the_column_is_kept_over_short_rows() -> None:
    async with writing() as desk:
        await desk.types("abcdef\nx\nuvwxyz")

        await desk.pilot.press("left", "up", "up", "!")
        await desk.until(lambda: "!" in desk.composer.text)

        assert desk.composer.text == "abcde!f\nx\nuvwxyz"


async def test_a_backslash_before_enter_begins_a_new_line() -> None:
    async with writing() as desk:
        await desk.types("one\\")
        await desk.pilot.press("enter")
        await desk.types("two")

        assert desk.composer.text == "one\ntwo"
        assert desk.app.sent == []


async def test_keys_that_follow_each_other_at_once_keep_their_order() -> None:
    async with writing() as desk:
        await desk.pilot.press("a", "left", "b", "end", "c", "ctrl+a", "d")
        await desk.until(lambda: len(desk.composer.text) == 4)

        assert desk.composer.text == "dbac"


async def test_a_draft_is_put_aside_and_taken_back() -> None:
    async with writing() as desk:
        await desk.pastes(LONG)
        await desk.pilot.press("ctrl+s")
        assert desk.composer.is_empty
        await desk.pilot.press("ctrl+s")

        assert desk.composer.text == LONG


async def test_a_command_from_the_list_leaves_the_draft_as_it_was(tmp_path: Path) -> None:
    async with writing_to_a_session(tmp_path, "omni") as desk:
        await desk.types("half a thought")
        await desk.pilot.press("ctrl+p")
        await desk.shows("Orders", "/help")
        await desk.types("stat")
        await desk.pilot.press("enter")

        await desk.until(lambda: desk.app.sent == ["/status"])
        assert desk.composer.text == "half a thought"


async def test_what_was_cleared_can_be_had_back() -> None:
    async with writing() as desk:
        await desk.types("precious words")

        assert desk.composer.clear()
        assert desk.composer.text == ""
        assert not desk.composer.clear()
        await desk.pilot.press("ctrl+underscore")

        assert desk.composer.text == "precious words"


async def test_keys_can_be_bound_anew() -> None:
    async with writing({"composer.newline": "f8", "composer.send": "f9"}) as desk:
        await desk.pilot.press("left")
        await desk.shows("F9 sends it, F8 begins a new line")
        await desk.types("one")
        await desk.pilot.press("f8")
        await desk.types("two")
        await desk.pilot.press("enter", "f9")
        await desk.until(lambda: desk.app.sent)

        assert desk.app.sent == ["one\ntwo"]


async def test_a_click_sets_the_caret_and_dragging_selects() -> None:
    async with writing() as desk:
        await desk.types("hello world")

        await desk.pilot.click(desk.composer.query_one(Field), offset=(2 + 5, 0))
        await desk.pilot.press("!")
        await desk.until(lambda: "!" in desk.composer.text)

        assert desk.composer.text == "hello! world"


async def test_nothing_in_a_draft_is_taken_for_markup_or_steers_the_terminal() -> None:
    async with writing() as desk:
        await desk.pastes("[bold]x[/bold] \x1b[31mred \u202etxt [/]")

        await desk.shows("[bold]x[/bold] ⟨001B⟩[31mred ⟨202E⟩txt [/]")


async def test_every_key_of_the_composer_has_words_in_both_languages() -> None:
    codes = [text_code(key) for key in KEYS if key.startswith("composer.")]

    for lang in ("en", "zh"):
        assert [code for code in codes if code not in Ui(lang).texts] == []


async def test_who_answers_with_which_model_and_at_what_cost_is_known_before_it_is_said(tmp_path: Path) -> None:
    async with writing_to_a_session(tmp_path, "omni", "skeptic", environ={"YEAFT_API_KEY": ""}) as desk:
        await desk.shows("to ", "@omni scripted", "price unknown")

        await desk.types("@all look")
        await desk.shows("@omni scripted", "@skeptic scripted", "×2")
        desk.composer.clear()
        await desk.types("`@skeptic` me@skeptic.org")
        await desk.until(lambda: "@omni" in desk.text.split("\n")[-2])
        desk.app.dialogue.ask_for(SetModel(model="env/claude-sonnet-4-5"))
        await desk.types(" more")

        await desk.shows("claude-sonnet-4-5")


async def test_a_command_gets_no_addressee_and_shows_what_it_takes(tmp_path: Path) -> None:
    async with writing_to_a_session(tmp_path, "omni") as desk:
        await desk.types("/mod")
        await desk.shows("Orders", "/model [@NAME] [MODEL]")
        await desk.pilot.press("tab")
        await desk.until(lambda: desk.composer.text == "/model ")

        await desk.shows("/model [@NAME] [MODEL]")
        assert "to ●" not in desk.text


async def test_an_unknown_order_comes_back_into_the_draft(tmp_path: Path) -> None:
    async with writing_to_a_session(tmp_path, "omni") as desk:
        desk.composer.put_back([Composer.Sent("/hlep")])

        await desk.shows("> /hlep")


async def test_what_could_not_be_said_waits_beside_a_new_draft(tmp_path: Path) -> None:
    async with writing_to_a_session(tmp_path, "omni") as desk:
        await desk.types("new draft")
        desk.composer.put_back([Composer.Sent("refused")])
        await desk.shows("1 queued, waiting for you", "1. refused")
        assert desk.composer.text == "new draft"

        await desk.pilot.press("enter")
        await desk.until(lambda: desk.app.sent == ["new draft", "refused"], desk.app.sent)


async def test_a_pasted_path_goes_along_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "my notes.txt").write_text("buy milk")
    async with writing_to_a_session(tmp_path, "omni") as desk:
        await desk.types("read it")
        await desk.pastes(f"'{tmp_path}/work/my notes.txt'")
        await desk.shows("1 attached: my notes.txt")
        desk.composer.attach_files((tmp_path / "other.txt",))
        await desk.shows("2 attached: my notes.txt, other.txt")
        await desk.pilot.press("ctrl+u", "backspace")
        await desk.shows("1 attached: my notes.txt")
        await desk.types("read it")

        await desk.pilot.press("enter")
        await desk.until(lambda: desk.app.dialogue is not None and desk.app.sent == ["read it"])

        assert "attached" not in desk.text


async def test_a_picture_comes_from_the_clipboard(tmp_path: Path) -> None:
    tool = tmp_path / "bin" / "wl-paste"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\nprintf '\\211PNG\\r\\n\\032\\n'\n")
    tool.chmod(0o755)
    environ = {"PATH": f"{tool.parent}:/usr/bin:/bin", "WAYLAND_DISPLAY": "w"}
    async with writing_to_a_session(tmp_path, "omni", environ=environ) as desk:
        await desk.pilot.press("ctrl+v")
        await desk.shows("1 attached: yeaft-clipboard-")

        (file,) = desk.composer.files
        assert file.read_bytes().startswith(b"\x89PNG")
        file.unlink()


async def test_folders_lead_on_to_the_files_in_them(tmp_path: Path) -> None:
    (tmp_path / "work" / "my src").mkdir(parents=True)
    (tmp_path / "work" / "my src" / "main.py").write_text("")
    async with writing_to_a_session(tmp_path, "omni") as desk:
        await desk.types("@my")
        await desk.shows("Files", "my src/")
        await desk.pilot.press("tab")
        await desk.until(lambda: desk.composer.text == '@"my src/')
        await desk.shows("my src/main.py")
        await desk.pilot.press("down", "enter")

        await desk.until(lambda: desk.composer.text == '@"my src/main.py" ', desk.composer.text)


async def test_a_popup_that_was_closed_stays_closed_for_its_word(tmp_path: Path) -> None:
    async with writing_to_a_session(tmp_path, "omni") as desk:
        await desk.types("@sk")
        await desk.shows("VPs")
        await desk.pilot.press("escape")
        await desk.types("e")
        assert "VPs" not in desk.text
        await desk.types(" @sk")

        await desk.shows("VPs")


async def test_a_popup_says_how_many_more_there_are_above_and_below(tmp_path: Path) -> None:
    async with writing_to_a_session(tmp_path, "omni") as desk:
        await desk.types("/")
        await desk.shows("/help")
        below = int(desk.text.rpartition("↓")[2].split()[0])
        assert "↑" not in desk.text

        for _ in range(9):
            await desk.pilot.press("down")

        await desk.until(lambda: "↑" in desk.text)
        above, now_below = (int(desk.text.rpartition(sign)[2].split()[0]) for sign in "↑↓")
        assert above + now_below == below


async def test_a_draft_waits_for_the_next_time_in_the_same_folder(tmp_path: Path) -> None:
    async with writing_to_a_session(tmp_path, "omni") as desk:
        await desk.types("half a thought")
    async with writing_to_a_session(tmp_path, "omni") as desk:
        await desk.until(lambda: desk.composer.text == "half a thought")
        await desk.pilot.press("enter")
        await desk.until(lambda: desk.app.sent == ["half a thought"])
    async with writing_to_a_session(tmp_path, "omni") as desk:
        assert desk.composer.text == ""
