"""One Session in line mode: what is typed becomes messages, answers and orders; what happens is told in whole lines."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.engine.closing import Ending
from yeaft.events.call import AskOpened
from yeaft.events.codec import Recorded, Transient
from yeaft.events.ops import AnyOp, Close, SetModel, Steer
from yeaft.events.session import MessageSettled
from yeaft.interfaces.change_preview import change_preview
from yeaft.interfaces.cli.readiness import check_known, check_ready
from yeaft.interfaces.cli.stderr_screen import StderrScreen
from yeaft.interfaces.cli.terminal_text import terminal_columns, unmasked, wrapped
from yeaft.interfaces.cli.text_screen import TextScreen
from yeaft.interfaces.line.console import Console, Finished, Terminal
from yeaft.interfaces.line.orders import SESSION, AttachFile, Deed, Leave, Run, Show, orders
from yeaft.interfaces.line.questions import Questions
from yeaft.interfaces.line.telling import WholeLines, help_lines, outcome_of, status_lines, what_came
from yeaft.kernel import ids
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import NotFound, UsageError, YeaftError
from yeaft.kernel.nearness import nearest
from yeaft.session.addressing import known_names
from yeaft.session.intake import Draft

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.cli.findings import Findings
    from yeaft.interfaces.cli.options import Options
    from yeaft.interfaces.ground import Wish

STDOUT = 1
MOST_DIFF_LINES = 60
AT = ("@", "\uff20")


class Talk:
    """One Session in line mode. `wish` is what it was opened with, and what it takes to be in one like it."""

    def __init__(
        self,
        here: Opened,
        wish: Wish,
        console: Console,
        options: Options,
        findings: Findings,
    ) -> None:
        self.wish = wish
        self._here = here
        self._console = console
        self._options = options
        self._orders = orders()
        self._findings = findings
        self._files: list[Path] = []
        self._taking: asyncio.Task[AnyOp | YeaftError] | None = None
        screen = TextScreen(WholeLines(console.put).write, for_terminal=True)
        self._questions = Questions(here.ui, screen.interject, self._details)
        here.listen(findings.hear)
        here.listen(screen.hear)
        here.listen(
            StderrScreen(
                screen.interject,
                here.ui,
                here.state.session_id,
                {},
                quiet=options.quiet,
                with_calls=True,
                columns=terminal_columns(STDOUT),
            ).hear
        )
        here.listen(self._questions.hear)
        here.listen(self._hear)

    def _hear(self, heard: Recorded | Transient) -> None:
        """Tell what an order has led to, and show the prompt when it is the user's turn again."""
        if not isinstance(heard, Recorded):
            return
        if told := what_came(heard, self._here.ui):
            self._tell(told)
        if told or isinstance(heard.event, MessageSettled | AskOpened):
            self._console.refresh()

    @property
    def is_busy(self) -> bool:
        """Whether any turn runs or waits."""
        return bool(self._here.state.open_turns()) or any(self._here.state.waiting.values())

    def prompt(self) -> str:
        """Return what stands before the line that is typed."""
        ui = self._here.ui
        if self._questions.current is not None:
            return ui.text("line.prompt_answer")
        if self.is_busy:
            return ui.text("line.prompt_steer") if isinstance(self._console, Terminal) else ""
        return ui.text("line.prompt")

    def words(self) -> list[str]:
        """Return what a word can be completed to."""
        names = [*self._orders, *(word.name for word in self._here.slash_words())]
        return [*(f"/{name}" for name in names), *(f"@{vp.id}" for vp in self._here.library.all())]

    def interrupt(self) -> bool:
        """Stop what runs, and say whether there was anything."""
        if self._taking is not None:
            self._taking.cancel()
            return True
        if not self.is_busy:
            return False
        self._here.session.interrupt(Ending(outcome="aborted"))
        return True

    async def go_on(self, first: str) -> Leave:
        """Take lines until the user leaves; then let what runs come to its end."""
        here = self._here
        for code, params in here.remarks:
            self._tell(f"yeaft: {here.ui.text(code, **params)}")
        self._tell(here.ui.text("line.welcome", session=here.state.session_id, folder=str(here.folder)))
        left = await self._take(first) if first.strip() else None
        default = ""
        while left is None:
            try:
                line = await self._console.line(default)
            except Finished:
                left = Leave()
                break
            default, left = await self._line(line)
            if not self.wish.has_human:
                await here.session.idle()  # a script's lines are said one after another
        here.approvals.leave()
        if self.is_busy and self.wish.has_human:
            self._tell(here.ui.text("line.waiting"))
        here.session.send(Close())
        await here.session.idle()
        return left

    def tell(self, code: str) -> None:
        """Say what `code` stands for."""
        self._tell(self._here.ui.text(code))
        self._console.refresh()

    async def _line(self, line: str) -> tuple[str, Leave | None]:
        """Do what a line says; return it to be edited if it was not meant for an open question, and how to leave."""
        if not line.strip():
            return "", None
        if self._questions.current is None or self._is_order(line):
            return "", await self._take(line)
        answer = self._questions.answer(line)
        if answer is None:
            self._tell(self._here.ui.text("line.unclear", how=self._questions.how()))
            return line, None
        try:
            self._here.session.send(answer)
        except YeaftError as error:
            self._findings.refuse(error)
        return "", None

    def _is_order(self, line: str) -> bool:
        name, is_slash = _slash(line)
        return is_slash and name in self._orders

    async def _take(self, line: str) -> Leave | None:
        """Carry out an order, or say the line to whoever it is for."""
        try:
            if self._is_order(line):
                name, _, rest = line.strip().removeprefix("/").partition(" ")
                return await self._do(self._orders[name].read(rest.strip(), self._here.state, self._here.library))
            await self._say(line)
        except YeaftError as error:
            self._findings.refuse(error)
        return None

    async def _do(self, deed: Deed) -> Leave | None:
        """Do what an order asks for, and say so; what takes its time is told when it is done."""
        match deed:
            case Leave():
                return deed
            case Run(words=words):
                await self._run(words)
            case Show(what="help"):
                startable = await asyncio.to_thread(self._here.slash_words)
                text = "\n".join(help_lines(self._here.ui, self._orders, startable))
                columns = terminal_columns(STDOUT)
                self._tell(text if columns is None else wrapped(text, columns))
            case Show():
                self._tell("\n".join(status_lines(self._here)))
            case AttachFile(path=path):
                self._attach(path)
            case _:
                self._ask_for(deed)
        return None

    async def _run(self, words: tuple[str, ...]) -> None:
        """Show what a command prints; a Session in which nothing was said is on no disk that it could look at."""
        from yeaft.interfaces.cli.entry import run_command

        state = self._here.state
        if SESSION in words and state.created is None:
            self.tell("line.nothing_said")
            return
        name, *rest = (state.session_id if word == SESSION else word for word in words)
        await asyncio.to_thread(run_command, name, self._options, rest)
        sys.stdout.flush()

    def _attach(self, path: str) -> None:
        file = self._here.folder / Path(path).expanduser()
        if not file.is_file():
            raise NotFound(f"There is no file {file} to attach.")
        self._files.append(file)
        self._tell(self._here.ui.text("line.attached", path=path))

    def _ask_for(self, op: AnyOp) -> None:
        """Ask the Session for something that is no message."""
        if isinstance(op, SetModel) and op.model:
            check_known(self.wish, self._here, op.model, named_by="/model")
            if not op.vp_id:
                self.wish = replace(self.wish, model=op.model)
        self._here.session.send(op)
        if told := outcome_of(op, self._here):
            self._tell(told)

    async def _say(self, line: str) -> None:
        """Say a line: to those who are at work if it is for them, else as a new message."""
        is_new = await self._is_new(line)
        if self.is_busy and self.wish.has_human and not is_new and not self._files:
            self._here.session.send(Steer(text=line, vp_id=self._mentioned(line)))
            return
        await check_ready(self.wish, self._here, line)
        draft = Draft(text=line, files=tuple(self._files), op_id=ids.new_ulid(wall_clock_ms()))
        async with asyncio.TaskGroup() as group:
            self._taking = taking = group.create_task(self._intake(draft), name="intake")
            taking.add_done_callback(self._taken)
        if taking.cancelled():
            self.tell("line.not_said")
            return
        said = taking.result()
        if isinstance(said, YeaftError):
            self._files = [file for file in self._files if file.is_file()]  # else nothing could be said any more
            raise said
        self._files = []
        self._here.session.send(said)

    async def _intake(self, draft: Draft) -> AnyOp | YeaftError:
        """Return what a draft becomes, or why it cannot be said: a group of tasks would pass on a group of errors."""
        try:
            return await self._here.intake.take(draft)
        except YeaftError as error:
            return error

    def _taken(self, taking: asyncio.Task[AnyOp | YeaftError]) -> None:
        """Nothing is under way any more that would have to be stopped before it is said."""
        del taking
        self._taking = None

    async def _is_new(self, line: str) -> bool:
        """Whether a line is a message of its own even while somebody works: a command, or for somebody who rests.

        Raises `UsageError` for a slip in an order. Slips in names of commands and skills are found further on.
        """
        name, is_slash = _slash(line)
        if not is_slash:
            vp_id = self._mentioned(line)
            return bool(vp_id) and vp_id not in {turn.started.vp_id for turn in self._here.state.open_turns()}
        if name in {word.name for word in await asyncio.to_thread(self._here.slash_words)}:
            return True
        if near := nearest(name.casefold(), self._orders):
            raise UsageError(f"There is no /{name}. Did you mean /{near}?")
        return False

    def _mentioned(self, line: str) -> str:
        """Return the VP that a line begins with, empty for none."""
        word = line.split(maxsplit=1)[0]
        if not word.startswith(AT):
            return ""
        return known_names(self._here.state, self._here.library).id_of(word[1:].rstrip(":,\uff0c\uff1a")) or ""

    def _tell(self, text: str) -> None:
        self._console.put(unmasked(text))

    def _details(self, ask: AskOpened) -> str:
        """Return the diff of a change that has to be approved."""
        state = self._here.state
        turn = state.turns.get(ask.turn_id)
        found = [call.call for attempt in (turn.attempts if turn else ()) for call in attempt.calls]
        call = next((one for one in found if one.call_id == ask.call_id), None)
        if call is None or ask.kind != "approval":
            return ""
        lines = change_preview(call, self._here.paths)
        left_out = len(lines) - MOST_DIFF_LINES
        more = [self._here.ui.text("line.more_lines", count=left_out)] if left_out > 0 else []
        return "\n".join([*lines[:MOST_DIFF_LINES], *more])


def _slash(line: str) -> tuple[str, bool]:
    """Return the first word of a line without its slash, and whether it has one."""
    word = line.split(maxsplit=1)[0]
    return word.removeprefix("/"), word.startswith("/")
