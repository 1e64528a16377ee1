"""`yeaft keys`: what each key of the full screen does, as `[keys]` in config.toml has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.config.keys import KEYS, collisions, effective, flat
from yeaft.interfaces.cli.commands.parsing import Action, run_action
from yeaft.interfaces.cli.commands.printing import put_json, put_table
from yeaft.interfaces.key_names import chord_text, text_code
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options

NOTHING = "-"


class KeyRow(Struct, frozen=True, kw_only=True):
    """One thing that a key does: its name in `[keys]`, its keys now and built in, and what it does, in words."""

    id: str
    keys: tuple[str, ...]
    built_in: tuple[str, ...]
    chosen: bool
    does: str


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft keys ...` and return the exit code."""
    return run_action("keys", ACTION, options, words)


def show(desk: Desk) -> int:
    """Print all keys as they are bound now; say where one means two things at once."""
    chosen = flat(desk.config.keys)
    now = effective(desk.config.keys)
    rows = [
        KeyRow(id=key_id, keys=now[key_id], built_in=KEYS[key_id], chosen=key_id in chosen, does=_does(desk, key_id))
        for key_id in KEYS
    ]
    if desk.as_json:
        put_json(rows)
    else:
        headings = [desk.text(f"heading.{key}") for key in ("name", "keys", "does")]
        put_table(headings, [(row.id, ", ".join(map(chord_text, row.keys)) or NOTHING, row.does) for row in rows])
    for chord, ids in collisions(now).items():
        desk.note("keys.collision", key=chord_text(chord), names=", ".join(ids))
    return EXIT_ANSWERED


def _does(desk: Desk, key_id: str) -> str:
    return desk.text(text_code(key_id))


ACTION = Action(run=show)
