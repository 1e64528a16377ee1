"""kill -9 in the middle of a tool loop of two VPs, and everything that must still be true after it."""

import asyncio
import contextlib
import random
import shutil
import signal
import time
from pathlib import Path

from msgspec import Struct

from e2e.drill.checks import effect_problems, lost_lines, request_problems
from e2e.drill.place import JSON_LINES, Place, Run, call_ids
from e2e.drill.reopened import NOTHING_LEFT, resume
from e2e.drill.stories import EFFECTS, NEXT, PEER, START, VPS, lay_out
from yeaft.events.ops import ContinueTurn, Say
from yeaft.llm.scripted.server import ScriptedServer
from yeaft.store.directory import session_paths

MENTIONS = " ".join("@" + vp for vp in VPS)
OPENING = (*JSON_LINES, "--mode", "auto", "--vp", ",".join((*VPS, PEER)))


class Moment(Struct, frozen=True, kw_only=True):
    """When to kill: `after_s` from the start, or right after output line `line` has been read."""

    after_s: float | None = None
    line: int | None = None


class Trial(Struct, frozen=True, kw_only=True):
    """One kill, and one more while the turn goes on. `died_in` is the type of the last line that was seen."""

    moment: Moment
    second: Moment
    died_in: str
    continued: bool = False
    problems: tuple[str, ...] = ()


class Length(Struct, frozen=True, kw_only=True):
    """How long the story takes when nobody kills it."""

    seconds: float
    lines: int


async def measured(root: Path, server: ScriptedServer, protocol: str) -> Length:
    """Play the story to its end once."""
    place = Place(root, server.base_url, protocol)
    lay_out(place.work)
    began = time.monotonic()
    run = await place.run(*OPENING, f"{MENTIONS} {START}")
    assert run.exit_code == 0, run.stderr
    return Length(seconds=time.monotonic() - began, lines=len(run.lines))


def moments(seed: int, count: int, length: Length) -> list[tuple[Moment, Moment]]:
    """Random pairs of moments within the story: half by the clock, half right after an event was shown."""
    chance = random.Random(seed)

    def some() -> Moment:
        if chance.random() < 0.5:
            return Moment(after_s=chance.uniform(0.1, length.seconds))
        return Moment(line=chance.randrange(length.lines))

    return [(some(), some()) for _ in range(count)]


async def kill_trial(root: Path, server: ScriptedServer, protocol: str, moment: Moment, second: Moment) -> Trial:
    """Kill yeaft at `moment`; then check the Session, ask it something new, and continue a copy of it.

    The process that continues the copy is itself killed at the `second` moment, and the next one goes on.
    """
    place = Place(root, server.base_url, protocol)
    lay_out(place.work)
    asked_before = len(server.requests)
    run = await place.start(*OPENING, f"{MENTIONS} {START}")
    await killed_at(run, moment)
    died_in = run.lines[-1]["type"] if run.lines else "start"
    sessions = place.sessions()
    if not sessions:
        problems = [f"no Session, but {run.durable()[0]['type']} was shown"] if run.durable() else []
        return Trial(moment=moment, second=second, died_in=died_in, problems=tuple(problems))

    (session_id,) = sessions
    problems = lost_lines(run.durable(), place.records(session_id))
    copy = Place(root / "copy", server.base_url, protocol)
    shutil.copytree(session_paths(place.home, session_id).root, session_paths(copy.home, session_id).root)
    again = await resume(place, session_id, Say(text=f"{MENTIONS} {NEXT}"))
    problems += [f"after the next turn: {problem}" for problem in again]
    problems += effect_problems(call_ids(place.work / EFFECTS), place.records(session_id))
    continued, found = await _continued(copy, session_id, second)
    problems += found
    problems += effect_problems(call_ids(place.work / EFFECTS), copy.records(session_id))
    problems += request_problems(server.requests[asked_before:])
    problems += [f"still running: {stray}" for one in (place, copy) for stray in await one.strays()]
    return Trial(moment=moment, second=second, died_in=died_in, continued=continued, problems=tuple(problems))


async def killed_at(run: Run, moment: Moment) -> bool:
    """Kill yeaft at a moment and wait for its end; False if it ended by itself before."""
    with contextlib.suppress(TimeoutError, EOFError):
        async with asyncio.timeout(moment.after_s):
            await run.until(lambda line: moment.line is not None and line["seq"] >= moment.line)
    run.kill()
    return await run.end() == -signal.SIGKILL


async def _continued(copy: Place, session_id: str, second: Moment) -> tuple[bool, list[str]]:
    killed = await copy.start("-r", session_id, "--continue-turn", *JSON_LINES, "--mode", "auto")
    await killed_at(killed, second)
    found = lost_lines(killed.durable(), copy.records(session_id))
    if killed.exit_code not in (0, NOTHING_LEFT, -signal.SIGKILL):
        found.append(f"--continue-turn ended with {killed.exit_code}: {killed.stderr}")
    found += [f"after --continue-turn: {problem}" for problem in await resume(copy, session_id, ContinueTurn())]
    return killed.exit_code != NOTHING_LEFT, found
