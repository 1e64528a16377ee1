"""Some requests are looked at on their way; what is wrong with one is told, and its answer comes all the same."""

import json

from yeaft.kernel.messages import TextItem
from yeaft.kernel.usage import Usage
from yeaft.llm.model import Encode, Hear, ModelEntry, Reply
from yeaft.llm.watched import ONE_IN, Watched, is_sampled

ENTRY = ModelEntry(provider="claude", id="c", protocol="anthropic", context_tokens=1000, output_tokens=100)
REPLY = Reply(items=(TextItem(text="fine"),), calls=(), stop="end", usage=Usage())


class Answering:
    """A model that takes anything."""

    entry = ENTRY

    def encoder(self) -> Encode:
        return lambda prompt: json.dumps({"model": ENTRY.id, "max_tokens": prompt.max_output_tokens}).encode()

    async def generate(self, body: bytes, hear: Hear) -> Reply:
        assert body
        assert hear
        return REPLY


def sampled(value: bool) -> bytes:
    """A request without messages that is looked at, or is not."""
    bodies = (json.dumps({"model": "c", "max_tokens": n + 1}).encode() for n in range(100 * ONE_IN))
    return next(body for body in bodies if is_sampled(body) is value)


async def test_a_request_that_a_strict_service_would_refuse_is_told_and_still_answered() -> None:
    told: list[list[str]] = []
    model = Watched(Answering(), told.append)

    assert await model.generate(sampled(True), lambda _: None) == REPLY

    assert told == [["messages: at least one message is required"]]


async def test_most_requests_are_not_looked_at() -> None:
    told: list[list[str]] = []
    model = Watched(Answering(), told.append)

    assert await model.generate(sampled(False), lambda _: None) == REPLY

    assert told == []
    counted = sum(is_sampled(str(number).encode()) for number in range(5000))
    assert 50 < counted < 200
