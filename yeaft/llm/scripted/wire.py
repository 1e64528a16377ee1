"""What both protocols need to put an answer on the wire: pieces of text, ids, a seal for thinking, one SSE event."""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterator

import msgspec
from msgspec import Struct

from yeaft.kernel.ids import derive
from yeaft.kernel.usage import Usage
from yeaft.llm.scripted.asked import BYTES_PER_TOKEN, Asked
from yeaft.llm.scripted.script import Answer, Calls, Says, ScriptedCall
from yeaft.llm.scripted.shapes import Json

WORD = re.compile(r"\s*\S+\s*|\s+")
SEAL = "scripted."
ARGUMENT_CHUNK = 16


class Wire(Struct, frozen=True, kw_only=True):
    """One protocol: an answer as SSE events, as one JSON object, and an error outside and inside a stream."""

    events: Callable[[Answer, Asked], Iterator[bytes]]
    whole: Callable[[Answer, Asked], Json]
    failure: Callable[[int, str, str], Json]
    broken: Callable[[str, str, int], bytes]


def said(answer: Answer) -> str:
    """All the text of an answer."""
    return answer.text * answer.times if isinstance(answer, Says) else answer.text


def calls_of(answer: Answer) -> tuple[ScriptedCall, ...]:
    """The tool calls of an answer."""
    return answer.calls if isinstance(answer, Calls) else ()


def pieces(text: str, chunk: int) -> Iterator[str]:
    """`text` in pieces of `chunk` characters, or of a word each when `chunk` is 0."""
    if not chunk:
        return (found.group() for found in WORD.finditer(text))
    return (text[start : start + chunk] for start in range(0, len(text), chunk))


def usage_of(answer: Answer, asked: Asked) -> Usage:
    """The script's numbers, else a count in bytes, which deliberately differs from the one yeaft makes itself."""
    if answer.usage is not None:
        return answer.usage
    thought, spoken = (
        len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN
        for text in (answer.thinking, said(answer) + "".join(call.arguments for call in calls_of(answer)))
    )
    return Usage(input=asked.input_tokens, output=thought + spoken + 1, reasoning=thought)


def wire_id(prefix: str, asked: Asked, number: int = 0) -> str:
    """An id that is the same whenever the same request gets the same answer."""
    return derive(prefix, asked.digest, number)


def call_id(call: ScriptedCall, prefix: str, asked: Asked, number: int) -> str:
    """The script's id of a call, else one of our making."""
    return wire_id(prefix, asked, number) if call.id is None else call.id


def seal_of(thinking: str) -> str:
    """A signature that depends on `thinking`, so that the validator sees when either comes back changed."""
    digest = hashlib.sha256(thinking.encode("utf-8", "surrogatepass")).digest()
    return SEAL + base64.b64encode(digest).decode()


def quoted(text: str) -> bytes:
    """`text` as a JSON string, also with lone surrogates, which some models do send."""
    try:
        return msgspec.json.encode(text)
    except UnicodeEncodeError:
        return json.dumps(text).encode()


def encoded(value: Json) -> bytes:
    """`value` as JSON."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def sse(event: Json) -> bytes:
    """One SSE event, named after its `type` as both services do."""
    return b"event: %s\ndata: %s\n\n" % (str(event["type"]).encode(), encoded(event))
