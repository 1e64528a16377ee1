"""The state of a turn is what its events add up to, and nothing else."""

import pytest
from hypothesis import given, settings

from tests.engine.engine_given import CLAUDE, PHRASES, Story, turns
from yeaft.engine.closing import Ending, Known, closing_events
from yeaft.engine.state import advance
from yeaft.events import codec
from yeaft.events.call import AskAnswered, AskOpened, AskWithdrawn, CallFinished
from yeaft.events.codec import UnknownEvent
from yeaft.events.session import NoticePosted
from yeaft.events.turn import RequestFailed, TurnContinued, TurnEnded
from yeaft.kernel.usage import Usage

FEW = settings(max_examples=60, deadline=None)


@FEW
@given(turns())
def test_the_same_events_give_the_same_state_also_after_a_journey_through_bytes(story: Story) -> None:
    again, stored = Story(origin=story.origin), Story(origin=story.origin)
    again.add(*story.events)
    for event in story.events:
        found = codec.decode(codec.type_of(event), codec.version_of(event), codec.encode(event))
        assert not isinstance(found, UnknownEvent)
        stored.add(found)

    assert again.state == story.state == stored.state


@FEW
@given(turns())
def test_what_a_turn_does_not_know_changes_nothing(story: Story) -> None:
    strange = (
        UnknownEvent(type="turn.levitated", version=1, raw=b"{}"),
        UnknownEvent(type="turn.ended", version=99, raw=b"{}"),
        NoticePosted(code="x"),
        TurnContinued(turn_id=story.turn_id),
        AskAnswered(ask_id="k_unknown", decision="once"),
        AskWithdrawn(ask_id="k_unknown", reason="timeout"),
    )

    for event in strange:
        assert advance(story.state, event) == story.state


@FEW
@given(turns(is_current=True))
def test_closing_gives_each_open_call_one_result_and_the_turn_one_end(story: Story) -> None:
    open_ids = {state.call.call_id for state in story.state.open_calls}
    ending = Ending(outcome="aborted")

    events = closing_events(story.state, ending, {}, PHRASES)

    assert events == closing_events(story.state, ending, {}, PHRASES)
    finished = [event.call_id for event in events if isinstance(event, CallFinished)]
    assert sorted(finished) == sorted(open_ids)
    assert sum(isinstance(event, TurnEnded) for event in events) == 1
    story.add(*events)
    assert closing_events(story.state, ending, {}, PHRASES) == ()


@pytest.mark.parametrize(
    ("stopped", "guard", "status"),
    [
        ("cancelled", "read", "cancelled"),
        ("cancelled", "unsafe", "cancelled"),
        ("lost", "read", "lost"),
        ("lost", "local", "lost"),
        ("lost", "verify", "unknown"),
        ("lost", "unsafe", "unknown"),
        ("lost", "", "not_run"),
        ("cancelled", "", "not_run"),
    ],
)
def test_a_call_without_a_result_is_closed_with_what_can_be_said_of_it(stopped: str, guard: str, status: str) -> None:
    story = Story().sent().replied("", ["Bash"])
    (call,) = (state.call for state in story.state.open_calls)
    if guard:
        story.started(call, guard)

    events = closing_events(story.state, Ending(outcome="aborted", stopped=stopped), {}, PHRASES)

    assert [event.status for event in events if isinstance(event, CallFinished)] == [status]


def test_what_was_found_out_about_a_call_stands_in_its_result() -> None:
    story = Story().sent().replied("", ["Bash"])
    (call,) = (state.call for state in story.state.open_calls)
    story.started(call, "unsafe")
    known = {call.call_id: Known(status="ok", text="It ended with 0.")}

    story.add(*closing_events(story.state, Ending(outcome="lost", stopped="lost"), known, PHRASES))

    last = story.state.last
    assert last is not None
    assert [(state.finished.status, state.finished.text) for state in last.calls if state.finished] == [
        ("ok", "It ended with 0.")
    ]


def test_an_open_request_is_closed_with_the_text_that_was_kept() -> None:
    story = Story().sent()

    events = closing_events(story.state, Ending(outcome="lost", stopped="lost"), {}, PHRASES)

    assert isinstance(events[0], RequestFailed)
    assert events[0].error.kind == "lost"


def test_an_open_question_is_withdrawn_and_an_answered_one_is_not() -> None:
    story = Story().sent().replied("", ["Bash", "Bash"])
    calls = [state.call for state in story.state.open_calls]
    asks = [
        AskOpened(
            ask_id=f"k_{number}", turn_id=story.turn_id, call_id=call.call_id, vp_id="omni", kind="approval", text="?"
        )
        for number, call in enumerate(calls)
    ]
    story.add(*asks, AskAnswered(ask_id="k_0", decision="once"))

    events = closing_events(story.state, Ending(outcome="aborted"), {}, PHRASES)

    assert [event.ask_id for event in events if isinstance(event, AskWithdrawn)] == ["k_1"]


def test_usage_and_cost_add_up_over_the_rounds() -> None:
    story = Story()
    for cost in (0.25, None, 0.5):
        story.sent().replied("", ["ListDir"], cost_usd=cost).all_finished()

    assert (story.state.usage, story.state.cost_usd, story.state.rounds) == (Usage(input=3, output=3), 0.75, 3)


def test_the_answer_is_the_last_text_with_all_the_pieces_it_came_in() -> None:
    story = Story().sent().replied("Let me look.", ["ListDir"]).all_finished()
    assert story.state.final_text == "Let me look."

    story.sent().failed("server", "One, ").retried("continue").sent(1, 1, "continue")
    story.replied("two, ", stop="max_tokens").sent().replied("three.")

    assert story.state.final_text == "One, two, three."
    assert story.state.model == ""
    assert story.origin == CLAUDE
