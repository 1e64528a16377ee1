"""One Session after another on one screen: opened, talked in, closed; and what is done when one cannot be opened."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.config import places
from yeaft.interfaces.assemble import opened
from yeaft.interfaces.cli.readiness import check_ready
from yeaft.interfaces.demo_stage import staged
from yeaft.interfaces.dialogue import Dialogue
from yeaft.interfaces.following import new_wish, next_wish, same_wish
from yeaft.interfaces.ground import Wish
from yeaft.interfaces.tui.choice import Choice, Option
from yeaft.interfaces.tui.farewell import Farewell
from yeaft.interfaces.tui.neighbours import neighbours
from yeaft.interfaces.tui.offering import Offering
from yeaft.interfaces.tui.trusting import offer_trust
from yeaft.interfaces.tui.warming import load_ahead, warm_up
from yeaft.kernel.errors import NoCredentials, SessionBusy, StoreFailed, YeaftError
from yeaft.kernel.outcome import EXIT_ANSWERED, EXIT_FAILED
from yeaft.session.opening import Wanted
from yeaft.store.directory import LAST, find_session

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.tui.app import YeaftApp
    from yeaft.interfaces.tui.program import Noted

BACK, NEW, LOOK, TAKE_OVER, QUIT = "back", "new", "look", "take_over", "quit"


class Sittings:
    """Goes through Sessions on the screen of `app`, in the demo's folder once that is played."""

    def __init__(self, app: YeaftApp, stack: AsyncExitStack) -> None:
        self._app = app
        self._stack = stack
        self._ui = app.ui
        self._screen = app.conversation
        self._first = app.start.first
        self._prompts: Sequence[str] = ()
        self._before: Wish | None = None
        self._patience: asyncio.Timeout | None = None
        self._to_tell: list[Noted] = []
        self._code = EXIT_ANSWERED

    async def go_through(self) -> int:
        """Talk until the user leaves; return the exit code."""
        following: Wish | None
        try:
            wish = replace(await asyncio.to_thread(self._app.start.wish), has_human=True)
            following = await self._demo(wish) if self._app.start.is_demo else wish
        except YeaftError as error:
            self._give_up(error)
            return self._code
        while following is not None and not self._app.is_ending:
            following = await self._one(following)
        self._screen.detach()
        return self._code

    async def _one(self, wish: Wish) -> Wish | None:
        """Talk in one Session, and return the wish for what follows; None to leave for good."""
        farewell = Farewell(self._ui)
        following: Wish | None = None
        failure: YeaftError | None = None
        here: Opened | None = None
        self._app.wish = lambda: wish
        try:
            self._to_tell += await offer_trust(self._app, wish)
            async with AsyncExitStack() as stack:
                here = await self._opened(wish, stack)
                if here is not None:
                    following = await self._talk(here, wish, farewell)
        except* YeaftError as group:
            first = group.exceptions[0]
            failure = first if isinstance(first, YeaftError) else YeaftError(str(first))
        finally:
            self._screen.detach()
        if failure is None:
            if following is None and not self._prompts:
                self._app.leave_from(farewell.session_id, *farewell.lines())
            self._to_tell += farewell.unlisted() if following is not None else ()
            return following
        if here is not None or self._app.is_ending:
            if here is not None and isinstance(failure, StoreFailed):
                await self._look_back(here, failure)
            self._give_up(failure)
            return None
        return await self._instead(failure, wish)

    async def _opened(self, wish: Wish, stack: AsyncExitStack) -> Opened | None:
        """Open a Session, which hooks can make slow; None if nobody wants to wait for it any longer."""
        try:
            async with asyncio.timeout(None) as self._patience:
                return await stack.enter_async_context(opened(wish))
        except TimeoutError:
            if self._patience is None or not self._patience.expired():
                raise
            return None
        finally:
            self._patience = None

    def hurry(self) -> None:
        """Give up to open a Session, if one is being opened."""
        if self._patience is not None and not self._patience.expired():
            self._patience.reschedule(asyncio.get_running_loop().time())

    async def _talk(self, here: Opened, wish: Wish, farewell: Farewell) -> Wish | None:
        """Talk in a Session that is open; the ways to a model are shown over it if there is none."""
        farewell.attach(here)
        load_ahead()
        self._app.run_worker(asyncio.to_thread(warm_up), group="warming")
        dialogue = Dialogue(here, wish)
        notes = await self._notes(here, wish)
        first, self._first = self._first, ""
        other: Wish | None = None
        if self._app.is_ending:
            return None
        async with asyncio.TaskGroup() as group:
            talking = group.create_task(self._screen.converse(here, dialogue, first, notes), name="talk")
            if self._prompts:
                self._offer(here)
            elif (other := await self._first_run(here, wish)) is not None:
                self._screen.leave_now()
        farewell.close()
        if other is not None:
            return other
        self._before = same_wish(dialogue.wish, here)
        left = talking.result()
        self._screen.transcript.reading.seek(left.at)
        return next_wish(dialogue.wish, left)

    async def _notes(self, here: Opened, wish: Wish) -> list[Noted]:
        """Return what the user should know besides what the Session says itself."""
        notes, self._to_tell = self._to_tell, []
        if self._prompts:
            return [*notes, ("demo.on_screen", {"folder": str(here.folder)})]
        home = places.home(wish.environ)
        others = await asyncio.to_thread(neighbours, home, here.folder, here.state.session_id)
        notes += [("opening.neighbour", {"session": one.session_id, "owner": str(one.owner)}) for one in others]
        return notes

    async def _first_run(self, here: Opened, wish: Wish) -> Wish | None:
        """Show the ways to a model if there is none; return the wish to go on with what the user has chosen, if any."""
        try:
            await check_ready(wish, here, "")
        except NoCredentials:
            from yeaft.interfaces.tui.first_run import first_run
        except YeaftError:
            return None  # it is told when something is said
        else:
            return None
        match await first_run(self._app, wish):
            case "again":
                return wish
            case "demo":
                return await self._demo(wish)
            case "look":
                return None

    async def _demo(self, wish: Wish) -> Wish:
        """Lay out the demo, and return the wish to play it."""
        stage = await self._stack.enter_async_context(staged(wish.environ, self._ui.lang))
        self._prompts = stage.on_screen
        wanted = Wanted(lang=self._ui.lang)
        return Wish(environ=stage.environ, folder=stage.folder, wanted=wanted, lang=self._ui.lang, has_human=True)

    def _offer(self, here: Opened) -> None:
        """Offer the demo's prompts one by one."""

        def over() -> None:  # after what the last event leads to was told
            self._app.call_later(self._screen.remark, "demo.over")

        offering = Offering(self._prompts, self._screen.offer, over)
        here.listen(offering.hear)
        offering.next()

    async def _instead(self, error: YeaftError, wish: Wish) -> Wish | None:
        """Say why a Session could not be opened, and return the wish for what the user wants instead."""
        before, self._before = self._before, None
        if before is not None and not isinstance(error, SessionBusy):
            self._screen.complain(error)
            return before
        if not isinstance(error, SessionBusy | StoreFailed):
            self._give_up(error)
            return None
        while (chosen := await self._asked(error, may_go_back=before is not None)) == LOOK:
            await self._look_on(wish)
        match chosen:
            case "back":
                return before
            case "new":
                return new_wish(wish)
            case "take_over":
                return replace(wish, wanted=replace(wish.wanted, take_over=True))
            case _:
                self._give_up(error)
                return None

    async def _asked(self, error: YeaftError, *, may_go_back: bool) -> str:
        """Ask what to do instead of opening a Session."""
        ui = self._ui
        options = [Option(BACK, ui.text("opening.back"))] if may_go_back else [Option(NEW, ui.text("opening.new"))]
        if isinstance(error, SessionBusy):
            options.append(Option(LOOK, ui.text("opening.look")))
        if isinstance(error, SessionBusy) and "--take-over" in str(error):
            options.append(Option(TAKE_OVER, ui.text("opening.take_over")))
        if not may_go_back:
            options.append(Option(QUIT, ui.text("opening.quit")))
        escape = BACK if may_go_back else QUIT
        question = Choice(ui, ui.text("opening.failed"), ui.retold(str(error)), options, escape=escape)
        return await self._app.asked(question) or escape

    async def _look_on(self, wish: Wish) -> None:
        """Show a Session that another process owns, and follow it."""
        from yeaft.interfaces.tui.onlooker import Onlooker

        home = places.home(wish.environ)
        try:
            paths = await asyncio.to_thread(find_session, home, wish.wanted.ref or LAST, folder=str(wish.folder))
        except YeaftError as error:
            self._screen.complain(error)
            return
        await self._app.asked(Onlooker.of_another(paths, self._app.look, self._ui))

    async def _look_back(self, here: Opened, error: StoreFailed) -> None:
        """Say why nothing is kept any more, and let what was said be read and copied: it may be nowhere else."""
        from yeaft.interfaces.tui.onlooker import Onlooker

        title = self._ui.retold(str(error))
        await self._app.asked(Onlooker(here.state, here.blob, title=title, look=self._app.look, ui=self._ui))

    def _give_up(self, error: YeaftError) -> None:
        """End with what went wrong: it stands in the terminal afterwards, and in the exit code."""
        self._app.leave_from("", f"yeaft: {self._ui.retold(str(error))}")
        self._code = error.exit_code or EXIT_FAILED
