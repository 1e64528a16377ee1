"""`yeaft replay RUN`: a run of a graph made again from its journal, and every request of its steps rebuilt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.interfaces.cli.commands.printing import put_json
from yeaft.interfaces.cli.commands.replay import RequestRow, put_body, put_rows, row_of
from yeaft.kernel.outcome import EXIT_ANSWERED, EXIT_FAILED

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk


class RunRow(Struct, frozen=True, kw_only=True):
    """What is said of a run: `divergence` is the first event, at `seq`, that does not follow from those before it."""

    run: str
    graph: str
    events: int
    divergence: str
    seq: int
    requests: tuple[RequestRow, ...]


def show_run(desk: Desk, word: str, *, check: bool, body: int | None) -> int:
    """Say whether a run goes as it went, and show its requests; with `check` exit 1 unless all is as it was."""
    from yeaft.interfaces.cli.graphs.found_runs import find_run, journal_of
    from yeaft.session.replay import replay
    from yeaft.store.attachments import Attachments
    from yeaft.store.blobs import FileBlobs
    from yeaft.workflows.graphs.runs.replaying import replayed_whole, step_streams

    paths, found = find_run(desk, word)
    journal, blobs = journal_of(paths), FileBlobs(paths.blobs)
    again = replayed_whole(journal, blobs, found.run_id)
    kept = Attachments(paths.attachments)
    rebuilt = [
        one for stream in step_streams(journal, again.acts) for one in replay(journal.read(stream), blobs, stream, kept)
    ]
    if body is not None:
        return put_body(rebuilt, body)
    if desk.as_json:
        rows = tuple(row_of(one) for one in rebuilt)
        put_json(
            RunRow(
                run=again.run_id,
                graph=again.name,
                events=again.events,
                divergence=again.divergence,
                seq=again.seq,
                requests=rows,
            )
        )
    else:
        put_rows(desk, rebuilt)
        code = "replay.diverged" if again.divergence else "replay.run_equal"
        desk.note(code, graph=again.name, events=again.events, seq=again.seq, reason=again.divergence)
    is_equal = not again.divergence and all(one.verdict == "equal" for one in rebuilt)
    return EXIT_ANSWERED if is_equal or not check else EXIT_FAILED
