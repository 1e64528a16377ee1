"""What comes out of a Responses stream, however a server words it."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yeaft.kernel.errors import ModelFailed
from yeaft.kernel.messages import CallItem, OpaqueItem, TextItem, ThinkingItem, WireCall, text_of
from yeaft.kernel.usage import Usage
from yeaft.llm.model import Piece, Reply
from yeaft.llm.responses_reply import ResponsesReply
from yeaft.llm.sse import SseEvent, SseSplitter

Json = dict[str, Any]

MESSAGE = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "Bash", "status": "completed"}


def says(text: str, **more: Any) -> Json:
    return {**MESSAGE, "content": [{"type": "output_text", "text": text, "annotations": []}], **more}


def calls(arguments: Any, **more: Any) -> Json:
    return {**CALL, "arguments": arguments, **more}


def event(kind: str, **fields: Any) -> Json:
    return {"type": f"response.{kind}", **fields}


def added(item: Json, **place: Any) -> Json:
    return event("output_item.added", item=item, **place)


def done(item: Json, **place: Any) -> Json:
    return event("output_item.done", item=item, **place)


def completed(*output: Json, **more: Any) -> Json:
    return event("completed", response={"status": "completed", "model": "gpt-9", "output": list(output), **more})


def incomplete(reason: str, *output: Json) -> Json:
    response = {"status": "incomplete", "incomplete_details": {"reason": reason}, "output": list(output)}
    return event("incomplete", response=response)


class Heard:
    """A reply accumulator and the pieces it told of."""

    def __init__(self, *events: Json | bytes) -> None:
        self.reply = ResponsesReply("openai")
        self.pieces: list[Piece] = []
        for each in events:
            data = each if isinstance(each, bytes) else json.dumps(each, ensure_ascii=False).encode("utf-8")
            self.pieces += self.reply.feed(SseEvent("", data))

    def finish(self) -> Reply:
        return self.reply.finish()

    def text(self) -> str:
        return "".join(text for piece in self.pieces if piece.kind == "text" for text in piece.pieces)


def fails(*events: Json | bytes) -> ModelFailed:
    with pytest.raises(ModelFailed) as failed:
        Heard(*events).finish()
    return failed.value


def test_text_is_told_as_it_comes_and_the_final_output_is_what_is_kept() -> None:
    final = says("Hello!", phase="final_answer")

    heard = Heard(
        event("created", response={"id": "r", "status": "in_progress"}),
        event("in_progress", response={"id": "r"}),
        added({**MESSAGE, "content": []}, output_index=0),
        event("content_part.added", output_index=0, content_index=0, part={"type": "output_text", "text": ""}),
        event("output_text.delta", output_index=0, item_id="msg_1", content_index=0, delta="Hel"),
        event("output_text.delta", output_index=0, item_id="msg_1", content_index=0, delta="lo!"),
        event("output_text.done", output_index=0, item_id="msg_1", content_index=0, text="Hello!"),
        done(says("Hello!"), output_index=0),
        completed(final),
    )

    assert [piece.pieces for piece in heard.pieces] == [("Hel",), ("lo!",)]
    reply = heard.finish()
    assert reply == Reply(
        items=(TextItem(text="Hello!", raw=msgspec.Raw(json.dumps(final).encode())),),
        calls=(),
        stop="end",
        usage=Usage(),
        model="gpt-9",
    )


def test_an_item_is_kept_even_if_only_its_deltas_came() -> None:
    heard = Heard(
        added({"type": "reasoning", "id": "rs_1", "summary": []}, output_index=0),
        event("reasoning_summary_text.delta", output_index=0, summary_index=1, delta="second"),
        event("reasoning_summary_text.delta", output_index=0, summary_index=0, delta="first "),
        added({**MESSAGE, "status": "in_progress", "content": []}, output_index=1),
        event("output_text.delta", output_index=1, delta="Ans"),
        event("output_text.delta", output_index=1, delta="wer"),
        added({**CALL, "status": "in_progress", "arguments": ""}, output_index=2),
        event("function_call_arguments.delta", output_index=2, delta='{"command"'),
        event("function_call_arguments.delta", output_index=2, delta=': "ls"}'),
        event("completed", response={"status": "completed"}),
    )

    thought, said, call = heard.finish().items

    assert isinstance(thought, ThinkingItem)
    assert thought.text == "first second"
    assert isinstance(said, TextItem)
    assert msgspec.json.decode(said.raw) == {**MESSAGE, "content": [{"type": "output_text", "text": "Answer"}]}
    assert isinstance(call, CallItem)
    assert heard.finish().calls == (WireCall(wire_id="call_1", tool="Bash", args_raw='{"command": "ls"}'),)
    assert heard.finish().stop == "calls"


def test_a_server_that_numbers_nothing_is_understood() -> None:
    heard = Heard(
        added({**MESSAGE, "id": "msg_a", "content": []}),
        event("output_text.delta", item_id="msg_a", delta="Hi"),
        added({**CALL, "id": "fc_a", "arguments": ""}),
        event("function_call_arguments.delta", item_id="fc_a", delta="{}"),
        event("output_text.delta", item_id="msg_a", delta=" there"),
        event("completed", response={"status": "completed"}),
    )

    assert text_of(heard.finish().items) == "Hi there"
    assert heard.finish().calls == (WireCall(wire_id="call_1", tool="Bash", args_raw="{}"),)


def test_parts_that_were_never_announced_are_kept() -> None:
    heard = Heard(event("output_text.delta", delta="Hi"), event("completed", response={}))

    assert text_of(heard.finish().items) == "Hi"


def test_an_id_that_changes_with_every_event_does_not_split_an_item() -> None:
    heard = Heard(
        added({**MESSAGE, "id": "x1", "content": []}, output_index=0),
        event("output_text.delta", output_index=0, item_id="x2", delta="one"),
        event("output_text.delta", output_index=0, item_id="x3", delta=" item"),
        done(says("one item", id="x4"), output_index=0),
        event("completed", response={"status": "completed", "output": []}),
    )

    assert [type(item) for item in heard.finish().items] == [TextItem]
    assert heard.text() == text_of(heard.finish().items) == "one item"


def test_items_that_share_an_index_by_mistake_stay_apart() -> None:
    heard = Heard(
        added({**MESSAGE, "content": []}, output_index=0),
        event("output_text.delta", output_index=0, delta="Look:"),
        done(says("Look:"), output_index=0),
        added({**CALL, "arguments": ""}, output_index=0),
        event("function_call_arguments.delta", output_index=0, delta="{}"),
        done(calls("{}"), output_index=0),
        event("completed", response={"status": "completed"}),
    )

    assert [type(item) for item in heard.finish().items] == [TextItem, CallItem]


def test_text_in_the_place_of_a_thought_is_an_item_of_its_own() -> None:
    heard = Heard(
        event("reasoning_text.delta", output_index=0, delta="hm"),
        event("output_text.delta", output_index=0, delta="Hi"),
        event("completed", response={"status": "completed"}),
    )

    assert [type(item) for item in heard.finish().items] == [ThinkingItem, TextItem]
    assert text_of(heard.finish().items) == "Hi"


def test_an_item_that_is_announced_twice_is_one_item() -> None:
    begun = added({**MESSAGE, "content": []}, output_index=0)

    heard = Heard(begun, begun, event("output_text.delta", output_index=0, delta="Hi"), event("completed", response={}))

    assert len(heard.finish().items) == 1


def test_what_was_not_streamed_is_told_when_it_is_done() -> None:
    heard = Heard(
        done({"type": "reasoning", "id": "rs", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]}),
        done(says("All at once")),
        completed(says("All at once")),
    )

    assert heard.pieces == [Piece(kind="thinking", pieces=("hm",)), Piece(kind="text", pieces=("All at once",))]


def test_the_rest_of_a_part_is_told_when_deltas_were_left_out() -> None:
    heard = Heard(
        event("output_text.delta", output_index=0, delta="One, "),
        event("output_text.done", output_index=0, text="One, two"),
        completed(says("One, two")),
    )

    assert heard.text() == "One, two"


def test_pieces_of_a_call_name_its_tool_and_place() -> None:
    heard = Heard(
        done(says("Two calls"), output_index=0),
        added({**CALL, "name": "Grep"}, output_index=1),
        added({**CALL, "id": "fc_2", "name": "Glob"}, output_index=2),
        event("function_call_arguments.delta", output_index=2, delta='{"b"'),
        event("function_call_arguments.delta", output_index=1, delta='{"a"'),
    )

    assert heard.pieces[1:] == [
        Piece(kind="call", pieces=('{"b"',), index=1, tool="Glob"),
        Piece(kind="call", pieces=('{"a"',), index=0, tool="Grep"),
    ]
    assert heard.reply.calls_seen


def test_a_custom_call_carries_its_input_as_arguments() -> None:
    call = {"type": "custom_tool_call", "call_id": "call_9", "name": "sql", "input": "SELECT 1"}

    heard = Heard(event("custom_tool_call_input.delta", delta="SELECT 1"), completed(call))

    assert heard.finish().calls == (WireCall(wire_id="call_9", tool="sql", args_raw="SELECT 1"),)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (calls('{"a": 1}'), WireCall(wire_id="call_1", tool="Bash", args_raw='{"a": 1}')),
        (calls(""), WireCall(wire_id="call_1", tool="Bash", args_raw="{}")),
        (calls({"a": 1}), WireCall(wire_id="call_1", tool="Bash", args_raw='{"a": 1}')),
        (calls("{}", id=7, content={}), WireCall(wire_id="call_1", tool="Bash", args_raw="{}")),
        (calls("[1]"), WireCall(wire_id="call_1", tool="Bash", args_raw="[1]")),
        (calls("rm -rf"), WireCall(wire_id="call_1", tool="Bash", args_raw="rm -rf")),
        (calls("{}", call_id=None, name=None), WireCall(wire_id="", tool="", args_raw="{}")),
        (
            calls('{"a": 1', status="incomplete"),
            WireCall(wire_id="call_1", tool="Bash", args_raw='{"a": 1', complete=False),
        ),
        (calls('{"a": 1}', status="in_progress"), WireCall(wire_id="call_1", tool="Bash", args_raw='{"a": 1}')),
        (calls("", status="in_progress"), WireCall(wire_id="call_1", tool="Bash", args_raw="", complete=False)),
    ],
)
def test_whatever_a_call_looks_like_it_comes_through(call: Json, expected: WireCall) -> None:
    assert Heard(completed(call)).finish().calls == (expected,)


def test_a_call_cut_by_the_output_limit_is_not_complete() -> None:
    reply = Heard(
        incomplete("max_output_tokens", calls('{"command": "rm -rf /tm'), calls('{"command": "ls"}'))
    ).finish()

    assert reply.stop == "max_tokens"
    assert [call.complete for call in reply.calls] == [False, True]


@pytest.mark.parametrize(
    ("end", "stop"),
    [
        (completed(says("done")), "end"),
        (completed(says("first"), calls("{}")), "calls"),
        (completed({**MESSAGE, "content": [{"type": "refusal", "refusal": "I will not."}]}), "refusal"),
        (incomplete("max_output_tokens"), "max_tokens"),
        (incomplete("content_filter"), "filtered"),
        (incomplete("a_new_reason"), "cut"),
        (event("completed", response={"status": "incomplete", "output": []}), "cut"),
        (event("incomplete", response={}), "cut"),
    ],
)
def test_every_ending_has_its_stop(end: Json, stop: str) -> None:
    assert Heard(end).finish().stop == stop


def test_the_words_of_a_refusal_reach_the_reader() -> None:
    refused = {**MESSAGE, "content": [{"type": "refusal", "refusal": "I will not."}]}

    heard = Heard(event("refusal.delta", delta="I will "), event("refusal.delta", delta="not."), completed(refused))

    assert heard.text() == text_of(heard.finish().items) == "I will not."


def test_items_of_types_nobody_has_seen_are_kept_as_they_came() -> None:
    odd = {"type": "telepathy_call", "status": 7, "content": {"thought": "é"}, "n": 1.50}

    (item,) = Heard(completed(odd)).finish().items

    assert item == OpaqueItem(wire_type="telepathy_call", raw=msgspec.Raw(json.dumps(odd, ensure_ascii=False).encode()))


def test_raw_items_are_one_line_whatever_the_layout_of_the_body() -> None:
    item = {"type": "compaction", "text": "line\nbreak", "size": 10}

    reply = ResponsesReply("openai").whole(json.dumps({"status": "completed", "output": [item]}, indent=2).encode())

    assert bytes(reply.items[0].raw) == b'{"type":"compaction","text":"line\\nbreak","size":10}'


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (
            {
                "input_tokens": 100,
                "output_tokens": 30,
                "input_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 16},
                "output_tokens_details": {"reasoning_tokens": 20},
            },
            Usage(input=20, output=30, cache_read=64, cache_write=16, reasoning=20),
        ),
        ({"input_tokens": 5, "output_tokens": 2}, Usage(input=5, output=2)),
        ({"input_tokens": 5, "output_tokens": 2, "input_tokens_details": None}, Usage(input=5, output=2)),
        ({"input_tokens": 1, "input_tokens_details": {"cached_tokens": 4}}, Usage(cache_read=4)),
        ({"input_tokens": "many"}, Usage()),
        (None, Usage()),
    ],
)
def test_cached_tokens_are_counted_once(usage: Json | None, expected: Usage) -> None:
    assert Heard(completed(usage=usage)).finish().usage == expected


def test_a_body_that_is_not_streamed_holds_a_reply() -> None:
    body = {"object": "response", "output": [says("4")], "usage": {"input_tokens": 3, "output_tokens": 1}}

    reply = ResponsesReply("local").whole(json.dumps(body).encode())

    assert (text_of(reply.items), reply.stop, reply.usage) == ("4", "end", Usage(input=3, output=1))


def test_a_reply_that_is_still_queued_says_so() -> None:
    reply = ResponsesReply("openai").whole(b'{"object": "response", "status": "queued", "output": []}')

    assert (reply.items, reply.stop) == ((), "other:queued")


def test_a_stream_without_its_terminal_event_is_truncated_and_the_text_is_kept() -> None:
    failed = fails(event("output_text.delta", delta="Half a"), b"[DONE]")

    assert (failed.kind, failed.text_so_far, failed.calls_seen) == ("truncated", "Half a", False)


def test_a_stream_that_breaks_inside_a_call_says_that_a_call_was_seen() -> None:
    assert fails(added({**CALL, "arguments": ""})).calls_seen


def test_events_after_the_terminal_one_change_nothing() -> None:
    heard = Heard(completed(says("done")), event("output_text.delta", delta="?"), event("failed", response={}))

    assert text_of(heard.finish().items) == "done"
    assert heard.reply.is_done


@pytest.mark.parametrize(
    "noise",
    [
        event("future_thing.delta", delta={"not": "text"}, output_index=0),
        event("output_text.annotation.added", annotation={"type": "url_citation"}),
        event("web_search_call.searching", item_id="ws", output_index=0),
        event("output_text.delta", delta=None, output_index=0),
        {"no": "type"},
        {"type": 7},
        [1, 2],
        b"[DONE]",
        b"",
    ],
)
def test_events_that_say_nothing_to_us_are_ignored(noise: Any) -> None:
    heard = Heard(
        event("output_text.delta", delta="Hi", output_index=0),
        json.dumps(noise).encode() if isinstance(noise, list) else noise,
        completed(says("Hi")),
    )

    assert heard.text() == "Hi"


def test_strings_that_are_not_unicode_are_mended_before_they_are_kept() -> None:
    heard = Heard(
        b'{"type":"response.output_text.delta","delta":"a\\ud800b"}',
        b'{"type":"response.output_text.delta","delta":"tab\there"}',
        b'{"type":"response.completed","response":{"output":[{"type":"odd","\\udc00k":"\xff\\ud83d"}]}}',
    )

    assert heard.text() == "a\ufffdbtab\there"
    assert msgspec.json.decode(heard.finish().items[0].raw) == {"type": "odd", "\ufffdk": "\ufffd\ufffd"}


def test_an_error_is_heard_even_in_json_that_is_not_strict() -> None:
    assert fails(b'{"error": {"message": "tab\there", "code": "server_error"}}').message == "openai failed: tab\there"


@pytest.mark.parametrize("junk", [b"{", b"<html>", b'{"type":"response.output_item.added","item":[]}', b"[" * 200_000])
def test_junk_is_a_typed_failure(junk: bytes) -> None:
    assert fails(junk).kind in {"protocol", "truncated"}


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@settings(max_examples=60, deadline=None)
@given(
    pieces=st.lists(words, max_size=6),
    cuts=st.lists(st.integers(1, 60), min_size=1),
    newline=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_any_text_in_any_pieces_cut_anywhere_arrives_whole(pieces: list[str], cuts: list[int], newline: str) -> None:
    text = "".join(pieces)
    events = [event("output_text.delta", output_index=0, delta=piece) for piece in pieces] + [completed(says(text))]
    stream = "".join(f"data: {json.dumps(each)}{newline * 2}" for each in events).encode()
    reply, splitter, heard = ResponsesReply("openai"), SseSplitter(), []

    position = 0
    while position < len(stream):
        size = cuts[position % len(cuts)]
        for each in splitter.feed(stream[position : position + size]):
            heard += reply.feed(each)
        position += size
    for each in splitter.close():
        heard += reply.feed(each)

    assert "".join(part for piece in heard for part in piece.pieces) == text
    assert text_of(reply.finish().items) == text
