"""Where and when a turn happens, as a VP is told: folder, platform, shell, and the date without the time of day."""

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from msgspec import Struct


class Place(Struct, frozen=True, kw_only=True):
    """`date` is ISO 8601, `zone` an offset with the name of the zone where it is known: `+02:00 CEST`."""

    folder: str
    platform: str
    shell: str
    date: str
    zone: str


def place_at(now_ms: int, folder: Path, environ: Mapping[str, str]) -> Place:
    """Return this machine's place at `now_ms` (milliseconds since the epoch, UTC), in its own time zone.

    Only the date is told, so that the end of a system prompt changes once a day and stays cached between.
    """
    local = datetime.fromtimestamp(now_ms / 1000).astimezone()
    system = os.uname()
    return Place(
        folder=str(folder),
        platform=f"{system.sysname} {system.machine}",
        shell=Path(environ.get("SHELL", "/bin/sh")).name,
        date=local.date().isoformat(),
        zone=_zone(local),
    )


def _zone(local: datetime) -> str:
    offset = f"{local:%z}"
    name = local.tzname() or ""
    return f"UTC{offset[:3]}:{offset[3:5]}" + (f" {name}" if name[:1].isalpha() and name != "UTC" else "")
