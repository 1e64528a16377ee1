"""How servers of the Responses protocol say that something is wrong, and what is made of it."""

import json
from typing import Any

import pytest

from yeaft.kernel.errors import ModelFailed
from yeaft.llm.responses_reply import ResponsesReply
from yeaft.llm.sse import SseEvent


def refused(status: int, body: Any, headers: dict[str, str] | None = None) -> ModelFailed:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return ResponsesReply("openai").refused(status, headers or {}, raw)


def broken(*events: dict[str, Any]) -> ModelFailed:
    reply = ResponsesReply("openai")
    *before, last = [SseEvent("", json.dumps(each).encode()) for each in events]
    for each in before:
        reply.feed(each)
    with pytest.raises(ModelFailed) as failed:
        reply.feed(last)
    return failed.value


def error(message: str, code: Any = None, kind: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "code": code, "param": None}}


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, error("Incorrect API key provided", "invalid_api_key"), "auth"),
        (400, error("Incorrect API key provided", "invalid_api_key"), "auth"),
        (400, {"code": "invalid argument", "error": "Incorrect API key provided: xa***yz."}, "auth"),
        (403, error("Country not supported", "unsupported_country_region_territory"), "forbidden"),
        (429, error("Rate limit reached", "rate_limit_exceeded", "tokens"), "rate_limit"),
        (429, error("Request too large: exceeds the context window per minute", "rate_limit_exceeded"), "rate_limit"),
        (429, error("You exceeded your current quota", "insufficient_quota"), "forbidden"),
        (402, {"error": "Payment required"}, "forbidden"),
        (400, error("too long", "context_length_exceeded"), "context"),
        (400, error("This model's maximum context length is 4096 tokens"), "context"),
        (400, error("the request exceeds the available context size", 400, "exceed_context_size_error"), "context"),
        (400, {"object": "error", "message": "maximum context length is 32", "type": "BadRequestError"}, "context"),
        (413, b"<html>413 Request Entity Too Large</html>", "context"),
        (422, error("The content was blocked"), "policy"),
        (400, error("blocked", "content_filter"), "policy"),
        (422, {"detail": [{"loc": ["body", "input"], "msg": "Field required"}]}, "invalid"),
        (400, error("Unknown parameter: 'foo'", "unknown_parameter", "invalid_request_error"), "invalid"),
        (404, error("The model 'x' does not exist", "model_not_found"), "invalid"),
        (500, error("oops"), "server"),
        (502, b"<html>Bad gateway</html>", "server"),
        (503, error("The server is currently overloaded"), "overloaded"),
        (503, b"", "overloaded"),
        (529, b"", "overloaded"),
        (408, b"", "server"),
    ],
)
def test_a_status_becomes_what_can_be_done_about_it(status: int, body: Any, kind: str) -> None:
    failed = refused(status, body)

    assert (failed.kind, failed.status) == (kind, status)


@pytest.mark.parametrize(
    "events",
    [
        [{"type": "error", "code": "rate_limit_exceeded", "message": "Slow", "param": None}],
        [{"type": "error", "error": {"type": "tokens", "code": "rate_limit_exceeded", "message": "Slow"}}],
        [{"error": {"code": 429, "message": "Slow", "type": "rate_limit_error"}}],
        [{"type": "response.failed", "response": {"error": {"code": "rate_limit_exceeded", "message": "Slow"}}}],
        [
            {
                "type": "response.completed",
                "response": {"status": "failed", "error": {"code": "rate_limit", "message": "Slow"}},
            }
        ],
    ],
)
def test_an_error_inside_a_stream_is_typed_however_it_is_worded(events: list[dict[str, Any]]) -> None:
    failed = broken({"type": "response.output_text.delta", "delta": "So far"}, *events)

    assert (failed.kind, failed.message, failed.text_so_far) == ("rate_limit", "openai failed: Slow", "So far")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (error("An error occurred", "server_error"), "server"),
        (error("template failed", 500, "server_error"), "server"),
        (error("no such tool", 400, "invalid_request_error"), "invalid"),
        (error("Your input exceeds the context window of this model", "context_length_exceeded"), "context"),
        (error("flagged", "invalid_prompt"), "policy"),
        ({"error": "it broke"}, "server"),
        (error(""), "server"),
    ],
)
def test_an_error_inside_a_stream_is_sorted_like_a_status(body: dict[str, Any], kind: str) -> None:
    assert broken(body).kind == kind


def test_a_body_of_status_200_can_hold_an_error() -> None:
    with pytest.raises(ModelFailed) as failed:
        ResponsesReply("openai").whole(b'{"error": {"message": "no", "code": "server_error"}}')

    assert (failed.value.kind, failed.value.wire_type) == ("server", "server_error")


@pytest.mark.parametrize("body", [b"<html>", b"", b"[]", b"{}", b'"hi"', b'{"choices": []}'])
def test_a_body_that_is_no_reply_is_not_the_protocol(body: bytes) -> None:
    with pytest.raises(ModelFailed) as failed:
        ResponsesReply("openai").whole(body)

    assert failed.value.kind == "protocol"


def test_a_body_that_breaks_off_is_truncated() -> None:
    with pytest.raises(ModelFailed) as failed:
        ResponsesReply("openai").whole(b'{"output": [{"type": "message", "content": "Hel')

    assert failed.value.kind == "truncated"


def test_keys_are_never_shown() -> None:
    key = "sk-proj-abcdefghijk123"

    unauthorized = refused(401, error(f"Incorrect API key provided: {key}", "invalid_api_key"))
    odd = refused(400, error(f"bad header: Bearer {key}, {key}"))

    assert key not in unauthorized.message + odd.message
    assert "'openai'" in unauthorized.message


@pytest.mark.parametrize(
    ("words", "wait_s"),
    [
        ("Please try again in 11.054s. Visit https://example.com", 11.054),
        ("Please try again in 20ms.", 0.02),
        ("Please try again in 1m30s.", 90.0),
        ("Retry after 5 seconds", 5.0),
        ("Try again later", None),
    ],
)
def test_the_wait_is_read_from_the_message_where_no_header_says_it(words: str, wait_s: float | None) -> None:
    assert broken(error(words, "rate_limit_exceeded")).retry_after_s == wait_s
    assert refused(429, error(words)).retry_after_s == wait_s
    assert refused(429, error(words), {"retry-after": "7"}).retry_after_s is None


def test_a_server_that_does_not_know_the_path_may_not_speak_the_protocol() -> None:
    assert "does the server speak the Responses protocol?" in refused(404, b"<html>not here</html>").message
    assert "Responses protocol" not in refused(404, error("No model 'x'", "model_not_found")).message


def test_long_messages_are_cut() -> None:
    assert len(refused(400, error("x" * 10_000)).message) < 1000
