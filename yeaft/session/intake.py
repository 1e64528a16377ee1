"""What the user typed, on its way to being said: each step may expand it, add files to it, or refuse it."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from yeaft.events.history import AttachmentAdded
from yeaft.events.ops import Say
from yeaft.events.session import NoticePosted


class Content(Struct, frozen=True, kw_only=True):
    """A file to attach that is no file on this machine: `source` says where it came from, such as `stdin`."""

    name: str
    raw: bytes
    source: str


class Draft(Struct, frozen=True, kw_only=True):
    """A message that is not said yet.

    `text` is what the user typed, `to` overrides its mentions. `files` and `contents` are to be attached and not kept
    with the Session yet, `attachments` are. `blocks` go along with the text, in this order; mentions in them address
    nobody. `notices` are what the user is told along with it. Paths in a text that was not `typed` by the user, such as
    a piped one, do not reach outside the work folder.
    """

    text: str
    to: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    contents: tuple[Content, ...] = ()
    attachments: tuple[AttachmentAdded, ...] = ()
    blocks: tuple[str, ...] = ()
    notices: tuple[NoticePosted, ...] = ()
    typed: bool = True
    op_id: str = ""

    def with_block(self, block: str) -> "Draft":
        """The draft with one more block, if there is anything in it."""
        return replace(self, blocks=(*self.blocks, block)) if block.strip() else self


Step = Callable[[Draft], Awaitable[Draft]]
"""Returns the draft as it goes on; raises `YeaftError` if the message cannot or may not be said."""


class Intake:
    """Makes messages of drafts, for every screen alike: the steps are taken in order, then it is an op."""

    def __init__(self, steps: Sequence[Step] = ()) -> None:
        self._steps = tuple(steps)

    async def take(self, draft: Draft) -> Say:
        """Return the op that says it. Nothing is posted; raises what a step raises."""
        for step in self._steps:
            draft = await step(draft)
        return Say(
            text=draft.text,
            to=draft.to,
            attached="\n\n".join(draft.blocks),
            attachments=draft.attachments,
            notices=draft.notices,
            op_id=draft.op_id,
        )
