"""A prompt as the body of a Responses request."""

import msgspec
from msgspec import Raw, Struct

from yeaft.kernel.grown import Grown
from yeaft.kernel.messages import UserMessage
from yeaft.kernel.text import without_surrogates
from yeaft.llm.effort import clamp
from yeaft.llm.model import Encode, ModelEntry
from yeaft.llm.prompt import Prompt
from yeaft.llm.responses_input import Input

CACHE_KEY_CHARS = 64
ENCRYPTED_REASONING = "reasoning.encrypted_content"


class FunctionTool(Struct, frozen=True, kw_only=True, tag="function"):
    """A tool; `strict` would forbid optional arguments, and is on unless it is said to be off."""

    name: str
    description: str
    parameters: Raw
    strict: bool


class Reasoning(Struct, frozen=True, kw_only=True):
    """How hard to think."""

    effort: str


class RequestBody(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body. What only OpenAI understands has a default and is left out, so that plain servers take the rest.

    `store` is always false: what was said stays on the user's own disk.
    """

    model: str
    instructions: str = ""
    input: Raw
    tools: tuple[FunctionTool, ...] = ()
    max_output_tokens: int
    reasoning: Reasoning | None = None
    include: tuple[str, ...] = ()
    prompt_cache_key: str = ""
    store: bool
    stream: bool


def encoder(entry: ModelEntry) -> Encode:
    """See `Model.encoder`; a prompt must end with something that the model can answer."""
    known: Grown[Input] = Grown()

    def encode(prompt: Prompt) -> bytes:
        messages = prompt.messages
        assert messages, "a request has messages"
        assert isinstance(messages[-1], UserMessage), "a request ends with a user message or with results"
        said = known.of(messages[:-1], lambda: Input(entry), lambda said, place: said.add(messages[place])).copy()
        said.add(messages[-1])
        return _body(prompt, entry, said.whole())

    return encode


def _body(prompt: Prompt, entry: ModelEntry, said: Raw) -> bytes:
    effort = clamp(prompt.effort, entry.efforts)
    reasons = entry.thinking != "none" or bool(entry.efforts)
    body = RequestBody(
        model=entry.id,
        instructions=without_surrogates("\n\n".join(block.text for block in prompt.system if block.text.strip())),
        input=said,
        tools=_tools(prompt) if entry.tools else (),
        max_output_tokens=prompt.max_output_tokens,
        reasoning=Reasoning(effort=effort) if effort else None,
        include=(ENCRYPTED_REASONING,) if reasons else (),
        prompt_cache_key=prompt.cache_key[:CACHE_KEY_CHARS] if entry.cache else "",
        store=False,
        stream=True,
    )
    return msgspec.json.encode(body)


def _tools(prompt: Prompt) -> tuple[FunctionTool, ...]:
    return tuple(
        FunctionTool(
            name=tool.name,
            description=without_surrogates(tool.description),
            parameters=tool.schema,
            strict=False,
        )
        for tool in prompt.tools
    )
