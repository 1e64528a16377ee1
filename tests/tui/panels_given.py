"""What stories about panels begin with: a real Session on disk, a screen that opens panels over it, and keys."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace
from textual.app import App
from textual.binding import Binding
from textual.events import Paste
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from tests.tui.waiting_given import holds_all, until
from yeaft.events.ops import Close
from yeaft.interfaces.assemble import Opened, opened
from yeaft.interfaces.dialogue import Dialogue
from yeaft.interfaces.ground import Wish
from yeaft.interfaces.orders import Choose, Deed, Run, Show
from yeaft.interfaces.tui.look import Look
from yeaft.interfaces.tui.panels.opener import PANEL_KEYS, Panels
from yeaft.llm.scripted.script import Line, Script
from yeaft.llm.scripted.server import ScriptedServer
from yeaft.session.opening import Wanted

CHECKOUT = Path(__file__).resolve().parents[2]


class Host(Screen[None]):
    """A screen that does nothing but open panels."""

    BINDINGS = [*PANEL_KEYS, Binding("f9", "panel('search')")]

    def __init__(self, here: Opened, dialogue: Dialogue) -> None:
        super().__init__()
        self.deeds: list[Deed] = []
        self.panels = Panels(self, Look(), here.ui, self.app.push_screen, self.deeds.append)
        self.panels.attach(here, dialogue)

    def compose(self):
        yield Static("the conversation", markup=False)

    def action_panel(self, name: str) -> None:
        self.panels.open(name)


class PanelApp(App[int]):
    def __init__(self, here: Opened, dialogue: Dialogue) -> None:
        super().__init__()
        self._made = (here, dialogue)
        self.host: Host | None = None

    def on_mount(self) -> None:
        self.host = Host(*self._made)
        self.push_screen(self.host)


class Desk:
    """One user at a screen of panels, in a Session that is open."""

    def __init__(self, here: Opened, dialogue: Dialogue, pilot: Pilot[int], host: Host) -> None:
        self.here = here
        self.dialogue = dialogue
        self.pilot = pilot
        self.host = host

    @property
    def text(self) -> str:
        """What stands on the screen."""
        screen = self.pilot.app.screen
        strips = screen._compositor.render_strips(screen.size)
        return "\n".join(strip.text.rstrip() for strip in strips)

    @property
    def toasts(self) -> str:
        """What was said in passing."""
        return "\n".join(one.message for one in self.pilot.app._notifications)

    async def orders(self, line: str) -> None:
        """Do what a line that begins with a slash asks for."""
        deed = self.dialogue.read(line)
        if isinstance(deed, Run | Show | Choose):
            self.host.panels.show(deed)
        else:
            self.dialogue.ask_for(deed)
        await self.pilot.pause()

    async def presses(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def types(self, text: str) -> None:
        await self.pilot.press(*(KEYS.get(one, one) for one in text))

    async def pastes(self, text: str) -> None:
        """Paste where the keys go."""
        assert self.pilot.app.screen.focused is not None
        self.pilot.app.screen.focused.post_message(Paste(text))
        await self.pilot.pause()

    async def shows(self, *wanted: str) -> str:
        """Wait until all of it stands on the screen."""
        return await self.until(lambda: holds_all(self.text, wanted), wanted)

    async def hides(self, unwanted: str) -> str:
        return await self.until(lambda: unwanted not in self.text, f"not {unwanted}")

    async def until(self, holds: Callable[[], bool], wanted: object = "") -> str:
        try:
            await until(self.pilot, holds)
        except TimeoutError:
            raise AssertionError(f"waited for {wanted}, but the screen shows:\n{self.text}") from None
        return self.text

    async def says(self, text: str) -> None:
        """Say something, and wait until it is answered."""
        await self.dialogue.say(text)
        await self.here.session.idle()

    @property
    def deed(self) -> Deed:
        """What the last panel was left with."""
        return self.host.deeds[-1]


KEYS = {
    " ": "space",
    "\n": "enter",
    "/": "slash",
    "?": "question_mark",
    ".": "full_stop",
    "-": "minus",
    "_": "underscore",
}


class Room:
    """A home with a folder of work, and a model that plays `script`."""

    def __init__(self, root: Path, url: str) -> None:
        self.home = root / "yeaft"
        self.folder = root / "work"
        self.folder.mkdir(exist_ok=True)
        self.environ = {
            "HOME": str(root),
            "YEAFT_DIR": str(self.home),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(CHECKOUT),
            "NO_PROXY": "127.0.0.1",
            "TERM": "xterm-256color",
            "YEAFT_BASE_URL": url,
            "YEAFT_MODEL": "scripted",
            "YEAFT_PROTOCOL": "openai-responses",
        }

    def wish(self, ref: str = "", *, lang: str = "en", roster: tuple[str, ...] = (), mode: str = "auto") -> Wish:
        wanted = Wanted(ref=ref, lang=lang) if ref else Wanted(roster=roster, lang=lang)
        wish = Wish(environ=self.environ, folder=self.folder, wanted=wanted, lang=lang, has_human=True)
        return replace(wish, mode=mode)

    async def holds(self, *texts: str, name: str = "", folder: Path | None = None) -> str:
        """Hold a Session in which these texts were said, and return its id."""
        wish = replace(self.wish(), folder=folder or self.folder)
        async with opened(wish) as here:
            dialogue = Dialogue(here, wish)
            for text in texts:
                await dialogue.say(text)
                await here.session.idle()
            if name:
                await self._rename(here, dialogue, name)
            return here.state.session_id

    async def _rename(self, here: Opened, dialogue: Dialogue, name: str) -> None:
        from yeaft.events.ops import Rename

        dialogue.ask_for(Rename(name=name))
        await here.session.idle()

    @asynccontextmanager
    async def desk(
        self,
        ref: str = "",
        *,
        size: tuple[int, int] = (110, 30),
        lang: str = "en",
        roster: tuple[str, ...] = (),
        mode: str = "auto",
    ) -> AsyncIterator[Desk]:
        """Sit down in a Session: that of `ref`, or a new one."""
        wish = self.wish(ref, lang=lang, roster=roster, mode=mode)
        async with opened(wish) as here:
            dialogue = Dialogue(here, wish)
            app = PanelApp(here, dialogue)
            async with app.run_test(size=size) as pilot:
                await pilot.pause()
                assert app.host is not None
                yield Desk(here, dialogue, pilot, app.host)
            here.approvals.leave()
            here.session.send(Close())
            await here.session.idle()


@asynccontextmanager
async def room_with(root: Path, *lines: Line) -> AsyncIterator[Room]:
    """A room whose model says what `lines` say."""
    async with ScriptedServer(Script(lines=lines)) as server:
        yield Room(root, server.base_url)
