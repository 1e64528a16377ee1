"""`yeaft replay`: what exactly was sent to models, rebuilt from the journal."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
import msgspec

from yeaft.config import places
from yeaft.interfaces.cli.commands.parsing import invoke
from yeaft.kernel.errors import NotFound
from yeaft.kernel.outcome import EXIT_ANSWERED, EXIT_FAILED
from yeaft.session.replay import Rebuilt, replay
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import find_session
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.sqlite import SqliteJournal

if TYPE_CHECKING:
    from yeaft.interfaces.cli.options import Options


def run(options: Options, words: list[str]) -> int:
    """Run the command and return its exit code."""
    return invoke(replay_command, options, words, "yeaft replay")


@click.command(
    "replay",
    help="""Rebuild every request of a Session from its journal, and compare it with what was sent.

\b
Examples:
  yeaft replay k7m2q9xa                 list the requests
  yeaft replay k7m2q9xa --check         exit 1 if any cannot be rebuilt byte for byte
  yeaft replay k7m2q9xa --body 3        print the body of the third request""",
)
@click.argument("session")
@click.option("--check", is_flag=True, help="Exit 1 unless every request is rebuilt byte for byte.")
@click.option("--body", type=click.IntRange(min=1), help="Print the body of one request, counted from 1.")
@click.option("--json", "as_json", is_flag=True, help="A JSON array.")
def replay_command(session: str, check: bool, body: int | None, as_json: bool) -> int:
    """Show or check the requests of a Session."""
    home = places.home(os.environ)
    paths = find_session(home, session)
    blobs = FileBlobs(paths.blobs)
    journal = SqliteJournal(paths.db, blobs)
    rebuilt = list(replay(journal.read(SESSION_STREAM), blobs, paths.root.name))
    if body is not None:
        return _print_body(rebuilt, body)
    if as_json:
        click.echo(msgspec.json.encode([_row(one) for one in rebuilt]))
    else:
        for number, one in enumerate(rebuilt, start=1):
            sent = one.request
            place = f"round {sent.round} attempt {sent.attempt}"
            click.echo(
                f"{number:4}  @{sent.vp:14} {place:20} {len(one.body):8} bytes  {one.verdict:14} {sent.digest[:12]}"
            )
        equal = sum(one.verdict == "equal" for one in rebuilt)
        click.echo(f"{equal} of {len(rebuilt)} requests rebuilt byte for byte.")
    wrong = any(one.verdict != "equal" for one in rebuilt)
    return EXIT_FAILED if check and wrong else EXIT_ANSWERED


def _print_body(rebuilt: list[Rebuilt], number: int) -> int:
    if number > len(rebuilt) or not rebuilt[number - 1].body:
        raise NotFound(f"There is no request {number} that can be rebuilt; this Session sent {len(rebuilt)}.")
    click.echo(rebuilt[number - 1].body)
    return EXIT_ANSWERED


def _row(one: Rebuilt) -> dict[str, object]:
    sent = one.request
    return {
        "seq": one.seq,
        "request_id": sent.request_id,
        "turn_id": sent.turn_id,
        "vp": sent.vp,
        "round": sent.round,
        "attempt": sent.attempt,
        "model": sent.model,
        "digest": sent.digest,
        "verdict": one.verdict,
        "bytes": len(one.body),
    }
