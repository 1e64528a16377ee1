"""One prompt (or a stream of them) in, answers out, and an exit code that tells the truth."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from yeaft.engine.closing import Ending
from yeaft.events.call import AskOpened, AskWithdrawn
from yeaft.events.codec import Recorded, Transient
from yeaft.events.ops import ContinueTurn, Say
from yeaft.events.turn import TurnStarted
from yeaft.interfaces.assemble import Opened, Wish, opened
from yeaft.interfaces.cli.json_screen import JsonScreen
from yeaft.interfaces.cli.output import Output
from yeaft.interfaces.cli.result import Result, result_of
from yeaft.interfaces.cli.signals import Signals
from yeaft.interfaces.cli.stderr_screen import StderrScreen
from yeaft.interfaces.cli.text_screen import TextScreen
from yeaft.kernel import ids
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import YeaftError
from yeaft.kernel.outcome import EXIT_BAD_DATA, EXIT_PIPE_CLOSED
from yeaft.prompts.fill import fill

if TYPE_CHECKING:
    from yeaft.interfaces.cli.options import Options
    from yeaft.interfaces.cli.standard_input import Piped

STDOUT = 1


class OneShot:
    """One run of the command line: what it was asked, where its output goes, what it has seen."""

    def __init__(self, options: Options, piped: Piped, schema: dict[str, Any] | None) -> None:
        self._options = options
        self._piped = piped
        self._schema = schema
        self._turns: list[str] = []
        self._questions: dict[str, AskOpened] = {}
        self._unmet: list[AskOpened] = []

    async def run(self, wish: Wish) -> int:
        """Do it all and return the exit code. Raises `YeaftError` for what prevents it from starting."""
        async with opened(wish) as here:
            signals = Signals(lambda: here.session.interrupt(Ending(outcome="aborted")))
            loop = asyncio.get_running_loop()

            def stop_for_closed_pipe() -> None:
                loop.call_soon_threadsafe(signals.raise_, EXIT_PIPE_CLOSED)

            output = Output(STDOUT, stop_for_closed_pipe)
            screen = self._screen(here, output.write)
            signals.install()
            await self._work(here, signals)
        result = self._result(here, signals)
        self._report(result, output, screen)
        output.close()
        return result.exit_code

    def _screen(self, here: Opened, write: Callable[[bytes], None]) -> JsonScreen | TextScreen | None:
        options = self._options
        here.listen(self._note)
        stderr = StderrScreen(
            here.ui, here.state.session_id, _limits(options), quiet=options.quiet, verbose=options.verbose
        )
        here.listen(stderr.hear)
        for code, params in self._remarks(here):
            stderr.tell(code, **params)
        match options.output_format:
            case "text":
                text = TextScreen(write, for_terminal=os.isatty(STDOUT))
                here.listen(text.hear)
                return text
            case "stream-json":
                lines = JsonScreen(write, here.state.session_id, wall_clock_ms)
                here.listen(lines.hear)
                return lines
            case "json":
                return None

    def _remarks(self, here: Opened) -> list[tuple[str, dict[str, str]]]:
        if self._options.quiet:
            return []
        remarks = list(here.remarks)
        if self._options.yolo:
            remarks.append(("mode.yolo", {"folder": str(here.folder)}))
        if self._piped.kind == "silent":
            remarks.append(("input.stdin_silent", {}))
        return remarks

    def _note(self, heard: Recorded | Transient) -> None:
        event = heard.event if isinstance(heard, Recorded) else heard
        match event:
            case TurnStarted(turn_id=turn_id):
                self._turns.append(turn_id)
            case AskOpened():
                self._questions[event.ask_id] = event
            case AskWithdrawn(ask_id=ask_id, reason="headless") if ask_id in self._questions:
                self._unmet.append(self._questions[ask_id])
            case _:
                pass

    async def _work(self, here: Opened, signals: Signals) -> None:
        options, session = self._options, here.session
        if options.timeout_s is not None:
            ending = Ending(outcome="limit", limit="time")
            asyncio.get_running_loop().call_later(options.timeout_s, session.interrupt, ending)
        if options.continue_turn:
            self._turns += [turn.started.turn_id for turn in here.state.open_turns()]
            session.send(ContinueTurn())
            await session.idle()
        if options.input_format == "stream-json":
            from yeaft.interfaces.cli.json_input import follow_input

            await follow_input(here, signals)
        elif (text := self._prompt()) is not None:
            op = Say(text=text, attached=self._attached(here), op_id=ids.new_ulid(wall_clock_ms()))
            session.send(op)
            await session.idle()

    def _prompt(self) -> str | None:
        return self._piped.text if self._options.prompt is None else self._options.prompt

    def _attached(self, here: Opened) -> str:
        blocks: list[str] = []
        if self._options.prompt is not None and self._piped.kind == "data":
            blocks.append(fill(here.phrases["stdin"], {"text": self._piped.text}))
        if self._schema is not None:
            schema = msgspec.json.encode(self._schema).decode()
            blocks.append(fill(here.phrases["schema_ask"], {"schema": schema}))
        return "\n\n".join(blocks)

    def _result(self, here: Opened, signals: Signals) -> Result:
        turns = [here.state.turns[turn_id] for turn_id in dict.fromkeys(self._turns) if turn_id in here.state.turns]
        result = result_of(here.state, turns, self._unmet, self._piped.kind)
        if signals.exit_code is not None:
            return replace(result, exit_code=signals.exit_code, outcome="aborted")
        if self._schema is not None and result.exit_code == 0:
            from yeaft.interfaces.cli.schema import problem_with

            answers = [vp.text for vp in result.vps if vp.outcome == "answered"]
            if problem := next((p for text in answers if (p := problem_with(text, self._schema))), ""):
                return replace(result, exit_code=EXIT_BAD_DATA, outcome="failed", error=problem)
        return result

    def _report(self, result: Result, output: Output, screen: JsonScreen | TextScreen | None) -> None:
        if isinstance(screen, JsonScreen):
            screen.result(result)
        elif self._options.output_format == "json":
            output.write(msgspec.json.encode(result) + b"\n")
        if result.error:
            print(f"yeaft: {result.error}", file=sys.stderr)
        if self._options.output_file is not None:
            _write_answer(self._options.output_file, result.text)


def _limits(options: Options) -> dict[str, str]:
    found = {"rounds": options.max_rounds, "cost": options.max_cost_usd, "time": options.timeout_s}
    units = {"time": " s"}
    return {kind: f"{value:g}{units.get(kind, '')}" for kind, value in found.items() if value is not None}


def _write_answer(path: Path, text: str) -> None:
    try:
        path.write_text(text + "\n", encoding="utf-8", errors="replace")
    except OSError as error:
        raise YeaftError(f"The answer could not be written to {path}: {error.strerror}.") from error
