"""The recorded wire traffic, where it is at hand: `YEAFT_WIRE_DIR`, else `../shared/wire` beside the checkout."""

import importlib.util
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


def wire_dir() -> Path | None:
    """The folder with `dev/` and `replay_server.py`, or None where it is absent."""
    folder = Path(os.environ.get("YEAFT_WIRE_DIR") or CHECKOUT.parent / "shared" / "wire")
    return folder if (folder / "replay_server.py").is_file() else None


def wire_cases(prefix: str) -> list[str]:
    """Ids of the recorded cases that start with `prefix` (`an-` or `or-`); empty where the recordings are absent."""
    folder = wire_dir()
    return sorted(case.name for case in (folder / "dev").iterdir() if case.name.startswith(prefix)) if folder else []


class Wire:
    """The recordings and a server on loopback that replays them: `url(case, split="1")`, `load(case, "expected")`."""

    def __init__(self, folder: Path, server: Any) -> None:
        self.folder = folder
        self.server = server

    def url(self, case: str, **faults: str) -> str:
        return self.server.url(case, **faults)

    def load(self, case: str, name: str) -> Any:
        return json.loads((self.folder / "dev" / case / f"{name}.json").read_text("utf-8"))

    def session(self, case: str) -> list[str]:
        """The cases of the recorded conversation that `case` belongs to, in order."""
        recorded = self.server.cases[case]
        return [other["id"] for other in self.server.sessions[recorded["session"]]]


@pytest.fixture(scope="session")
def wire() -> Iterator[Wire]:
    folder = wire_dir()
    if folder is None:
        pytest.skip("the recorded wire traffic is not here; YEAFT_WIRE_DIR can name its folder")
    spec = importlib.util.spec_from_file_location("replay_server", folder / "replay_server.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with module.Server(str(folder / "dev")) as server:
        yield Wire(folder, server)
