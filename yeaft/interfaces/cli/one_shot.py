"""One prompt (or a stream of them) in, answers out, and an exit code that tells the truth."""

from __future__ import annotations

import asyncio
import errno
import os
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from yeaft.engine.closing import Ending
from yeaft.events.ops import Close, ContinueTurn
from yeaft.events.turn import ProgressShown
from yeaft.interfaces.artifacts import NamedArtifacts
from yeaft.interfaces.assemble import Opened, opened
from yeaft.interfaces.cli import answer_file
from yeaft.interfaces.cli.findings import Findings
from yeaft.interfaces.cli.json_screen import JsonScreen
from yeaft.interfaces.cli.output import Output
from yeaft.interfaces.cli.readiness import check_sayable
from yeaft.interfaces.cli.remarks import remarks
from yeaft.interfaces.cli.result import Result, next_command
from yeaft.interfaces.cli.signals import Signals
from yeaft.interfaces.cli.spoken import complain_of, spoken
from yeaft.interfaces.cli.standard_input import piped_name
from yeaft.interfaces.cli.stderr_screen import StderrScreen
from yeaft.interfaces.cli.streams import are_one, complain, remark
from yeaft.interfaces.cli.terminal_text import terminal_columns
from yeaft.interfaces.cli.text_screen import TextScreen
from yeaft.interfaces.ground import Wish
from yeaft.kernel import ids
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import UsageError, YeaftError
from yeaft.kernel.outcome import EXIT_ANSWERED, EXIT_FAILED, EXIT_PIPE_CLOSED
from yeaft.prompts.fill import fill
from yeaft.prompts.reference import attached_block
from yeaft.session.intake import Content, Draft

if TYPE_CHECKING:
    from yeaft.interfaces.cli.options import Options
    from yeaft.interfaces.cli.order_alone import OrderAlone
    from yeaft.interfaces.cli.standard_input import Piped

STDOUT, STDERR = 1, 2
READER_PATIENCE_S = 2.0
"""How long after a signal the reader of standard output may take for what is left."""


class OneShot:
    """One run of the command line: what it was asked, and where its output goes.

    `began_s` is when its time began to count, by `time.monotonic`; one whose Session is not kept does not say how to go
    on with it.
    """

    def __init__(
        self,
        options: Options,
        piped: Piped,
        schema: dict[str, Any] | None,
        *,
        began_s: float | None = None,
        is_kept: bool = True,
    ) -> None:
        self._options = options
        self._piped = piped
        self._schema = schema
        self._began_s = time.monotonic() if began_s is None else began_s
        self._is_kept = is_kept
        self._signals = Signals()
        self._findings = Findings(self._say)
        self._stderr: StderrScreen | None = None
        self._order: OrderAlone | None = None

    async def run(self, wish: Wish) -> int:
        """Do it all, report it, and return the exit code."""
        self._signals.install()
        output = Output(STDOUT, self._leave_with_reader)
        lines = JsonScreen(output.write, wall_clock_ms)
        here: Opened | None = None
        code = EXIT_ANSWERED
        try:
            async with opened(wish) as here:
                self._listen(here, output, lines)
                self._signals.also(partial(here.session.interrupt, Ending(outcome="aborted")))
                if self._signals.exit_code is None:
                    await self._work(here, wish, lines)
                self._findings.note_flows(here.state, here.means.journal)
            if self._order is not None:
                code = await self._order.answer()
        except* YeaftError as group:
            self._findings.refuse(_first(group))
        result = self._result(here)
        result = replace(result, exit_code=result.exit_code or code)
        self._put(result, output, lines)
        self._tell_next(result)
        await self._finish(output)
        self._signals.ignore()
        return self._exit_code(result, output)

    def _listen(self, here: Opened, output: Output, lines: JsonScreen) -> None:
        options = self._options
        screen = TextScreen(output.write, for_terminal=os.isatty(STDOUT)) if self._streams_text else None
        open_asks = tuple(here.state.open_asks.values())
        self._findings.take_up(open_asks)
        here.listen(self._findings.hear)
        self._stderr = stderr = StderrScreen(
            screen.interject if screen and are_one(STDOUT, STDERR) else remark,
            here.ui,
            here.state.session_id,
            open_asks,
            _limits(options),
            quiet=options.quiet,
            with_calls=bool(options.verbose) or (self._streams_text and os.isatty(STDERR)),
            columns=terminal_columns(STDERR),
        )
        here.listen(stderr.hear)
        if not options.quiet:
            if self._streams_text:
                here.listen(NamedArtifacts(here.artifacts, here.ui, stderr.say).hear)
            for code, params in remarks(here, options, self._piped, os.environ):
                stderr.tell(code, **params)
        match options.output_format:
            case "text" if screen:
                here.listen(screen.hear)
            case "stream-json":
                lines.session_id = here.state.session_id
                here.listen(lines.hear)
            case "text" | "json":
                pass  # what there is to say is said at the end

    @property
    def _streams_text(self) -> bool:
        return self._options.output_format == "text" and self._schema is None

    @property
    def _left_s(self) -> float | None:
        """What is left of the time limit."""
        if self._options.timeout_s is None:
            return None
        return max(0.0, self._began_s + self._options.timeout_s - time.monotonic())

    def _say(self, text: str) -> None:
        line = spoken(self._options, os.environ).retold(text)
        if self._stderr is None:
            complain(line)
        else:
            self._stderr.say(line)

    async def _work(self, here: Opened, wish: Wish, lines: JsonScreen) -> None:
        options, session = self._options, here.session
        if (left_s := self._left_s) is not None:
            asyncio.get_running_loop().call_later(left_s, self._stop_for_time, here)
        if options.continue_turn:
            self._findings.take_over(here.state)
            session.send(ContinueTurn())
            await session.idle()
        if options.input_format == "stream-json":
            await self._follow_input(here, lines)
            return
        text = self._prompt()
        has_words = bool(text.strip()) or self._piped.kind == "data"  # else there is only a turn to go on with
        if has_words and self._signals.exit_code is None:
            if await self._is_order(here):
                return
            draft = self._draft(here, text)
            await check_sayable(wish, here, draft)
            await self._say_when_ready(here, draft)
            session.send(Close())
            await session.idle()

    async def _is_order(self, here: Opened) -> bool:
        """Whether the prompt is an order, which is then answered once the Session is closed. Raises `YeaftError`."""
        options = self._options
        if not (options.prompt or "").lstrip().startswith("/"):
            return False
        from yeaft.interfaces.cli.order_alone import order_alone

        has_more = self._piped.kind == "data" or bool(options.attach or options.schema or options.output_file)
        order = order_alone(options, has_more=has_more)
        if order is None or not await order.look(here):
            return False
        self._order = order
        return True

    async def _say_when_ready(self, here: Opened, draft: Draft) -> None:
        """Say what the user wants to say, unless a signal or the end of the time comes before it is ready."""
        async with asyncio.TaskGroup() as group:
            taking = group.create_task(here.intake.take(draft), name="intake")

            def stop() -> None:
                taking.cancel()

            self._signals.also(stop)
            if (left_s := self._left_s) is not None:
                asyncio.get_running_loop().call_later(left_s, stop)
        if not (taking.cancelled() or self._signals.exit_code or self._findings.is_out_of_time):
            here.session.send(taking.result())

    async def _follow_input(self, here: Opened, lines: JsonScreen) -> None:
        from yeaft.interfaces.cli.json_input import Lines, follow_input

        def refuse(error: YeaftError) -> None:
            self._findings.refuse(error)
            lines.hear(ProgressShown(code="input.refused", params={"message": str(error)}))

        given = Lines()
        self._signals.also(given.close)
        if (left_s := self._left_s) is not None:
            asyncio.get_running_loop().call_later(left_s, given.close)
        is_asked = await follow_input(here, given, refuse)
        if not (is_asked or given.is_closed or self._options.continue_turn):
            self._findings.refuse(
                UsageError("Standard input ended with no prompt on it; each line must be a JSON object.")
            )

    def _leave_with_reader(self) -> None:
        """Stop without a word, as in `yeaft ... | head -1`."""
        if self._stderr is not None:
            self._stderr.is_muted = True
        self._signals.act_on(EXIT_PIPE_CLOSED)

    def _stop_for_time(self, here: Opened) -> None:
        self._findings.is_out_of_time = True
        here.session.interrupt(Ending(outcome="limit", limit="time"))

    def _prompt(self) -> str:
        return self._piped.text if self._options.prompt is None else self._options.prompt

    def _draft(self, here: Opened, text: str) -> Draft:
        piped = self._piped.content
        return Draft(
            text=text,
            files=tuple(path if str(path).startswith("~") else path.absolute() for path in self._options.attach),
            contents=(Content(name=piped_name(piped), raw=piped, source="stdin"),) if piped else (),
            blocks=self._blocks(here),
            typed=self._options.prompt is not None,
            op_id=ids.new_ulid(wall_clock_ms()),
        )

    def _blocks(self, here: Opened) -> tuple[str, ...]:
        blocks: list[str] = []
        if self._options.prompt is not None and self._piped.text:
            blocks.append(attached_block(self._piped.text, {"from": "standard input"}))
        if self._schema is not None:
            schema = msgspec.json.encode(self._schema).decode()
            blocks.append(fill(here.phrases["schema_ask"], {"schema": schema}))
        return tuple(blocks)

    def _result(self, here: Opened | None) -> Result:
        """Sum up the run, with what the answer still has to pass, and write the file that was asked for."""
        findings, options = self._findings, self._options
        is_asked = options.input_format == "text" and self._order is None
        result = findings.result(here.state if here else None, stdin=self._piped.kind, is_asked=is_asked)
        if here is not None and here.state.created is None:
            result = replace(result, session="")  # nothing has happened in it, so it is not kept
        if self._schema is not None:
            result = findings.by_schema(result, self._schema, self._left_s)
        if options.output_file is not None and here is not None:
            try:
                answer_file.write(options.output_file, result.text)
            except YeaftError as error:
                findings.refuse(error)
        return findings.with_problems(result, self._signals.exit_code)

    def _put(self, result: Result, output: Output, lines: JsonScreen) -> None:
        match self._options.output_format:
            case "stream-json":
                lines.result(result)
            case "json":
                output.write(msgspec.json.encode(result) + b"\n")
            case "text":
                if self._schema is not None and result.text:
                    output.write(result.text.encode("utf-8", "replace") + b"\n")

    def _tell_next(self, result: Result) -> None:
        """Say how to go on: with what was asked for if a human is needed, else as a reminder at a terminal."""
        if self._stderr is None or not self._is_kept:
            return
        if result.questions:
            self._stderr.tell("ask.next", command=next_command(result.session, result.questions))
        elif result.vps and os.isatty(STDERR) and not self._options.quiet:
            self._stderr.tell("session.saved")

    async def _finish(self, output: Output) -> None:
        """Wait for the reader of standard output, for as long as it takes unless a signal came or comes."""
        loop = asyncio.get_running_loop()

        def hurry() -> None:
            loop.call_later(READER_PATIENCE_S, output.give_up)

        self._signals.also(hurry)
        await output.finish()

    def _exit_code(self, result: Result, output: Output) -> int:
        """The code of `result`, unless that never arrived."""
        error = output.error
        if output.is_whole:
            return result.exit_code
        if self._signals.exit_code is not None:
            return self._signals.exit_code
        if error is None or (error.errno == errno.EBADF and self._options.output_file is not None):
            return result.exit_code  # whoever closes standard output and names a file means it
        lost = f"The answer could not be written to standard output: {error.strerror}. "
        complain_of(f"{lost}It is kept in Session {result.session}.", self._options, os.environ)
        return result.exit_code or EXIT_FAILED


def _limits(options: Options) -> dict[str, str]:
    found = {"cost": options.max_cost_usd, "time": options.timeout_s}
    units = {"time": " s"}
    return {kind: f"{value:g}{units.get(kind, '')}" for kind, value in found.items() if value is not None}


def _first(group: BaseExceptionGroup[YeaftError]) -> YeaftError:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
