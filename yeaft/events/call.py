"""Facts about tool calls, the questions they put to the human, and todo lists."""

from typing import ClassVar, Literal

from msgspec import Raw, Struct

from yeaft.events.fact import BlobRef, Fact, Passing
from yeaft.kernel.outcome import CallStatus, Guard

AskKind = Literal["approval", "question", "choice"]
Decision = Literal["once", "session", "always", "deny"]


class Intent(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a file write is about to do: SHA-256 before and after; empty `pre` = no file, empty `post` = deleted."""

    path: str
    pre: str = ""
    post: str = ""


class FileFact(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file that a call read or wrote, with the SHA-256 of its content then."""

    path: str
    sha256: str
    written: bool = False


class Facts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a call besides its text; `worktree` is the git worktree that it made or removed.

    `left_out_bytes` is how much of what a command printed its text has not; it is in the file `log`.
    """

    files: tuple[FileFact, ...] = ()
    exit_code: int | None = None
    signal: str = ""
    pid: int | None = None
    log: str = ""
    survivors: tuple[int, ...] = ()
    worktree: str = ""
    left_out_bytes: int = 0


class CallStarted(Fact, frozen=True, kw_only=True, tag="call.started"):
    """A call is about to run; for an unsafe one this is on disk before it does."""

    identity: ClassVar[tuple[str, ...]] = ("call_id",)
    call_id: str
    turn_id: str
    tool: str
    args: Raw
    guard: Guard
    intents: tuple[Intent, ...] = ()


class CallFinished(Fact, frozen=True, kw_only=True, tag="call.finished"):
    """A call has its result; every call gets exactly one. `text` is whole, however long; `images` go with it."""

    identity: ClassVar[tuple[str, ...]] = ("call_id",)
    call_id: str
    turn_id: str
    tool: str
    status: CallStatus
    text: str
    images: tuple[BlobRef, ...] = ()
    facts: Facts = Facts()
    duration_ms: int = 0


class TodoItem(Struct, frozen=True, kw_only=True):
    """One line of a VP's todo list."""

    content: str
    status: Literal["pending", "in_progress", "completed"]
    active_form: str


class TodoChanged(Fact, frozen=True, kw_only=True, tag="todo.changed"):
    """A VP's whole todo list."""

    vp_id: str
    items: tuple[TodoItem, ...]


class AskOpened(Fact, frozen=True, kw_only=True, tag="ask.opened"):
    """Something needs the human. `flag` is what would allow it on the command line, `rule` what `always` would save."""

    identity: ClassVar[tuple[str, ...]] = ("ask_id",)
    ask_id: str
    turn_id: str
    call_id: str
    vp_id: str
    kind: AskKind
    text: str
    options: tuple[str, ...] = ()
    rule: str = ""
    flag: str = ""


class AskAnswered(Fact, frozen=True, kw_only=True, tag="ask.answered"):
    """The human (or a rule on the human's behalf, `by`) decided.

    With `changed`, a JSON object, the yes is to these arguments instead of those that the model gave. A `deny` of a
    question means that the human would not answer it.
    """

    identity: ClassVar[tuple[str, ...]] = ("ask_id",)
    ask_id: str
    decision: Decision
    choice: tuple[str, ...] = ()
    text: str = ""
    rule: str = ""
    by: str = "user"
    changed: str = ""


class AskWithdrawn(Fact, frozen=True, kw_only=True, tag="ask.withdrawn"):
    """The question is void: nobody will answer it."""

    identity: ClassVar[tuple[str, ...]] = ("ask_id",)
    ask_id: str
    reason: Literal["aborted", "headless", "timeout"]


class CallOutput(Passing, frozen=True, kw_only=True, tag="call.output"):
    """A running call printed something."""

    call_id: str
    vp_id: str
    chunk: str
