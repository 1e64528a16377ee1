"""Recorded Anthropic traffic comes out as the official SDK reads it, whatever the network does to it."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.llm.conftest import Wire, wire_cases
from tests.llm.wire_compare import (
    BREAKING,
    HARMLESS,
    ask,
    differs,
    model_at,
    our_calls,
    plain_block,
    sent_back,
    spoils,
    told,
    unlike_recorded,
)
from yeaft.kernel.messages import AssistantMessage, ResultPart, UserMessage
from yeaft.llm.prompt import Prompt
from yeaft.llm.transport import Transport

CASES = wire_cases("an-")
ASCII = str.maketrans({"\N{EN DASH}": "-", "\N{RIGHT SINGLE QUOTATION MARK}": "'"})
FAULTS_PER_CASE = 3  # scripts/wire-check tries all of them


@pytest.fixture
async def transport() -> AsyncIterator[Transport]:
    made = Transport()
    yield made
    await made.aclose()


@pytest.mark.parametrize("case", CASES or ["(no recordings)"])
async def test_a_recorded_reply_is_read_as_the_sdk_reads_it(wire: Wire, transport: Transport, case: str) -> None:
    outcome = await ask(model_at(wire.url(case), "anthropic", transport))

    assert unlike_recorded(wire.load(case, "case"), wire.load(case, "expected"), outcome) == []


@pytest.mark.parametrize("number", range(len(CASES) or 1))
async def test_faults_of_the_network_change_nothing_or_are_told(wire: Wire, transport: Transport, number: int) -> None:
    case = CASES[number]
    plain = await ask(model_at(wire.url(case), "anthropic", transport))

    for turn in range(FAULTS_PER_CASE):
        faults = HARMLESS[(number * FAULTS_PER_CASE + turn) % len(HARMLESS)]
        assert not differs(plain, await ask(model_at(wire.url(case, **faults), "anthropic", transport))), faults
    faults = BREAKING[number % len(BREAKING)]
    assert not spoils(plain, await ask(model_at(wire.url(case, **faults), "anthropic", transport))), faults


def followed() -> list[str]:
    return [case for case in CASES if case.endswith("-t1") and case.replace("-t1", "-t2") in CASES]


@pytest.mark.parametrize("case", followed() or ["(no recordings)"])
async def test_what_goes_back_is_what_the_recorded_client_sent_back(
    wire: Wire, transport: Transport, case: str
) -> None:
    recorded = wire.load(case.replace("-t1", "-t2"), "request")["messages"]
    place = next((at for at, message in enumerate(recorded) if message["role"] == "assistant"), None)
    if place is None:
        pytest.skip("the recorded client sent nothing back")
    outcome = await ask(model_at(wire.url(case), "anthropic", transport))
    assert outcome.reply is not None

    ours = iter([as_recorded(block) for block in sent_back(outcome.reply)])

    assert all(as_recorded(block) in ours for block in recorded[place]["content"])  # some clients left text out
    results = [block for block in later(recorded, place) if block["type"] == "tool_result"]
    assert result_ids(outcome.reply) == [block["tool_use_id"] for block in results]


def as_recorded(block: Any) -> str:
    """A block in one spelling: the recorders made some dashes and quotes of requests ASCII."""
    return json.dumps(plain_block(block), ensure_ascii=False, sort_keys=True).translate(ASCII)


def later(recorded: list[Any], place: int) -> list[Any]:
    return [block for message in recorded[place + 1 : place + 2] for block in message["content"]]


def result_ids(reply: Any) -> list[str]:
    calls = our_calls(reply.calls)
    if not calls:
        return []
    model = model_at("", "anthropic", Transport())
    said = AssistantMessage(items=reply.items, calls=calls, origin=model.entry.ref)
    results = UserMessage(parts=tuple(ResultPart(call_id=call.call_id, text="x") for call in calls))
    body = json.loads(model.encoder()(Prompt(messages=(told("hi"), said, results), max_output_tokens=64)))
    return [block["tool_use_id"] for block in body["messages"][2]["content"]]
