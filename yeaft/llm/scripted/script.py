"""What the scripted model will say: plain values, written in Python or read from a JSON file.

A script is a list of lines. Each line says for whom it is (`vp`, `when`, `model`) and holds the steps it answers with;
`player.py` decides which step answers which request.
"""

from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from yeaft.kernel.errors import BadData, NotFound
from yeaft.kernel.usage import Usage

Order = Literal["arrival", "round"]


class ScriptedCall(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool call. `args_raw` replaces `args` when set, so that it need not be JSON; `id` None means: make one."""

    tool: str
    args: dict[str, Any] = {}
    args_raw: str | None = None
    id: str | None = None

    @property
    def arguments(self) -> str:
        """The arguments exactly as they go over the wire."""
        return msgspec.json.encode(self.args).decode() if self.args_raw is None else self.args_raw


class Says(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="says", tag_field="step"):
    """Text. `chunk` characters per streamed event (0: a word each), `delay_s` before each event, `times` repeats it.

    `stop` is a word of `llm.model.Reply.stop`; any other word goes over the wire as it is. `usage` None means: count.
    """

    text: str
    times: int = 1
    chunk: int = 0
    delay_s: float = 0.0
    stop: str = "end"
    thinking: str = ""
    usage: Usage | None = None


class Calls(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="calls", tag_field="step"):
    """Tool calls, after some text and thinking if there is any."""

    calls: tuple[ScriptedCall, ...]
    text: str = ""
    thinking: str = ""
    chunk: int = 0
    delay_s: float = 0.0
    stop: str = "calls"
    usage: Usage | None = None


Answer = Says | Calls


class Fails(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="fails", tag_field="step"):
    """An HTTP error. `type` empty means the one that belongs to `status`; `retry_after` is the header as written."""

    status: int
    type: str = ""
    message: str = "The script says so."
    retry_after: str = ""


class Stalls(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="stalls", tag_field="step"):
    """The answer's first `after_events` SSE events and then nothing, until the client hangs up."""

    of: Answer
    after_events: int


class Holds(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="holds", tag_field="step"):
    """The answer, but it waits after `after_events` SSE events until `ScriptedServer.release(gate)`."""

    of: Answer
    after_events: int
    gate: str


class Cuts(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="cuts", tag_field="step"):
    """The connection ends after that many SSE events, or bytes of the body; `reset` drops it without a farewell.

    Without `reset` the HTTP body ends properly, so that only the protocol's missing last event shows the cut.
    """

    of: Answer
    after_events: int | None = None
    after_bytes: int | None = None
    reset: bool = False


class Breaks(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="breaks", tag_field="step"):
    """An error inside a stream that began well, after `after_events` SSE events; `type` empty: overloaded."""

    of: Answer
    after_events: int
    type: str = ""
    message: str = "Overloaded"


class Bytes(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="bytes", tag_field="step"):
    """This body and nothing else, as it is (base64 in a JSON file)."""

    body: bytes
    status: int = 200
    content_type: str = "text/event-stream"
    headers: dict[str, str] = {}


Step = Says | Calls | Fails | Stalls | Holds | Cuts | Breaks | Bytes


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Steps for the requests that match all of `vp`, `when`, `model`; an empty one matches every request.

    `vp` is the VP whose persona the system prompt holds, `when` a part of the newest user-side text, `model` its id.
    `order`: "arrival" takes the next step for each matching request, whoever sends it. "round" derives the step from
    the request itself (how many assistant messages follow the newest user-side text), so that any number of Sessions
    can share a line and a request that is sent again gets the same answer. `repeat` starts over at the end; without
    it a line that is used up no longer matches.
    """

    steps: tuple[Step, ...]
    vp: str = ""
    when: str = ""
    model: str = ""
    order: Order = "arrival"
    repeat: bool = False


class Script(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All lines; the first that matches and has a step left answers, else `fallback` does.

    `context_tokens` is the window: a request that does not fit together with the longest reply that it allows is
    refused, like everywhere. 0 means no limit. `bytes_per_token` is how this model counts, in bytes of the body.
    Without `tools` it is a model that has no tool calling: a request that offers tools is refused.
    """

    lines: tuple[Line, ...] = ()
    context_tokens: int = 0
    bytes_per_token: float = 4.0
    tools: bool = True
    fallback: Step = Says(text="This is the scripted model; its script has no line for that.")


def says(*texts: str) -> Script:
    """A script that answers the requests, as they arrive, with these texts, and the last one for ever."""
    return script(*(Says(text=text) for text in texts))


def script(*steps: Step) -> Script:
    """A script that answers the requests with these steps as they arrive, and with the last one for ever."""
    return Script(lines=(Line(steps=steps),), fallback=steps[-1])


def call(tool: str, **args: Any) -> ScriptedCall:
    """A tool call with an id of the server's own making."""
    return ScriptedCall(tool=tool, args=args)


def read_script(path: Path) -> Script:
    """The script in a JSON file. Raises `NotFound` or `BadData`, naming the file and the place in it."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Script)
    except OSError as error:
        raise NotFound(f"Cannot read the script {path}: {error.strerror}.") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadData(f"{path} is not a script: {error}.") from error
