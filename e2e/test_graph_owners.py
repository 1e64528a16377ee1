"""Runs of graphs whose owners die, stand still, or are two: each comes to its end once, and nothing is paid twice."""

import asyncio
import contextlib
import json
import os
import random
import signal
from asyncio.subprocess import Process
from collections import Counter

from e2e.conftest import Serve
from e2e.given import Yeaft
from yeaft.events.codec import Recorded
from yeaft.events.graph import GraphEnded, GraphStarted, StepFinished, StepReady
from yeaft.events.turn import ReplyCompleted
from yeaft.llm.scripted.script import Holds, Line, Says, Script
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import list_session_ids, session_paths
from yeaft.store.sqlite import SqliteJournal

KILLS = 6
MOST_LINES = 45
MANY = """
graphs:
  inner:
    steps: [{id: deep, agent: omni, prompt: "Deep {{ input }}"}]
  main:
    steps:
      - {id: list, agent: omni, out: list, prompt: "Count {{ input }}"}
      - {id: each, agent: omni, prompt: "Each {{ input }}", retries: {max: 1, delay: 10ms}}
      - {id: all, agent: omni, prompt: "All {{ input }}"}
      - id: note
        tool: Bash
        args: {command: "echo once >> noted.txt; sleep 0.2"}
        retries: {max: 2}
        on_error: continue
      - {id: within, graph: inner}
      - {id: last, agent: skeptic, prompt: "Last {{ input }}"}
    edges:
      - {from: start, to: [list, note]}
      - {from: list, to: each, map: true, max_parallel: 2}
      - {from: each, to: all, join: true}
      - {from: note, to: within, delay: 100ms}
      - {from: [all, within], to: last}
      - {from: last, to: end}
"""
WORDS = {
    "Count": '["a", "b", "c"]',
    "Each a": "alpha it is then",
    "Each b": "beta it is then",
    "Each c": "gamma it is then",
    "All": "all of the three",
    "Deep": "deep down in there",
    "Last": "this is the very end",
}
ANSWERS = Script(
    lines=tuple(
        Line(when=when, steps=(Says(text=text, delay_s=0.01),), repeat=True, order="round")
        for when, text in WORDS.items()
    )
)
TWO = """
graph:
  steps:
    - {id: one, agent: omni, prompt: "One {{ input }}"}
    - {id: two, agent: omni, prompt: "Two {{ input }}"}
"""


def journal(yeaft: Yeaft) -> SqliteJournal:
    """The journal of the newest Session."""
    paths = [session_paths(yeaft.dir, one) for one in list_session_ids(yeaft.dir)]
    newest = max(paths, key=lambda one: one.db.stat().st_mtime_ns)
    return SqliteJournal.for_reading(newest.db, FileBlobs(newest.blobs))


def run_events(yeaft: Yeaft) -> list[Recorded]:
    """What the newest Session has of its outermost run."""
    kept = journal(yeaft)
    streams = [kept.read(one) for one in kept.streams() if one.startswith("graph/")]
    return next(one for one in streams if isinstance(one[0].event, GraphStarted) and not one[0].event.parent_run)


async def killed_after(process: Process, lines: int) -> bool:
    """Kill a process when it has written so many lines; whether it was still there."""
    assert process.stdout is not None
    for _ in range(lines):
        if not await process.stdout.readline():
            await process.wait()
            return False
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.communicate()
    return process.returncode == -signal.SIGKILL


def asked(body: object) -> set[str]:
    """Which of the prompts a request is about."""
    text = json.dumps(body)
    return {when for when in WORDS if f'"{when}' in text}


async def test_a_run_killed_at_random_moments_comes_to_the_same_and_pays_no_reply_twice(
    yeaft: Yeaft, serve: Serve
) -> None:
    server, chance = await serve(ANSWERS), random.Random(7)
    (yeaft.folder / "g.yaml").write_text(MANY)
    how = ("-q", "--mode", "auto", "--output-format", "stream-json")
    kills = 0
    while kills < KILLS:
        (yeaft.folder / "noted.txt").unlink(missing_ok=True)
        words, paid = ("run", "g.yaml", "tea", "--graph", "main"), set[str]()
        while await killed_after(await yeaft.start("graph", *words, *how), chance.randint(3, MOST_LINES)):
            kills, words = kills + 1, ("resume", "last")
            paid = paid_prompts(yeaft)
            server.requests.clear()
        again = set[str]().union(*(asked(one.body) for one in server.requests))

        ended = await yeaft.run("graph", *words, "-q") if words[0] == "resume" else None

        assert ended is None or (ended.code, ended.out) == (0, b"this is the very end\n"), ended
        assert again.isdisjoint(paid), (again, paid)
        events = run_events(yeaft)
        assert [one.event.outcome for one in events if isinstance(one.event, GraphEnded)] == ["completed"]
        finished = Counter(one.event.act_id for one in events if isinstance(one.event, StepFinished))
        assert set(finished.values()) == {1}
        assert (yeaft.folder / "noted.txt").read_text().count("once") <= 1
        nodes = {one.event.act_id: one.event.node for one in events if isinstance(one.event, StepReady)}
        assert sorted(nodes.values()) == ["all", "each", "each", "each", "last", "list", "note", "within"]


def paid_prompts(yeaft: Yeaft) -> set[str]:
    """The prompts whose replies are whole in the journal."""
    kept = journal(yeaft)
    found = set[str]()
    for stream in kept.streams():
        if stream.startswith("step/"):
            records = kept.read(stream)
            if any(isinstance(one.event, ReplyCompleted) for one in records):
                said = next(one.event for one in records if one.type == "message.posted")
                found |= {when for when in WORDS if getattr(said, "text", "").startswith(when)}
    return found


def holding() -> Script:
    return Script(
        lines=(
            Line(when="One", steps=(Says(text="first"),), repeat=True),
            Line(when="Two", steps=(Holds(of=Says(text="never heard"), after_events=2, gate="g"), Says(text="second"))),
        )
    )


async def test_an_owner_that_stands_still_loses_its_run_and_can_write_nothing_more(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(holding())
    (yeaft.folder / "g.yaml").write_text(TWO)
    old = await yeaft.start("graph", "run", "g.yaml", "tea", "--output-format", "stream-json")
    await server.reached("g")
    os.killpg(old.pid, signal.SIGSTOP)

    other = await yeaft.run("graph", "resume", "last")
    (row,) = json.loads(yeaft.here("graph", "ls", "--json").out)
    before = {stream: len(journal(yeaft).read(stream)) for stream in journal(yeaft).streams()}
    server.release("g")
    os.killpg(old.pid, signal.SIGCONT)
    late = await yeaft.ended(old)

    assert (other.code, other.out) == (0, b"second\n"), other
    assert "Nothing more was heard of process" in other.err
    assert (late.code, late.result["run"], late.result["session"]) == (75, row["id"], row["session"]), late
    assert "taken over run" in late.err or "belongs to a newer owner" in late.err, late
    assert {stream: len(journal(yeaft).read(stream)) for stream in journal(yeaft).streams()} == before
    assert len(server.requests) == 3
    checked = await yeaft.run("session", "check", "last")
    assert checked.code == 0, checked


async def test_of_two_that_go_on_with_one_run_one_drives_and_the_other_follows(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(holding())
    (yeaft.folder / "g.yaml").write_text(TWO)
    first = await yeaft.start("graph", "run", "g.yaml", "tea", "--output-format", "stream-json")
    await server.reached("g")
    os.killpg(first.pid, signal.SIGKILL)
    await yeaft.ended(first)
    server.requests.clear()

    both = await asyncio.gather(*(yeaft.run("graph", "resume", "last") for _ in range(2)))

    assert [(one.code, one.out) for one in both] == [(0, b"second\n")] * 2, both
    assert len(server.requests) == 1
    assert len([one for one in run_events(yeaft) if isinstance(one.event, GraphEnded)]) == 1


NESTED = """
graphs:
  inner:
    steps: [{id: deep, agent: omni, prompt: "Two {{ input }}"}]
  main:
    steps: [{id: one, agent: omni, prompt: "One {{ input }}"}, {id: within, graph: inner}]
"""


def outcomes(yeaft: Yeaft) -> dict[str, str]:
    listed = yeaft.here("graph", "ls", "--all", "--json")
    return {row["graph"]: row["state"] for row in json.loads(listed.out)}


async def test_a_run_within_ends_with_the_one_around_it(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(holding())
    (yeaft.folder / "g.yaml").write_text(NESTED)
    driving = await yeaft.start("graph", "run", "g.yaml", "tea", "--graph", "main", "--json")
    await server.reached("g")

    await yeaft.run("graph", "cancel", "last")

    ran = await yeaft.ended(driving)
    assert (ran.result["outcome"], outcomes(yeaft)) == ("cancelled", {"main": "cancelled", "inner": "cancelled"})


async def test_a_run_within_ends_with_the_one_around_it_also_when_nobody_drives_them(
    yeaft: Yeaft, serve: Serve
) -> None:
    server = await serve(holding())
    (yeaft.folder / "g.yaml").write_text(NESTED)
    driving = await yeaft.start("graph", "run", "g.yaml", "tea", "--graph", "main")
    await server.reached("g")
    os.killpg(driving.pid, signal.SIGKILL)
    await yeaft.ended(driving)

    cancelled = await yeaft.run("graph", "cancel", "last", "--json")

    assert (cancelled.code, json.loads(cancelled.out)["state"]) == (0, "cancelled"), cancelled
    assert outcomes(yeaft) == {"main": "cancelled", "inner": "cancelled"}
    assert len(server.requests) == 2
