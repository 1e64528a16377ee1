"""Runs of graphs on the whole screen: how they begin, what models say in them, and what is left of them."""

import json

from e2e.conftest import Terminals
from e2e.given import Yeaft
from e2e.screen import Screen
from yeaft.llm.scripted.script import Holds, Line, Says, Script

READY = "$0.00"
SURE = "Type a number"
"""Stands below a question once it takes keys."""
FORKED = """
graph:
  name: offer
  steps:
    - {id: left, agent: omni, prompt: "Left: {{ input }}"}
    - {id: right, agent: skeptic, prompt: "Right: {{ input }}"}
    - {id: ok, approve: "Send {{ input }}?"}
    - {id: write, agent: omni, prompt: "Write from {{ input }}", out: text}
  edges:
    - {from: start, to: [left, right]}
    - {from: [left, right], to: ok}
    - {from: ok, to: write}
"""
PLAIN = Line(steps=(Says(text="Good morning."),), repeat=True)


def answer(when: str, text: str, *, gate: str = "") -> Line:
    says = Says(text=text)
    return Line(when=when, steps=(Holds(of=says, after_events=0, gate=gate) if gate else says,), repeat=True)


HELD = Script(lines=(answer("Gather:", "three facts"), answer("Write from", "A report.", gate="write"), PLAIN))
"""What models say in `CHAIN`: its second step waits at the gate `write`."""


async def begun(terminals: Terminals, words: str = "/graph g.yaml tea", **how: object) -> Screen:
    """A new Session on the screen in which this is said first."""
    screen = terminals(**how)
    screen.starts()
    await screen.shows(READY)
    screen.types(words)
    screen.presses("enter")
    return screen


async def goes_back(screen: Screen) -> None:
    """Leave the run and the list it was opened from."""
    screen.presses("escape")
    await screen.shows("Runs of graphs")
    screen.presses("escape")
    await screen.hides("Runs of graphs")


def rows(yeaft: Yeaft) -> list[tuple[str, str, int]]:
    found = json.loads(yeaft.here("graph", "ls", "--json").out)
    return [(row["graph"], row["state"], row["steps"]) for row in found]
