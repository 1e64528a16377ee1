"""From the words of the command line to an exit code; the only place that ends the process."""

from __future__ import annotations

import asyncio
import os
import sys
from importlib import import_module
from typing import Any

import msgspec

from yeaft.interfaces.cli.options import COMMANDS, Options, parse, split_command
from yeaft.interfaces.cli.standard_input import Piped, read_piped
from yeaft.kernel import outcome
from yeaft.kernel.clock import wall_clock_ms
from yeaft.kernel.errors import UsageError, YeaftError


def run(words: list[str]) -> None:
    """Do what `words` ask and end the process at once with its exit code; never returns.

    Skipping the interpreter's own tidying saves 30 ms of every run; all that matters is on disk by then.
    """
    code = _exit_code(words)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            code = code or outcome.EXIT_PIPE_CLOSED
    os._exit(code)


def _exit_code(words: list[str]) -> int:
    before, command, after = split_command(words)
    try:
        options, wants_version, wants_help = parse(before)
        if wants_version or wants_help:
            return _show(wants_version)
        if command:
            return _command(command, options, after)
    except YeaftError as error:
        print(f"yeaft: {error}", file=sys.stderr)
        return error.exit_code
    return _one_shot(options)


def _show(wants_version: bool) -> int:
    from yeaft import __version__
    from yeaft.interfaces.cli.help_text import HELP

    print(f"yeaft {__version__}" if wants_version else HELP.rstrip("\n"))
    return outcome.EXIT_ANSWERED


def _command(name: str, options: Options, words: list[str]) -> int:
    module = import_module(f"yeaft.interfaces.cli.commands.{COMMANDS[name]}")
    return int(module.run(options, words))


def _one_shot(options: Options) -> int:
    from yeaft.interfaces.cli.one_shot import OneShot
    from yeaft.interfaces.cli.wishes import wish_of

    try:
        schema = _schema(options)
        piped = _piped(options)
        if _has_nothing_to_do(options, piped):
            return _show(wants_version=False) if piped.kind == "terminal" else _complain_of_no_prompt()
        return asyncio.run(OneShot(options, piped, schema).run(wish_of(options, os.environ)))
    except YeaftError as error:
        _report_failure(options, error)
        return error.exit_code


def _schema(options: Options) -> dict[str, Any] | None:
    if not options.schema:
        return None
    from yeaft.interfaces.cli.schema import read_schema

    return read_schema(options.schema)


def _piped(options: Options) -> Piped:
    if options.input_format == "stream-json":
        if options.output_format != "stream-json":
            raise UsageError("--input-format stream-json needs --output-format stream-json.")
        return Piped(kind="none")

    def hint() -> None:
        if not options.quiet:
            print("yeaft: waiting for standard input … (</dev/null ends this)", file=sys.stderr)

    has_prompt = options.prompt is not None or options.continue_turn
    return read_piped(wait=options.stdin, has_prompt=has_prompt, on_waiting=hint)


def _has_nothing_to_do(options: Options, piped: Piped) -> bool:
    if options.input_format == "stream-json" or options.continue_turn:
        return False
    return not (options.prompt or "").strip() and piped.kind != "data"


def _complain_of_no_prompt() -> int:
    raise UsageError('There is nothing to ask: the prompt is empty. Try: yeaft "what is in this folder?"')


def _report_failure(options: Options, error: YeaftError) -> None:
    """Report an error that came before the first turn, in the format the user asked for."""
    print(f"yeaft: {error}", file=sys.stderr)
    if options.output_format == "text":
        return
    from yeaft.interfaces.cli.json_screen import JsonScreen
    from yeaft.interfaces.cli.result import Result

    result = Result(exit_code=error.exit_code, outcome="failed", text="", session="", error=str(error))
    if options.output_format == "json":
        print(msgspec.json.encode(result).decode())
    else:
        JsonScreen(lambda line: print(line.decode(), end=""), "", wall_clock_ms).result(result)
