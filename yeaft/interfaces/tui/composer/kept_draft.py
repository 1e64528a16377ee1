"""The draft on disk: what was written and not said is there again after a crash, and only for its owner."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from yeaft.interfaces.tui.composer.graphemes import FIRST_TOKEN, is_token
from yeaft.interfaces.tui.composer.queueing import Queued

FOLDER_NAME = "drafts"
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
MOST_BYTES = 16 * 2**20
MOST_STASHED = 20


class Draft(Struct, frozen=True, kw_only=True):
    """A draft: pieces of text, and numbers of pastes between them."""

    pieces: tuple[str | int, ...] = ()
    pasted: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        return not (self.pieces or self.files)

    @property
    def text(self) -> str:
        """The text as it is edited, with tokens."""
        return "".join(one if isinstance(one, str) else _token(one) for one in self.pieces)

    @property
    def texts(self) -> dict[str, str]:
        """What the tokens stand for."""
        return {_token(number): text for number, text in enumerate(self.pasted)}


class Kept(Struct, frozen=True, kw_only=True):
    """All that a composer keeps for a Session; `pid` is the process that wrote it."""

    draft: Draft = Draft()
    stash: tuple[Draft, ...] = ()
    queue: tuple[Queued, ...] = ()
    pid: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to keep."""
        return self.draft.is_empty and not (self.stash or self.queue)


def draft_of(text: str, texts: Mapping[str, str], files: tuple[Path, ...] = ()) -> Draft:
    """Return what keeps a text with tokens."""
    pasted = tuple(texts.values()) if any(map(is_token, text)) else ()
    return Draft(pieces=tuple(_pieces(text)), pasted=pasted, files=tuple(map(str, files)))


def beside(kept: Kept, before: Kept) -> Kept:
    """Return what to keep of both: the draft from before is put aside, unless it is the only one."""
    is_written = not kept.draft.is_empty
    draft = kept.draft if is_written else before.draft
    put_aside = (before.draft,) if is_written and not before.draft.is_empty else ()
    stash = (*before.stash, *put_aside, *kept.stash)[-MOST_STASHED:]
    return Kept(draft=draft, stash=stash, queue=(*before.queue, *kept.queue))


def draft_path(home: Path, session_id: str, folder: Path) -> Path:
    """Return where the draft of a Session is kept; one in which nothing was said yet has an empty id."""
    name = session_id or f"new-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:24]}"
    return home / FOLDER_NAME / f"{name}.json"


def read_kept(path: Path) -> Kept:
    """Return what is kept; nothing if it cannot be read, or if another process that still lives is writing it."""
    kept = _read(path)
    return Kept() if _is_of_another(kept) else kept


def write_kept(path: Path, kept: Kept) -> None:
    """Replace what is kept at once; nothing to keep removes the file. A disk that is full loses the draft, no more.

    What another process that still lives has kept there is left alone.
    """
    if _is_of_another(_read(path)):
        return
    with suppress(OSError):
        if kept.is_empty:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with os.fdopen(os.open(beside, flags, PRIVATE_FILE), "wb") as file:
            file.write(msgspec.json.encode(msgspec.structs.replace(kept, pid=os.getpid())))
        beside.replace(path)


def _read(path: Path) -> Kept:
    try:
        if path.stat().st_size > MOST_BYTES:
            return Kept()
        return msgspec.json.decode(path.read_bytes(), type=Kept)
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return Kept()


def _is_of_another(kept: Kept) -> bool:
    return kept.pid != os.getpid() and _is_alive(kept.pid)


def _pieces(text: str) -> Iterator[str | int]:
    begin = 0
    for at, character in enumerate(text):
        if is_token(character):
            if at > begin:
                yield text[begin:at]
            yield ord(character) - ord(FIRST_TOKEN)
            begin = at + 1
    if text[begin:]:
        yield text[begin:]


def _token(number: int) -> str:
    return chr(ord(FIRST_TOKEN) + number)


def _is_alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
