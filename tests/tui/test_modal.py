"""What lies over a conversation goes once, and not before it has come up."""

import asyncio

from textual.app import App, ComposeResult
from textual.widgets import Static

from yeaft.interfaces.tui.modal import Modal

PATIENCE_S = 20


class Question(Modal[str]):
    """Comes up once it may, and lets its part have the keys then."""

    def __init__(self, may_come_up: asyncio.Event) -> None:
        super().__init__()
        self.part = Static("Sure?")
        self.begins = asyncio.Event()
        self._may_come_up = may_come_up

    def compose(self) -> ComposeResult:
        yield self.part

    async def on_mount(self) -> None:
        self.begins.set()
        await self._may_come_up.wait()
        self.part.screen.set_focus(self.part)


async def test_what_is_dismissed_while_it_comes_up_goes_when_it_is_there() -> None:
    app = App[None]()
    may_come_up = asyncio.Event()
    answers = list[str | None]()
    question = Question(may_come_up)
    async with app.run_test() as pilot, asyncio.timeout(PATIENCE_S):
        app.push_screen(question, answers.append)
        await question.begins.wait()

        question.dismiss("first")
        question.dismiss("second")
        for _ in range(100):
            await asyncio.sleep(0)
        assert app.screen is question
        may_come_up.set()
        while app.screen is question:
            await pilot.pause()

    assert answers == ["first"]


async def test_what_is_dismissed_below_another_goes_when_that_has_gone() -> None:
    app = App[None]()
    may_come_up = asyncio.Event()
    may_come_up.set()
    answers = list[str | None]()
    below, above = Question(may_come_up), Question(may_come_up)
    async with app.run_test() as pilot, asyncio.timeout(PATIENCE_S):
        app.push_screen(below, answers.append)
        app.push_screen(above, answers.append)
        await pilot.pause()

        below.dismiss("below")
        await pilot.pause()
        assert app.screen is above
        above.dismiss("above")
        while isinstance(app.screen, Question):
            await pilot.pause()

    assert answers == ["above", "below"]
