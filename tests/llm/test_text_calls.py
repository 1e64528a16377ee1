"""A model without tool calling is told of tools, calls and results in text, and its text becomes calls again."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from yeaft.config.settings import Config
from yeaft.engine.settings import Settings
from yeaft.engine.window.room import system_tokens, tool_tokens, tools_tokens
from yeaft.kernel.errors import ModelFailed
from yeaft.kernel.messages import (
    AssistantMessage,
    Call,
    CallItem,
    ImagePart,
    PromptMessage,
    ResultPart,
    TextItem,
    TextPart,
    ThinkingItem,
    UserMessage,
    WireCall,
)
from yeaft.llm.catalogue import read_catalogue
from yeaft.llm.embedded_server import Address
from yeaft.llm.encoding import encoder_of
from yeaft.llm.model import Model, ModelEntry, Piece, Tools
from yeaft.llm.models import Models
from yeaft.llm.prompt import Prompt, SystemBlock, ToolSpec
from yeaft.llm.scripted.script import Breaks, Cuts, Says, Script, script
from yeaft.llm.scripted.server import ScriptedServer
from yeaft.llm.scripted.validate import validate
from yeaft.llm.text_calls import THOUGHT, tools_text, written_out
from yeaft.llm.tokens import estimate
from yeaft.llm.tool_listing import listed
from yeaft.prompts.find import templates_dir

PROTOCOLS = ("anthropic", "openai-responses")
LOOKS = 'Thought: I look.\nAction: Read\nAction Input: {"path": "a"}\n'

protocols = pytest.mark.parametrize("protocol", PROTOCOLS)


def tool(name: str, description: str = "Does it.", **properties: Mapping[str, Any]) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": [next(iter(properties), "")]}
    return ToolSpec(name=name, description=description, schema=Raw(msgspec.json.encode(schema)))


READ = tool("Read", path={"type": "string"}, limit={"type": "integer", "minimum": 1, "default": 3000})


def told(*texts: str) -> UserMessage:
    return UserMessage(parts=tuple(TextPart(text=text) for text in texts))


def call(call_id: str, args_raw: str = "{}", name: str = "Read") -> Call:
    return Call(call_id=call_id, wire_id="", tool=name, args_raw=args_raw)


def calling(*calls: Call, text: str = "") -> AssistantMessage:
    items = tuple(CallItem(index=index) for index in range(len(calls)))
    return AssistantMessage(items=(*((TextItem(text=text),) if text else ()), *items), calls=calls)


def result(call_id: str, text: str, *, failed: bool = False, images: tuple[ImagePart, ...] = ()) -> ResultPart:
    return ResultPart(call_id=call_id, text=text, failed=failed, images=images)


def prompt(*messages: PromptMessage, tools: tuple[ToolSpec, ...] = (READ,)) -> Prompt:
    return Prompt(system=(SystemBlock(text="Be brief."),), tools=tools, messages=messages, max_output_tokens=64)


def conversation(written: Prompt) -> list[tuple[str, str]]:
    """Who says what; pictures by their type."""
    said: list[tuple[str, str]] = []
    for message in written.messages:
        if isinstance(message, UserMessage):
            parts = [f"[{part.mime}]" if isinstance(part, ImagePart) else part.text for part in message.parts]
            said.append(("user", "\n".join(parts)))
        else:
            assert message.calls == ()
            said.append(("model", "".join(item.text for item in message.items if isinstance(item, TextItem))))
    return said


def test_a_tool_is_one_line_with_all_that_its_schema_says() -> None:
    items = {"type": "array", "items": {"$ref": "#/$defs/Todo"}, "minItems": 1}
    todo = {
        "type": "object",
        "properties": {"what": {"type": "string"}, "done": {"type": "boolean"}},
        "required": ["what"],
    }
    schema = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Where"},
            "mode": {"enum": ["a", "b"], "default": "a"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 9, "default": 5},
            "todos": items,
            "either": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            "budget": {"type": "object", "additionalProperties": {"type": "number"}, "default": {}},
            "odd": {"type": "string", "pattern": "^x"},
        },
        "required": ["path", "todos"],
        "$defs": {"Todo": todo},
    }
    spec = ToolSpec(name="All", description="First.\n- second\n", schema=Raw(msgspec.json.encode(schema)))

    assert listed(spec) == (
        '- All(path (Where), mode?: "a"|"b" = "a", limit?: integer 1..9 = 5, todos: [{what, done?: boolean}] at least 1, '
        'either?: string|null, budget?: {name: number}, odd?: {"type":"string","pattern":"^x"}): First.\n  - second'
    )


def test_calls_and_results_are_told_as_text_and_the_tools_stand_in_the_system_prompt() -> None:
    thought = ThinkingItem(text="I look.", raw=THOUGHT)
    said = AssistantMessage(items=(thought, CallItem(index=0)), calls=(call("c1", '{"path":"a"}'),), origin="box/old")

    written = written_out(prompt(told("hi"), said, UserMessage(parts=(result("c1", "1\tx"), TextPart(text="and?")))))

    assert conversation(written) == [
        ("user", "hi"),
        ("model", 'Thought: I look.\nAction: Read\nAction Input: {"path":"a"}'),
        ("user", "Observation: 1\tx\nand?"),
    ]
    assert written.tools == ()
    assert [block.text for block in written.system] == ["Be brief.", tools_text((READ,))]
    assert written.system[-1].text.endswith("- Read(path, limit?: integer 1.. = 3000): Does it.")


def test_calls_that_were_made_together_are_told_one_after_the_other_each_with_its_result() -> None:
    picture = ImagePart(mime="image/png", data="AAAA")
    results = (
        result("c1", "no such file", failed=True),
        result("c2", "seen", images=(picture,)),
        TextPart(text="go on"),
    )

    written = written_out(
        prompt(told("hi"), calling(call("c1"), call("c2"), text="Two at once."), UserMessage(parts=results))
    )

    assert conversation(written) == [
        ("user", "hi"),
        ("model", "Two at once.\nAction: Read\nAction Input: {}"),
        ("user", "Observation: Error: no such file"),
        ("model", "Action: Read\nAction Input: {}"),
        ("user", "Observation: seen\n[image/png]\ngo on"),
    ]


def test_a_longer_prompt_begins_as_the_shorter_one_did() -> None:
    messages = (told("hi"), calling(call("c1"), call("c2")), UserMessage(parts=(result("c1", "a"), result("c2", "b"))))
    longer = (*messages, calling(call("c3")), UserMessage(parts=(result("c3", "c"),)))

    first, second = written_out(prompt(*messages)), written_out(prompt(*longer))

    assert second.messages[: len(first.messages)] == first.messages
    assert second.system == first.system


def test_an_answer_is_told_as_it_was_given_and_a_thought_of_another_kind_stays_what_it_is() -> None:
    reasoning = ThinkingItem(text="hm", raw=Raw(b'{"type":"reasoning","encrypted_content":"x"}'))
    plain = AssistantMessage(items=(reasoning, TextItem(text="4")), origin="box/old")
    thought = AssistantMessage(items=(ThinkingItem(text="easy", raw=THOUGHT), TextItem(text="4")), origin="box/old")

    written = written_out(prompt(told("2+2?"), plain, told("again"), thought, told("thanks")))

    assert written.messages[1] is plain
    assert conversation(written)[3] == ("model", "Thought: easy\nFinal Answer: 4")


def test_after_two_calls_in_a_row_that_cannot_be_read_plain_words_are_asked_for() -> None:
    def failing(number: int, args_raw: str, name: str = "Read") -> tuple[PromptMessage, PromptMessage]:
        call_id = f"c{number}"
        return calling(call(call_id, args_raw, name)), UserMessage(parts=(result(call_id, "wrong", failed=True),))

    good = (*failing(0, "{}"), *failing(1, "ls -la"))
    bad = (*failing(1, "ls -la"), *failing(2, "{}", "Rm"))

    assert len(written_out(prompt(told("hi"), *good)).system) == 2
    last = written_out(prompt(told("hi"), *bad))
    assert [block.text for block in last.system] == ["Be brief."]
    assert conversation(last)[-1][1].startswith("Observation: Error: wrong\nTwo calls in a row could not be read.")
    later = (told("hi"), *bad, AssistantMessage(items=(TextItem(text="I cannot."),)), told("try again"))
    assert len(written_out(prompt(*later)).system) == 2


@protocols
def test_the_body_for_such_a_model_has_no_tools_and_that_for_others_is_as_ever(protocol: Any) -> None:
    def body(tools: Tools) -> dict[str, Any]:
        entry = ModelEntry(
            provider="box", id="old", protocol=protocol, context_tokens=32_768, output_tokens=4096, tools=tools
        )
        return json.loads(encoder_of(entry)(prompt(told("hi"))))

    assert "tools" in body(True)
    assert "tools" not in body("text")
    assert "# Tools" in json.dumps(body("text"))
    assert "# Tools" not in json.dumps([body(True), body(False)])
    assert body("text").get("stop_sequences") == (["\nObservation:"] if protocol == "anthropic" else None)


def test_what_the_tools_cost_is_counted_in_the_form_that_is_sent() -> None:
    def settings(tools: Tools) -> Settings:
        entry = ModelEntry(
            provider="box",
            id="old",
            protocol="openai-responses",
            context_tokens=32_768,
            output_tokens=4096,
            tools=tools,
        )
        return Settings(
            vp_id="omni",
            system=(SystemBlock(text="Be brief."),),
            tools=(READ, READ),
            entry=entry,
            effort="",
            max_output_tokens=4096,
            cache_key="",
            labelled=False,
            names={},
            phrases={},
        )

    written = written_out(prompt(told("hi"), tools=(READ, READ)))
    sent = sum(estimate(block.text) for block in written.system)
    assert system_tokens(settings("text")) + tools_tokens(settings("text")) == sent
    assert tool_tokens(READ, "text") == estimate(listed(READ))
    assert tools_tokens(settings(False)) == 0


@asynccontextmanager
async def served(
    what: Script, protocol: str, tools: Tools | None = "text", context_tokens: int = 32_768
) -> AsyncIterator[tuple[ScriptedServer, Model]]:
    """A model `box/old` at a scripted server."""
    listing = {"id": "old", "context_tokens": context_tokens, **({} if tools is None else {"tools": tools})}

    async def no_embedded() -> Address:
        raise AssertionError("the embedded model is not wanted here")

    async with ScriptedServer(what) as server:
        url = f"{server.base_url}/v1"
        box = {"base_url": url, "protocol": protocol, "api_key": "k", "models": [listing]}
        config = msgspec.convert({"providers": {"box": box}}, Config)
        models = Models(config, {}, read_catalogue(templates_dir()), no_embedded)
        try:
            yield server, models.get("box/old", "-m")
        finally:
            await models.aclose()


@protocols
@pytest.mark.parametrize("chunk", [1, 5, 1000])
async def test_the_text_of_such_a_model_comes_back_as_thought_and_call(protocol: str, chunk: int) -> None:
    heard: list[Piece] = []
    async with served(script(Says(text=LOOKS + "Observation: invented", chunk=chunk)), protocol) as (_, model):
        reply = await model.generate(model.encoder()(prompt(told("hi"))), heard.append)

    assert reply.items == (ThinkingItem(text="I look.", raw=THOUGHT), CallItem(index=0))
    assert reply.calls == (WireCall(wire_id="", tool="Read", args_raw='{"path":"a"}'),)
    assert reply.stop == "calls"
    assert reply.usage.output > 0
    assert "".join(text for piece in heard if piece.kind == "thinking" for text in piece.pieces) == "I look.\n"
    called = [piece for piece in heard if piece.kind != "thinking"]
    assert {(piece.kind, piece.index, piece.tool) for piece in called} == {("call", 0, "Read")}
    assert "".join(text for piece in called for text in piece.pieces) == '{"path":"a"}'


@protocols
async def test_a_plain_text_is_the_argument_that_the_tool_wants(protocol: str) -> None:
    tools = (
        READ,
        tool("List", all={"type": "boolean"}),
        tool("Bash", "Runs.", command={"type": "string", "description": "x"}),
    )
    asked = prompt(told("hi"), tools=tools)
    plain = script(*(Says(text=f"Action: {name}\nAction Input: ls -la") for name in ("Bash", "List")))
    async with served(plain, protocol) as (_, model):
        replies = [await model.generate(model.encoder()(asked), lambda _: None) for _ in range(2)]

    assert [one.args_raw for reply in replies for one in reply.calls] == ['{"command":"ls -la"}', "ls -la"]


@protocols
async def test_a_request_without_tools_is_answered_in_words_whatever_they_look_like(protocol: str) -> None:
    async with served(script(Says(text=LOOKS)), protocol) as (_, model):
        reply = await model.generate(model.encoder()(prompt(told("hi"), tools=())), lambda _: None)

    assert (reply.calls, "".join(item.text for item in reply.items if isinstance(item, TextItem))) == ((), LOOKS)


@protocols
async def test_a_call_that_was_cut_off_is_not_whole(protocol: str) -> None:
    cut_off = 'Action: Bash\nAction Input: {"command": "rm -rf build'
    async with served(script(Says(text=cut_off, stop="max_tokens")), protocol) as (_, model):
        reply = await model.generate(model.encoder()(prompt(told("hi"))), lambda _: None)

    assert [(one.tool, one.complete) for one in reply.calls] == [("Bash", False)]
    assert reply.stop == "max_tokens"


@protocols
@pytest.mark.parametrize("how", ["cut", "broken"])
async def test_what_had_been_said_when_the_stream_broke_is_told_without_the_form(protocol: str, how: str) -> None:
    answer = Says(text="Thought: easy\nFinal Answer: It is four and this goes on", chunk=4)
    step = Cuts(of=answer, after_events=12) if how == "cut" else Breaks(of=answer, after_events=12)
    async with served(script(step), protocol) as (_, model):
        with pytest.raises(ModelFailed) as failed:
            await model.generate(model.encoder()(prompt(told("hi"))), lambda _: None)

    assert "It is four and this goes on".startswith(failed.value.text_so_far.strip())
    assert failed.value.text_so_far
    assert not failed.value.calls_seen


@protocols
@pytest.mark.parametrize(("context_tokens", "tools"), [(32_768, "text"), (8_192, False)])
async def test_a_model_whose_server_knows_no_tools_is_spoken_to_in_text_from_then_on(
    protocol: str, context_tokens: int, tools: Tools
) -> None:
    no_tools = Script(fallback=Says(text="Final Answer: 4"), tools=False)
    async with served(no_tools, protocol, tools=None, context_tokens=context_tokens) as (server, model):
        with pytest.raises(ModelFailed) as failed:
            await model.generate(model.encoder()(prompt(told("2+2?"))), lambda _: None)
        known = model.entry.tools
        reply = await model.generate(model.encoder()(prompt(told("2+2?"))), lambda _: None)

    assert (failed.value.kind, failed.value.retry_after_s) == ("protocol", 0.0)
    assert (known, "tools" in server.requests[1].body) == (tools, False)
    assert reply.calls == ()


said = st.text("ab \n:`#*{}\"'é豆😀", max_size=12)
made_with = said | st.sampled_from(['{"a": "\\ud800"}', '{"a": "x\\n"}', "{'a': '\\ud800'}", '{"a": 1', "[]"])
rounds = st.lists(
    st.tuples(said, st.lists(st.tuples(made_with, said, st.booleans(), st.booleans()), min_size=1, max_size=3), said),
    max_size=4,
)


@protocols
@given(start=said.filter(str.strip), talk=rounds)
def test_whatever_was_said_and_called_is_a_request_that_the_services_take(protocol: Any, start: str, talk: Any) -> None:
    messages: list[PromptMessage] = [told(start)]
    for number, (words, made, more) in enumerate(talk):
        calls = [call(f"c{number}_{place}", args) for place, (args, *_) in enumerate(made)]
        picture = (ImagePart(mime="image/png", data="iVBORw0KGgo="),)
        results = [
            result(one.call_id, text, failed=failed, images=picture if seen else ())
            for one, (_, text, failed, seen) in zip(calls, made, strict=True)
        ]
        messages += [calling(*calls, text=words), UserMessage(parts=(*results, TextPart(text=more)))]
    entry = ModelEntry(
        provider="box", id="old", protocol=protocol, context_tokens=32_768, output_tokens=4096, tools="text"
    )

    body = encoder_of(entry)(prompt(*messages))

    assert validate(protocol, json.loads(body)) == []
    assert "tools" not in json.loads(body)
