"""What comes out of a Messages stream, however a server words it."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw

from yeaft.kernel.errors import ModelFailed
from yeaft.kernel.messages import CallItem, OpaqueItem, TextItem, ThinkingItem, WireCall
from yeaft.kernel.usage import Usage
from yeaft.llm.anthropic_reply import AnthropicReply
from yeaft.llm.model import Piece, Reply
from yeaft.llm.sse import SseEvent

Json = dict[str, Any]
STOP: Json = {"type": "message_stop"}


def start(message_id: str = "msg_1", **more: Any) -> Json:
    message = {"id": message_id, "model": "claude", "content": [], "usage": {"input_tokens": 9, "output_tokens": 1}}
    return {"type": "message_start", "message": {**message, **more}}


def begins(kind: str, index: int = 0, **block: Any) -> Json:
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **block}}


def goes_on(kind: str, index: int = 0, **delta: Any) -> Json:
    return {"type": "content_block_delta", "index": index, "delta": {"type": f"{kind}_delta", **delta}}


def ends(index: int = 0) -> Json:
    return {"type": "content_block_stop", "index": index}


def because(stop_reason: str | None, **usage: Any) -> Json:
    return {"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": usage or None}


def call(*parts: str, index: int = 0, **block: Any) -> list[Json]:
    head = begins("tool_use", index, **{"id": "toolu_1", "name": "Bash", "input": {}, **block})
    return [head, *(goes_on("input_json", index, partial_json=part) for part in parts)]


def feed(reply: AnthropicReply, *events: Json | bytes) -> list[Piece]:
    raws = [event if isinstance(event, bytes) else json.dumps(event).encode() for event in events]
    return [piece for raw in raws for piece in reply.feed(SseEvent("", raw))]


def reply_to(*events: Json | bytes) -> Reply:
    reply = AnthropicReply("anthropic")
    feed(reply, *events)
    return reply.finish()


def failure_of(*events: Json | bytes) -> ModelFailed:
    with pytest.raises(ModelFailed) as failed:
        reply_to(*events)
    return failed.value


def test_a_reply_of_every_kind_of_block_is_added_up() -> None:
    reply = AnthropicReply("anthropic")

    pieces = feed(
        reply,
        start(usage={"input_tokens": 9, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2}),
        begins("thinking", 0, thinking="", signature=""),
        goes_on("thinking", 0, thinking="Let me "),
        goes_on("thinking", 0, thinking="see."),
        goes_on("signature", 0, signature="SIG=="),
        ends(0),
        begins("redacted_thinking", 1, data="XYZ"),
        ends(1),
        begins("text", 2, text=""),
        goes_on("text", 2, text="I look."),
        ends(2),
        begins("server_tool_use", 3, id="srvtoolu_1", name="web_search", input={}),
        goes_on("input_json", 3, partial_json='{"query": '),
        goes_on("input_json", 3, partial_json='"你"}'),
        ends(3),
        begins("hologram", 4, frames=[1, 2]),
        goes_on("hologram", 4, frame=3),
        ends(4),
        *call('{"command"', ': "ls"}', index=5),
        ends(5),
        because("tool_use", output_tokens=44, output_tokens_details={"thinking_tokens": 30}),
        STOP,
    )

    assert pieces == [
        Piece(kind="thinking", pieces=("Let me ",)),
        Piece(kind="thinking", pieces=("see.",)),
        Piece(kind="text", pieces=("I look.",)),
        Piece(kind="call", pieces=(), index=0, tool="Bash"),
        Piece(kind="call", pieces=('{"command"',), index=0, tool="Bash"),
        Piece(kind="call", pieces=(': "ls"}',), index=0, tool="Bash"),
    ]
    assert reply.finish() == Reply(
        items=(
            ThinkingItem(
                text="Let me see.", raw=Raw(b'{"type":"thinking","thinking":"Let me see.","signature":"SIG=="}')
            ),
            ThinkingItem(text="", raw=Raw(b'{"type":"redacted_thinking","data":"XYZ"}')),
            TextItem(text="I look."),
            OpaqueItem(
                wire_type="server_tool_use",
                raw=Raw(
                    '{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"你"}}'.encode()
                ),
            ),
            OpaqueItem(wire_type="hologram", raw=Raw(b'{"type":"hologram","frames":[1,2]}')),
            CallItem(index=0),
        ),
        calls=(WireCall(wire_id="toolu_1", tool="Bash", args_raw='{"command": "ls"}'),),
        stop="calls",
        usage=Usage(input=9, cache_read=5, cache_write=2, output=44, reasoning=30),
        model="claude",
    )


@pytest.mark.parametrize(
    ("stop_reason", "stop"),
    [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("tool_use", "calls"),
        ("max_tokens", "max_tokens"),
        ("refusal", "refusal"),
        ("pause_turn", "pause"),
        ("model_context_window_exceeded", "context"),
        ("tired", "other:tired"),
        (None, "end"),
    ],
)
def test_why_the_model_stopped_is_said_in_our_words(stop_reason: str | None, stop: str) -> None:
    assert reply_to(start(), because(stop_reason), STOP).stop == stop


def test_a_server_that_leaves_out_why_it_stopped_still_gets_its_calls_run() -> None:
    assert reply_to(*call("{}"), ends(), STOP).stop == "calls"


@pytest.mark.parametrize(
    ("events", "stop", "args_raw", "complete"),
    [
        ([*call('{"a": 1}'), ends()], "tool_use", '{"a": 1}', True),
        (call('{"a": 1}'), "tool_use", '{"a": 1}', True),
        ([*call(), ends()], "tool_use", "{}", True),
        ([*call(""), ends()], "tool_use", "{}", True),
        (call(), "tool_use", "{}", False),
        ([*call(), ends()], "max_tokens", "{}", False),
        ([*call('{"a": "b'), ends()], "max_tokens", '{"a": "b', False),
        ([*call('{"a": "b'), ends()], "tool_use", '{"a": "b', False),
        ([*call('{"a": "b'), ends()], "refusal", '{"a": "b', False),
        ([*call('{"a": 1}'), ends()], "max_tokens", '{"a": 1}', True),
        ([*call("[1]"), ends()], "tool_use", "[1]", True),
        ([*call('{"a": "\n"}'), ends()], "tool_use", '{"a": "\n"}', True),
        ([*call(input={"a": [1, "é"]}), ends()], "tool_use", '{"a":[1,"é"]}', True),
    ],
)
def test_a_call_is_complete_only_if_all_of_it_came(
    events: list[Json], stop: str, args_raw: str, complete: bool
) -> None:
    reply = reply_to(start(), *events, because(stop), STOP)

    assert reply.calls == (WireCall(wire_id="toolu_1", tool="Bash", args_raw=args_raw, complete=complete),)


def test_a_call_keeps_the_fields_that_nobody_knows_yet() -> None:
    caller = {"type": "code_execution", "tool_id": "srvtoolu_9"}
    reply = reply_to(
        start(), *call("{}", caller=caller), ends(), *call(index=1, caller={"type": "direct"}), ends(1), STOP
    )

    kept, plain = reply.items
    assert isinstance(kept, CallItem)
    assert json.loads(bytes(kept.raw))["caller"] == caller
    assert plain == CallItem(index=1)


def test_citations_go_with_their_text() -> None:
    citation = {"type": "char_location", "cited_text": "x"}
    reply = reply_to(
        begins("text", citations=[]),
        goes_on("text", text="So it is."),
        goes_on("citations", citation=citation),
        goes_on("citations", citation=citation),
        STOP,
    )

    (item,) = reply.items
    assert isinstance(item, TextItem)
    assert json.loads(bytes(item.raw)) == {"type": "text", "text": "So it is.", "citations": [citation, citation]}


def test_a_fallback_names_the_model_that_answered() -> None:
    reply = reply_to(
        start(), begins("fallback", **{"from": {"model": "claude"}, "to": {"model": "opus"}}), ends(), STOP
    )

    assert reply.model == "opus"
    assert reply.items[0] == OpaqueItem(
        wire_type="fallback", raw=Raw(b'{"type":"fallback","from":{"model":"claude"},"to":{"model":"opus"}}')
    )


def test_usage_fields_that_a_later_report_leaves_out_stay() -> None:
    reply = reply_to(
        start(usage={"input_tokens": 7, "cache_read_input_tokens": 3, "output_tokens": 1}),
        because("end_turn", output_tokens=5, input_tokens=None),
        because(None, output_tokens=8),
        STOP,
    )

    assert (reply.usage, reply.stop) == (Usage(input=7, cache_read=3, output=8), "end")


def test_a_start_that_is_sent_twice_is_one_reply_and_that_of_another_is_an_error() -> None:
    again = reply_to(start("msg_1"), start("msg_1"), begins("text", text=""), goes_on("text", text="Hi"), STOP)
    failed = failure_of(start("msg_1"), goes_on("text", text="Hi"), start("msg_2"))

    assert again.items == (TextItem(text="Hi"),)
    assert (failed.kind, failed.text_so_far) == ("protocol", "Hi")


def test_gateways_may_leave_out_starts_and_send_sentinels_pings_and_new_events() -> None:
    reply = reply_to(
        {"type": "ping"},
        goes_on("thinking", 0, thinking="hm"),
        {"type": "weather_report", "index": "none"},
        goes_on("text", 1, text="Hi"),
        goes_on("smell", 1, smell="smoke"),
        b"",
        b"[DONE]",
        {"index": 7},
        STOP,
    )

    assert [getattr(item, "text", None) for item in reply.items] == ["hm", "Hi"]


def test_an_event_may_have_its_type_in_its_name_alone() -> None:
    reply = AnthropicReply("anthropic")
    reply.feed(SseEvent("content_block_delta", b'{"index": 0, "delta": {"type": "text_delta", "text": "Hi"}}'))
    reply.feed(SseEvent("message_stop", b"{}"))

    assert reply.finish().items == (TextItem(text="Hi"),)


def test_blocks_that_share_an_index_one_after_the_other_are_two() -> None:
    one = [begins("text", text="a"), ends(), begins("text", text=""), goes_on("text", text="b"), ends(), STOP]

    assert reply_to(*one).items == (TextItem(text="a"), TextItem(text="b"))
    assert failure_of(begins("text", text="a"), begins("text", text="b")).kind == "protocol"


@pytest.mark.parametrize(
    "event",
    [
        b"<html>",
        b"{",
        b"[1]",
        {"type": "content_block_delta", "index": 5, "delta": {"type": "input_json_delta", "partial_json": "{"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}},
        {"type": "content_block_start", "index": 0, "content_block": "text"},
        b'{"a":' * 100_000,
    ],
)
def test_what_is_not_the_protocol_is_an_error_that_keeps_the_text(event: Json | bytes) -> None:
    failed = failure_of(start(), begins("text", text=""), goes_on("text", text="So far"), event)

    assert (failed.kind, failed.text_so_far) == ("protocol", "So far")


def test_odd_text_is_made_whole_before_it_is_kept() -> None:
    reply = AnthropicReply("anthropic")
    pieces = feed(
        reply,
        rb'{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","\ud800":"\udfff"}}',
        rb'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\ud83d"}}',
        b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\xff\x01"}}',
        rb'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\ud83d\ude09"}}',
        STOP,
    )

    assert [piece.pieces for piece in pieces] == [("a\ufffd",), ("\ufffd\x01",), ("😉",)]
    (item,) = reply.finish().items
    assert isinstance(item, TextItem)
    assert json.loads(bytes(item.raw))["\ufffd"] == "\ufffd"


@pytest.mark.parametrize("shown", [1, 2, 3, 4, 5])
def test_a_stream_that_is_over_too_early_is_truncated(shown: int) -> None:
    events = [start(), begins("text", text=""), goes_on("text", text="Hi"), ends(), because("end_turn"), STOP]

    failed = failure_of(*events[:shown])

    assert (failed.kind, failed.text_so_far) == ("truncated", "Hi" if shown > 2 else "")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, "overloaded"),
        ({"type": "rate_limit_error", "message": "Slow down"}, "rate_limit"),
        ({"type": "api_error", "message": "Internal server error"}, "server"),
        ({"type": "timeout_error", "message": "Late"}, "server"),
        ({"type": "authentication_error", "message": "invalid x-api-key sk-ant-123456789"}, "auth"),
        ({"type": "permission_error", "message": "no"}, "forbidden"),
        ({"type": "billing_error", "message": "no credit"}, "forbidden"),
        ({"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000"}, "context"),
        ({"type": "invalid_request_error", "message": "tools.0: bad"}, "invalid"),
        ("it broke", "server"),
        (None, "server"),
        (17, "server"),
    ],
)
def test_an_error_inside_a_stream_is_typed_and_keeps_what_came(error: Any, kind: str) -> None:
    failed = failure_of(
        goes_on("text", 0, text="So far"), *call("{", index=1), {"type": "error", "error": error, "request_id": "r"}
    )

    assert (failed.kind, failed.text_so_far, failed.calls_seen) == (kind, "So far", True)
    assert "sk-ant" not in failed.message


@pytest.mark.parametrize(
    ("status", "body", "kind", "wire_type"),
    [
        (
            401,
            {"error": {"type": "authentication_error", "message": "bad key sk-ant-1234567890"}},
            "auth",
            "authentication_error",
        ),
        (403, {"error": {"type": "permission_error", "message": "not yours"}}, "forbidden", "permission_error"),
        (429, {"error": {"type": "rate_limit_error", "message": "slow"}}, "rate_limit", "rate_limit_error"),
        (529, {"error": {"type": "overloaded_error", "message": "busy"}}, "overloaded", "overloaded_error"),
        (500, {"error": {"type": "api_error", "message": "oops"}}, "server", "api_error"),
        (502, b"<html>Bad Gateway</html>", "server", ""),
        (
            400,
            {"error": {"type": "invalid_request_error", "message": "prompt is too long"}},
            "context",
            "invalid_request_error",
        ),
        (
            400,
            {
                "error": {
                    "type": "invalid_request_error",
                    "message": "input length and `max_tokens` exceed context limit: 1 + 2 > 2",
                }
            },
            "context",
            "invalid_request_error",
        ),
        (413, {"error": {"type": "request_too_large", "message": "too large"}}, "context", "request_too_large"),
        (
            400,
            {"error": {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"}},
            "policy",
            "invalid_request_error",
        ),
        (422, {"error": {"type": "x", "message": "violates our usage policy"}}, "policy", "x"),
        (404, {"error": {"type": "not_found_error", "message": "model: claude-9"}}, "invalid", "not_found_error"),
        (307, b"", "invalid", ""),
    ],
)
def test_a_status_becomes_what_can_be_done_about_it(status: int, body: Any, kind: str, wire_type: str) -> None:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()

    failed = AnthropicReply("box").refused(status, {}, raw)

    assert (failed.kind, failed.status, failed.wire_type) == (kind, status, wire_type)
    assert "sk-ant" not in failed.message
    assert failed.message.startswith("box ")


def test_a_json_body_is_a_reply_too() -> None:
    body = {
        "id": "msg_1",
        "model": "claude",
        "content": [{"type": "text", "text": "Hi"}, {"type": "tool_use", "id": "t", "name": "Bash", "input": {"a": 1}}],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "output_tokens": 4},
    }

    assert AnthropicReply("anthropic").whole(json.dumps(body).encode()) == Reply(
        items=(TextItem(text="Hi"), CallItem(index=0)),
        calls=(WireCall(wire_id="t", tool="Bash", args_raw='{"a":1}'),),
        stop="calls",
        usage=Usage(input=3, output=4),
        model="claude",
    )


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}', "overloaded"),
        (b"{}", "protocol"),
        (b'{"choices": []}', "protocol"),
        (b'{"content": 7}', "protocol"),
        (b'"hi"', "protocol"),
    ],
)
def test_a_json_body_that_is_no_reply_is_an_error(body: bytes, kind: str) -> None:
    with pytest.raises(ModelFailed) as failed:
        AnthropicReply("anthropic").whole(body)

    assert failed.value.kind == kind


@given(
    st.lists(st.tuples(st.sampled_from(["text", "thinking"]), st.lists(st.text(), max_size=4)), max_size=5),
    st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=5), min_size=1, max_size=2), max_size=2),
)
@settings(max_examples=60)
def test_what_is_heard_is_what_is_kept(said: list[tuple[str, list[str]]], arguments: list[Json]) -> None:
    reply = AnthropicReply("anthropic")
    pieces: list[Piece] = []
    for index, (kind, texts) in enumerate(said):
        pieces += feed(
            reply, begins(kind, index), *(goes_on(kind, index, **{kind: text}) for text in texts), ends(index)
        )
    for index, argument in enumerate(arguments, len(said)):
        raw = json.dumps(argument)
        pieces += feed(reply, *call(raw[:3], raw[3:], index=index), ends(index))
    feed(reply, STOP)

    whole = reply.finish()

    for kind in ("text", "thinking"):
        expected = "".join("".join(texts) for name, texts in said if name == kind)
        assert "".join(text for piece in pieces if piece.kind == kind for text in piece.pieces) == expected
    assert reply.text_so_far == "".join(item.text for item in whole.items if isinstance(item, TextItem))
    assert [json.loads(call.args_raw) for call in whole.calls] == arguments
    assert all(call.complete for call in whole.calls)
