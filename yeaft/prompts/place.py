"""Where and when a turn happens, as a VP is told: folder, platform, shell, and the date without the time of day."""

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from yeaft.kernel.pattern import Pattern

LOCALTIME = Path("/etc/localtime")
UTC_NAMES = frozenset({"UTC", "Etc/UTC"})
_IANA = Pattern(r"[A-Za-z_]+(?:/[A-Za-z0-9_+-]+){1,2}")


class Place(Struct, frozen=True, kw_only=True):
    """`date` is ISO 8601, `zone` an offset with the name of the zone where it is known: `UTC+09:00 Asia/Tokyo`."""

    folder: str
    platform: str
    shell: str
    date: str
    zone: str


SH = "sh"
NOWHERE = Place(folder=".", platform="any", shell=SH, date="2000-01-01", zone="UTC")
"""What is told where requests must be the same on every machine and day."""


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
        zone=_zone(local, environ),
    )


def _zone(local: datetime, environ: Mapping[str, str]) -> str:
    offset = f"{local:%z}"
    name = zone_name(environ) or local.tzname() or ""
    return f"UTC{offset[:3]}:{offset[3:5]}" + (f" {name}" if name[:1].isalpha() and name not in UTC_NAMES else "")


def zone_name(environ: Mapping[str, str], localtime: Path = LOCALTIME) -> str:
    """Return the IANA name of the time zone (`Asia/Tokyo`), by `TZ` or else by where `localtime` links to.

    It is empty where neither says it, as for `TZ=CET-1`.
    """
    said = environ.get("TZ")
    if said is None:
        try:
            said = str(localtime.readlink())
        except OSError:
            return ""
    name = said.removeprefix(":").rpartition("zoneinfo/")[2]
    return name if _IANA.fullmatch(name) else ""
