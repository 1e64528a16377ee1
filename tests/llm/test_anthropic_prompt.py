"""What is put on the wire for a prompt, and what is left out of it."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw
from msgspec.structs import replace

from yeaft.kernel.messages import (
    AssistantMessage,
    Call,
    CallItem,
    ImagePart,
    OpaqueItem,
    Part,
    PromptMessage,
    ReplyItem,
    ResultPart,
    TextItem,
    TextPart,
    ThinkingItem,
    UserMessage,
)
from yeaft.llm.anthropic import messages_url
from yeaft.llm.anthropic_prompt import encoder
from yeaft.llm.model import ModelEntry
from yeaft.llm.prompt import Prompt, SystemBlock, ToolSpec
from yeaft.llm.scripted.validate import validate
from yeaft.llm.wire_ids import WireIds

ENTRY = ModelEntry(
    provider="anthropic", id="claude", protocol="anthropic", context_tokens=200_000, output_tokens=64_000
)
PLAIN = replace(ENTRY, cache=False)
EPHEMERAL = {"type": "ephemeral"}
THOUGHT = ThinkingItem(text="hm", raw=Raw(b'{"type": "thinking",  "thinking":"hm","signature":"S+/=="}'))
SEARCH = OpaqueItem(wire_type="server_tool_use", raw=Raw(b'{"type":"server_tool_use","id":"srvtoolu_1"}'))


def user(*parts: Part | str) -> UserMessage:
    return UserMessage(parts=tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts))


def called(call_id: str, args_raw: str = "{}", wire_id: str = "") -> Call:
    return Call(call_id=call_id, wire_id=wire_id or f"toolu_{call_id}", tool="Bash", args_raw=args_raw)


def said(*items: ReplyItem | str, calls: tuple[Call, ...] = (), origin: str = "anthropic/claude") -> AssistantMessage:
    whole = tuple(TextItem(text=item) if isinstance(item, str) else item for item in items)
    return AssistantMessage(items=whole, calls=calls, origin=origin)


def prompt(*messages: PromptMessage, **more: Any) -> Prompt:
    return Prompt(**{"messages": messages, "max_output_tokens": 1000, **more})


def body(*messages: PromptMessage, entry: ModelEntry = PLAIN, **more: Any) -> Any:
    return json.loads(encoder(entry)(prompt(*messages, **more)))


def contents(*messages: PromptMessage, entry: ModelEntry = PLAIN) -> list[Any]:
    return [message["content"] for message in body(*messages, entry=entry)["messages"]]


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def test_a_whole_request_has_marks_where_later_ones_will_share_its_beginning() -> None:
    tool = ToolSpec(name="Bash", description="Run a command.", schema=Raw(b'{"type": "object"}'))

    sent = body(
        user("Hi"),
        entry=ENTRY,
        system=(
            SystemBlock(text="Rules", cache=True),
            SystemBlock(text="Persona", cache=True),
            SystemBlock(text=" ", cache=True),
            SystemBlock(text="Today"),
        ),
        tools=(tool, replace(tool, name="Grep")),
    )

    assert sent == {
        "model": "claude",
        "max_tokens": 1000,
        "stream": True,
        "system": [
            {**text("Rules"), "cache_control": EPHEMERAL},
            {**text("Persona"), "cache_control": EPHEMERAL},
            text("Today"),
        ],
        "tools": [
            {"name": "Bash", "description": "Run a command.", "input_schema": {"type": "object"}},
            {
                "name": "Grep",
                "description": "Run a command.",
                "input_schema": {"type": "object"},
                "cache_control": EPHEMERAL,
            },
        ],
        "messages": [{"role": "user", "content": [{**text("Hi"), "cache_control": EPHEMERAL}]}],
    }


def test_the_smallest_request_has_nothing_to_spare() -> None:
    assert encoder(PLAIN)(prompt(user("Hi"))) == (
        b'{"model":"claude","max_tokens":1000,"stream":true,'
        b'"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}'
    )


def test_a_reply_goes_back_to_its_model_in_its_order_and_byte_for_byte() -> None:
    reply = said(THOUGHT, "One.", CallItem(index=0), SEARCH, "Two.", calls=(called("c_1", '{"a": [1]}'),))
    result = ResultPart(call_id="c_1", text="done")

    sent = encoder(PLAIN)(prompt(user("Hi"), reply, user(result)))

    assert bytes(THOUGHT.raw) in sent
    assert json.loads(sent)["messages"][1]["content"] == [
        json.loads(bytes(THOUGHT.raw)),
        text("One."),
        {"type": "tool_use", "id": "toolu_c_1", "name": "Bash", "input": {"a": [1]}},
        json.loads(bytes(SEARCH.raw)),
        text("Two."),
    ]


@pytest.mark.parametrize("origin", ["anthropic/opus", "box/claude", ""])
def test_another_model_gets_only_text_and_calls(origin: str) -> None:
    cited = TextItem(text="So.", raw=Raw(b'{"type":"text","text":"So.","citations":[1]}'))
    reply = said(
        THOUGHT, cited, SEARCH, CallItem(index=0, raw=Raw(b'{"caller":1}')), calls=(called("c_1"),), origin=origin
    )

    _, content, _ = contents(user("Hi"), reply, user(ResultPart(call_id="c_1", text="done")))

    assert content == [text("So."), {"type": "tool_use", "id": "toolu_c_1", "name": "Bash", "input": {}}]


def test_fields_that_nobody_knows_go_back_with_text_and_calls() -> None:
    cited = TextItem(text="So.", raw=Raw(b'{"type":"text","text":"So.","citations":[1]}'))
    raw = Raw(b'{"type":"tool_use","id":"","name":"Bash","input":{},"caller":{"tool_id":"x"}}')
    reply = said(cited, CallItem(index=0, raw=raw), calls=(called("c_1", '{"a":1}'),))

    _, content, _ = contents(user("Hi"), reply, user(ResultPart(call_id="c_1", text="done")))

    assert content == [
        {**text("So."), "citations": [1]},
        {"type": "tool_use", "id": "toolu_c_1", "name": "Bash", "input": {"a": 1}, "caller": {"tool_id": "x"}},
    ]


@pytest.mark.parametrize(
    "raw", [b'{"type":"thinking","thinking":"hm"}', b'{"type":"thinking","thinking":"hm","signature":""}']
)
def test_thinking_without_a_signature_stays_at_home(raw: bytes) -> None:
    reply = said(ThinkingItem(text="hm", raw=Raw(raw)), "Hello")

    assert contents(user("Hi"), reply, user("go on"))[1] == [text("Hello")]


def test_redacted_thinking_goes_back() -> None:
    raw = b'{"type":"redacted_thinking","data":"XYZ"}'

    assert contents(user("Hi"), said(ThinkingItem(text="", raw=Raw(raw)), "Hello"), user("go on"))[1][0] == json.loads(
        raw
    )


def test_nothing_blank_is_sent_and_what_then_meets_is_merged() -> None:
    sent = body(
        user("Hi", " ", ""),
        said(replace(THOUGHT, raw=Raw(b'{"type":"thinking"}')), " \n"),
        user("more"),
        said("A"),
        user(" "),
        said("B"),
        user("end"),
    )

    assert sent["messages"] == [
        {"role": "user", "content": [text("Hi"), text("more")]},
        {"role": "assistant", "content": [text("A"), text("B")]},
        {"role": "user", "content": [text("end")]},
    ]


def test_results_come_first_in_their_message() -> None:
    reply = said(CallItem(index=0), CallItem(index=1), calls=(called("c_1"), called("c_2")))

    sent = contents(
        user("Hi"),
        reply,
        user(ResultPart(call_id="c_1", text="one"), "aside"),
        user(ResultPart(call_id="c_2", text=" ", failed=True), ImagePart(mime="image/png", data="AAAA")),
    )

    assert sent[2] == [
        {"type": "tool_result", "tool_use_id": "toolu_c_1", "content": "one"},
        {
            "type": "tool_result",
            "tool_use_id": "toolu_c_2",
            "content": "Failed without any output.",
            "is_error": True,
        },
        text("aside"),
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
    ]


def test_a_mark_is_never_put_on_an_empty_result() -> None:
    reply = said(CallItem(index=0), CallItem(index=1), calls=(called("c_1"), called("c_2")))
    results = user(ResultPart(call_id="c_1", text="one"), ResultPart(call_id="c_2", text=""))

    first, second = contents(user("Hi"), reply, results, entry=ENTRY)[2]

    assert "cache_control" in first
    assert "cache_control" not in second


def test_a_model_that_sees_no_images_is_told_that_there_was_one() -> None:
    blind = replace(PLAIN, images=False)

    assert contents(user(ImagePart(mime="image/png", data="AAAA")), entry=blind) == [[text("[image/png]")]]


@pytest.mark.parametrize(
    ("args_raw", "arguments"),
    [
        ('{"a": "b"}', {"a": "b"}),
        ('{"a": "b', {}),
        ("[1, 2]", {}),
        ("", {}),
        ('"x"', {}),
        ('{"a": "line\nline"}', {"a": "line\nline"}),
        (r'{"\ud800": "\udfff"}', {"\ufffd": "\ufffd"}),
        ('{"a":' * 50_000, {}),
    ],
)
def test_arguments_are_always_an_object(args_raw: str, arguments: dict[str, Any]) -> None:
    reply = said(CallItem(index=0), calls=(called("c_1", args_raw),))

    assert contents(user("Hi"), reply, user(ResultPart(call_id="c_1", text="x")))[1][0]["input"] == arguments


@pytest.mark.parametrize(
    ("tool", "name"), [("", "unnamed"), ("run it!", "run_it_"), ("工具", "__"), ("x" * 200, "x" * 128)]
)
def test_a_call_by_an_odd_name_does_not_spoil_the_conversation(tool: str, name: str) -> None:
    reply = said(CallItem(index=0), calls=(replace(called("c_1"), tool=tool),))

    assert contents(user("Hi"), reply, user(ResultPart(call_id="c_1", text="No such tool.")))[1][0]["name"] == name


def test_a_call_without_an_item_is_still_sent() -> None:
    reply = said("Look:", calls=(called("c_1"),))

    assert [block["type"] for block in contents(user("Hi"), reply, user(ResultPart(call_id="c_1", text="x")))[1]] == [
        "text",
        "tool_use",
    ]


def test_a_paused_reply_is_gone_on_with() -> None:
    assert contents(user("Hi"), said("Searching.", SEARCH))[-1] == [text("Searching."), json.loads(bytes(SEARCH.raw))]


@pytest.mark.parametrize("messages", [(), (user("Hi"), said("Hello")), (user(" "),)])
def test_a_request_that_no_server_would_take_is_a_bug(messages: tuple[PromptMessage, ...]) -> None:
    with pytest.raises(AssertionError):
        encoder(ENTRY)(prompt(*messages))


@pytest.mark.parametrize(
    ("changes", "effort", "fields"),
    [
        ({}, "high", {}),
        ({"efforts": ("low", "high"), "thinking": "adaptive"}, "", {}),
        ({"efforts": ("low", "high"), "thinking": "adaptive"}, "gigantic", {}),
        (
            {"efforts": ("low", "high"), "thinking": "adaptive"},
            "high",
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}},
        ),
        ({"efforts": ("low", "high"), "thinking": "none"}, "low", {"output_config": {"effort": "low"}}),
        (
            {"efforts": ("low", "medium"), "thinking": "budget"},
            "low",
            {"thinking": {"type": "enabled", "budget_tokens": 4096}, "max_tokens": 5120},
        ),
        (
            {"efforts": ("high", "max"), "thinking": "budget", "id": "claude-opus-4"},
            "max",
            {"thinking": {"type": "enabled", "budget_tokens": 62_976}, "max_tokens": 64_000},
        ),
        (
            {"efforts": ("high", "max"), "thinking": "budget"},
            "max",
            {"thinking": {"type": "enabled", "budget_tokens": 32_000}, "max_tokens": 33_024},
        ),
        ({"efforts": ("low",), "thinking": "budget", "output_tokens": 2000}, "low", {}),
    ],
)
def test_an_effort_is_asked_for_in_the_models_own_way(changes: Any, effort: str, fields: dict[str, Any]) -> None:
    sent = body(user("Hi"), entry=replace(PLAIN, **changes), effort=effort)

    del sent["messages"], sent["model"], sent["stream"]
    assert sent == {"max_tokens": 1000, **fields}


@pytest.mark.parametrize(
    ("reply", "may_think"),
    [
        (said(THOUGHT, CallItem(index=0), calls=(called("c_1"),)), True),
        (said(CallItem(index=0), calls=(called("c_1"),)), False),
        (said(THOUGHT, CallItem(index=0), calls=(called("c_1"),), origin="box/other"), False),
        (said(SEARCH, CallItem(index=0), calls=(called("c_1"),)), False),
    ],
)
def test_thinking_is_not_switched_on_between_a_call_without_thinking_and_its_result(
    reply: AssistantMessage, may_think: bool
) -> None:
    thinker = replace(PLAIN, thinking="budget", efforts=("low",))

    sent = body(user("Hi"), reply, user(ResultPart(call_id="c_1", text="x")), entry=thinker, effort="low")

    assert ("thinking" in sent) == may_think


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/", "https://api.anthropic.com/v1/messages"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/messages"),
        ("http://127.0.0.1:8080/v1/ ", "http://127.0.0.1:8080/v1/messages"),
        ("https://gate.example/anthropic?team=a", "https://gate.example/anthropic/v1/messages?team=a"),
        ("https://gate.example/v1/messages", "https://gate.example/v1/messages"),
    ],
)
def test_the_base_url_may_end_in_the_version_or_not(base_url: str, url: str) -> None:
    assert messages_url(base_url) == url


def test_wire_ids_stay_unless_they_are_odd_or_taken() -> None:
    odd = ["toolu_1", "", "toolu_1", "call|fc 1", "x" * 65, "c_1", "x" * 64]
    calls = tuple(called(f"c_{number}", wire_id=wire_id) for number, wire_id in enumerate(odd))
    empty = replace(calls[1], wire_id="")

    planned = WireIds()
    planned.add((calls[0], empty))
    planned.add(calls[2:])

    assert planned.of == {
        "c_0": "toolu_1",
        "c_1": "c_1",
        "c_2": "c_2",
        "c_3": "c_3",
        "c_4": "c_4",
        "c_5": "c_5",
        "c_6": "x" * 64,
    }


WIRE_IDS = st.sampled_from(["a", "b", "", "c_0", "c_1", "c_1_2", "not valid", "é"])


@given(st.lists(WIRE_IDS, max_size=8))
@settings(max_examples=100)
def test_wire_ids_are_valid_unique_and_stable_as_the_conversation_grows(wire_ids: list[str]) -> None:
    calls = [
        Call(call_id=f"c_{number}", wire_id=wire_id, tool="Bash", args_raw="{}")
        for number, wire_id in enumerate(wire_ids)
    ]
    planned, earlier = WireIds(), list[dict[str, str]]()

    for call in calls:
        planned.add((call,))
        earlier.append(dict(planned.of))

    assert len(set(planned.of.values())) == len(calls)
    assert all(value.isascii() and value.replace("_", "").replace("-", "").isalnum() for value in planned.of.values())
    for then in earlier:
        assert then == {call_id: planned.of[call_id] for call_id in then}


TEXTS = st.sampled_from(["", " ", "hi", "你好"])
PARTS = st.one_of(st.builds(TextPart, text=TEXTS), st.just(ImagePart(mime="image/png", data="AAAA")))
ITEMS = st.sampled_from(
    [THOUGHT, SEARCH, TextItem(text=""), TextItem(text="ok"), ThinkingItem(text="x", raw=Raw(b'{"type":"thinking"}'))]
)
TURNS = st.tuples(
    st.lists(PARTS, max_size=3),
    st.lists(ITEMS, max_size=3),
    st.lists(st.tuples(WIRE_IDS, st.sampled_from(["", "Bash", "odd name"]), TEXTS, st.booleans()), max_size=3),
    st.sampled_from(["anthropic/claude", "box/x"]),
)


def conversation(turns: list[Any]) -> list[PromptMessage]:
    """Each turn: what the user says, what the model says, and calls that all get their results."""
    messages: list[PromptMessage] = [user("start")]
    for turn, (parts, items, wanted, origin) in enumerate(turns):
        calls = tuple(
            Call(call_id=f"c_{turn}_{at}", wire_id=wire_id, tool=tool, args_raw=text)
            for at, (wire_id, tool, text, _) in enumerate(wanted)
        )
        results = [
            ResultPart(call_id=call.call_id, text=text, failed=failed)
            for call, (_, _, text, failed) in zip(calls, wanted, strict=True)
        ]
        placed = [*items, *(CallItem(index=index) for index in range(len(calls)))]
        messages += [said(*placed, calls=calls, origin=origin), user(*results, *parts)]
    return [*messages, user("end")]


@given(
    st.lists(TURNS, max_size=5),
    st.lists(st.builds(SystemBlock, text=st.sampled_from(["", "rule"]), cache=st.booleans()), max_size=6),
    st.booleans(),
    st.sampled_from(["none", "adaptive", "budget"]),
)
@settings(max_examples=150)
def test_any_conversation_becomes_a_request_that_the_service_takes(
    turns: list[Any], system: list[SystemBlock], has_tools: bool, thinking: Any
) -> None:
    tool = ToolSpec(name="Bash", description="", schema=Raw(b'{"type":"object"}'))
    entry = replace(ENTRY, thinking=thinking, efforts=("low",))

    sent = body(*conversation(turns), entry=entry, system=tuple(system), tools=(tool,) * has_tools, effort="low")

    assert validate("anthropic", sent) == []
