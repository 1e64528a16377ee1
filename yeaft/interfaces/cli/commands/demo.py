"""`yeaft demo`: the real program with a scripted model, in a folder of its own that is gone afterwards."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, run_action
from yeaft.interfaces.cli.streams import remark
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options

STDIN, STDOUT = 0, 1


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft demo ...` and return the exit code."""
    return run_action("demo", ACTION, options, words)


def play(desk: Desk, *, texts: tuple[str, ...], line: bool) -> int:
    """Play the demo on the whole screen; in a pipe, with `line`, or with prompts of the user's own, line by line.

    The exit code of the latter is that of the last prompt.
    """
    if not (texts or line) and _has_screen(desk):
        from yeaft.interfaces.tui.tui_mode import run_tui

        return asyncio.run(run_tui(replace(desk.options, lang=desk.lang), is_demo=True))
    return asyncio.run(_play(desk, texts))


def _has_screen(desk: Desk) -> bool:
    """Whether somebody sits at a terminal that can be drawn on, and wants it."""
    is_dumb = os.environ.get("TERM", "dumb") in ("dumb", "unknown", "")
    return not (is_dumb or desk.options.line or desk.options.quiet) and os.isatty(STDIN) and os.isatty(STDOUT)


async def _play(desk: Desk, texts: tuple[str, ...]) -> int:
    from yeaft.interfaces.demo_stage import staged

    async with staged(desk.environ, desk.lang) as stage:
        desk.note("provider.demo", folder=str(stage.folder))
        for number, text in enumerate(texts or stage.prompts):
            code = await _ask(desk, stage.environ, stage.folder, text, goes_on=number > 0)
            if code != EXIT_ANSWERED:
                return code
    desk.note("demo.next")
    return EXIT_ANSWERED


async def _ask(desk: Desk, environ: Mapping[str, str], folder: Path, text: str, *, goes_on: bool) -> int:
    from yeaft.interfaces.cli.one_shot import OneShot
    from yeaft.interfaces.cli.standard_input import Piped
    from yeaft.interfaces.cli.wishes import wish_of

    if not desk.options.quiet:
        remark(f"\n> {text}\n")
    options = replace(
        desk.options,
        prompt=text,
        continue_=goes_on,
        resume="",
        model="",
        mode="auto",
        verbose=0 if desk.options.quiet else max(desk.options.verbose, 1),
        folder=folder,
        lang=desk.lang,
    )
    return await OneShot(options, Piped(kind="none"), None, is_kept=False).run(wish_of(options, environ))


ACTION = Action(run=play, params=(argument("TEXTS", nargs=-1), flag("--line")), has_json=False)
