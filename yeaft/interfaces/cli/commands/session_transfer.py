"""`yeaft session export` and `import`: a Session as one file, for programs or for readers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from msgspec.structs import replace

from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option
from yeaft.interfaces.cli.commands.printing import iso_time, put, put_json, put_raw
from yeaft.interfaces.cli.commands.reading import read_text
from yeaft.interfaces.cli.streams import share_a_terminal
from yeaft.kernel.errors import YeaftError
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.events.codec import Recorded
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.session.offline import Reading

Form = Literal["jsonl", "json", "markdown", "md", "html"]
READABLE = ("markdown", "md", "html")


def export(desk: Desk, *, session: str, output: Path | None, form: Form, redact: bool, thinking: bool) -> int:
    """Write a Session as one file, without thinking unless asked."""
    from yeaft.interfaces.cli.commands.runs_told import run_records
    from yeaft.session.agents.agent_reading import agent_records
    from yeaft.session.offline import read_session
    from yeaft.store.directory import find_session

    reading = read_session(desk.home, find_session(desk.home, session, folder=str(desk.folder)).session_id)
    if reading.damaged:
        desk.note("sessions.damaged", count=reading.damaged, path=str(reading.paths.db))
    reading = replace(reading, records=tuple(_cleaned(desk, reading.records, redact=redact, thinking=thinking)))
    if form in READABLE:
        text = _for_readers(desk, reading, as_html=form == "html", redact=redact, thinking=thinking)
    else:
        others = chain(agent_records(reading.paths), run_records(reading.paths))
        cleaned = _cleaned(desk, others, redact=redact, thinking=thinking)
        text = _for_programs(replace(reading, records=(*reading.records, *cleaned)), form, redact=redact)
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
    """Read a Session that `export` wrote as JSON, and print its id."""
    from yeaft.interfaces.cli.commands.session_lines import parts_of
    from yeaft.session.offline import import_session
    from yeaft.store.cloudevents import import_lines

    parts = parts_of(read_text(file))
    records = list(import_lines(parts.events))
    session_id = asyncio.run(import_session(desk.home, records, parts.blobs, parts.files, parts.artifacts))
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


def _for_programs(reading: Reading, form: Form, *, redact: bool) -> str:
    from yeaft.interfaces.cli.commands.session_lines import lines_of

    lines = lines_of(reading, with_contents=not redact)
    if form == "json":
        return "[\n" + ",\n".join(lines) + "\n]\n"
    return "".join(f"{line}\n" for line in lines)


def _for_readers(desk: Desk, reading: Reading, *, as_html: bool, redact: bool, thinking: bool) -> str:
    from yeaft.interfaces.cli.commands.artifacts_told import artifact_blocks
    from yeaft.interfaces.cli.commands.transcript import markdown, transcript
    from yeaft.session.state import SessionState

    state = SessionState(reading.paths.session_id)
    for recorded in reading.records:
        state.apply(recorded)
    cleaned = replace(reading, state=state)
    if as_html:
        return _as_html(desk, cleaned, with_pictures=not redact, thinking=thinking)
    blocks = (*markdown(cleaned, transcript(cleaned, thinking=thinking)), *artifact_blocks(cleaned))
    return "\n\n".join(blocks) + "\n"


def _as_html(desk: Desk, reading: Reading, *, with_pictures: bool, thinking: bool) -> str:
    from yeaft.interfaces.cli.commands.artifacts_told import artifacts_told
    from yeaft.interfaces.cli.commands.html_document import Heading, Pictures, document
    from yeaft.interfaces.cli.commands.transcript import transcript
    from yeaft.store.attachments import Attachments
    from yeaft.store.blobs import FileBlobs
    from yeaft.store.meta import title_of

    state, paths = reading.state, reading.paths
    assert state.created is not None
    messages = transcript(reading, thinking=thinking, in_full=True)
    first = next((message.text for message in messages if message.kind == "user"), "")
    roster = " ".join(f"@{vp_id}" for vp_id in state.roster)
    names = ", ".join(one.path for one in artifacts_told(reading))
    kept = (desk.fact("artifact.heading", names),) if names else ()
    heading = Heading(
        title=state.name or title_of(first) or state.session_id,
        facts=(state.session_id, state.created.folder, roster, iso_time(state.created_ms), *kept),
        lang=desk.lang,
    )
    blobs, attachments = FileBlobs(paths.blobs), Attachments(paths.attachments)
    pictures = Pictures(blobs.get, attachments.read) if with_pictures else Pictures(_no_blob, _no_file)
    return document(heading, messages, pictures, desk.ui)


def _no_blob(_sha256: str) -> bytes | None:
    return None


def _no_file(_file: str, _sha256: str) -> bytes | None:
    return None


TRANSFERS: Mapping[str, Action] = {
    "export": Action(
        run=export,
        params=(
            argument("SESSION"),
            option("-o", "--output-file", "output", type=click.Path(path_type=Path, dir_okay=False)),
            option("--format", "form", type=click.Choice(["jsonl", "json", "markdown", "md", "html"]), default="jsonl"),
            flag("--redact"),
            flag("--thinking"),
        ),
        has_json=False,
    ),
    "import": Action(run=import_, params=(argument("FILE"),)),
}
