"""A turn run to its end: tools side by side or alone, bugs, time limits, stops."""

import asyncio
import threading

import pytest

from tests.engine.engine_given import message
from tests.engine.turn_given import Args, Body, Turn, asks_for, tool, words
from yeaft.engine.calls import PARALLEL_READS, Refused
from yeaft.engine.decide import Rules
from yeaft.events.call import CallFinished, CallOutput, CallStarted
from yeaft.events.turn import ReplyCheckpointed, RequestFailed, RequestSent, TextStreamed, TurnEnded
from yeaft.kernel.errors import ModelFailed, ToolFailed
from yeaft.tools.tool import Running, ToolResult


def returns(text: str) -> Body:
    """A body that returns at once."""

    async def run(_: Args, __: Running) -> str:
        return text

    return run


def fails(error: Exception) -> Body:
    """A body that raises."""

    async def run(_: Args, __: Running) -> str:
        raise error

    return run


async def never(_: Args, __: Running) -> str:
    await asyncio.Event().wait()
    return "too late"


async def test_a_turn_is_recorded_from_its_first_request_to_its_end() -> None:
    turn = Turn([asks_for("Look"), words("Seen.")], [tool("Look", returns("a tree"))])

    state = await turn.run()

    assert [type(event).__name__ for event in turn.events] == [
        *("RequestSent", "ReplyCompleted", "CallStarted", "CallFinished"),
        *("RequestSent", "ReplyCompleted", "TurnEnded"),
    ]
    assert state.final_text == "Seen."
    assert [event for event in turn.synced if isinstance(event, TurnEnded)]
    assert b"a tree" in turn.model.bodies[1]


async def test_a_bug_in_a_tool_is_told_to_the_model_and_ends_nothing() -> None:
    turn = Turn(
        [asks_for("Broken", "Look"), words("Well.")],
        [tool("Broken", fails(ZeroDivisionError("1/0"))), tool("Look", returns("a tree"))],
    )

    state = await turn.run()

    assert state.ended is not None
    assert state.ended.outcome == "answered"
    assert (turn.result("w0").status, turn.result("w1").status) == ("failed", "ok")
    assert "ZeroDivisionError" in turn.result("w0").text


@pytest.mark.parametrize(
    ("error", "text"), [(ToolFailed("No such file."), "No such file."), (TimeoutError("inner"), "TimeoutError")]
)
async def test_a_tool_that_cannot_says_why(error: Exception, text: str) -> None:
    turn = Turn([asks_for("Slow"), words("Well.")], [tool("Slow", fails(error))])

    await turn.run()

    assert turn.result("w0").status == "failed"
    assert text in turn.result("w0").text


async def test_a_tool_that_takes_too_long_is_stopped() -> None:
    turn = Turn([asks_for("Slow"), words("Well.")], [tool("Slow", never, timeout_s=0.01)])

    await turn.run()

    assert turn.result("w0").status == "failed"
    assert "0.01 seconds" in turn.result("w0").text


async def test_a_tool_that_does_not_heed_its_limit_leaves_the_turn_without_an_end() -> None:
    go_on = threading.Event()

    async def deaf(_: Args, __: Running) -> str:
        await asyncio.to_thread(go_on.wait)  # a thread cannot be cancelled
        return "at last"

    turn = Turn([asks_for("Deaf"), words("Well.")], [tool("Deaf", deaf, timeout_s=0.01)])
    try:
        state = await turn.run()
    finally:
        go_on.set()

    assert turn.result("w0").status == "failed"
    assert [type(event) for event in turn.events if isinstance(event, TurnEnded)] == [TurnEnded]
    assert state.final_text == "Well."


async def test_what_breaks_off_within_a_tool_passes_for_a_stop_by_the_user() -> None:
    async def broken(_: Args, __: Running) -> str:
        raise asyncio.CancelledError  # as from something awaited that somebody else has cancelled

    turn = Turn([asks_for("Broken", "Look"), words("Well.")], [tool("Broken", broken), tool("Look", returns("a tree"))])

    state = await turn.run()

    assert (turn.result("w0").status, turn.result("w1").status) == ("failed", "ok")
    assert "CancelledError" in turn.result("w0").text
    assert state.ended is not None
    assert state.ended.outcome == "answered"


async def test_a_connection_that_breaks_off_passes_for_a_stop_by_the_user() -> None:
    turn = Turn([asyncio.CancelledError(), words("Here I am.")])

    state = await turn.run()

    assert [event.error.kind for event in turn.events if isinstance(event, RequestFailed)] == ["truncated"]
    assert state.ended is not None
    assert (state.ended.outcome, state.final_text) == ("answered", "Here I am.")


async def test_reads_run_side_by_side_but_only_so_many_at_once_and_report_in_order() -> None:
    running, most, all_in = 0, 0, asyncio.Event()

    async def read(_: Args, call: Running) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == PARALLEL_READS:
            all_in.set()
        await all_in.wait()
        running -= 1
        return call.call_id

    names = ["Read"] * (PARALLEL_READS * 2)
    turn = Turn([asks_for(*names), words("ok")], [tool("Read", read)])

    state = await turn.run()

    assert most == PARALLEL_READS
    wanted = [call.call.call_id for call in state.attempts[0].calls]
    assert [event.call_id for event in turn.events if isinstance(event, CallFinished)] == wanted


async def test_what_has_effects_runs_alone_and_is_on_disk_before_it_does() -> None:
    on_disk: list[bool] = []

    async def act(_: Args, call: Running) -> str:
        on_disk.append(any(isinstance(one, CallStarted) and one.call_id == call.call_id for one in turn.synced))
        return "done"

    tools = [tool("Read", returns("x")), tool("Act", act, guard="unsafe")]
    turn = Turn([asks_for("Read", "Read", "Act", "Read", "Act"), words("ok")], tools)

    await turn.run()

    kinds = [type(event).__name__ for event in turn.events if isinstance(event, CallStarted | CallFinished)]
    assert kinds == [
        *("CallStarted", "CallStarted", "CallFinished", "CallFinished"),
        *("CallStarted", "CallFinished") * 3,
    ]
    assert turn.begun == ["Read", "Read", "Act", "Read", "Act"]
    assert on_disk == [True, True]


async def test_a_read_that_must_be_asked_about_waits_its_turn() -> None:
    tools = [tool("Read", returns("x")), tool("Secret", returns("y"))]
    turn = Turn([asks_for("Read", "Secret", "Read"), words("ok")], tools, asked={"Secret": None})

    await turn.run()

    assert turn.gate.questions == ["Secret"]
    assert turn.begun == ["Read", "Secret", "Read"]


async def test_a_no_leaves_the_other_calls_alone() -> None:
    tools = [tool("Act", returns("x"), guard="unsafe"), tool("Read", returns("y"))]
    asked = {"Act": Refused(status="denied", text="The user says no.")}
    turn = Turn([asks_for("Act", "Read"), words("ok")], tools, asked=asked)

    await turn.run()

    assert turn.begun == ["Read"]
    assert (turn.result("w0").status, turn.result("w0").text) == ("denied", "The user says no.")
    assert turn.result("w1").status == "ok"


async def test_what_is_forbidden_is_neither_asked_about_nor_run() -> None:
    turn = Turn([asks_for("Act"), words("ok")], [tool("Act", returns("x"))], denied=["Act"])

    await turn.run()

    assert (turn.begun, turn.gate.questions, turn.result("w0").status) == ([], [], "denied")


@pytest.mark.parametrize("args_raw", ["[]", '"x"', "null", "{", '{"word": 1', '{"word": {}}', "NaN"])
async def test_arguments_that_make_no_sense_are_never_run(args_raw: str) -> None:
    turn = Turn([asks_for("Act", args_raw=args_raw), words("ok")], [tool("Act", returns("x"))])

    state = await turn.run()

    assert state.final_text == "ok"
    assert (turn.begun, turn.result("w0").status) == ([], "failed")


async def test_output_is_shown_while_a_tool_runs_and_blank_results_are_named() -> None:
    async def run(_: Args, call: Running) -> str:
        call.show("half way")
        return ""

    turn = Turn([asks_for("Act"), words("ok")], [tool("Act", run)])

    await turn.run()

    assert [one.chunk for one in turn.shown if isinstance(one, CallOutput)] == ["half way"]
    assert turn.result("w0").text == "(no output)"


async def test_what_a_tool_says_happened_is_recorded_with_its_result() -> None:
    extra = ReplyCheckpointed(request_id="q", turn_id="t_1", text="x")

    async def run(_: Args, __: Running) -> ToolResult:
        return ToolResult(text="a\ud800b", emits=(extra,))

    turn = Turn([asks_for("Act"), words("ok")], [tool("Act", run)])

    await turn.run()

    place = next(number for number, event in enumerate(turn.events) if isinstance(event, CallFinished))
    assert turn.events[place + 1] == extra
    assert turn.result("w0").text == "a\ufffdb"


async def test_stopping_keeps_the_results_that_are_there_and_starts_nothing_more() -> None:
    begun: list[str] = []
    all_busy = asyncio.Event()

    async def read(args: Args, call: Running) -> str:
        begun.append(call.call_id)
        if len(begun) <= 2:
            return "read"
        if len(begun) == PARALLEL_READS + 2:
            all_busy.set()
        return await never(args, call)

    turn = Turn([asks_for(*["Read"] * 8), words("never")], [tool("Read", read)])
    running = asyncio.create_task(turn.run())
    await all_busy.wait()

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    assert len(begun) == PARALLEL_READS + 2
    finished = [event.call_id for event in turn.events if isinstance(event, CallFinished)]
    assert finished == begun[:2]
    assert len(turn.state.open_calls) == 6
    assert len(turn.model.bodies) == 1


async def test_a_hand_off_is_taken_back_when_the_turn_is_stopped_before_anybody_heard_of_it() -> None:
    forward = message("help", "m_f", sender="vp:omni", to=("skeptic",), kind="forward", root_id="m_1")

    async def hand_on(_: Args, __: Running) -> ToolResult:
        asyncio.get_running_loop().call_soon(running.cancel)
        return ToolResult(text="handed on", emits=(forward,))

    turn = Turn([asks_for("HandOn"), words("never")], [tool("HandOn", hand_on, guard="local")])

    running = asyncio.create_task(turn.run())
    with pytest.raises(asyncio.CancelledError):
        await running

    assert forward not in turn.events
    assert len(turn.state.open_calls) == 1


async def test_stopping_within_a_reply_keeps_what_was_said() -> None:
    failure = ModelFailed("server", "It broke.", text_so_far="One two")
    turn = Turn([failure, words(" three")])

    state = await turn.run()

    assert state.final_text == "One two three"
    assert [event.how for event in turn.events if isinstance(event, RequestSent)] == ["restart", "continue"]
    assert [one.pieces for one in turn.shown if isinstance(one, TextStreamed)] == [(" three",)]


async def test_a_turn_goes_on_from_any_event_with_the_same_end() -> None:
    """Stopping between two events and going on elsewhere gives the same results and never a second one."""
    whole = Turn([asks_for("Look"), words("Seen.")], [tool("Look", returns("a tree"))])
    await whole.run()

    for count in range(len(whole.events)):
        answers = [asks_for("Look"), words("Seen.")]
        replied = sum(type(event).__name__ == "ReplyCompleted" for event in whole.events[:count])
        resumed = Turn(answers[replied:], [tool("Look", returns("a tree"))])
        await resumed.post(*whole.events[:count])
        state = await resumed.run()

        assert state.final_text == "Seen."
        assert [event.text for event in resumed.events if isinstance(event, CallFinished)] == ["a tree"]


async def test_the_rounds_of_a_turn_are_counted() -> None:
    turn = Turn([asks_for("Look")] * 3, [tool("Look", returns("x"))], rules=Rules(max_rounds=3))

    state = await turn.run()

    assert state.ended is not None
    assert (state.ended.outcome, state.ended.limit, state.ended.rounds) == ("limit", "rounds", 3)
