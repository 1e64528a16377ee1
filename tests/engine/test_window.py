"""What is left out when a conversation does not fit, and what never is."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.engine_given import CLAUDE, ME, Story, conversations, encoder, message, settings_for
from yeaft.engine.request import SHRINK, build_request
from yeaft.engine.view import Own, Posted, Told, Unit
from yeaft.engine.window import fit, unit_tokens

FEW = settings(max_examples=100, deadline=None)
LIMITS = st.sampled_from((0, 1, 30, 100, 300, 1000, 10**6))


def answered(number: int, text: str) -> list[Unit]:
    story = Story(f"m_{number}").sent().replied(text).ended()
    return [Posted(message=message(f"question {number}", f"m_{number}")), Own(turn=story.state)]


def asking(text: str = "now?") -> list[Unit]:
    return [Posted(message=message(text, "m_now")), Own(turn=Story("m_now").state)]


@FEW
@given(conversations(), LIMITS)
def test_a_window_holds_what_is_newest_in_order_and_always_the_question(units: list[Unit], limit: int) -> None:
    window = fit(units, limit)

    kept = iter(units)
    assert all(any(one is unit for one in kept) for unit in window.units)
    assert window.units[-2:] == tuple(units[-2:])
    assert window.dropped == len(units) - len(window.units)
    assert (window.dropped_turns == 0) == (window.dropped == 0)
    if sum(map(unit_tokens, units)) <= limit:
        assert (window.units, window.stubbed) == (tuple(units), frozenset())
    if window.tokens_est > limit:
        assert len(window.units) == 2


@FEW
@given(conversations(), LIMITS)
def test_fitting_what_fits_changes_nothing(units: list[Unit], limit: int) -> None:
    window = fit(units, limit)

    again = fit(window.units, limit)

    assert (again.units, again.stubbed, again.dropped) == (window.units, window.stubbed, 0)
    assert fit(units, limit) == window


def test_whole_turns_go_and_with_them_what_led_to_them() -> None:
    units = [*answered(1, "a" * 4000), *answered(2, "b" * 400), *asking()]

    window = fit(units, 500)

    assert window.units == tuple(units[2:])
    assert (window.dropped, window.dropped_turns) == (2, 1)


def test_a_vp_that_joins_a_long_conversation_reads_its_end_only() -> None:
    heard: list[Unit] = []
    for number in range(50):
        heard.append(Posted(message=message(f"question {number}", f"m_{number}", to=("skeptic",))))
        heard.append(Told(vp_id="skeptic", to=(), text="long answer " * 100))
    units = [*heard, *asking()]

    window = fit(units, 1000)

    assert window.tokens_est <= 1000
    assert window.units == tuple(units[-len(window.units) :])
    assert len(window.units) > 3


def test_the_question_stays_though_others_spoke_long_after_it() -> None:
    question, turn = asking("what I asked")
    units: list[Unit] = [*answered(1, "old"), question, Told(vp_id="skeptic", to=(), text="long " * 4000), turn]

    window = fit(units, 200)

    assert window.units == (question, turn)


def test_in_one_long_turn_old_results_are_stubbed_first_and_the_question_stays() -> None:
    story = Story("m_now")
    for _ in range(4):
        story.sent().replied("", ["Bash"]).all_finished("x" * 4000)
    units = [Posted(message=message("work", "m_now")), Own(turn=story.state)]
    in_order = [state.call.call_id for attempt in story.state.attempts for state in attempt.calls]

    window = fit(units, 2500)

    assert window.units == tuple(units)
    assert window.stubbed == frozenset(in_order[:2])
    assert fit(units, 0).stubbed == frozenset(in_order)
    assert window.tokens_est <= 2500


def test_a_request_says_what_was_left_out_and_names_the_stubs() -> None:
    story = Story("m_now")
    for _ in range(3):
        story.sent().replied("", ["Bash"]).all_finished("x" * 8000)
    units = [*answered(1, "old " * 2000), Posted(message=message("work", "m_now")), Own(turn=story.state)]

    built = build_request(units, settings_for(CLAUDE, context_tokens=4000), encoder(CLAUDE))

    body = built.body.decode()
    assert (built.window.dropped, built.window.stubbed) == (2, 2)
    assert "1 earlier turns of this conversation were left out" in body
    assert body.count("was left out to make room") == 2
    assert "work" in body
    assert "old old" not in body


def test_each_refusal_for_length_sends_less() -> None:
    units = [unit for number in range(40) for unit in answered(number, "word " * 200)] + asking()
    frozen = settings_for(CLAUDE, context_tokens=12_000)

    sizes = [len(build_request(units, frozen, encoder(CLAUDE), shrinks).body) for shrinks in range(4)]

    assert sizes[0] > sizes[1] > sizes[2] == sizes[3]
    assert len(SHRINK) == 3


def test_a_vp_without_a_past_is_no_special_case() -> None:
    assert fit((), 0).units == ()
    assert fit(asking(), 0).units == tuple(asking())
    assert ME == "omni"
