"""Runs of graphs as stories tell them: by the command line on the scripted model, told from what the journal holds."""

import json
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from tests.cli.commands_given import Given

PRICE = 4.0
"""US dollars per million tokens that are sent, by what `priced` sets up."""


class Visit(Struct, frozen=True):
    """One visit of a step: which step, the how-manieth time, of which element; what it was told, and what it gave."""

    node: str
    number: int
    element: tuple[int, ...]
    told: str
    gave: Any


class Ran(Struct, frozen=True):
    """A run that is over: how it ended, and all that was done in it."""

    code: int
    outcome: str
    value: Any
    visits: tuple[Visit, ...]
    order: tuple[str, ...]
    err: str

    def told(self) -> dict[str, str]:
        """What each step was told; only of a run that has visited none twice."""
        assert len({one.node for one in self.visits}) == len(self.visits)
        return {one.node: one.told for one in self.visits}

    def at_once(self, *nodes: str) -> bool:
        """Whether all of these had begun before the first of them was over."""
        begun = [self.order.index(f"begun {node}") for node in nodes]
        return max(begun) < min(self.order.index(f"over {node}") for node in nodes)


def run(given: Given, *words: str, file: str = "graph.yaml", text: str = "go") -> Ran:
    """Run a graph of the story's folder to its end and read the events of it."""
    done = given.yeaft("graph", "run", file, text, "--output-format", "stream-json", *words)
    lines = [json.loads(line) for line in done.out.splitlines()]
    visits, order = _visits(lines)
    ends: list[dict[str, Any]] = [line["data"] for line in lines if line["type"] == "graph.ended"]
    assert len(ends) == 1, done.err
    return Ran(done.code, ends[0]["outcome"], ends[0].get("value"), visits, order, done.err)


def _visits(lines: Sequence[dict[str, Any]]) -> tuple[tuple[Visit, ...], tuple[str, ...]]:
    ready: dict[str, dict[str, Any]] = {}
    told: dict[str, str] = {}
    visits: list[Visit] = []
    order: list[str] = []
    for line in lines:
        data, stream = line["data"], line.get("stream", "")
        match line["type"]:
            case "step.ready":
                ready[data["act_id"]] = data
                order.append(f"begun {data['node']}")
            case "message.posted" if stream.startswith("step/"):
                told.setdefault(stream.removeprefix("step/"), data["text"])
            case "step.finished":
                act = ready[data["act_id"]]
                order.append(f"over {act['node']}")
                element = tuple(frame["index"] for frame in act.get("scope", ()))
                said = told.get(data["act_id"], "")
                visits.append(Visit(act["node"], act["visit"], element, said, data.get("value")))
            case _:
                pass
    return tuple(visits), tuple(order)


def says(vp: str, *texts: str, tokens: int = 0) -> dict[str, Any]:
    """A line of a script: what a VP says, one text after the other, however often it is asked."""
    usage = {"usage": {"in": tokens}} if tokens else {}
    steps = [{"step": "says", "text": text, **usage} for text in texts]
    return {"vp": vp, "repeat": True, "order": "arrival", "steps": steps}


def priced(given: Given, url: str) -> None:
    """Set up the scripted model with a price, as `box/scripted`."""
    given.home.mkdir(exist_ok=True)
    (given.home / "config.toml").write_text(
        f'[providers.box]\nbase_url = "{url}"\nprotocol = "anthropic"\n'
        f'models = [{{id = "scripted", price_usd_per_mtok = {{in = {PRICE}, out = {PRICE}}}}}]\n',
        encoding="utf-8",
    )
