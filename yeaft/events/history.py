"""Facts about what a Session keeps beside its messages: attached files, states to go back to, and going back."""

from typing import ClassVar, Literal

from yeaft.events.fact import BlobRef, Fact

RewindScope = Literal["conversation", "files", "both"]


class AttachmentAdded(Fact, frozen=True, kw_only=True, tag="attachment.added"):
    """A file is kept with the Session; messages refer to it by its id.

    `name` is what the user knows it by, `file` its name in the Session's `attachments` folder, `sha256` the digest of
    those bytes. `source` is where it came from (a path, or `stdin`); `note` says what of it was left out, if anything.
    """

    identity: ClassVar[tuple[str, ...]] = ("attachment_id",)
    attachment_id: str
    name: str
    file: str
    mime: str
    size_bytes: int
    sha256: str
    source: str = ""
    note: str = ""


class CheckpointTaken(Fact, frozen=True, kw_only=True, tag="checkpoint.taken"):
    """The state of the work folder's files can be brought back from now on.

    `manifest` lists them, as changes to that of the checkpoint `parent` unless that is empty. `files` counts what is
    covered, `changed` what is new since the parent; `skipped` names the first of the `skipped_count` paths that are
    not covered. `call_id` is the call that it was taken before.
    """

    identity: ClassVar[tuple[str, ...]] = ("checkpoint_id",)
    checkpoint_id: str
    manifest: BlobRef
    reason: Literal["start", "call", "user", "safety"]
    parent: str = ""
    name: str = ""
    files: int = 0
    changed: int = 0
    skipped: tuple[str, ...] = ()
    skipped_count: int = 0
    call_id: str = ""


class Rewound(Fact, frozen=True, kw_only=True, tag="rewound"):
    """The user went back: to what had been said up to `to_seq`, to the files of a checkpoint, or both.

    What came between `to_seq` and this event is void until it is taken back by a later event, whose `undoes` is the
    place of this one. `safety_id` is the checkpoint of how the files were just before.
    """

    to_seq: int
    scope: RewindScope
    checkpoint_id: str = ""
    safety_id: str = ""
    undoes: int = 0


class HistoryCompacted(Fact, frozen=True, kw_only=True, tag="history.compacted"):
    """From now on a VP is given `text` in place of some of its turns; they stay in the journal.

    `request_id` is the request that the text is the answer to. With `undone` the compaction of this id holds no more.
    """

    compaction_id: str
    vp_id: str
    turn_ids: tuple[str, ...] = ()
    text: str = ""
    request_id: str = ""
    undone: bool = False
