"""A request late in a long turn takes no more work than an early one: what was written before is not looked at again."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from tests.engine.engine_given import ENTRIES, Story, encoder, message, settings_for
from yeaft.engine.request import Memory, build_request
from yeaft.engine.view import Own, Posted
from yeaft.llm.model import ModelEntry

EARLY, LATE = 20, 300


def function_calls(act: Callable[[], object]) -> int:
    """How many functions `act` calls, which is the same in every run."""
    count = 0

    def note(_frame: FrameType, event: str, _: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.provider)
def test_a_late_round_takes_no_more_work_than_an_early_one(entry: ModelEntry) -> None:
    frozen, memory, encode = settings_for(entry), Memory(), encoder(entry)
    question, story, work = Posted(message=message("Go on and on.")), Story(origin=entry), list[int]()

    for _ in range(LATE + 1):
        units = (question, Own(turn=story.state))
        work.append(function_calls(lambda units=units: build_request(units, frozen, encode, memory=memory)))
        story.sent().replied("", ["Bash"]).all_finished("all fine")

    assert work[LATE] <= work[EARLY] * 1.1
