"""A model's replies kept in a file, and models that answer from it: the same requests get the same replies again.

A cassette is JSON lines. What a request asks is told by its identity: the digest of its body without what differs from
run to run (ids, dates, the place of the work folder).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, cast

import msgspec
from msgspec import Raw, Struct

from yeaft.kernel.errors import BadData, ModelFailed, NotFound
from yeaft.kernel.lists import is_list
from yeaft.llm.model import Encode, Hear, Model, ModelEntry, Piece, Reply

ReplayMode = Literal["strict", "lenient", "record"]
_IDS = re.compile(r"(?<![A-Za-z0-9])[a-z]{1,4}_[0-9a-hjkmnp-tv-z]{16,}(?![A-Za-z0-9])")
_DATES = re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?")
_CHANGING = frozenset(
    ("id", "call_id", "tool_use_id", "item_id", "prompt_cache_key", "cache_control", "metadata", "user", "signature")
)
"""Keys of a body whose values say nothing about what is asked."""
ASKED_CHARS = 4000
SHOWN_CHARS = 160
"""So much of a text is shown, a line of a terminal or two."""
LEAST_LIKENESS = 0.4


class Take(Struct, frozen=True, kw_only=True, tag="reply"):
    """One reply of `model`, and the identity of the request that it answered; `asked` is what was asked last."""

    key: str
    model: str
    asked: str
    reply: Reply


class Cast(Struct, frozen=True, kw_only=True, tag="model"):
    """A model that was used, with what was known of it; `named` is how it was asked for."""

    named: str
    entry: ModelEntry


class Expected(Struct, frozen=True, kw_only=True, tag="run"):
    """What came of the run that was recorded, as JSON."""

    run: Raw


Row = Take | Cast | Expected


class Cassette:
    """The replies of one run. `folder` is the work folder of this one; it is called `.` in identities.

    `strict` answers only what was asked before, `lenient` also what is most like it by what was asked last, and
    `record` asks the real models and keeps what they say. What was only like it is told in `strays`.
    """

    def __init__(self, mode: ReplayMode, folder: Path, rows: tuple[Row, ...] = ()) -> None:
        self.mode: ReplayMode = mode
        self.strays: list[str] = []
        self._folder = str(folder)
        self._takes = [row for row in rows if isinstance(row, Take)]
        self._left = list(self._takes)
        self._casts = {row.named: row for row in rows if isinstance(row, Cast)}
        self._expected = next((row.run for row in rows if isinstance(row, Expected)), None)

    @property
    def named(self) -> tuple[str, ...]:
        """The models that were asked for, in order."""
        return tuple(self._casts)

    @property
    def expected(self) -> Raw | None:
        """What came of the run that was recorded."""
        return self._expected

    @property
    def unused(self) -> int:
        """How many replies nobody has asked for yet."""
        return len(self._left)

    def model(self, ref: str, make: Callable[[], Model]) -> Model:
        """See `model.Substitute`. Raises `NotFound` for one that was not recorded."""
        if self.mode == "record":
            real = make()
            self._casts[ref] = Cast(named=ref, entry=real.entry)
            return _Recorded(real, self)
        cast_ = self._casts.get(ref)
        if cast_ is None:
            raise NotFound(f"The cassette has no replies of {ref!r}, only of {', '.join(self._casts) or 'nobody'}.")
        return _Replayed(cast_.entry, self)

    def keep(self, entry: ModelEntry, body: bytes, reply: Reply) -> None:
        """Keep what a model said."""
        key, asked = identity(body, self._folder)
        self._takes.append(Take(key=key, model=entry.ref, asked=asked, reply=reply))

    def answer(self, entry: ModelEntry, body: bytes) -> Reply:
        """Return what was said to such a request; each reply once, in order. Raises `ModelFailed`."""
        key, asked = identity(body, self._folder)
        mine = [take for take in self._left if take.model == entry.ref]
        found = next((take for take in mine if take.key == key), None)
        if found is None and self.mode == "lenient":
            found = _nearest(asked, mine)
            self.strays += [] if found is None else [_short(asked)]
        if found is None:
            raise ModelFailed("invalid", _missing(asked, mine))
        self._left.remove(found)
        return found.reply

    def rows(self, run: Any) -> bytes:
        """Return the file, with what came of the run."""
        rows: list[Row] = [*self._casts.values(), *self._takes]
        rows.append(Expected(run=Raw(msgspec.json.encode(run))))
        return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def read_cassette(path: Path, mode: ReplayMode, folder: Path) -> Cassette:
    """Read a cassette. Raises `NotFound`, or `BadData` with the line that is none of one."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise NotFound(f"There is no cassette {path}: {error.strerror}. --record makes one.") from error
    rows: list[Row] = []
    for number, line in enumerate(lines, start=1):
        try:
            rows.append(msgspec.json.decode(line, type=Row))
        except (msgspec.DecodeError, UnicodeError) as error:
            raise BadData(f"{path}:{number}: this is no line of a cassette: {error}.") from error
    return Cassette(mode, folder, tuple(rows))


def identity(body: bytes, folder: str) -> tuple[str, str]:
    """Return what tells a request from others, and the words that were said last in it."""
    plain = _plain(msgspec.json.decode(body), folder)
    asked = ""
    if isinstance(plain, dict):
        said = cast("dict[str, Any]", plain)
        messages = said.get("messages", said.get("input"))
        asked = _last_said(messages)
    encoded = msgspec.json.encode(plain, order="deterministic")
    return hashlib.sha256(encoded).hexdigest()[:32], asked[-ASKED_CHARS:]


def settled(value: Any) -> Any:
    """Return a value of a run without the ids and dates in it, which differ from run to run."""
    return _plain(value, "")


def _plain(value: Any, folder: str) -> Any:
    match value:
        case dict():
            pairs = cast("Mapping[str, Any]", value).items()
            return {key: _plain(one, folder) for key, one in pairs if key not in _CHANGING}
        case str():
            return _DATES.sub("DATE", _IDS.sub("ID", value.replace(folder, ".") if folder else value))
        case _:
            return [_plain(one, folder) for one in value] if is_list(value) else value


def _last_said(messages: Any) -> str:
    """The newest text of a request that is not the model's own: what a user or a tool said."""
    if isinstance(messages, str):
        return messages
    for message in reversed(messages if is_list(messages) else []):
        is_told = isinstance(message, dict) and cast("dict[str, Any]", message).get("role") != "assistant"
        if is_told and (text := "\n".join(_texts(message))):
            return text
    return ""


def _texts(value: Any, key: str = "") -> list[str]:
    match value:
        case str():
            return [value] if key in ("text", "content", "output") else []
        case dict():
            pairs = cast("Mapping[str, Any]", value).items()
            return [text for name, one in pairs for text in _texts(one, name)]
        case _:
            return [text for one in value for text in _texts(one, key)] if is_list(value) else []


def _missing(asked: str, mine: list[Take]) -> str:
    """Say what was asked that was not asked before, and where it differs from what is most like it."""
    import difflib

    near = _nearest(asked, mine)
    said = f"The cassette has no reply to this request: {_short(asked)}"
    if near is None:
        return said
    if near.asked == asked:
        return f"{said}\nWhat was asked last is the same; what was said before it, the persona or the tools differ."
    rows = [row for row in difflib.ndiff(near.asked.splitlines(), asked.splitlines()) if row[:1] in "+-"]
    return f"{said}\nIt differs from what was recorded:\n" + "\n".join(rows[:20])


def _nearest(asked: str, takes: list[Take]) -> Take | None:
    """The reply to what is most like what was asked; None if nothing is."""
    import difflib

    same = next((take for take in takes if take.asked == asked), None)
    near = difflib.get_close_matches(asked, [take.asked for take in takes], n=1, cutoff=LEAST_LIKENESS)
    return same or next((take for take in takes if near and take.asked == near[0]), None)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARS else f"{line[:SHOWN_CHARS]}…"


class _Recorded:
    """A model whose replies are kept."""

    def __init__(self, model: Model, cassette: Cassette) -> None:
        self._model = model
        self._cassette = cassette

    @property
    def entry(self) -> ModelEntry:
        """See `Model.entry`."""
        return self._model.entry

    def encoder(self) -> Encode:
        """See `Model.encoder`."""
        return self._model.encoder()

    async def generate(self, body: bytes, hear: Hear) -> Reply:
        """See `Model.generate`."""
        reply = await self._model.generate(body, hear)
        self._cassette.keep(self.entry, body, reply)
        return reply


class _Replayed:
    """A model that only repeats what it has said; nothing is sent anywhere."""

    def __init__(self, entry: ModelEntry, cassette: Cassette) -> None:
        self._entry = entry
        self._cassette = cassette

    @property
    def entry(self) -> ModelEntry:
        """See `Model.entry`."""
        return self._entry

    def encoder(self) -> Encode:
        """See `Model.encoder`."""
        from yeaft.llm.encoding import encoder_of

        return encoder_of(self._entry)

    async def generate(self, body: bytes, hear: Hear) -> Reply:
        """See `Model.generate`."""
        from yeaft.kernel.messages import text_of

        reply = self._cassette.answer(self._entry, body)
        hear(Piece(kind="text", pieces=(text_of(reply.items),)))
        return reply
