"""What the stories about artifacts begin with: an empty folder `out`, a clock that ticks, and drafts."""

import itertools
from pathlib import Path

from yeaft.artifacts.artifact import Draft
from yeaft.artifacts.store import ArtifactStore
from yeaft.events.artifact import Provenance

PRICES = b"item,price,since\nmilk,1.20,2026-01-05\n\xe8\xb1\x86\xe8\x85\x90,3,\n"


def a_store(root: Path) -> ArtifactStore:
    ticks = itertools.count(1_700_000_000_000, 1000)
    return ArtifactStore(root / "out", session_id="k7m2q9xa", now_ms=lambda: next(ticks))


def draft(name: str, content: bytes | str, *, by: str = "vp:omni", description: str = "") -> Draft:
    raw = content.encode() if isinstance(content, str) else content
    return Draft(name=name, content=raw, description=description, provenance=Provenance(created_by=by))
