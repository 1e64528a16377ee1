"""Ctrl-C at every boundary of a turn: it stops, its children are gone, and the next turn knows what had been said."""

import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from msgspec import Struct

from e2e.drill.checks import journal_problems, request_problems
from e2e.drill.crash import MENTIONS, OPENING
from e2e.drill.place import JSON_LINES, Line, Place, Run
from e2e.drill.reopened import resume
from e2e.drill.stories import CHECK, NEXT, PEER, START, lay_out
from yeaft.events.ops import Say
from yeaft.events.turn import RequestFailed
from yeaft.llm.scripted import script
from yeaft.llm.scripted.script import Calls, Fails, Holds, Says, Script, Stalls, Step, call
from yeaft.llm.scripted.server import ScriptedServer

INTERRUPTED = 130
GONE_WITHIN_S = 3.0
STUBBORN_NAME = "in a command that will not stop"
LONG = Says(text="one two three four five. ", times=40, chunk=8)
AUTO = ("--mode", "auto")
WITH_PEER = (*AUTO, "--vp", f"omni,{PEER}")
WITH_HUMAN = ("--input-format", "stream-json", "--mode", "ask")


class Boundary(Struct, frozen=True, kw_only=True):
    """A place in a turn: the model's `steps` and the moment, seen from outside, at which to press Ctrl-C."""

    name: str
    steps: tuple[Step, ...]
    reach: Callable[[Run, ScriptedServer], Awaitable[object]]
    words: tuple[str, ...] = AUTO
    peer: tuple[Step, ...] = (Says(text="nothing to add"),)

    @property
    def script(self) -> Script:
        """The steps as a script; a further question gets a short answer."""
        lines = (
            script.Line(when=NEXT, order="round", steps=(Says(text="next is done"),)),
            script.Line(when=CHECK, vp=PEER, order="round", steps=self.peer),
            script.Line(when=START, steps=self.steps),
        )
        return Script(lines=lines)


class Stopped(Struct, frozen=True, kw_only=True):
    """How one abort went. `ended_s` is the time from the signal to the end of the last turn, `gone_s` to the exit."""

    name: str
    ended_s: float
    gone_s: float
    problems: tuple[str, ...]


def _line(name: str, **values: object) -> Callable[[Run, ScriptedServer], Awaitable[object]]:
    return lambda run, _: run.until_type(name, **values)


async def _second_read(run: Run, _: ScriptedServer) -> None:
    await run.until_type("call.started")
    await run.until_type("call.started")


async def _printing(run: Run, _: ScriptedServer) -> None:
    await run.until(lambda line: line["type"] == "call.output" and "ready" in line["data"]["chunk"])


def _bash(command: str) -> Calls:
    return Calls(calls=(call("Bash", command=command),))


READS = Calls(calls=tuple(call("Grep", pattern=f"word{number}") for number in range(8)))
WRITES = Calls(calls=(call("FileWrite", file_path="long.txt", content="many words " * 200),), chunk=16)
HANDS_ON = Calls(calls=(call("RouteForward", to=PEER, text=CHECK),))
STUBBORN = 'trap "" INT TERM HUP; echo ready; while :; do sleep 0.2; done'

BOUNDARIES = (
    Boundary(name="before the first byte", steps=(Stalls(of=LONG, after_events=0),), reach=lambda _, s: s.received(1)),
    Boundary(
        name="in thought",
        steps=(Holds(of=Says(text="x", thinking="long thoughts " * 50, chunk=8), after_events=20, gate="never"),),
        reach=_line("thinking.streamed"),
    ),
    Boundary(name="in a text", steps=(Holds(of=LONG, after_events=40, gate="never"),), reach=_line("text.streamed")),
    Boundary(
        name="in a text that flows",
        steps=(Says(text="on and on. ", times=5000, delay_s=0.001),),
        reach=_line("text.streamed"),
    ),
    Boundary(
        name="in the arguments of a call",
        steps=(Holds(of=WRITES, after_events=40, gate="never"),),
        reach=_line("call.streamed"),
    ),
    Boundary(name="between reply and command", steps=(_bash("sleep 60"),), reach=_line("reply.completed")),
    Boundary(name="as a command starts", steps=(_bash("sleep 60"),), reach=_line("call.started")),
    Boundary(name="in a command", steps=(_bash("echo ready; sleep 60"),), reach=_printing),
    Boundary(
        name="in a command with children",
        steps=(_bash("(sleep 61 & sleep 62) & echo ready; sleep 63"),),
        reach=_printing,
    ),
    Boundary(name=STUBBORN_NAME, steps=(_bash(STUBBORN),), reach=_printing),
    Boundary(name="in parallel reads", steps=(READS, LONG), reach=_second_read),
    Boundary(name="between results and request", steps=(READS, LONG), reach=_line("call.finished")),
    Boundary(
        name="while it waits to try again",
        steps=(Fails(status=529),),
        words=(*AUTO, "--set", "retry.base_delay_s=20", "--set", "retry.max_delay_s=20"),
        reach=_line("retry.waiting"),
    ),
    Boundary(
        name="as a hand-off is posted",
        steps=(HANDS_ON,),
        words=WITH_PEER,
        peer=(LONG,),
        reach=_line("message.posted", kind="forward"),
    ),
    Boundary(
        name="as a peer takes over",
        steps=(HANDS_ON,),
        words=WITH_PEER,
        peer=(LONG,),
        reach=_line("turn.started", vp_id=PEER),
    ),
    Boundary(
        name="in a peer's answer",
        steps=(HANDS_ON,),
        words=WITH_PEER,
        peer=(Holds(of=LONG, after_events=40, gate="never"),),
        reach=_line("text.streamed", vp_id=PEER),
    ),
    Boundary(
        name="while a human is asked to approve",
        steps=(_bash("make it so"),),
        words=WITH_HUMAN,
        reach=_line("ask.opened"),
    ),
    Boundary(
        name="while a human is asked a question",
        words=WITH_HUMAN,
        reach=_line("ask.opened"),
        steps=(Calls(calls=(call("AskUser", question="Which one?", options=["this", "that"]),)),),
    ),
)


async def stop_at(root: Path, boundary: Boundary, protocol: str, *, gone_within_s: float = GONE_WITHIN_S) -> Stopped:
    """Press Ctrl-C at a boundary, then ask the Session something else."""
    async with ScriptedServer(boundary.script) as server:
        place = Place(root, server.base_url, protocol)
        lay_out(place.work)
        with_human = boundary.words == WITH_HUMAN
        run = await place.start(*JSON_LINES, *boundary.words, *(() if with_human else (START,)), stdin=with_human)
        if with_human:
            run.write({"type": "user", "text": START})
        await boundary.reach(run, server)
        return await _stopped(place, run, server, boundary.name, gone_within_s)


async def stop_after(
    root: Path, server: ScriptedServer, protocol: str, lines: int, *, gone_within_s: float = GONE_WITHIN_S
) -> Stopped:
    """Press Ctrl-C in the tool loop of two VPs once `lines` lines have been printed."""
    place = Place(root, server.base_url, protocol)
    lay_out(place.work)
    run = await place.start(*OPENING, f"{MENTIONS} {START}")
    last = await run.until(lambda line: line["seq"] >= lines or line["type"] == "result")
    return await _stopped(place, run, server, f"after line {lines} ({last['type']})", gone_within_s)


async def _stopped(place: Place, run: Run, server: ScriptedServer, name: str, gone_within_s: float) -> Stopped:
    began, began_ms, asked_before = time.monotonic(), time.time() * 1000, len(server.requests)
    run.kill(signal.SIGINT)
    code = await run.end()
    gone_s = time.monotonic() - began
    ends = [line["ts"] for line in run.of_type("turn.ended")]
    has_stopped_a_turn = any(line["data"]["outcome"] == "aborted" for line in run.of_type("turn.ended"))
    expected = (INTERRUPTED,) if has_stopped_a_turn else (INTERRUPTED, 0)  # it came when all was over
    problems = [] if code in expected else [f"exit code {code}: {run.stderr}"]
    problems += [] if run.result["exit_code"] == code else [f"the result says {run.result['exit_code']}, not {code}"]
    problems += [f"still running: {stray}" for stray in await place.strays(max(gone_within_s - gone_s, 0.0))]
    problems += _late_words(run.lines)
    (session_id,) = place.sessions()
    problems += journal_problems(place, session_id)
    problems += _forgotten(place, session_id, run.lines)
    again = await resume(place, session_id, Say(text=NEXT))
    problems += [f"after the next turn: {problem}" for problem in again]
    problems += request_problems(server.requests[asked_before:])
    ended_s = (max(ends) - began_ms) / 1000 if ends else 0.0
    return Stopped(name=name, ended_s=max(ended_s, 0.0), gone_s=gone_s, problems=tuple(problems))


def _late_words(lines: list[Line]) -> list[str]:
    """Words of a VP that were shown after its turn had ended."""
    over: set[str] = set()
    late: list[str] = []
    for line in lines:
        if line["type"] == "turn.ended":
            over.add(line["turn"])
        elif line["type"] in ("text.streamed", "thinking.streamed", "call.streamed") and line["turn"] in over:
            late.append(f"words after the end: {line['data']['pieces']}")
    return late


def _forgotten(place: Place, session_id: str, lines: list[Line]) -> list[str]:
    """Words that were shown of a broken reply and are not kept, and the other way round."""
    shown: dict[str, str] = {}
    for line in lines:
        if line["type"] == "text.streamed":
            request_id = line["data"]["request_id"]
            shown[request_id] = shown.get(request_id, "") + "".join(line["data"]["pieces"])
    broken = [one.event for one in place.records(session_id) if isinstance(one.event, RequestFailed)]
    return [
        f"shown {shown.get(event.request_id, '')[-40:]!r}, kept {event.text_so_far[-40:]!r}"
        for event in broken
        if event.text_so_far != shown.get(event.request_id, "")
    ]
