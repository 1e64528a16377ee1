"""`yeaft replay`: what exactly was sent to models, rebuilt from the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option, run_action
from yeaft.interfaces.cli.commands.printing import put, put_json, put_table
from yeaft.interfaces.cli.options import Count
from yeaft.kernel.errors import NotFound
from yeaft.kernel.outcome import EXIT_ANSWERED, EXIT_FAILED

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options
    from yeaft.session.replay import Rebuilt

SHOWN_DIGITS = 12
RUN_PREFIX = "r_"


class RequestRow(Struct, frozen=True, kw_only=True):
    """One request that was sent; `verdict` says whether its body could be rebuilt byte for byte (`equal`).

    `stream` is `session`, `agent/<id>` for a request of a sub-agent, `step/<id>` for one of a step of a graph; `seq`
    counts within it.
    """

    stream: str
    seq: int
    request_id: str
    turn_id: str
    vp: str
    round: int
    attempt: int
    model: str
    digest: str
    verdict: str
    bytes: int


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft replay ...` and return the exit code."""
    return run_action("replay", ACTION, options, words)


def show(desk: Desk, *, session: str, check: bool, body: int | None) -> int:
    """Show the requests of a Session, or the body of one; with `check` exit 1 unless all can be rebuilt."""
    from yeaft.session.replay import replay_all
    from yeaft.store.attachments import Attachments
    from yeaft.store.blobs import FileBlobs
    from yeaft.store.directory import find_session
    from yeaft.store.sqlite import SqliteJournal

    if session.startswith(RUN_PREFIX):
        from yeaft.interfaces.cli.commands.replay_run import show_run

        return show_run(desk, session, check=check, body=body)
    paths = find_session(desk.home, session)
    blobs = FileBlobs(paths.blobs)
    journal = SqliteJournal.for_reading(paths.db, blobs)
    rebuilt = list(replay_all(journal, blobs, paths.session_id, Attachments(paths.attachments)))
    if body is not None:
        return put_body(rebuilt, body)
    if desk.as_json:
        put_json([row_of(one) for one in rebuilt])
    else:
        put_rows(desk, rebuilt)
    are_equal = all(one.verdict == "equal" for one in rebuilt)
    return EXIT_ANSWERED if are_equal or not check else EXIT_FAILED


def put_rows(desk: Desk, rebuilt: list[Rebuilt]) -> None:
    """Print a line for each request, and how many were rebuilt."""
    headings = [desk.text(f"heading.{key}") for key in ("number", "vp", "round", "bytes", "verdict", "digest")]
    rows = [row_of(one) for one in rebuilt]
    put_table(
        headings,
        [
            (str(number), f"@{row.vp}", _round(row), str(row.bytes), row.verdict, _short(row.digest))
            for number, row in enumerate(rows, start=1)
        ],
    )
    equal = sum(row.verdict == "equal" for row in rows)
    desk.note("replay.summary", equal=equal, count=len(rows))


def put_body(rebuilt: list[Rebuilt], number: int) -> int:
    """Print the body of one request, counted from 1. Raises `NotFound`."""
    if number > len(rebuilt) or not rebuilt[number - 1].body:
        raise NotFound(f"There is no request {number} that can be rebuilt; this Session sent {len(rebuilt)}.")
    put(rebuilt[number - 1].body.decode("utf-8", "replace"))
    return EXIT_ANSWERED


def row_of(one: Rebuilt) -> RequestRow:
    """What is said of a request."""
    sent = one.request
    return RequestRow(
        stream=one.stream,
        seq=one.seq,
        request_id=sent.request_id,
        turn_id=sent.turn_id,
        vp=sent.vp,
        round=sent.round,
        attempt=sent.attempt,
        model=sent.model,
        digest=sent.digest,
        verdict=one.verdict,
        bytes=len(one.body),
    )


def _round(row: RequestRow) -> str:
    """Return the round as people count, with the number of the try if it was not the first."""
    return f"{row.round + 1}" if not row.attempt else f"{row.round + 1} ({row.attempt + 1})"


def _short(digest: str) -> str:
    return digest[:SHOWN_DIGITS]


ACTION = Action(
    run=show,
    params=(argument("SESSION"), flag("--check"), option("--body", type=Count(min=1))),
)
