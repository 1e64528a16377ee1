"""What cannot be meant in the Python form of the patterns is refused at once, in the words of its own parameters."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands_given import Given
from yeaft import flows
from yeaft.kernel.errors import UsageError

ANY: Any = flows  # a program without types may give anything
MISTAKES: dict[str, Callable[[], object]] = {
    "chain(): members must name 1 to 20 VPs; there are 0": flows.chain,
    "chain(): members[1] must be the name of a VP, such as 'builder', not '@'": lambda: flows.chain("omni", "@"),
    "chain(): members[0] must be the name of a VP, such as 'builder', not ['omni']": lambda: ANY.chain(["omni"]),
    "chain(): names must be as many as members: 2, not 1": lambda: flows.chain("omni", "tester", names=["a"]),
    "chain(): names: 'a/b' cannot be an id": lambda: flows.chain("omni", names=["a/b"]),
    "chain(): cost must be a number above 0, not -1": lambda: flows.chain("omni", cost=-1),
    "chain(): tokens must be a whole number above 0, not 1.5": lambda: flows.chain("omni", tokens=1.5),
    "chain(): cost must be a number above 0, not inf": lambda: flows.chain("omni", cost=float("inf")),
    "chain(): minutes must be a number above 0, not 1000": lambda: flows.chain("omni", minutes=10**400),
    "chain(): tokens must be a whole number above 0, not int.": lambda: flows.chain("omni", tokens=10**5000),
    "critic(): rounds must be a whole number from 1 to 20, not int.": lambda: flows.critic("a", "b", rounds=10**5000),
    "route(): choices must be a mapping of kinds of tasks to VPs": lambda: flows.route({}, "omni"),
    "route(): choices['bug'] must be the name of a VP": lambda: flows.route({"bug": ""}, "omni"),
    "route(): other must be the name of a VP": lambda: flows.route({"bug": "omni"}, ""),
    "route(): by must be the name of a VP": lambda: flows.route({"bug": "omni"}, "omni", by="@"),
    "parallel(): members must name 2 to 20 VPs; there are 1": lambda: flows.parallel(["omni"]),
    "parallel(): members must be a list of names of VPs": lambda: flows.parallel("omni"),
    "parallel(): merge must be the name of a VP": lambda: ANY.parallel(["omni", "tester"], merge=None),
    "vote(): n must be a whole number from 1 to 20, not 0": lambda: flows.vote("omni", n=0),
    "vote(): members, n times each, must make 2 to 20 votes, not 1": lambda: flows.vote("omni"),
    "vote(): stop must be '' or 'majority', not 'some'": lambda: ANY.vote("omni", n=3, stop="some"),
    "map(): give either items, a list that is not empty, or over, a pattern": lambda: flows.map("omni", []),
    "map(): give either items, a list that is not empty": lambda: flows.map("omni", ["a"], over="*.py"),
    "map(): there are 2 items; max_items allows 1": lambda: flows.map("omni", ["a", "b"], max_items=1),
    "map(): items[1] must be a text that says something": lambda: flows.map("omni", ["a", " "]),
    "map(): max_parallel must be a whole number from 1 to 20, not 0": lambda: flows.map("omni", ["a"], max_parallel=0),
    "critic(): rounds must be a whole number from 1 to 20, not '3'": lambda: ANY.critic("a", "b", rounds="3"),
    "critic(): critic must be the name of a VP": lambda: flows.critic("a", ""),
    "test_repair(): command must be a text that says something, not ''": lambda: flows.test_repair("omni", ""),
    "test_repair(): timeout_s must be a whole number from 1 to 600, not 0": lambda: flows.test_repair(
        "omni", "true", timeout_s=0
    ),
    "plan(): workers must name 1 to 20 VPs; there are 0": lambda: flows.plan("omni", []),
    "plan(): replans must be a whole number from 0 to 20, not -1": lambda: flows.plan("omni", ["a"], replans=-1),
    "supervise(): workers must be a list of names of VPs": lambda: flows.supervise("omni", "tester"),
    "supervise(): max_children must be a whole number from 1 to 100": lambda: flows.supervise(
        "omni", ["a"], max_children=0
    ),
    "cite(): tries must be a whole number from 1 to 20, not 0": lambda: flows.cite("omni", tries=0),
    "debate(): contra must be the name of a VP": lambda: flows.debate("omni", ""),
}


@pytest.mark.parametrize("said", MISTAKES)
def test_a_mistake_is_told_in_the_words_of_the_function(said: str) -> None:
    with pytest.raises(UsageError) as told:
        MISTAKES[said]()

    assert str(told.value).startswith(f"flows.{said}")
    assert "--" not in str(told.value)


def test_a_mistake_is_told_in_short_whatever_was_given() -> None:
    with pytest.raises(UsageError) as told:
        ANY.chain(["omni" * 100_000])

    assert len(str(told.value)) < 300


PROGRAM = """
import asyncio
from yeaft import flows
from yeaft.kernel.errors import NotFound


async def main():
    for flow in (
        flows.chain("builder", "sceptic"),
        flows.route({"bug": "builder"}, "skeptic", by="nobody"),
        flows.parallel(["skeptic", "nobody"]),
        flows.vote("nobody", n=3),
        flows.map("nobody", ["a"]),
        flows.critic("writer", "nobody"),
        flows.test_repair("nobody", "true"),
        flows.plan("architect", ["nobody"]),
        flows.supervise("nobody", ["builder"]),
        flows.cite("nobody"),
        flows.debate(pro="nobody"),
    ):
        try:
            await flow("x")
        except NotFound as error:
            print(error)


asyncio.run(main())
"""


def test_a_vp_that_there_is_not_is_named_with_its_parameter(tmp_path: Path) -> None:
    given = Given(tmp_path, "http://127.0.0.1:9/v1")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")

    printed = given.prints(tmp_path / "program.py")

    assert printed[0] == "flows.chain(): members[1]: there is no VP 'sceptic'. Did you mean 'skeptic'?"
    assert [one.partition(" there is no VP 'nobody'. ")[0] for one in printed[1:]] == [
        "flows.route(): by:",
        "flows.parallel(): members[1]:",
        "flows.vote(): members[0]:",
        "flows.map(): member:",
        "flows.critic(): critic:",
        "flows.test_repair(): coder:",
        "flows.plan(): workers[0]:",
        "flows.supervise(): lead:",
        "flows.cite(): member:",
        "flows.debate(): pro:",
    ]
