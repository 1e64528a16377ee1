"""What the screen shows of a Session stays on it, however far the Session is ahead of what it has told."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.session.session_given import Given, cast, for_vp, says
from yeaft.events.turn import RequestSent, TextStreamed
from yeaft.interfaces.tui.lanes import lanes
from yeaft.interfaces.tui.scene import Scene
from yeaft.session.state import SessionState


@pytest.fixture
async def given(tmp_path: Path) -> AsyncIterator[Given]:
    async with AsyncExitStack() as stack:
        stories = Given(tmp_path, stack)
        try:
            yield stories
        finally:
            await stories.close()


@pytest.mark.parametrize("ahead", [0, 1, 3, 100])
async def test_nothing_leaves_the_screen_when_the_session_is_ahead_of_what_it_has_told(
    given: Given, ahead: int
) -> None:
    told = cast(for_vp("omni", says("One.")), for_vp("skeptic", says("Two."), says("Three.")))
    talk = await given.session(told, roster=("omni", "skeptic"))
    talk.say("@omni @skeptic How is it?")
    await talk.outcomes()
    talk.say("@skeptic And now?")
    await talk.outcomes()
    heard = list(talk.heard)

    state = SessionState("s")
    scene = Scene(state, lambda notice: notice.code)
    left, done, shown = list(heard), list[str](), set[str]()
    for number, recorded in enumerate(heard):
        while left and len(heard) - len(left) <= number + ahead:
            state.apply(left.pop(0))
        scene.hear(recorded)
        change = scene.take()
        done += [block.key for block in change.done]
        now = {*done, *(block.key for block in change.tail)}
        at_work = [lane.vp_id for lane in lanes(state, scene) if lane.turn_id]

        assert shown <= now, f"after {type(recorded.event).__name__}"
        assert not at_work or scene.focus in at_work
        shown = now


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("First this. Then that, and", "Then that, and"),
        ("First this. Then that, and so on.", "Then that, and so on."),
        ("先读文件。再修改", "再修改"),
        ("## What **is** `it`", "What is it"),
        ("- one\n- only what is *busy*", "only what is busy"),
        ("It is:\n\n3.", "It is:"),
        ("It is:\n\n```pyth", "It is:"),
        ("> 1. said", "said"),
        ("It takes 0.5 s, see retry.py", "It takes 0.5 s, see retry.py"),
    ],
)
async def test_a_lane_tells_the_newest_sentence_without_signs_of_markdown(given: Given, text: str, about: str) -> None:
    talk = await given.session(says("One."))
    talk.say("How is it?")
    await talk.outcomes()

    state = SessionState("s")
    scene = Scene(state, lambda notice: notice.code)
    for recorded in talk.heard:
        state.apply(recorded)
        scene.hear(recorded)
        if isinstance(recorded.event, RequestSent):
            break
    (sent,) = talk.all_of(RequestSent)
    scene.hear(TextStreamed(request_id=sent.request_id, vp_id="omni", pieces=(text,)))

    assert [lane.about for lane in lanes(state, scene)] == [about]
