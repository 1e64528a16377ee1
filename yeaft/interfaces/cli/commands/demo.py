"""`yeaft demo`: the real program with a scripted model, in a folder of its own that is gone afterwards."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.interfaces.cli.commands.parsing import Action, argument, run_action
from yeaft.interfaces.cli.streams import remark
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options
    from yeaft.llm.scripted.demo import Demo

LOOPBACK = "127.0.0.1"
PRIVATE_FOLDER = 0o700
CONFIG = """\
[models]
primary = "demo/script"
[providers.demo]
protocol = "openai-responses"
base_url = "{base_url}"
[[providers.demo.models]]
id = "script"
context_tokens = 128000
price_usd_per_mtok = {{in = 0.0, out = 0.0}}
"""


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft demo ...` and return the exit code."""
    return run_action("demo", ACTION, options, words)


def play(desk: Desk, *, texts: tuple[str, ...]) -> int:
    """Put the demo's prompts, or the user's own, to the scripted model; the exit code is that of the last one."""
    from yeaft.llm.scripted.demo import read_demo

    return asyncio.run(_play(desk, read_demo(desk.lang), texts))


async def _play(desk: Desk, demo: Demo, texts: tuple[str, ...]) -> int:
    from yeaft.llm.scripted.demo import lay_out
    from yeaft.llm.scripted.server import ScriptedServer

    with tempfile.TemporaryDirectory(prefix="yeaft-demo-") as scratch:
        folder = Path(scratch, "work")
        await asyncio.to_thread(folder.mkdir)
        await asyncio.to_thread(lay_out, demo, folder)
        desk.note("provider.demo", folder=str(folder))
        async with ScriptedServer(demo.script) as server:
            home = Path(scratch, "home")
            await asyncio.to_thread(_configure, home, server.base_url)
            environ = _environ(desk.environ, home)
            for number, text in enumerate(texts or demo.prompts):
                code = await _ask(desk, environ, folder, text, goes_on=number > 0)
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


def _configure(home: Path, base_url: str) -> None:
    """Describe the scripted model in a home of its own, so that nothing about it has to be guessed or warned of."""
    from yeaft.config.places import user_config

    home.mkdir(mode=PRIVATE_FOLDER)
    user_config(home).write_text(CONFIG.format(base_url=base_url), encoding="utf-8")


def _environ(environ: Mapping[str, str], home: Path) -> dict[str, str]:
    """Return the user's environment with yeaft's part of it replaced, so that nothing of theirs is read or written."""
    from yeaft.llm.credentials import ALWAYS_SECRET

    os.environ["NO_PROXY"] = ",".join(filter(None, (environ.get("NO_PROXY", ""), LOOPBACK)))  # httpx2 reads it there
    kept = {name: value for name, value in environ.items() if not name.startswith("YEAFT_")}
    for name in ALWAYS_SECRET:
        kept.pop(name, None)
    return {**kept, "YEAFT_DIR": str(home)}


ACTION = Action(run=play, params=(argument("TEXTS", nargs=-1),), has_json=False)
