"""Graphs in a conversation: run beside it, asked about in it, listed."""

import json

import pytest

from e2e.conftest import Serve
from e2e.given import Yeaft
from e2e.test_graphs import ANSWERS, ASKING, CHAIN, put
from e2e.test_line_mode import Typist


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
async def test_a_graph_asks_and_answers_within_the_conversation(yeaft: Yeaft, serve: Serve, term: str) -> None:
    await serve(ANSWERS)
    put(yeaft, ASKING)
    user = Typist(yeaft, "--line", term=term)

    await user.sees("yeaft>")
    user.types("/graph g.yaml tea")
    await user.sees("Send three facts?")
    await user.sees("answer>")
    user.types("y")
    await user.sees("2. Bob")
    await user.sees("answer>")
    user.types("2")
    await user.sees("A report of three facts.")
    user.types("/graphs")
    await user.sees("completed")
    user.types("/graph nothing.yaml")
    await user.sees("There is no file")
    user.types("/quit")

    assert await user.leaves() == 0
    rows = json.loads((await yeaft.run("graph", "ls", "--json")).out)
    assert [(row["state"], row["steps"]) for row in rows] == [("completed", 4)]
    shown = await yeaft.run("session", "show", "last")
    assert shown.code == 0
    assert f"{rows[0]['id']}  offer: completed, 4 steps done" in shown.out.decode()


async def test_a_script_of_lines_waits_for_its_graph(yeaft: Yeaft, serve: Serve) -> None:
    await serve(ANSWERS)
    put(yeaft, CHAIN)

    ran = await yeaft.run("--line", given=b"/graph g.yaml tea\n/graphs\n")

    assert ran.code == 0, ran
    out = ran.out.decode()
    assert out.index("A report of three facts.") < out.index("completed")
