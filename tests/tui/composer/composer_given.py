"""A composer on a screen of its own, over a Session that is really open, with a scripted model behind it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from textual.app import App
from textual.events import Paste
from textual.pilot import Pilot

from tests.tui.waiting_given import holds_all, until
from yeaft.events.ops import Close
from yeaft.interfaces.assemble import Opened, opened
from yeaft.interfaces.dialogue import Dialogue
from yeaft.interfaces.ground import Wish
from yeaft.interfaces.tui.composer.composer import Composer
from yeaft.interfaces.tui.look import Look
from yeaft.llm.scripted.script import Line, Says, Script
from yeaft.llm.scripted.server import ScriptedServer
from yeaft.prompts.ui import Ui
from yeaft.session.opening import Wanted


class ComposerApp(App[int]):
    """A screen with nothing else on it. What is sent is said, as the conversation does it."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, keymap: dict[str, str] | None = None) -> None:
        super().__init__()
        self.composer = Composer(Look(), Ui("en"))
        self.dialogue: Dialogue | None = None
        self.sent: list[str] = []
        self.asked = 0
        if keymap:
            self.set_keymap(keymap)

    def compose(self):
        yield self.composer

    def on_mount(self) -> None:
        self.composer.focus()

    async def on_composer_sent(self, message: Composer.Sent) -> None:
        self.sent.append(message.text)
        if self.dialogue is not None and not self.dialogue.is_order(message.text):
            await self.dialogue.say(message.text, message.files, message.to)


class Desk:
    """Somebody who writes; `here` is the Session they write to, `server` the model behind it."""

    here: Opened
    server: ScriptedServer

    def __init__(self, app: ComposerApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot
        self.composer = app.composer

    @property
    def text(self) -> str:
        """What stands on the screen."""
        screen = self.app.screen
        strips = screen._compositor.render_strips(screen.size)
        return "\n".join(strip.text.rstrip() for strip in strips).rstrip()

    async def shows(self, *wanted: str) -> None:
        """Wait until all of it stands on the screen."""
        await self.until(lambda: holds_all(self.text, wanted), wanted)

    async def until(self, holds: Callable[[], bool], wanted: object = "") -> None:
        """Wait for a claim."""
        try:
            await until(self.pilot, holds)
        except TimeoutError:
            raise AssertionError(f"waited for {wanted}, but the screen shows:\n{self.text}") from None

    async def types(self, text: str) -> None:
        """Type, and wait until it is there."""
        await self.pilot.press(*({" ": "space", "\n": "ctrl+j"}.get(one, one) for one in text))
        await self.until(lambda: text.strip() in self.composer.text, text)

    async def pastes(self, text: str) -> None:
        """Paste as a terminal with bracketed paste does."""
        self.composer.post_message(Paste(text))
        await self.pilot.pause()


@asynccontextmanager
async def writing(keymap: dict[str, str] | None = None, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Desk]:
    """A composer without a Session."""
    app = ComposerApp(keymap)
    async with app.run_test(size=size) as pilot:
        yield Desk(app, pilot)


@asynccontextmanager
async def writing_to_a_session(
    root: Path, *roster: str, script: Script | None = None, environ: dict[str, str] | None = None
) -> AsyncIterator[Desk]:
    """A composer over a Session in `root/work`, with its home in `root/home`."""
    folder = root / "work"
    folder.mkdir(exist_ok=True)
    script = script or Script(lines=(Line(steps=(Says(text="Understood."),)),))
    async with ScriptedServer(script) as server:
        wish = Wish(
            environ={
                "HOME": str(root),
                "YEAFT_DIR": str(root / "home"),
                "YEAFT_MODEL": "scripted",
                "YEAFT_BASE_URL": server.base_url,
                "YEAFT_API_KEY": "k",
                **(environ or {}),
            },
            folder=folder,
            wanted=Wanted(roster=roster),
            has_human=True,
        )
        async with opened(wish) as here, writing() as desk:
            desk.server = server
            await attach(desk, here, wish)
            yield desk
            here.approvals.leave()
            here.session.send(Close())
            await here.session.idle()


async def attach(desk: Desk, here: Opened, wish: Wish) -> None:
    """Let the composer write to a Session, and wait until it says who will answer."""
    desk.here, desk.app.dialogue = here, Dialogue(here, wish)
    desk.composer.attach(here, desk.app.dialogue)
    here.listen(desk.composer.hear)
    await desk.shows("to ")
