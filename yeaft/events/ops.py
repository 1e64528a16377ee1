"""What can be asked of a Session: imperative names, a closed union."""

from typing import Literal

from msgspec import Struct

from yeaft.events.artifact import ArtifactStored
from yeaft.events.call import Decision
from yeaft.events.history import AttachmentAdded, RewindScope
from yeaft.events.session import NoticePosted


class Op(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type"):
    """What every op is made of; the event or notice that answers an op carries its `op_id`."""

    op_id: str = ""


class Say(Op, frozen=True, kw_only=True, tag="say"):
    """The user says something; `to` overrides the mentions in the text.

    `attached` goes along with the text, such as piped input; mentions in it address nobody. `attachments` are files
    that are kept with the Session already. `notices` are posted after it. `verbatim` says that no user wrote it: it is
    told as it is, and asks for no effort.
    """

    text: str
    to: tuple[str, ...] = ()
    attached: str = ""
    attachments: tuple[AttachmentAdded, ...] = ()
    notices: tuple[NoticePosted, ...] = ()
    verbatim: bool = False


class Steer(Op, frozen=True, kw_only=True, tag="steer"):
    """The user adds something to a running turn; it is seen at the next round boundary."""

    text: str
    vp_id: str = ""


class Interrupt(Op, frozen=True, kw_only=True, tag="interrupt"):
    """Stop a VP's turn, or all (empty `vp_id`)."""

    vp_id: str = ""


class CloseAgent(Op, frozen=True, kw_only=True, tag="close_agent"):
    """End one sub-agent; what it has said so far goes back to the VP that spawned it."""

    agent_id: str


class Answer(Op, frozen=True, kw_only=True, tag="answer"):
    """The answer to an open ask.

    `changed` says yes to other arguments than the model gave, as a JSON object: of the same tool, on files that the
    call was going to write anyway. `deny` of a question means that the human does not want to answer it.
    """

    ask_id: str
    decision: Decision = "once"
    choice: tuple[str, ...] = ()
    text: str = ""
    rule: str = ""
    changed: str = ""


class Rename(Op, frozen=True, kw_only=True, tag="rename"):
    """Give the Session another name."""

    name: str


class SetRoster(Op, frozen=True, kw_only=True, tag="set_roster"):
    """Set who takes part, in order."""

    roster: tuple[str, ...]
    default_vp: str = ""


class AddFolder(Op, frozen=True, kw_only=True, tag="add_folder"):
    """Let tools work in another folder too."""

    path: str


class SetModel(Op, frozen=True, kw_only=True, tag="set_model"):
    """Use another model or effort from the next turn on, for one VP or all."""

    model: str = ""
    effort: str = ""
    vp_id: str = ""


class SetMode(Op, frozen=True, kw_only=True, tag="set_mode"):
    """Change the approval mode from the next call on."""

    mode: Literal["ask", "edits", "plan", "auto"]


class ContinueTurn(Op, frozen=True, kw_only=True, tag="continue_turn"):
    """Go on with the turns that an earlier process left open."""

    turn_id: str = ""


class Checkpoint(Op, frozen=True, kw_only=True, tag="checkpoint"):
    """Keep the state of the work folder's files under a name."""

    name: str


class Rewind(Op, frozen=True, kw_only=True, tag="rewind"):
    """Go back to before a message or turn, or to a checkpoint: `to` is an id or a checkpoint's name."""

    to: str
    scope: RewindScope = "both"


class Redo(Op, frozen=True, kw_only=True, tag="redo"):
    """Take the last rewind back."""


class Compact(Op, frozen=True, kw_only=True, tag="compact"):
    """Let a model sum up the earlier turns of a VP (the default one if empty), or take that back."""

    vp_id: str = ""
    undo: bool = False


class StoreArtifact(Op, frozen=True, kw_only=True, tag="store_artifact"):
    """Let the Session know of an artifact that is kept in its folder already."""

    stored: ArtifactStored


class Close(Op, frozen=True, kw_only=True, tag="close"):
    """End the Session's work in this process: finish running turns, or stop them."""

    how: Literal["drain", "abort"] = "drain"


AnyOp = (
    Say
    | Steer
    | Interrupt
    | CloseAgent
    | Answer
    | Rename
    | SetRoster
    | AddFolder
    | SetModel
    | SetMode
    | ContinueTurn
    | Checkpoint
    | Rewind
    | Redo
    | Compact
    | StoreArtifact
    | Close
)
