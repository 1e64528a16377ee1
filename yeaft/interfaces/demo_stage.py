"""Where the demo is played: a folder with its files, a home of its own, and the scripted model; all gone afterwards."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import Struct

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


class Stage(Struct, frozen=True, kw_only=True):
    """`prompts` are what the script knows answers to, in this order; `environ` is what yeaft has to be started with.

    `on_screen` is what the full screen offers instead.
    """

    folder: Path
    environ: Mapping[str, str]
    prompts: tuple[str, ...]
    on_screen: tuple[str, ...]


@asynccontextmanager
async def staged(environ: Mapping[str, str], lang: str) -> AsyncGenerator[Stage]:
    """Lay out the demo in `lang`; nothing of the user's own is read or written."""
    from yeaft.llm.scripted.demo import lay_out, read_demo
    from yeaft.llm.scripted.server import ScriptedServer

    demo = await asyncio.to_thread(read_demo, lang)
    with tempfile.TemporaryDirectory(prefix="yeaft-demo-") as scratch:
        folder, home = Path(scratch, "work"), Path(scratch, "home")
        await asyncio.to_thread(folder.mkdir)
        await asyncio.to_thread(lay_out, demo, folder)
        async with ScriptedServer(demo.script) as server:
            await asyncio.to_thread(_configure, home, server.base_url)
            yield Stage(folder=folder, environ=_environ(environ, home), prompts=demo.prompts, on_screen=demo.on_screen)


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
