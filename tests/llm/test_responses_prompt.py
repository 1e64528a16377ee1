"""The bodies of Responses requests: what OpenAI needs, what plain servers bear, and what goes back unchanged."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw

from yeaft.kernel.messages import (
    AssistantMessage,
    Call,
    CallItem,
    ImagePart,
    OpaqueItem,
    PromptMessage,
    ResultPart,
    TextItem,
    TextPart,
    ThinkingItem,
    UserMessage,
)
from yeaft.llm.model import ModelEntry
from yeaft.llm.prompt import Prompt, SystemBlock, ToolSpec
from yeaft.llm.responses_prompt import encoder

PLAIN = ModelEntry(provider="box", id="qwen", protocol="openai-responses", context_tokens=8192, output_tokens=1024)
THINKER = ModelEntry(
    provider="openai",
    id="gpt-9",
    protocol="openai-responses",
    context_tokens=400_000,
    output_tokens=64_000,
    efforts=("low", "high"),
)


def user(*parts: str | ResultPart | ImagePart) -> UserMessage:
    return UserMessage(parts=tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts))


def result(call_id: str, text: str) -> ResultPart:
    return ResultPart(call_id=call_id, text=text)


def raw(value: Any) -> Raw:
    return Raw(json.dumps(value).encode())


def body(*messages: PromptMessage, entry: ModelEntry = PLAIN, **more: Any) -> dict[str, Any]:
    return msgspec.json.decode(encoder(entry)(Prompt(messages=messages, max_output_tokens=500, **more)))


def reply(*items: Any, calls: tuple[Call, ...] = (), origin: str = "openai/gpt-9") -> AssistantMessage:
    return AssistantMessage(items=items, calls=calls, origin=origin)


REASONING = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAAA"}
SAID = {"id": "msg_9", "type": "message", "role": "assistant", "status": "completed", "phase": "commentary"}
SAID["content"] = [{"type": "output_text", "text": "Let me look.", "annotations": [], "logprobs": []}]
ASKED = {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "Bash", "status": "completed"}
ASKED["arguments"] = '{"command": "ls"}'
CALL = Call(call_id="c_1", wire_id="call_1", tool="Bash", args_raw='{"command": "ls"}')


def thinks(**more: Any) -> ThinkingItem:
    return ThinkingItem(text="", raw=raw({**REASONING, **more}))


def says(text: str = "Let me look.") -> TextItem:
    return TextItem(text=text, raw=raw(SAID))


def calls(**more: Any) -> CallItem:
    return CallItem(index=0, raw=raw({**ASKED, **more}))


def test_a_plain_server_is_sent_only_what_it_knows() -> None:
    tool = ToolSpec(name="Bash", description="Run", schema=raw({"type": "object"}))

    sent = body(
        user("hi"),
        system=(SystemBlock(text="Be kind."), SystemBlock(text=" "), SystemBlock(text="Today is Monday.")),
        tools=(tool,),
        effort="high",
    )

    assert sent == {
        "model": "qwen",
        "instructions": "Be kind.\n\nToday is Monday.",
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}],
        "tools": [
            {
                "type": "function",
                "name": "Bash",
                "description": "Run",
                "parameters": {"type": "object"},
                "strict": False,
            }
        ],
        "max_output_tokens": 500,
        "store": False,
        "stream": True,
    }


def test_a_thinking_model_is_asked_for_its_reasoning_and_given_an_effort_it_knows() -> None:
    sent = body(user("hi"), entry=THINKER, effort="max", cache_key="k" * 70)

    assert sent["reasoning"] == {"effort": "high"}
    assert sent["include"] == ["reasoning.encrypted_content"]
    assert sent["prompt_cache_key"] == "k" * 64


def test_nothing_is_sent_that_the_model_cannot_use() -> None:
    entry = msgspec.structs.replace(PLAIN, tools=False, images=False, cache=False)
    tool = ToolSpec(name="Bash", description="Run", schema=raw({}))

    sent = body(user("see", ImagePart(mime="image/png", data="AAAA")), entry=entry, tools=(tool,), cache_key="k")

    assert sent.keys() == {"model", "input", "max_output_tokens", "store", "stream"}
    assert [part["type"] for part in sent["input"][0]["content"]] == ["input_text", "input_text"]


def test_results_come_first_and_what_else_the_user_said_follows_as_one_message() -> None:
    asked = reply(calls(), calls=(CALL,))

    sent = body(user("go"), asked, user(result("c_1", "a.txt"), "also:", ImagePart(mime="image/png", data="AAAA"), " "))

    picture = {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"}
    assert sent["input"][2:] == [
        {"type": "function_call_output", "call_id": "call_1", "output": "a.txt"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "also:"}, picture]},
    ]


def test_the_same_model_gets_its_items_back_byte_for_byte() -> None:
    unknown = OpaqueItem(wire_type="telepathy", raw=Raw(b'{"type":"telepathy","x":1.50,"y":"\\u00e9"}'))
    items = (thinks(), says(), unknown, calls())

    sent = encoder(THINKER)(
        Prompt(messages=(user("go"), reply(*items, calls=(CALL,)), user(result("c_1", "ok"))), max_output_tokens=9)
    )

    assert b",".join(bytes(item.raw) for item in items) in sent


def test_another_model_gets_only_text_and_calls() -> None:
    said = reply(thinks(), says(), OpaqueItem(wire_type="odd", raw=raw({"type": "odd"})), calls(), calls=(CALL,))

    sent = body(user("go"), said, user(result("c_1", "ok")))

    assert sent["input"][1:] == [
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Let me look.", "annotations": []}],
        },
        {"type": "function_call", "call_id": "call_1", "name": "Bash", "arguments": '{"command": "ls"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "ok"},
    ]


def test_reasoning_that_only_the_provider_could_look_up_is_left_out_with_the_ids_that_refer_to_it() -> None:
    said = reply(thinks(encrypted_content=None), says(), calls(), calls=(CALL,))

    sent = body(user("go"), said, user(result("c_1", "ok")), entry=THINKER)

    assert [item["type"] for item in sent["input"]] == ["message", "message", "function_call", "function_call_output"]
    assert sent["input"][1]["id"] == "msg_1"
    assert "id" not in sent["input"][2]


def test_open_reasoning_goes_back_too() -> None:
    open_thought = thinks(encrypted_content="", content=[{"type": "reasoning_text", "text": "hm"}])

    sent = body(user("go"), reply(open_thought, says()), user("on"), entry=THINKER)

    assert [item["type"] for item in sent["input"]] == ["message", "reasoning", "message", "message"]


def test_reasoning_that_led_to_nothing_is_left_out() -> None:
    sent = body(user("go"), reply(thinks()), user("on"), reply(says(), thinks(), says(" ")), user("on"), entry=THINKER)

    assert [item["type"] for item in sent["input"]] == ["message"] * 4


@pytest.mark.parametrize(
    ("tool", "args_raw", "expected"),
    [
        ("Bash", "not json", ("Bash", "{}")),
        ("Bash", "[1]", ("Bash", "{}")),
        ("Bash", '{"a": "tab\there"}', ("Bash", '{"a":"tab\\there"}')),
        ("Bash", '{"a": "\\ud800"}', ("Bash", '{"a":"\ufffd"}')),
        ("", "{}", ("unknown", "{}")),
        ("rm -rf é", "{}", ("rm_-rf__", "{}")),
    ],
)
def test_a_malformed_call_cannot_break_later_requests(tool: str, args_raw: str, expected: tuple[str, str]) -> None:
    call = Call(call_id="c_1", wire_id="call_1", tool=tool, args_raw=args_raw)

    sent = body(user("go"), reply(calls(name=tool, arguments=args_raw), calls=(call,)), user(result("c_1", "?")))
    same = body(
        user("go"), reply(calls(name=tool, arguments=args_raw), calls=(call,)), user(result("c_1", "?")), entry=THINKER
    )

    assert (sent["input"][1]["name"], sent["input"][1]["arguments"]) == expected
    assert (same["input"][1]["name"], same["input"][1]["arguments"]) == expected


def test_ids_that_repeat_or_are_missing_are_told_apart() -> None:
    twice = (CALL, Call(call_id="c_2", wire_id="call_1", tool="Bash", args_raw="{}"))
    nameless = Call(call_id="c_3", wire_id="", tool="Bash", args_raw="{}")

    sent = body(
        user("go"),
        reply(calls(), CallItem(index=1, raw=raw(ASKED)), calls=twice),
        user(result("c_1", "one"), result("c_2", "two")),
        reply(CallItem(index=0), calls=(nameless,)),
        user(result("c_3", "three")),
        entry=THINKER,
    )

    ids = [(item["type"], item["call_id"], item.get("output")) for item in sent["input"][1:]]
    assert ids == [
        ("function_call", "call_1", None),
        ("function_call", "c_2", None),
        ("function_call_output", "call_1", "one"),
        ("function_call_output", "c_2", "two"),
        ("function_call", "c_3", None),
        ("function_call_output", "c_3", "three"),
    ]


def test_a_custom_call_is_answered_in_its_own_form() -> None:
    custom = raw({"type": "custom_tool_call", "call_id": "call_1", "name": "sql", "input": "SELECT 1"})
    call = Call(call_id="c_1", wire_id="call_1", tool="sql", args_raw="SELECT 1")

    sent = body(
        user("go"), reply(CallItem(index=0, raw=custom), calls=(call,)), user(result("c_1", "1")), entry=THINKER
    )

    assert [item["type"] for item in sent["input"][1:]] == ["custom_tool_call", "custom_tool_call_output"]


def test_a_result_without_its_call_is_not_sent() -> None:
    assert len(body(user(result("c_gone", "late"), "hi"))["input"]) == 1


def test_lone_surrogates_never_reach_the_wire() -> None:
    bad = "a\ud800b"

    sent = body(user(bad, "x"), reply(TextItem(text=bad), origin=""), user("hi"), system=(SystemBlock(text=bad),))

    assert sent["instructions"] == "a\ufffdb"
    assert sent["input"][0]["content"][0]["text"] == "a\ufffdb"
    assert sent["input"][1]["content"][0]["text"] == "a\ufffdb"


def test_a_request_ends_with_something_to_answer() -> None:
    with pytest.raises(AssertionError):
        body(user("hi"), reply(says()))
    with pytest.raises(AssertionError):
        body()


anything = st.text(max_size=12)
made_calls = st.lists(st.tuples(anything, anything, anything), max_size=3)


@settings(max_examples=80, deadline=None)
@given(rounds=st.lists(st.tuples(anything, made_calls, anything, st.booleans()), max_size=4))
def test_whatever_models_said_the_strictest_server_accepts_it(rounds: list[Any]) -> None:
    types = pytest.importorskip("openai.types.responses")
    pydantic = pytest.importorskip("pydantic")
    messages: list[PromptMessage] = [user("go")]
    for number, (text, made, answer, own) in enumerate(rounds):
        made_here = tuple(
            Call(call_id=f"c_{number}_{index}", wire_id=wire_id, tool=tool, args_raw=args)
            for index, (wire_id, tool, args) in enumerate(made)
        )
        items = [CallItem(index=index) for index in range(len(made_here))]
        messages.append(reply(TextItem(text=text), *items, calls=made_here, origin="box/qwen" if own else ""))
        messages.append(user(*(result(call.call_id, answer) for call in made_here), "next"))

    sent = body(*messages)["input"]

    shapes = (types.EasyInputMessageParam, types.ResponseOutputMessageParam, types.ResponseFunctionToolCallParam)
    union = shapes[0] | shapes[1] | shapes[2] | types.response_input_item_param.FunctionCallOutput
    pydantic.TypeAdapter(list[union]).validate_python(sent)
    assert [item["call_id"] for item in sent if item["type"] == "function_call_output"] == [
        item["call_id"] for item in sent if item["type"] == "function_call"
    ]
    for item in sent:
        if item["type"] == "function_call":
            assert isinstance(json.loads(item["arguments"]), dict)
