"""Facts about a Session as a whole: its folder, roster, owner, settings and messages."""

from typing import ClassVar, Literal

from msgspec import Struct, field

from yeaft.events.fact import BlobRef, Fact
from yeaft.kernel.outcome import TurnOutcome

MessageKind = Literal["user", "steer", "forward", "return", "continue", "notice"]
Level = Literal["info", "warn", "error"]


class SessionCreated(Fact, frozen=True, kw_only=True, tag="session.created"):
    """The first event of a Session."""

    identity: ClassVar[tuple[str, ...]] = ("session_id",)
    session_id: str
    name: str
    folder: str
    roster: tuple[str, ...]
    default_vp: str
    lang: str
    app_version: str


class SessionRenamed(Fact, frozen=True, kw_only=True, tag="session.renamed"):
    """The user gave the Session another name."""

    name: str


class SessionForked(Fact, frozen=True, kw_only=True, tag="session.forked"):
    """This Session began as a copy of another, up to and including `from_seq`."""

    from_session: str
    from_seq: int


class SessionTagged(Fact, frozen=True, kw_only=True, tag="session.tagged"):
    """Labels and the archive mark changed; both are given whole."""

    archived: bool = False
    labels: tuple[str, ...] = ()


class RosterChanged(Fact, frozen=True, kw_only=True, tag="roster.changed"):
    """Who takes part from now on, in order."""

    roster: tuple[str, ...]
    default_vp: str
    reason: Literal["user", "mention", "config"] = field(name="cause")


class FolderAdded(Fact, frozen=True, kw_only=True, tag="folder.added"):
    """Tools may work in another folder too."""

    path: str
    reason: Literal["flag", "approved"]


class OwnerClaimed(Fact, frozen=True, kw_only=True, tag="owner.claimed"):
    """A process became the one writer; the envelope's `epoch` is its fencing token."""

    pid: int
    host: str
    started_at: float


class OwnerReleased(Fact, frozen=True, kw_only=True, tag="owner.released"):
    """The writer closed the Session in good order."""


class VpFrozen(Fact, frozen=True, kw_only=True, tag="vp.frozen"):
    """The text and settings of a VP as the following turns use them."""

    vp_id: str
    digest: str
    blob: BlobRef


class SettingsFrozen(Fact, frozen=True, kw_only=True, tag="settings.frozen"):
    """Everything a request reads besides the journal; `builder` is the version of the request builder."""

    vp_id: str
    digest: str
    blob: BlobRef
    builder: int


class MessagePosted(Fact, frozen=True, kw_only=True, tag="message.posted"):
    """Somebody said something to the VPs in `to`.

    `sender` is `user`, `system` or `vp:<id>`. `root_id` is the user message all this goes back to, `hops` how many
    hand-offs lie between. `call_id` is the RouteForward call of a forward or return. `turn_id` is the
    running turn that a steer or notice came into. `attachments` are ids of files that go with the text. What a step or
    an agent is told in the user's place is `verbatim`: however it begins, it asks for no effort.
    """

    identity: ClassVar[tuple[str, ...]] = ("message_id",)
    message_id: str
    sender: str = field(name="from")
    to: tuple[str, ...]
    kind: MessageKind
    text: str
    root_id: str
    hops: int = 0
    call_id: str = ""
    turn_id: str = ""
    op_id: str = ""
    unknown_mentions: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    verbatim: bool = False


class SettledTurn(Struct, frozen=True, kw_only=True):
    """How one VP's part in answering a user message ended."""

    turn_id: str
    vp_id: str
    outcome: TurnOutcome


class MessageSettled(Fact, frozen=True, kw_only=True, tag="message.settled"):
    """All turns that a user message caused are over."""

    identity: ClassVar[tuple[str, ...]] = ("message_id",)
    message_id: str
    turns: tuple[SettledTurn, ...]


class NoticePosted(Fact, frozen=True, kw_only=True, tag="notice.posted"):
    """Something the user should know; screens turn `code` and `params` into words."""

    code: str
    params: dict[str, str] = {}  # msgspec copies mutable defaults
    level: Level = "info"
    vp_id: str = ""
    op_id: str = ""
