"""From the words of the command line to an exit code; the only place that ends the process."""

from __future__ import annotations

import asyncio
import os
import time
from importlib import import_module
from typing import Any

import msgspec
from msgspec.structs import replace

from yeaft.config import places
from yeaft.interfaces import garbage
from yeaft.interfaces.cli import logbook
from yeaft.interfaces.cli.emphasis import COLOR
from yeaft.interfaces.cli.options import COMMANDS, Options, language_in, output_format_in, parse, split_command
from yeaft.interfaces.cli.result import Result, failure
from yeaft.interfaces.cli.spoken import complain_of
from yeaft.interfaces.cli.standard_input import WAITING, Piped, read_piped
from yeaft.interfaces.cli.streams import flush, make_usable
from yeaft.kernel import outcome
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import UsageError, YeaftError

STDIN, STDOUT = 0, 1
DUMB = ("dumb", "unknown", "")
"""What TERM says where nothing can be drawn."""


def run(words: list[str]) -> None:
    """Do what `words` ask and end the process at once with its exit code; never returns.

    Skipping the interpreter's own tidying saves 30 ms of every run; all that matters is on disk by then.
    """
    make_usable()
    logbook.keep(places.home(os.environ), os.environ)
    try:
        code = done_with(words)
    except BrokenPipeError:
        code = outcome.EXIT_PIPE_CLOSED
    error = flush()
    if isinstance(error, BrokenPipeError):
        code = code or outcome.EXIT_PIPE_CLOSED
    elif error is not None:
        options = Options(lang=language_in(words))
        complain_of(f"Standard output could not be written: {error.strerror}.", options, os.environ)
        code = code or outcome.EXIT_FAILED
    os._exit(code)


def done_with(words: list[str]) -> int:
    """Do what the words of the command line ask for; says itself what is wrong, and returns the exit code."""
    before, command, after = split_command(words)
    options = Options()
    try:
        options, wants_version, wants_help = parse(before)
        if options.color is not None:
            os.environ[COLOR] = options.color
        if wants_version or wants_help:
            return _show(options, wants_version)
        if command:
            return run_command(command, options, after)
    except YeaftError as error:
        complain_of(str(error), replace(options, lang=language_in(words) or options.lang), os.environ)
        return error.exit_code if command else _reported(failure(error), output_format_in(before))
    return _one_shot(options)


def _show(options: Options, wants_version: bool) -> int:
    from yeaft import __version__
    from yeaft.config.language import language
    from yeaft.interfaces.cli.help_text import fitted_help

    said = (
        f"yeaft {__version__}\n"
        if wants_version
        else fitted_help(language(options.lang or "", os.environ.get("YEAFT_LANGUAGE", ""), os.environ))
    )
    print(said, end="")
    return outcome.EXIT_ANSWERED


def run_command(name: str, options: Options, words: list[str]) -> int:
    """Do what the command `name` does with these words, and return its exit code. Raises `YeaftError`."""
    garbage.search()
    module = import_module(f"yeaft.interfaces.cli.commands.{COMMANDS[name]}")
    return int(module.run(options, words))


def _one_shot(options: Options) -> int:
    from yeaft.interfaces.cli.signals import EarlySignals

    began_s = time.monotonic()
    signals = EarlySignals()
    signals.install()
    try:
        if _wants_lines(options):
            from yeaft.interfaces.cli.wishes import wish_of
            from yeaft.interfaces.line.line_mode import LineMode

            return asyncio.run(LineMode(options).run(wish_of(options, os.environ)))
        if _wants_screen(options):
            from yeaft.interfaces.tui.tui_mode import run_tui

            return asyncio.run(run_tui(options))
        from yeaft.interfaces.cli.one_shot import OneShot
        from yeaft.interfaces.cli.wishes import wish_of

        schema = _checked(options)
        piped = _piped(options)
        if _has_nothing_to_do(options, piped):
            from yeaft.interfaces.cli.no_prompt import show_start, without_prompt

            if piped.kind == "terminal" and options in (Options(), Options(lang=options.lang)):
                return show_start(options)
            raise UsageError(without_prompt(options))
        if piped.kind == "late":
            return _reported(_out_of_time(options), options.output_format)
        return asyncio.run(OneShot(options, piped, schema, began_s=began_s).run(wish_of(options, os.environ)))
    except YeaftError as error:
        complain_of(str(error), options, os.environ)
        return _reported(failure(error), options.output_format)
    except KeyboardInterrupt:
        result = Result(exit_code=signals.exit_code, outcome="aborted", text="", session="")
        return _reported(result, options.output_format)


def _wants_lines(options: Options) -> bool:
    """Whether this is to be a conversation in lines: asked for, or all that a dumb terminal can show."""
    if options.line:
        return True
    is_dumb = os.environ.get("TERM", "") in DUMB and os.isatty(STDIN) and os.isatty(STDOUT)
    return is_dumb and options.prompt is None and not options.print_ and options.output_format == "text"


def _wants_screen(options: Options) -> bool:
    """Whether this is to be a conversation on the whole screen: nothing to say yet, at a terminal that can show it."""
    if options.prompt is not None or options.print_ or options.output_format != "text" or _is_for_one_shot(options):
        return False
    return os.isatty(STDIN) and os.isatty(STDOUT)


def _is_for_one_shot(options: Options) -> bool:
    """Whether there is an option that only means something where nobody goes on talking."""
    given = options.continue_turn or options.stdin or options.schema or options.output_file is not None
    return bool(given or options.attach or options.timeout_s is not None or options.input_format != "text")


def _checked(options: Options) -> dict[str, Any] | None:
    """Check what could only fail after the work is done; return the schema if there is one."""
    if options.output_file is not None:
        from yeaft.interfaces.cli import answer_file

        answer_file.check(options.output_file)
    if not options.schema:
        return None
    from yeaft.interfaces.cli.schema import read_schema

    return read_schema(options.schema, options.timeout_s)


def _piped(options: Options) -> Piped:
    if options.input_format == "stream-json":
        if options.output_format != "stream-json":
            raise UsageError("--input-format stream-json needs --output-format stream-json.")
        return Piped(kind="none")

    def hint() -> None:
        if not options.quiet:
            complain_of(WAITING, options, os.environ)

    has_prompt = bool((options.prompt or "").strip()) or options.continue_turn
    return read_piped(wait=options.stdin, has_prompt=has_prompt, on_waiting=hint, timeout_s=options.timeout_s)


def _has_nothing_to_do(options: Options, piped: Piped) -> bool:
    if options.input_format == "stream-json" or options.continue_turn:
        return False
    return not (options.prompt or "").strip() and piped.kind not in ("data", "late")


def _out_of_time(options: Options) -> Result:
    text = "Standard input did not end within --timeout."
    complain_of(text, options, os.environ)
    return Result(exit_code=outcome.EXIT_LIMIT, outcome="limit", text="", session="", stdin="late", error=text)


def _reported(result: Result, output_format: str) -> int:
    """Report what ended before the first turn, in the format the user asked for; return the exit code."""
    if output_format == "json":
        print(msgspec.json.encode(result).decode())
    elif output_format == "stream-json":
        from yeaft.interfaces.cli.json_screen import JsonScreen

        JsonScreen(lambda line: print(line.decode(), end=""), wall_clock_ms).result(result)
    return result.exit_code
