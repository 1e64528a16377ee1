"""What is left of steps in memory once they are over."""

import gc
from collections.abc import Iterator

import pytest

from tests.session.session_given import Given, cast, for_vp, says
from yeaft.interfaces.assemble import opened
from yeaft.interfaces.graphing import Graphing, frozen, read_file
from yeaft.interfaces.ground import Wish
from yeaft.session.minds import VpMind
from yeaft.session.opening import Wanted
from yeaft.session.session import Session

CHAIN = "graph:\n  steps:\n" + "".join(f"    - {{id: s{number}, agent: omni, prompt: go}}\n" for number in range(4))


@pytest.fixture
def unsearched() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def all_of(*kinds: type) -> list[object]:
    return [one for one in gc.get_objects() if isinstance(one, kinds)]


async def test_nothing_of_a_step_waits_for_the_search_for_garbage(given: Given, unsearched: None) -> None:
    await given.model(cast(for_vp("", *[says(f"done {number}") for number in range(4)])))
    file = given.folder / "chain.yaml"
    file.write_text(CHAIN, encoding="utf-8")
    wish = Wish(environ=given.environ, folder=given.folder, wanted=Wanted())
    async with opened(wish) as here:
        known = [*all_of(Session, VpMind), here.session]
        graphing = Graphing(here, hear_step=lambda act_id, heard: None)
        graphing.begin()
        run = await graphing.runs.start(frozen(read_file(file, here.library)), "go")

        ended = await run.driver.drive()

        assert ended is not None
        assert (ended.outcome, ended.steps) == ("completed", 4)
        assert [one for one in all_of(Session, VpMind) if not any(one is other for other in known)] == []
