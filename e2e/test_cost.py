"""What a Session has cost in all is one number, wherever it is told: on the screen, in a line, in lists, in sums."""

import asyncio
import json
import os
import signal
import sqlite3
from contextlib import closing
from typing import Any

from e2e.conftest import Serve, Terminals
from e2e.given import PATIENCE_S, Yeaft
from e2e.graphs_given import CHAIN, put
from e2e.typist import Typist
from yeaft.kernel.usage import Usage
from yeaft.llm.scripted.script import Calls, Holds, Line, Says, Script, ScriptedCall

PRICED = """
[models]
primary = "box/scripted"
[providers.box]
protocol = "openai-responses"
base_url = "{url}/v1"
api_key = "k"
[[providers.box.models]]
id = "scripted"
price_usd_per_mtok = {{in = 1000.0, out = 1000.0}}
"""


def dollars(text: str, count: int) -> Says:
    return Says(text=text, usage=Usage(input=count * 1000))


STEPS = (
    Line(when="Gather:", steps=(dollars("three facts", 1),), repeat=True),
    Line(when="Write from", steps=(Holds(of=dollars("A report.", 2), after_events=0, gate="write"),), repeat=True),
)
SAYS = Line(steps=(dollars("Good morning.", 4),), repeat=True)


def priced(yeaft: Yeaft, url: str) -> None:
    for variable in ("YEAFT_BASE_URL", "YEAFT_MODEL", "YEAFT_PROTOCOL"):
        del yeaft.environ[variable]
    yeaft.dir.mkdir(exist_ok=True)
    (yeaft.dir / "config.toml").write_text(PRICED.format(url=url), encoding="utf-8")


async def listed(yeaft: Yeaft) -> list[tuple[float, int]]:
    rows = json.loads(yeaft.here("session", "ls", "--json").out)
    return [(row["cost"], row["unpriced"]) for row in rows]


async def used(yeaft: Yeaft) -> float:
    told: dict[str, Any] = json.loads((await yeaft.run("usage", "--json")).out)
    return told["total"]["cost"]


async def test_the_screen_tells_it_while_a_run_goes_on_and_again_after_a_kill(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    server = await serve(Script(lines=(*STEPS, SAYS)))
    priced(yeaft, server.base_url)
    put(yeaft, CHAIN)
    first = terminals()
    first.starts()
    await first.shows("$0.00")
    first.types("Hello.")
    first.presses("enter")
    await first.shows("$4.00")
    first.types("/graph g.yaml tea")
    first.presses("enter")
    await server.reached("write")
    await first.shows("$5.00")
    assert await listed(yeaft) == [(5.0, 0)]  # while its owner is at work
    os.kill(first.pid, signal.SIGKILL)
    await first.leaves()

    second = terminals()
    second.starts("-c")
    await second.shows("has not ended", "$5.00")
    server.release("write")
    second.types("/runs resume last")
    second.presses("enter")
    await second.shows("graph report completed", "$7.00")
    second.types("/status")
    second.presses("enter")
    await second.shows("Cost so far: 7.0000 USD")
    second.presses("escape")
    await second.hides("Cost so far")
    second.types("/quit")
    second.presses("enter")

    assert await second.leaves() == 0
    assert (await listed(yeaft), await used(yeaft)) == ([(7.0, 0)], 7.0)
    third = terminals()
    third.starts()
    await third.shows("$0.00")
    third.types("/resume")
    third.presses("enter")
    await third.shows("Cost: $7.00")


async def test_a_line_tells_it_with_runs_and_whatever_an_older_yeaft_has_left_is_counted(
    yeaft: Yeaft, serve: Serve
) -> None:
    server = await serve(Script(lines=(*STEPS, SAYS)))
    priced(yeaft, server.base_url)
    put(yeaft, CHAIN)
    user = Typist(yeaft, "--line")
    await user.sees("yeaft>")
    user.types("/graph g.yaml tea")
    async with asyncio.timeout(PATIENCE_S):
        await server.reached("write")
    user.types("/status")
    await user.sees("Cost so far: 1.0000 USD")
    server.release("write")
    await user.sees("graph report completed")
    user.types("/status")
    await user.sees("Cost so far: 3.0000 USD")
    user.types("/quit")
    assert await user.leaves() == 0

    (root,) = (yeaft.dir / "sessions").iterdir()
    for kept in (root / "meta.json", yeaft.dir / "index.db"):
        kept.unlink(missing_ok=True)
    with closing(sqlite3.connect(root / "session.db")) as journal, journal:
        journal.execute("DELETE FROM snapshot")

    assert (await listed(yeaft), await used(yeaft)) == ([(3.0, 0)], 3.0)
    shown = yeaft.here("session", "show", "last")
    assert "cost: $3.00\n" in shown.out.decode()
    again = await yeaft.run("-c", "Hello.")
    assert again.code == 0, again.err
    assert await listed(yeaft) == [(7.0, 0)]


async def serve_flow(yeaft: Yeaft, serve: Serve, *last: Says) -> None:
    """Have a VP that begins a flow of two steps and says what is `last`, one answer for each prompt."""
    asked = ScriptedCall(tool="RunFlow", args={"flow": 'chain @builder @skeptic "a pot of tea"'})
    flow = Calls(calls=(asked,), usage=Usage(input=100))
    lines = (
        Line(vp="omni", steps=(flow, *last)),
        Line(vp="builder", steps=(dollars("hot water", 1),), repeat=True),
        Line(vp="skeptic", steps=(dollars("green tea", 1),), repeat=True),
    )
    server = await serve(Script(lines=lines))
    priced(yeaft, server.base_url)
    with (yeaft.dir / "config.toml").open("a", encoding="utf-8") as config:
        config.write("[graphs]\nvps_may_start = true\n")


async def test_what_a_prompt_has_cost_has_the_flow_in_it_that_a_vp_has_begun(yeaft: Yeaft, serve: Serve) -> None:
    await serve_flow(yeaft, serve, dollars("Two cups.", 3), dollars("You are welcome.", 4))

    ran = await yeaft.run("-p", "brew", "--allow", "RunFlow", "--json")
    streamed = await yeaft.run("-c", "-p", "thanks", "--output-format", "stream-json")

    (omni,) = ran.result["vps"]
    assert (ran.result["cost"], omni["cost"]) == (5.1, 3.1), ran.err
    assert (ran.result["usage"]["in"], omni["usage"]["in"]) == (5100, 3100)
    assert (streamed.result["cost"], streamed.result["usage"]["in"]) == (4.0, 4000)
    assert await used(yeaft) == 9.1


async def test_a_limit_counts_the_steps_of_a_flow_that_a_vp_has_begun(yeaft: Yeaft, serve: Serve) -> None:
    await serve_flow(yeaft, serve, Says(text="Never said."))

    ran = await yeaft.run("-p", "brew", "--allow", "RunFlow", "--max-cost", "1.5", "--json")

    assert ran.code == 4, ran
    assert "Never said." not in ran.out.decode()
    ((cost, unpriced),) = await listed(yeaft)
    assert (cost, unpriced) == (2.1, 0)
    assert ran.result["cost"] == 2.1
