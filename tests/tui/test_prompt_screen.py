"""What is typed is on the screen before what else there is to draw."""

import asyncio

from textual.app import App, ComposeResult
from textual.widget import Widget
from textual.widgets import Static

from yeaft.interfaces.tui.composer.editing import Editing
from yeaft.interfaces.tui.composer.field import Field
from yeaft.interfaces.tui.look import Look
from yeaft.interfaces.tui.prompt_screen import PromptScreen
from yeaft.prompts.ui import Ui

PATIENCE_S = 60.0


class Talk(PromptScreen):
    """A text that somebody else writes, and a draft below it."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = Static("hello")
        self.field = Field(Look(), Ui("en"), Editing())

    def compose(self) -> ComposeResult:
        yield self.heard
        yield self.field

    @property
    def to_draw(self) -> set[Widget]:
        return self._dirty_widgets


class Drawing(App[None]):
    """Keeps what was drawn, each time that something was."""

    def __init__(self) -> None:
        super().__init__()
        self.talk = Talk()
        self.drawn: list[list[Widget]] = []

    def on_mount(self) -> None:
        self.push_screen(self.talk)

    def post_display_hook(self) -> None:
        self.drawn.append([widget for widget in (self.talk.heard, self.talk.field) if widget in self.talk.to_draw])


async def test_a_key_waits_for_nothing_that_is_to_be_drawn_as_well() -> None:
    app = Drawing()
    async with app.run_test(size=(40, 6)) as pilot, asyncio.timeout(PATIENCE_S):
        await pilot.pause()
        app.drawn.clear()

        app.talk.heard.update("hello, world", layout=False)
        app.talk.field.editing.insert("x")
        app.talk.field.show()
        while len(app.drawn) < 2:
            await pilot.pause()

        assert app.drawn == [[app.talk.field], [app.talk.heard]]
