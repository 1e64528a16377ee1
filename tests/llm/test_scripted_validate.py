"""The validator against recorded requests that real services accepted, and against every kind that they refuse."""

import copy
import json
from typing import Any

import pytest

from yeaft.llm.scripted.validate import validate

TOOL = {"name": "Bash", "input_schema": {"type": "object"}}
ANTHROPIC = {
    "model": "m",
    "max_tokens": 99,
    "system": [{"type": "text", "text": "Rules.", "cache_control": {"type": "ephemeral"}}],
    "tools": [TOOL],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Look."}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "sig"},
                {"type": "tool_use", "id": "t_1", "name": "Bash", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t_1", "content": "ok"},
                {"type": "text", "text": "Go on."},
            ],
        },
    ],
}
RESPONSES = {
    "model": "m",
    "store": False,
    "tools": [{"type": "function", "name": "Bash", "parameters": {"type": "object"}}],
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "Look."}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"},
        {"type": "function_call", "id": "fc_1", "call_id": "t_1", "name": "Bash", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "t_1", "output": "ok"},
    ],
}
NOT_AS_SENT = {
    "or-llamacpp-tool": "llama.cpp goes on with an assistant message, OpenAI does not",
    "or-openrouter-responses-prompt-cache-e2e-t1": "the gateway has parameters of its own",
    "or-openrouter-responses-prompt-cache-e2e-t2": "the gateway has parameters of its own",
    "an-llamacpp-ctx-overflow": "the recording left the messages out",
}


def test_requests_that_real_services_accepted_are_accepted(wire: Any) -> None:
    refused = {}
    for request in (wire.folder / "dev").glob("*/request.json"):
        case = request.parent.name
        if case not in NOT_AS_SENT:
            protocol = "anthropic" if case.startswith("an-") else "openai-responses"
            refused[case] = validate(protocol, json.loads(request.read_bytes()))

    assert len(refused) > 50
    assert {case: problems for case, problems in refused.items() if problems} == {}


@pytest.mark.parametrize(("protocol", "body"), [("anthropic", ANTHROPIC), ("openai-responses", RESPONSES)])
def test_a_sound_request_has_no_problems(protocol: Any, body: Any) -> None:
    assert validate(protocol, body) == []


def changed(body: Any, *path: Any) -> Any:
    """A copy of `body` in which the place `path[:-1]` holds `path[-1]`."""
    body = copy.deepcopy(body)
    *way, last, value = path
    spot = body
    for key in way:
        spot = spot[key]
    spot[last] = value
    return body


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        (["model", ""], "model: field required"),
        (["max_tokens", 0], "max_tokens: a positive number is required"),
        (["color", "red"], "color: extra inputs are not permitted"),
        (["system", 0, "text", " \n"], "system.0: text content blocks must contain non-whitespace text"),
        (["tools", [TOOL, TOOL]], "tools.1.name: tool names must be unique, 'Bash' is not"),
        (["tools", 0, "name", "a b"], "tools.0.name: 'a b' does not match"),
        (["tools", 0, "input_schema", {}], "tools.0.input_schema.type: must be 'object'"),
        (["thinking", {"type": "enabled", "budget_tokens": 5000}], "budget_tokens: must be less than max_tokens"),
        (["thinking", {"type": "enabled", "budget_tokens": 50}], "budget_tokens: must be at least 1024"),
        (["messages", []], "messages: at least one message is required"),
        (["messages", ANTHROPIC["messages"][1:]], "the first message must be the user's"),
        (["messages", ANTHROPIC["messages"][:2]], "must end with a user message"),
        (["messages", 1, "role", "system"], "'system' is neither 'user' nor 'assistant'"),
        (["messages", 1, "id", "x"], "messages.1.id: extra inputs are not permitted"),
        (["messages", 1, "role", "user"], "roles must alternate"),
        (["messages", 0, "content", ""], "text content blocks must contain non-whitespace text"),
        (["messages", 0, "content", []], "messages.0.content: must not be empty"),
        (["messages", 1, "content", 0, "signature", ""], "messages.1.content.0.signature: field required"),
        (["messages", 1, "content", 0, "signature", "scripted.x"], "invalid signature in thinking block"),
        (["messages", 1, "content", 1, "id", "a:b"], "messages.1.content.1.id: 'a:b' does not match"),
        (["messages", 1, "content", 1, "id", "t_2"], "tool_use 't_2' needs exactly one tool_result here, found 0"),
        (["messages", 1, "content", 1, "id", "t_2"], "tool_result 't_1' has no tool_use in the message before it"),
        (["messages", 1, "content", 1, "input", "{}"], "messages.1.content.1.input: must be an object"),
        (
            ["messages", 2, "content", [{"type": "text", "text": "x"}, ANTHROPIC["messages"][2]["content"][0]]],
            "tool_result blocks must come before any other content",
        ),
        (
            ["messages", 2, "content", [ANTHROPIC["messages"][2]["content"][0]] * 2],
            "exactly one tool_result here, found 2",
        ),
        (
            [
                "messages",
                2,
                "content",
                0,
                {"type": "tool_result", "tool_use_id": "t_1", "is_error": True, "content": ""},
            ],
            "content: cannot be empty if is_error is true",
        ),
        (["messages", 0, "content", 0, "text", "half \ud83d"], "body.messages[0].content[0].text: a lone surrogate"),
        (["metadata", {"\ude00": 1}], "a lone surrogate cannot be sent"),
        (["system", ANTHROPIC["system"] * 5], "cache_control: at most 4 blocks may have it, found 5"),
    ],
)
def test_the_anthropic_service_would_refuse(path: list[Any], problem: str) -> None:
    assert any(problem in found for found in validate("anthropic", changed(ANTHROPIC, *path)))


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        (["model", ""], "model: missing required parameter"),
        (["color", "red"], "color: unknown parameter"),
        (["max_output_tokens", 5], "max_output_tokens: must be at least 16"),
        (["prompt_cache_key", "x" * 65], "prompt_cache_key: must be a string of 1 to 64 characters"),
        (["tools", RESPONSES["tools"] * 2], "tools[1].name: tool names must be unique, 'Bash' is not"),
        (["tools", 0, "parameters", None], "tools[0].parameters: must be the schema of an object"),
        (["input", " "], "input: must not be empty"),
        (["input", []], "input: must not be empty"),
        (["input", RESPONSES["input"][:3]], "no tool output found for function call 't_1'"),
        (["input", RESPONSES["input"][:2]], "reasoning was provided without its required following item"),
        (["input", [*RESPONSES["input"], {"role": "assistant", "content": "Hi."}]], "input: must end with a message"),
        (["input", 0, "content", []], "input[0].content: must not be empty"),
        (["input", 0, "content", 0, "text", ""], "input[0].content[0].text: must not be empty"),
        (["input", 0, "content", 0, "type", "text"], "input[0].content[0].type: 'text' is not allowed for 'user'"),
        (["input", 0, "role", "tool"], "input[0].role: 'tool' is no role"),
        (["input", 1, "encrypted_content", ""], "reasoning that is not stored needs its encrypted_content"),
        (["input", 1, "encrypted_content", "scripted.x"], "encrypted_content could not be verified"),
        (["input", 2, "arguments", {}], "input[2].arguments: must be a string"),
        (["input", 2, "name", ""], "input[2].name: '' does not match"),
        (["input", 2, "call_id", ""], "input[2].call_id: must be a string of 1 to 64 characters"),
        (["input", 2, "id", "rs_1"], "input[2].id: duplicate item 'rs_1'"),
        (["input", 3, "call_id", "t_9"], "input[3]: no call waits for an output of 't_9'"),
        (["input", 3, "output", "half \ud83d"], "body.input[3].output: a lone surrogate cannot be sent"),
        (["input", 3, "output", None], "input[3].output: must be a string or a list"),
    ],
)
def test_the_openai_service_would_refuse(path: list[Any], problem: str) -> None:
    assert any(problem in found for found in validate("openai-responses", changed(RESPONSES, *path)))


def test_user_text_between_a_call_and_its_output_is_refused() -> None:
    asked, _, call, output = RESPONSES["input"]

    problems = validate("openai-responses", {**RESPONSES, "input": [asked, call, asked, output]})

    assert "input[2]: no tool output found for function call 't_1'" in problems
    assert "input[3]: no call waits for an output of 't_1'" in problems
