"""The line into which a newcomer's key goes."""

from textual.app import App
from textual.widgets import Input

from yeaft.interfaces.tui.first_run import KeyPrompt
from yeaft.prompts.ui import Ui


async def test_the_caret_is_always_to_be_seen_where_without_colours_nothing_else_shows_the_line() -> None:
    app = App[None]()
    async with app.run_test() as pilot:
        app.push_screen(KeyPrompt(Ui("en"), "/home/u/.yeaft/config.toml"))
        await pilot.pause()

        assert not app.screen.query_one(Input).cursor_blink
