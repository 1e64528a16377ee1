"""Many at once: processes in one folder, a Session that two want, and four VPs that talk at the same time."""

import asyncio
import re
from pathlib import Path

from msgspec import Struct

from e2e.drill.checks import journal_problems, request_problems
from e2e.drill.place import JSON_LINES, Place, Run
from yeaft.events.turn import ReplyCompleted
from yeaft.kernel.messages import text_of
from yeaft.kernel.outcome import EXIT_TRY_AGAIN
from yeaft.llm.scripted import script
from yeaft.llm.scripted.script import Calls, Holds, Says, Script
from yeaft.llm.scripted.server import ScriptedServer

SPEAKERS = ("omni", "skeptic", "tester", "writer")
TOKEN = re.compile(r"token-\d+-\d+\b")
HELD = "held"
KINDS = 3
WORD_DELAY_S = 0.0005


class Crowd(Struct, frozen=True, kw_only=True):
    """How many processes ran, and what went wrong."""

    processes: int
    problems: tuple[str, ...]


def plain_turns() -> Script:
    """A story for any number of Sessions: look at a file, then answer. Calls differ, or yeaft would remark on them."""

    def look(kind: int) -> tuple[Calls, Says]:
        return Calls(calls=(script.call("FileRead", file_path="notes.txt", limit=kind + 1),)), Says(text="noted")

    lines = (script.Line(when=f"kind-{kind}", order="round", steps=look(kind)) for kind in range(KINDS))
    return Script(lines=tuple(lines))


async def side_by_side(root: Path, server: ScriptedServer, protocol: str, sessions: int, turns: int) -> Crowd:
    """Run `sessions` Sessions in one folder at once, each of `turns` turns, a process for every turn."""
    place = Place(root, server.base_url, protocol)
    (place.work / "notes.txt").write_text("milk\n")
    asked_before = len(server.requests)
    async with asyncio.TaskGroup() as group:
        runs = [group.create_task(_conversation(place, number, turns)) for number in range(sessions)]
    problems = [problem for run in runs for problem in run.result()]
    received = server.requests[asked_before:]
    problems += request_problems(received)
    problems += _mixed_up([one.raw.decode() for one in received], turns)
    if len(place.sessions()) != sessions:
        problems.append(f"{len(place.sessions())} Sessions instead of {sessions}")
    return Crowd(processes=sessions * turns, problems=tuple(problems))


async def _conversation(place: Place, number: int, turns: int) -> list[str]:
    problems: list[str] = []
    session_id = ""
    for turn in range(turns):
        resume = ("-r", session_id) if session_id else ()
        run = await place.run(*resume, *JSON_LINES, _words(number, turn))
        if run.exit_code != 0:
            problems.append(f"turn {turn} of {number} ended with {run.exit_code}: {run.stderr}")
            continue
        session_id = run.result["session"]
    problems += journal_problems(place, session_id)
    asked = [one.event.text for one in place.records(session_id) if one.type == "message.posted"]
    if asked != [_words(number, turn) for turn in range(turns)]:
        problems.append(f"Session {number} holds {asked}")
    return problems


def _words(number: int, turn: int) -> str:
    return f"token-{number}-{turn} kind-{turn % KINDS}"


def _mixed_up(bodies: list[str], turns: int) -> list[str]:
    """Requests that hold anything but all the words of their own Session so far, in order."""
    found: list[str] = []
    for body in bodies:
        tokens = list(dict.fromkeys(TOKEN.findall(body)))
        number = tokens[0].split("-")[1]
        if len(tokens) > turns or tokens != [f"token-{number}-{turn}" for turn in range(len(tokens))]:
            found.append(f"a request holds {tokens}")
    return found


async def two_want_one(root: Path, protocol: str) -> list[str]:
    """Ask a Session something while another process is in the middle of a turn of it; fork it meanwhile."""
    steps = (
        Says(text="first"),
        Holds(of=Says(text="slow answer"), after_events=2, gate=HELD),
        Says(text="of the fork"),
    )
    async with ScriptedServer(script.script(*steps)) as server:
        place = Place(root, server.base_url, protocol)
        session_id = (await place.run(*JSON_LINES, "hello")).result["session"]
        owner = await place.start("-r", session_id, *JSON_LINES, "take your time")
        await server.reached(HELD)
        late = await place.run("-r", session_id, *JSON_LINES, "me too")
        fork = await place.run("-r", session_id, "--fork", *JSON_LINES, "and I elsewhere")
        server.release(HELD)
        await owner.end()
        problems = [*_turned_away(late, owner), *_ended_well("the owner", owner), *_ended_well("the fork", fork)]
        for one in place.sessions():
            problems += journal_problems(place, one)
        asked = [one.event.text for one in place.records(session_id) if one.type == "message.posted"]
        if asked != ["hello", "take your time"]:
            problems.append(f"the Session holds {asked}")
        return [*problems, *request_problems(server.requests)]


def _turned_away(late: Run, owner: Run) -> list[str]:
    said = late.stderr + late.result["error"]
    problems = [] if late.exit_code == EXIT_TRY_AGAIN else [f"exit code {late.exit_code} of the second: {said}"]
    return [*problems, *([] if f"process {owner.pid} " in said else [f"the owner {owner.pid} is not named: {said}"])]


def _ended_well(who: str, run: Run) -> list[str]:
    return [] if run.exit_code == 0 else [f"{who} ended with {run.exit_code}: {run.stderr}"]


def four_speakers(deltas: int) -> Script:
    """Each of four VPs says `deltas` words, one per event, in its own voice and so slowly that all talk at once."""
    return Script(
        lines=tuple(
            script.Line(vp=vp, order="round", steps=(Says(text=speech(vp, deltas), delay_s=WORD_DELAY_S),))
            for vp in SPEAKERS
        )
    )


def speech(vp: str, deltas: int) -> str:
    """What a VP says: numbered words, so that any loss or swap shows."""
    return " ".join(f"{vp}{number}" for number in range(deltas))


async def all_talk(root: Path, protocol: str, deltas: int) -> list[str]:
    """Let four VPs stream at once, as stream-json and as text."""
    prompt = " ".join("@" + vp for vp in SPEAKERS) + " speak"
    async with ScriptedServer(four_speakers(deltas)) as server:
        place = Place(root, server.base_url, protocol)
        run = await place.run(*JSON_LINES, prompt)
        problems = [*_ended_well("stream-json", run), *_streams(run, deltas)]
        session_id = run.result["session"]
        problems += journal_problems(place, session_id)
        events = [one.event for one in place.records(session_id)]
        kept = sorted(text_of(event.items) for event in events if isinstance(event, ReplyCompleted))
        if kept != sorted(speech(vp, deltas) for vp in SPEAKERS):
            problems.append("the journal does not hold what was said")
        text = await place.run(prompt)
        return [
            *problems,
            *_ended_well("text", text),
            *_blocks(text.stdout, deltas),
            *request_problems(server.requests),
        ]


def _streams(run: Run, deltas: int) -> list[str]:
    said = dict.fromkeys(SPEAKERS, "")
    order: list[str] = []
    for line in run.of_type("text.streamed"):
        said[line["vp"]] += "".join(line["data"]["pieces"])
        order.append(line["vp"])
    wrong = [f"{vp} streamed something else than it said" for vp in SPEAKERS if said[vp] != speech(vp, deltas)]
    one_by_one = len({order.index(vp) for vp in SPEAKERS}) == 4 and order == sorted(order, key=order.index)
    return [*wrong, *(["the four were not live at once"] if one_by_one else [])]


def _blocks(stdout: str, deltas: int) -> list[str]:
    blocks = [block.partition("\n") for block in stdout.removeprefix("── ").split("\n── ")]
    found = {header: body.strip("\n") for header, _, body in blocks}
    expected = {f"@{vp}": speech(vp, deltas) for vp in SPEAKERS}
    return [] if found == expected and len(blocks) == 4 else [f"text output has blocks {[b[0] for b in blocks]}"]
