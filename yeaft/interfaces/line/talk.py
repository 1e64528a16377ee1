"""One Session in line mode: what is typed becomes messages, answers and orders; what happens is told in whole lines."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from yeaft.events.call import AskOpened
from yeaft.events.codec import Recorded, Transient
from yeaft.events.ops import AnyOp, Close, ContinueTurn
from yeaft.events.session import MessageSettled
from yeaft.interfaces.artifacts import NamedArtifacts, keep_file
from yeaft.interfaces.attaching import file_to_attach
from yeaft.interfaces.cli.stderr_screen import StderrScreen
from yeaft.interfaces.cli.terminal_text import terminal_columns, unmasked, wrapped
from yeaft.interfaces.cli.text_screen import TextScreen
from yeaft.interfaces.copying import copied_now
from yeaft.interfaces.dialogue import Dialogue
from yeaft.interfaces.line.changing import Changing
from yeaft.interfaces.line.console import Console, Finished, Terminal
from yeaft.interfaces.line.questions import Questions
from yeaft.interfaces.line.telling import WholeLines, help_lines, is_answer, outcome_of, status_lines, what_came
from yeaft.interfaces.orders import (
    SESSION,
    AttachFile,
    ChangeRun,
    Choose,
    Copy,
    Deed,
    KeepFile,
    Leave,
    Run,
    RunGraph,
    Show,
)
from yeaft.interfaces.runs.run_lines import begun_line, ended_line, left_out_line
from yeaft.kernel.effort_prefix import LEVELS
from yeaft.kernel.errors import YeaftError

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.cli.findings import Findings
    from yeaft.interfaces.cli.options import Options
    from yeaft.interfaces.ground import Wish
    from yeaft.interfaces.runs.run_view import Visit

STDOUT = 1


class Talk:
    """One Session in line mode, opened with `wish`."""

    def __init__(
        self,
        here: Opened,
        wish: Wish,
        console: Console,
        options: Options,
        findings: Findings,
    ) -> None:
        self.dialogue = Dialogue(here, wish)
        self._here = here
        self._console = console
        self._options = options
        self._findings = findings
        self._files: list[Path] = []
        screen = TextScreen(WholeLines(console.put).write, for_terminal=True)
        self._changing = Changing(here)
        self._questions = Questions(here.ui, screen.interject, self._changing.details, self.dialogue.graphs.of_ask)
        self.dialogue.graphs.hear = self._hear_step
        open_asks = tuple(here.state.open_asks.values())
        findings.take_up(open_asks)
        here.listen(findings.hear)
        here.listen(screen.hear)
        answers, beside = (
            StderrScreen(
                write,
                here.ui,
                here.state.session_id,
                open_asks,
                {},
                quiet=options.quiet,
                with_calls=True,
                columns=terminal_columns(STDOUT),
            )
            for write in (screen.interject, screen.interject if os.isatty(STDOUT) else console.remark)
        )
        here.listen(lambda heard: (answers if is_answer(heard) else beside).hear(heard))
        here.listen(NamedArtifacts(here.artifacts, here.ui, self._tell).hear)
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

    def _hear_step(self, visit: Visit | None) -> None:
        """Tell of a step that begins or ends; of the elements of lists only that they end."""
        if visit is not None and not self._options.quiet:
            if visit.state != "running":
                self._tell(ended_line(self._here.ui, visit))
                if said := left_out_line(self._here.ui, visit):
                    self._tell(said)
            elif not visit.place or visit.attempt:
                self._tell(begun_line(visit))

    def prompt(self) -> str:
        """Return what stands before the line that is typed."""
        ui = self._here.ui
        if self._questions.current is not None:
            return ui.text("line.prompt_answer")
        if self.dialogue.is_busy:
            return ui.text("line.prompt_steer") if isinstance(self._console, Terminal) else ""
        return ui.text("line.prompt")

    def words(self) -> list[str]:
        """Return what a word can be completed to."""
        names = [*self.dialogue.orders, *LEVELS, *(word.name for word in self._here.slash_words())]
        return [*(f"/{name}" for name in names), *(f"@{vp.id}" for vp in self._here.library.all())]

    async def go_on(self, first: str) -> Leave:
        """Take lines until the user leaves; then let what runs come to its end."""
        here = self._here
        for code, params in (*here.remarks, *self.dialogue.left_open()):
            self._console.remark(f"yeaft: {here.ui.text(code, **params)}")
        self._tell(here.ui.text("line.welcome", session=here.state.session_id, folder=str(here.folder)))
        if self.dialogue.wish.has_human:
            self._questions.take_up(here.state.open_asks.values())
        left = await self._take(first) if first.strip() else None
        default = ""
        while left is None:
            try:
                line = await self._console.line(default)
            except Finished:
                left = Leave()
                break
            default, left = await self._line(line)
            if not self.dialogue.wish.has_human:
                await self._idle()  # a script's lines are said one after another
        here.approvals.leave()
        if (self.dialogue.can_be_stopped or self.dialogue.graphs.are_running) and self.dialogue.wish.has_human:
            self._tell(here.ui.text("line.waiting"))
        await self.dialogue.graphs.ended()
        here.session.send(Close())
        await here.session.idle()
        return left

    async def _idle(self) -> None:
        """Wait until nothing runs, no graph either."""
        await self.dialogue.graphs.ended()
        await self._here.session.idle()

    def tell(self, code: str) -> None:
        """Say what `code` stands for."""
        self._tell(self._here.ui.text(code))
        self._console.refresh()

    async def _line(self, line: str) -> tuple[str, Leave | None]:
        """Do what a line says; return it to be edited if it was not meant for an open question, and how to leave."""
        if not line.strip():
            return "", None
        ask = self._questions.current
        if ask is None or self.dialogue.is_order(line):
            return "", await self._take(line)
        try:
            edited = await self._answer(ask, line)
        except YeaftError as error:
            self._findings.refuse(error)
            return "", None
        if edited and self._questions.is_given_up_by_words(ask):
            return "", await self._take(line)
        return edited, None

    async def _answer(self, ask: AskOpened, line: str) -> str:
        """Answer a question with a line; return the line if it is no answer."""
        if self._changing.is_wish(ask, line):
            with self._console.lent():
                answer = await self._changing.wish(ask, line)
            if answer is None:
                self._tell("\n".join((self._changing.details(ask), self._questions.how())))
                return ""
        else:
            answer = self._questions.answer(line)
            if answer is None:
                if not self._questions.is_given_up_by_words(ask):
                    self._tell(self._here.ui.text("line.unclear", how=self._questions.how()))
                return line
            answer = await self._changing.completed(ask, answer)
        was_left = self._questions.is_left(ask)
        self._questions.settle(ask)
        self._here.session.send(answer)
        if was_left and not self.dialogue.graphs.go_on_from(ask) and ask.turn_id:
            self._here.session.send(ContinueTurn(turn_id=ask.turn_id))
        return ""

    async def _take(self, line: str) -> Leave | None:
        """Carry out an order, or say the line to whoever it is for."""
        try:
            if self.dialogue.is_order(line):
                return await self._do(self.dialogue.read(line))
            await self._say(line)
        except YeaftError as error:
            self._findings.refuse(error)
        return None

    async def _do(self, deed: Deed) -> Leave | None:
        """Do what an order asks for, and say so; what takes its time is told when it is done."""
        match deed:
            case Leave():
                return deed
            case Choose():
                return await self._do(deed.in_lines())
            case Run(words=words):
                await self._run(words)
            case Show(what="help"):
                startable = await asyncio.to_thread(self._here.slash_words)
                text = "\n".join(help_lines(self._here.ui, self.dialogue.orders, startable))
                columns = terminal_columns(STDOUT)
                self._tell(text if columns is None else wrapped(text, columns))
            case Show():
                self._tell("\n".join(status_lines(self._here)))
            case AttachFile(path=path):
                self._attach(path)
            case KeepFile(path=path):
                self._ask_for(await keep_file(self._here, path))
            case RunGraph():
                self.dialogue.graphs.start(deed)
            case ChangeRun():
                self.dialogue.graphs.change(deed)
            case Copy():
                self._tell(await copied_now(deed, self._here, self.dialogue.wish.environ))
            case _:
                self._ask_for(deed)
        return None

    async def _run(self, words: tuple[str, ...]) -> None:
        """Show what a command prints; a Session in which nothing was said is on no disk that it could look at."""
        from yeaft.interfaces.cli.entry import run_command

        state = self._here.state
        if SESSION in words and state.created is None:
            self._console.remark(self._here.ui.text("line.nothing_said"))
            return
        name, *rest = (state.session_id if word == SESSION else word for word in words)
        await asyncio.to_thread(run_command, name, self._options, rest)
        sys.stdout.flush()

    def _attach(self, path: str) -> None:
        self._files.append(file_to_attach(self._here.folder, path))
        self._tell(self._here.ui.text("line.attached", path=path))

    def _ask_for(self, op: AnyOp) -> None:
        """Ask the Session for something that is no message."""
        if rests := self.dialogue.left_alone(op):
            self._tell(rests)
            return
        self.dialogue.ask_for(op)
        if told := outcome_of(op, self._here):
            self._tell(told)

    async def _say(self, line: str) -> None:
        """Say a line, with the files that were attached; those that are gone by now are forgotten."""
        try:
            said = await self.dialogue.say(line, self._files)
        except YeaftError:
            self._files = [file for file in self._files if file.is_file()]  # else nothing could be said any more
            raise
        if said == "said":
            self._files = []
        elif said == "stopped":
            self.tell("line.not_said")

    def _tell(self, text: str) -> None:
        self._console.put(unmasked(text))
