"""kill -9 again and again in a run of a graph whose steps go on side by side, and what must be true of it in the end."""

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from e2e.drill.checks import cost_problems, request_problems
from e2e.drill.crash import Moment, killed_at
from e2e.drill.place import JSON_LINES, Place, Run, call_ids
from e2e.drill.stories import EFFECTS, RECORD
from yeaft.events.codec import Recorded
from yeaft.events.graph import GraphEnded, GraphStarted, StepFinished, StepReady
from yeaft.events.turn import ReplyCompleted, RequestSent
from yeaft.llm.scripted.script import Calls, Line, Says, Script, call
from yeaft.llm.scripted.server import ScriptedServer
from yeaft.store.journal import STEP_STREAMS

GRAPH = f"""
graphs:
  inner:
    steps: [{{id: deep, agent: omni, prompt: "Deep {{{{ input }}}}"}}]
  main:
    limits: {{max_parallel: 6}}
    steps:
      - {{id: list, agent: omni, out: list, prompt: "Count {{{{ input }}}}"}}
      - {{id: each, agent: omni, prompt: "Each {{{{ input }}}}", retries: {{max: 1, delay: 10ms}}}}
      - {{id: all, agent: omni, prompt: "All {{{{ input }}}}"}}
      - {{id: hands, agent: omni, prompt: "Hands {{{{ input }}}}"}}
      - {{id: note, tool: Bash, args: {{command: '{RECORD}; sleep 0.1'}}, retries: {{max: 2}}, on_error: continue}}
      - {{id: write, tool: FileWrite, args: {{file_path: made.txt, content: "as planned\\n"}}, retries: {{max: 1}}}}
      - {{id: look, tool: FileRead, args: {{file_path: made.txt}}}}
      - {{id: within, graph: inner}}
      - {{id: last, agent: skeptic, prompt: "Last {{{{ steps.look }}}}"}}
    edges:
      - {{from: start, to: [list, note, write, hands]}}
      - {{from: list, to: each, map: true, max_parallel: 2}}
      - {{from: each, to: all, join: true}}
      - {{from: write, to: look}}
      - {{from: note, to: within}}
      - {{from: [all, within, look, hands], to: last}}
      - {{from: last, to: end}}
"""
NODES = ("all", "each", "each", "each", "hands", "last", "list", "look", "note", "within", "write")
COMMANDS = 2
"""Of one step and of a VP in another."""
RESULT = "this is the very end"
MOST_KILLS = 5
"""So often one run is killed at most; then it is left to come to its end."""
HOW = (*JSON_LINES, "--mode", "auto")


class Trial(Struct, frozen=True, kw_only=True):
    """One run with all its kills. `died_in` has the type of the last line that was seen before each."""

    died_in: tuple[str, ...]
    problems: tuple[str, ...]


def story(delay_s: float) -> Script:
    """What the model says to the steps, slowly enough to be killed in between."""
    words = {
        "Count": '["a", "b", "c"]',
        "Each a": "alpha it is then",
        "Each b": "beta it is then",
        "Each c": "gamma it is then",
        "All": "all of the three",
        "Deep": "deep down in there",
        "Last": RESULT,
    }
    hands = (
        Calls(text="I note it. ", calls=(call("Bash", command=RECORD),), delay_s=delay_s),
        Calls(calls=(call("FileWrite", file_path="hands.txt", content="by hand\n"), call("ListDir"))),
        Says(text="it is noted", delay_s=delay_s),
    )
    spoken = tuple(
        Line(when=when, steps=(Says(text=text, delay_s=delay_s),), repeat=True, order="round")
        for when, text in words.items()
    )
    return Script(lines=(Line(when="Hands", steps=hands, order="round"), *spoken))


async def length(root: Path, protocol: str, delay_s: float) -> int:
    """How many lines a run says when nobody kills it."""
    async with ScriptedServer(story(delay_s)) as server:
        place = _place(root, server, protocol)
        run = await place.run("graph", "run", "g.yaml", "tea", "--graph", "main", *HOW)
    problems = [*_end_problems(place, run)]
    assert not problems, problems
    assert len(call_ids(place.work / EFFECTS)) == COMMANDS, "each command runs"
    return len(run.lines)


async def trial(root: Path, protocol: str, seed: int, lines: int, delay_s: float) -> Trial:
    """Kill a run, and whoever goes on with it, at random lines; then let it end and look at it."""
    chance = random.Random(seed)
    died_in: list[str] = []
    problems: list[str] = []
    words: tuple[str, ...] = ("run", "g.yaml", "tea", "--graph", "main")
    async with ScriptedServer(story(delay_s)) as server:
        place = _place(root, server, protocol)
        while len(died_in) < MOST_KILLS:
            paid, before = paid_digests(place), len(server.requests)
            run = await place.start("graph", *words, *HOW)
            was_killed = await killed_at(run, Moment(line=chance.randrange(1, lines)))
            problems += _paid_twice(server, before, paid)
            words = ("resume", "last") if _runs(place) else words
            if not was_killed:
                break
            died_in.append(run.lines[-1]["type"] if run.lines else "start")
            problems += _cost_problems(place)
        paid, before = paid_digests(place), len(server.requests)
        run = await place.run("graph", *words, *HOW)
        problems += [*_paid_twice(server, before, paid), *request_problems(server.requests), *_end_problems(place, run)]
        problems += [f"still running: {stray}" for stray in await place.strays()]
    return Trial(died_in=tuple(died_in), problems=tuple(problems))


def _place(root: Path, server: ScriptedServer, protocol: str) -> Place:
    place = Place(root, server.base_url, protocol)
    (place.work / "g.yaml").write_text(GRAPH)
    return place


def _streams(place: Place) -> Iterator[Sequence[Recorded]]:
    for session_id in place.sessions():
        journal = place.journal(session_id)
        yield from (journal.read(stream) for stream in journal.streams())


def _runs(place: Place) -> list[Sequence[Recorded]]:
    """The events of the outermost runs."""
    found = [one for one in _streams(place) if one and isinstance(one[0].event, GraphStarted)]
    return [one for one in found if not getattr(one[0].event, "parent_run", "")]


def paid_digests(place: Place) -> set[str]:
    """The digests of those requests of steps whose replies are whole in the journal."""
    events = [one.event for stream in _streams(place) for one in stream if one.stream.startswith(STEP_STREAMS)]
    replied = {event.request_id for event in events if isinstance(event, ReplyCompleted)}
    return {event.digest for event in events if isinstance(event, RequestSent) and event.request_id in replied}


def _cost_problems(place: Place) -> list[str]:
    return [problem for session_id in place.sessions() for problem in cost_problems(place, session_id)]


def _paid_twice(server: ScriptedServer, before: int, paid: set[str]) -> list[str]:
    """Requests since the first `before` that had been answered and recorded already."""
    sent = (hashlib.sha256(one.raw).hexdigest() for one in server.requests[before:])
    return [f"the request {digest[:12]} was paid twice" for digest in sent if digest in paid]


def _end_problems(place: Place, run: Run) -> Iterator[str]:
    if run.exit_code != 0 or run.result.get("value") != RESULT:
        yield f"it ended with {run.exit_code}: {run.lines[-1:]} {run.stderr}"
    runs = _runs(place)
    if len(runs) != 1:
        yield f"there are {len(runs)} runs"
        return
    events = [one.event for one in runs[0]]
    outcomes = [one.outcome for one in events if isinstance(one, GraphEnded)]
    if outcomes != ["completed"]:
        yield f"its ends are {outcomes}"
    ended = Counter(one.act_id for one in events if isinstance(one, StepFinished))
    nodes = {one.act_id: one.node for one in events if isinstance(one, StepReady)}
    if tuple(sorted(nodes.values())) != NODES or set(ended) != set(nodes) or set(ended.values()) != {1}:
        yield f"its steps are {sorted(nodes.values())}, ended {sorted(ended.values())}"
    ran = Counter(call_ids(place.work / EFFECTS))
    yield from (f"the command of {call_id} ran {count} times" for call_id, count in ran.items() if count > 1)
    if len(ran) > COMMANDS:
        yield f"commands ran for {len(ran)} calls, though there are {COMMANDS}"
    yield from _cost_problems(place)
    made = place.work / "made.txt"
    if not made.exists() or made.read_text() != "as planned\n":
        yield "made.txt is not as planned"
