"""What `yeaft doctor` says of the keys of the full screen: whether one of them means two things at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.config.keys import collisions, effective
from yeaft.interfaces.cli.commands.doctor_check import Check
from yeaft.interfaces.key_names import chord_text

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk


def keys_check(desk: Desk) -> Check:
    """Name the keys that several things have at the same time."""
    found = collisions(effective(desk.config.keys))
    if not found:
        return Check(name="keys", status="ok", detail=desk.text("doctor.keys_ok"))
    told = "; ".join(f"{chord_text(chord)}: {', '.join(ids)}" for chord, ids in found.items())
    return Check(name="keys", status="warn", detail=told, remedy=desk.text("doctor.keys_remedy"))
