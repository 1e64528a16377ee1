"""`yeaft session export` and `import`: a Session as one text file, CloudEvents for programs or Markdown for people."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option
from yeaft.interfaces.cli.commands.printing import put, put_json, put_raw
from yeaft.interfaces.cli.commands.reading import read_text
from yeaft.interfaces.cli.streams import share_a_terminal
from yeaft.kernel.errors import BadData, YeaftError
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.events.codec import Recorded
    from yeaft.events.fact import BlobRef
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.session.offline import Reading

BLOB_TYPE = "yeaft.blob"
BYTE_ORDER_MARK = "\ufeff"


class BlobLine(Struct, frozen=True, kw_only=True):
    """One blob that events refer to, as a CloudEvent of its own; its id is its SHA-256."""

    specversion: str = "1.0"
    id: str
    source: str = "//yeaft/blobs"
    type: str = BLOB_TYPE
    datacontenttype: str
    data_base64: bytes


class _Typed(Struct, frozen=True, kw_only=True):
    """What every line says of itself."""

    type: str = ""


def export(
    desk: Desk,
    *,
    session: str,
    output: Path | None,
    form: Literal["jsonl", "markdown"],
    redact: bool,
    thinking: bool,
) -> int:
    """Write a Session as JSON lines or Markdown, without thinking unless asked."""
    from yeaft.session.agents.agent_reading import agent_records
    from yeaft.session.offline import read_session

    reading = read_session(desk.home, session)
    if reading.damaged:
        desk.note("sessions.damaged", count=reading.damaged, path=str(reading.paths.db))
    reading = replace(reading, records=tuple(_cleaned(desk, reading.records, redact=redact, thinking=thinking)))
    if form == "markdown":
        text = _as_markdown(reading, thinking=thinking)
    else:
        agents = _cleaned(desk, agent_records(reading.paths), redact=redact, thinking=thinking)
        reading = replace(reading, records=(*reading.records, *agents))
        text = "".join(f"{line}\n" for line in _as_lines(reading, with_blobs=not redact))
    target = output or desk.options.output_file
    if target is None:
        put_raw(text)
        return EXIT_ANSWERED
    try:
        target.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise YeaftError(f"{target} cannot be written: {error.strerror}.") from error
    desk.note("sessions.exported", session=reading.paths.session_id, path=str(target))
    return EXIT_ANSWERED


def import_(desk: Desk, *, file: str) -> int:
    """Read a Session that `export` wrote as JSON lines, and print its id."""
    from yeaft.session.offline import import_session
    from yeaft.store.cloudevents import import_lines

    blobs, events = _told_apart(read_text(file).split("\n"))
    records = list(import_lines(events))
    session_id = asyncio.run(import_session(desk.home, records, blobs))
    return tell_new(desk, session_id)


def tell_new(desk: Desk, session_id: str) -> int:
    """Print the id of a Session that was made, and how to go on with it, which at a terminal says the id as well."""
    if desk.as_json:
        put_json({"id": session_id})
    elif desk.options.quiet or not share_a_terminal():
        put(session_id)
    desk.note("sessions.go_on", session=session_id)
    return EXIT_ANSWERED


def _cleaned(desk: Desk, records: Iterable[Recorded], *, redact: bool, thinking: bool) -> Iterator[Recorded]:
    from yeaft.interfaces.cli.commands.redaction import Redaction

    redaction = Redaction(desk.config, desk.environ) if redact else None
    for recorded in records:
        kept = recorded if thinking else _without_thinking(recorded)
        yield redaction.recorded(kept) if redaction else kept


def _without_thinking(recorded: Recorded) -> Recorded:
    from yeaft.events.turn import ReplyCompleted
    from yeaft.kernel.messages import ThinkingItem

    event = recorded.event
    if not isinstance(event, ReplyCompleted):
        return recorded
    said = tuple(item for item in event.items if not isinstance(item, ThinkingItem))
    return replace(recorded, event=replace(event, items=said))


def _as_markdown(reading: Reading, *, thinking: bool) -> str:
    from yeaft.interfaces.cli.commands.transcript import markdown, transcript
    from yeaft.session.state import SessionState

    state = SessionState(reading.paths.session_id)
    for recorded in reading.records:
        state.apply(recorded)
    cleaned = replace(reading, state=state)
    return "\n\n".join(markdown(cleaned, transcript(cleaned, thinking=thinking))) + "\n"


def _as_lines(reading: Reading, *, with_blobs: bool) -> Iterator[str]:
    """Yield events, then what they keep in blobs; blobs are opaque, so a redacted export has none."""
    from yeaft.store.blobs import FileBlobs
    from yeaft.store.cloudevents import export_lines

    yield from export_lines(reading.records, session_id=reading.paths.session_id)
    if not with_blobs:
        return
    blobs = FileBlobs(reading.paths.blobs)
    refs = {ref.sha256: ref for recorded in reading.records for ref in _blobs_of(recorded)}
    for ref in refs.values():
        content = blobs.get(ref.sha256)
        if content is not None:
            line = BlobLine(id=ref.sha256, datacontenttype=ref.mime, data_base64=content)
            yield msgspec.json.encode(line).decode()


def _blobs_of(recorded: Recorded) -> tuple[BlobRef, ...]:
    from yeaft.events.call import CallFinished
    from yeaft.events.session import SettingsFrozen, VpFrozen

    match recorded.event:
        case SettingsFrozen(blob=blob) | VpFrozen(blob=blob):
            return (blob,)
        case CallFinished(images=images):
            return images
        case _:
            return ()


def _told_apart(lines: Iterable[str]) -> tuple[list[tuple[bytes, str]], list[str]]:
    """Return the blobs, and the lines that hold events; lines keep their places for messages."""
    blobs: list[tuple[bytes, str]] = []
    events: list[str] = []
    for number, line in enumerate(lines, start=1):
        bare = line.removeprefix(BYTE_ORDER_MARK).strip()
        if BLOB_TYPE not in bare or not _is_blob(bare):
            events.append(line)
            continue
        try:
            blob = msgspec.json.decode(bare, type=BlobLine)
        except msgspec.DecodeError as error:
            raise BadData(f"Line {number} is not a blob of a yeaft journal: {error}.") from error
        blobs.append((blob.data_base64, blob.datacontenttype))
        events.append("")
    return blobs, events


def _is_blob(line: str) -> bool:
    """Whether a line calls itself a blob, however it is written; what is no JSON is none."""
    try:
        return msgspec.json.decode(line, type=_Typed).type == BLOB_TYPE
    except (msgspec.DecodeError, RecursionError):
        return False


TRANSFERS: Mapping[str, Action] = {
    "export": Action(
        run=export,
        params=(
            argument("SESSION"),
            option("-o", "--output-file", "output", type=click.Path(path_type=Path, dir_okay=False)),
            option("--format", "form", type=click.Choice(["jsonl", "markdown"]), default="jsonl"),
            flag("--redact"),
            flag("--thinking"),
        ),
        has_json=False,
    ),
    "import": Action(run=import_, params=(argument("FILE"),)),
}
