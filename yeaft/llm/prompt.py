"""A request to a model before it becomes bytes of some wire protocol."""

from msgspec import Raw, Struct

from yeaft.kernel.messages import PromptMessage


class SystemBlock(Struct, frozen=True, kw_only=True):
    """A block of the system prompt; `cache` marks the end of a prefix that later requests will share."""

    text: str
    cache: bool = False


class ToolSpec(Struct, frozen=True, kw_only=True):
    """A tool as the model is told of it; `schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    schema: Raw


class Prompt(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything a request says. `cache_key` groups requests that share a prefix (OpenAI's `prompt_cache_key`).

    `stops` end the reply where they would come next, if the protocol knows of such.
    """

    system: tuple[SystemBlock, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    messages: tuple[PromptMessage, ...]
    max_output_tokens: int
    effort: str = ""
    cache_key: str = ""
    stops: tuple[str, ...] = ()
