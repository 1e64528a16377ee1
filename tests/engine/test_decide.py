"""What a turn does next: every ending, every retry, and that there is always something to do."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.engine_given import BOX, CLAUDE, FAILURES, STOPS, Story, consequences, message
from yeaft.engine.decide import MAX_PAUSES, Admit, AskModel, Finish, Postpone, Rules, RunCalls, Switch, decide
from yeaft.events.turn import Failure, ModelSwitched
from yeaft.llm.retry import RetryRules

RULES = Rules()


def next_of(story: Story, rules: Rules = RULES, spent_usd: float = 0.0) -> object:
    return decide(story.state, rules, spent_usd)


def test_a_new_turn_asks_the_model() -> None:
    assert next_of(Story()) == AskModel(round=0)


@pytest.mark.parametrize("stop", ["end", "cut", "calls", "other:solar_flare", "", "stop_sequence"])
def test_words_end_the_turn_whatever_the_stop_reason_is_called(stop: str) -> None:
    assert next_of(Story().sent().replied("Yes.", stop=stop or "end")) == Finish(outcome="answered")


@pytest.mark.parametrize(
    ("stop", "ending"),
    [
        ("refusal", Finish(outcome="refused")),
        ("filtered", Finish(outcome="refused")),
        ("context", Finish(outcome="limit", limit="tokens")),
    ],
)
def test_some_stop_reasons_are_endings_of_their_own(stop: str, ending: Finish) -> None:
    assert next_of(Story().sent().replied("Hm.", stop=stop)) == ending
    assert next_of(Story().sent().replied("", stop=stop)) == ending


def test_a_reply_at_the_output_limit_is_continued_as_often_as_allowed() -> None:
    story, rules = Story(), Rules(max_continues=2)

    for number in range(2):
        story.sent().replied("part", stop="max_tokens")
        assert next_of(story, rules) == AskModel(round=number + 1)
    story.sent().replied("part", stop="max_tokens")

    assert next_of(story, rules) == Finish(outcome="limit", limit="output")


def test_a_paused_reply_is_continued_but_not_for_ever() -> None:
    story = Story()

    for number in range(MAX_PAUSES):
        story.sent().replied("...", stop="pause")
        assert next_of(story) == AskModel(round=number + 1)
    story.sent().replied("...", stop="pause")

    assert next_of(story) == Finish(outcome="answered")


def test_an_empty_reply_is_asked_about_once() -> None:
    story = Story().sent().replied("  \n")
    assert next_of(story) == AskModel(round=1)

    story.sent().replied("")

    action = next_of(story)
    assert isinstance(action, Finish)
    assert (action.outcome, action.error.kind if action.error else "") == ("failed", "empty")


def test_calls_are_judged_then_run_then_told() -> None:
    story = Story().sent().replied("Let me see.", ["ListDir", "Bash"])
    first, second = story.state.open_calls
    assert next_of(story) == Admit(calls=(first, second))

    story.started(first.call)
    assert next_of(story) == RunCalls(calls=story.state.open_calls[:1])

    story.finished(first.call)
    assert next_of(story) == Admit(calls=(second,))

    story.finished(second.call, status="denied")
    assert next_of(story) == AskModel(round=1)


@pytest.mark.parametrize("stop", STOPS)
def test_calls_are_answered_whatever_the_stop_reason_says_unless_the_reply_was_called_back(stop: str) -> None:
    story = Story().sent().replied("", ["ListDir"], stop=stop)

    if stop in ("refusal", "filtered"):
        assert next_of(story) == Finish(outcome="refused")
    else:
        assert isinstance(next_of(story), Admit)


def test_a_handed_on_turn_ends_once_all_its_calls_have_results() -> None:
    story = Story().sent().replied("", ["RouteForward", "ListDir"])
    forward, other = (state.call for state in story.state.open_calls)
    carried = message("help", "m_f", sender="vp:omni", to=("skeptic",), kind="forward", call_id=forward.call_id)
    story.started(forward, "local").finished(forward).add(carried)
    assert isinstance(next_of(story), Admit)

    story.finished(other)

    assert next_of(story) == Finish(outcome="handed_off")


def test_what_needs_a_human_who_is_not_there_ends_the_turn_before_other_calls() -> None:
    story = Story().sent().replied("", ["Bash", "ListDir"])

    story.unmet(story.state.open_calls[0].call)

    assert next_of(story) == Finish(outcome="needs_human")


def test_a_steer_that_came_too_late_for_the_last_words_gets_a_round() -> None:
    story = Story().sent().replied("Done.").steered("wait")
    assert next_of(story) == AskModel(round=1)

    story.sent().replied("Waiting.")

    assert next_of(story) == Finish(outcome="answered")


def test_rounds_and_money_end_where_the_user_said() -> None:
    story = Story().sent().replied("", ["ListDir"]).all_finished()

    assert next_of(story, Rules(max_rounds=1)) == Finish(outcome="limit", limit="rounds")
    assert next_of(story, Rules(max_cost_usd=0.5), 0.5) == Finish(outcome="limit", limit="cost")
    assert next_of(story, Rules(max_rounds=None, max_cost_usd=0.5), 0.4) == AskModel(round=1)
    assert next_of(Story(), Rules(max_cost_usd=0.5), 0.5) == Finish(outcome="limit", limit="cost")


@pytest.mark.parametrize(("text", "how"), [("", "restart"), ("One two", "continue")])
def test_a_passing_failure_is_tried_again_in_the_way_that_says_nothing_twice(text: str, how: str) -> None:
    story = Story().sent().failed("overloaded", text, status=529)
    postponed = next_of(story)
    assert isinstance(postponed, Postpone)
    assert postponed.how == how

    story.retried(how)

    assert next_of(story) == AskModel(round=0, attempt=1, how=how)


@pytest.mark.parametrize("kind", FAILURES)
def test_no_failure_is_tried_again_once_a_call_was_seen(kind: str) -> None:
    story = Story().sent().failed(kind, calls_seen=True)

    assert next_of(story, Rules(fallback=BOX.ref)) == Finish(
        outcome="failed", error=Failure(kind=kind, message=f"It was {kind}.", calls_seen=True)
    )


@pytest.mark.parametrize("kind", ["auth", "policy", "invalid", "cancelled", "bug", "never_heard_of"])
def test_a_failure_that_waiting_does_not_mend_ends_the_turn(kind: str) -> None:
    action = next_of(Story().sent().failed(kind))

    assert isinstance(action, Finish)
    assert (action.outcome, action.error.kind if action.error else "") == ("failed", kind)


def test_the_spare_model_takes_over_once_and_starts_with_fresh_patience() -> None:
    rules = Rules(fallback=BOX.ref, retry=RetryRules(max_retries=1))
    story = Story().sent().failed("server").retried().sent(0, 1).failed("server")
    assert next_of(story, rules) == Switch(to_model=BOX.ref, reason="retries_exhausted")

    story.add(ModelSwitched(turn_id=story.turn_id, from_model=CLAUDE.ref, to_model=BOX.ref, reason="r"))
    assert next_of(story, rules) == AskModel(round=0, attempt=2)
    story.sent(0, 2).failed("server")
    assert isinstance(next_of(story, rules), Postpone)
    story.retried().sent(0, 3).failed("server")

    assert isinstance(next_of(story, rules), Finish)


def test_a_refusal_for_length_is_met_with_less_history_twice() -> None:
    story = Story()
    for attempt in range(2):
        story.sent(0, attempt).failed("context")
        action = next_of(story)
        assert isinstance(action, Postpone)
        assert (action.how, action.delay_s) == ("shrink", 0.0)
        story.retried("shrink")
    story.sent(0, 2).failed("context")

    assert isinstance(next_of(story), Finish)


def test_a_request_whose_end_nobody_saw_is_sent_again_under_another_number() -> None:
    assert next_of(Story().sent(0, 3)) == AskModel(round=0, attempt=4)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(("", CLAUDE.ref, BOX.ref)), st.booleans())
def test_every_turn_ends_whatever_the_model_does(data: st.DataObject, fallback: str, headless: bool) -> None:
    retry = RetryRules(max_retries=2, headless=headless, max_delay_s=200.0)
    rules = Rules(max_rounds=5, max_continues=2, fallback=fallback, retry=retry)
    story, crashes = Story(), 0

    for _ in range(400):
        before = story.state
        action = decide(before, rules, 0.0)
        assert action == decide(before, rules, 0.0)
        events = data.draw(consequences(story, action))
        story.add(*events)
        assert story.state != before
        if story.state.ended is not None:
            break
        crashes += isinstance(action, AskModel) and story.state.last is not None and story.state.last.is_open
        if crashes > 6:
            return  # the machine crashes for ever: nobody's fault

    assert story.state.ended is not None
    assert not story.state.open_calls
    assert story.state.rounds <= 5
