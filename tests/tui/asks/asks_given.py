"""The whole screen over a real Session with a scripted model, driven by keys; and what its question shows."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from textual.events import Key
from textual.pilot import Pilot

from tests.session.session_given import Given
from tests.tui.waiting_given import holds_all, until
from yeaft.config.settings import TuiSettings
from yeaft.interfaces.assemble import Opened
from yeaft.interfaces.ground import Wish
from yeaft.interfaces.tui.app import Start, YeaftApp
from yeaft.interfaces.tui.asks.ask_panel import AskPanel
from yeaft.interfaces.tui.asks.diff_view import DiffView
from yeaft.interfaces.tui.look import Look
from yeaft.llm.scripted.script import Script, Step, script
from yeaft.llm.scripted.server import ScriptedServer
from yeaft.prompts.ui import Ui
from yeaft.session.opening import Wanted


class Seat:
    """Somebody before the screen. `app` is what runs, `given` its home, folder and model."""

    def __init__(self, app: YeaftApp, pilot: Pilot[int], given: Given, server: ScriptedServer) -> None:
        self.app = app
        self.given = given
        self.server = server
        self._pilot = pilot

    @property
    def here(self) -> Opened:
        """The Session."""
        assert self.app.conversation._here is not None
        return self.app.conversation._here

    @property
    def panel(self) -> AskPanel:
        """The question."""
        return self.app.conversation.ask_panel

    @property
    def draft(self) -> str:
        """What is written."""
        return self.app.conversation.composer.text

    @property
    def asks(self) -> str:
        """What the question shows, line by line; empty if none is open."""
        if not self.panel.display:
            return ""
        width = self.app.size.width
        lines = self.app.screen._compositor.render_strips()
        top, bottom = self.panel.region.y, self.panel.region.bottom
        return "\n".join("".join(one.text for one in strip)[:width].rstrip() for strip in lines[top:bottom])

    @property
    def rows(self) -> list[str]:
        """All rows of what the question is about, also those that are out of view."""
        view = self.panel.query_one(DiffView)
        view.scroll_to(0, 0, animate=False)
        return [view.render_line(y).text.rstrip() for y in range(view.rows)]

    @property
    def is_asked(self) -> bool:
        """Whether keys go to the question."""
        return self.panel.has_focus_within

    def file(self, name: str = "a.txt") -> str | None:
        """What a file of the work folder holds; None if there is none."""
        path = self.given.folder / name
        return path.read_bytes().decode() if path.exists() else None

    def told_model(self) -> str:
        """The newest request, as it went over the wire."""
        return self.server.requests[-1].raw.decode()

    async def clicks(self, x: int, y: int) -> None:
        """Click on a cell of the screen."""
        await self._pilot.click(offset=(x, y))

    async def presses(self, *keys: str) -> None:
        """Press keys, and let what they do be done."""
        await self._pilot.press(*keys)

    async def resizes(self, columns: int, rows: int) -> None:
        """Give the screen another size."""
        await self._pilot.resize_terminal(columns, rows)

    async def types(self, text: str) -> None:
        """Type text."""
        await self._pilot.press(*text)

    async def types_once(self, holds: Callable[[], bool], text: str) -> None:
        """Type text in the very moment in which something holds, and let what it does be done."""

        def typed() -> bool:
            if is_time := holds():
                for sign in text:
                    self.app.post_message(Key(sign, sign))
            return is_time

        await self.until(typed)
        await self._pilot.pause()

    async def says(self, text: str) -> None:
        """Write something and send it."""
        await self.types(text)
        await self._pilot.press("enter")

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait, as long as things happen, until something holds."""
        await until(self._pilot, holds)

    async def sees(self, *wanted: str) -> None:
        """Wait until the question shows all that is wanted."""
        try:
            await self.until(lambda: holds_all(self.asks, wanted))
        except TimeoutError:
            raise AssertionError(f"waited for {wanted}, but the question shows:\n{self.asks}") from None

    async def is_told(self, wanted: str) -> None:
        """Wait until a toast says something."""
        await self.until(lambda: any(wanted in one.message for one in self.app._notifications))


@asynccontextmanager
async def seated(
    tmp: Path,
    *steps: Step | Script,
    size: tuple[int, int] = (100, 40),
    lang: str = "en",
    look: Look | None = None,
    **wish: Any,
) -> AsyncIterator[Seat]:
    """Sit down before a Session whose model says these steps, once it is open."""
    async with AsyncExitStack() as stack:
        given = Given(tmp, stack)
        stack.push_async_callback(given.close)
        server = await given.model(steps[0] if isinstance(steps[0], Script) else script(*steps))
        wanted = Wanted(lang=lang, roster=wish.pop("roster", ()))
        wished = Wish(wanted=wanted, environ=given.environ, folder=given.folder, has_human=True, **wish)
        start = Start(
            wish=lambda: wished, home=given.home, environ=given.environ, settings=TuiSettings(notify="off"), keys={}
        )
        app = YeaftApp(start, look or Look(colours="none"), Ui(lang), on_hang_up=lambda _: None)
        async with app.run_test(size=size) as pilot:
            seat = Seat(app, pilot, given, server)
            await seat.until(lambda: app.conversation._here is not None)
            yield seat
            app.stop_now()
            await app.closed.wait()
