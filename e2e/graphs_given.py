"""Graphs to run, what models say in them, and what is known of their runs afterwards."""

import asyncio
import json
from asyncio.subprocess import Process
from pathlib import Path
from typing import Any

from e2e.conftest import Serve
from e2e.given import PATIENCE_S, Yeaft
from yeaft.config.trust import agree, trust_of
from yeaft.llm.scripted.script import Holds, Line, Says, Script
from yeaft.llm.scripted.server import ScriptedServer

CHAIN = """
graph:
  name: report
  steps:
    - {id: gather, agent: omni, prompt: "Gather: {{ input }}"}
    - {id: write, agent: skeptic, prompt: "Write from {{ input }}"}
"""
ASKING = """
graph:
  name: offer
  steps:
    - {id: draft, agent: omni, prompt: "Gather: {{ input }}"}
    - {id: ok, approve: "Send {{ input }}?"}
    - {id: who, ask: "To whom?", options: [Ada, Bob]}
    - {id: send, agent: skeptic, prompt: "Write from {{ steps.draft }} to {{ input }}"}
"""
ANSWERS = Script(
    lines=(
        Line(when="Gather:", steps=(Says(text="three facts"),), repeat=True),
        Line(when="Write from", steps=(Says(text="A report of three facts."),), repeat=True),
    )
)
HELD = Script(
    lines=(
        Line(when="Gather:", steps=(Says(text="three facts"),), repeat=True),
        Line(when="Write from", steps=(Holds(of=Says(text="never"), after_events=1, gate="g"),), repeat=True),
    )
)


def put(yeaft: Yeaft, text: str, name: str = "g.yaml") -> Path:
    """Write a file of the story's folder, which its user trusts if functions are in it."""
    path = yeaft.folder / name
    path.write_text(text, encoding="utf-8")
    if name.endswith(".py"):
        agree(yeaft.dir, trust_of(yeaft.dir, yeaft.folder, yeaft.environ), {}, 0)
    return path


def runs(yeaft: Yeaft) -> list[dict[str, Any]]:
    return json.loads(yeaft.here("graph", "ls", "--json").out)


def visits(yeaft: Yeaft, run: str = "last") -> list[dict[str, Any]]:
    return json.loads(yeaft.here("graph", "logs", run, "--json").out)


async def held(yeaft: Yeaft, serve: Serve, *how: str) -> tuple[Process, ScriptedServer]:
    """A run whose second step waits for a model that does not answer."""
    server = await serve(HELD)
    put(yeaft, CHAIN)
    process = await yeaft.start("graph", "run", "g.yaml", "tea", *how)
    async with asyncio.timeout(PATIENCE_S):
        await server.reached("g")
    return process, server
