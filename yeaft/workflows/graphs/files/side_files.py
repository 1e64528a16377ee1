"""Files that a file of graphs names: read only from its own folder and what is below, and only if they are small."""

from __future__ import annotations

from pathlib import Path

LARGEST_BYTES = 256 * 1024


def read_side_file(name: str, folder: Path) -> str:
    """Return the text of a file below `folder`. Raises `ValueError` with the reason if it is not to be read."""
    if "://" in name:
        raise ValueError(f"{name!r} is not on this machine, and nothing is fetched")
    path = folder / name
    try:
        if "\\" in name and not path.is_file():  # as Windows writes it
            path = folder / name.replace("\\", "/")
        whole = path.resolve()
        if not whole.is_relative_to(folder.resolve()):
            raise ValueError(f"{name!r} leads out of the folder of the graph")
        if not whole.is_file():
            raise ValueError(f"there is no file {name!r} beside the graph")
        with whole.open("rb") as file:
            raw = file.read(LARGEST_BYTES + 1)
    except (OSError, RuntimeError) as error:
        raise ValueError(f"{name!r} cannot be read: {error}") from error
    if len(raw) > LARGEST_BYTES:
        raise ValueError(f"{name!r} is larger than {LARGEST_BYTES // 1024} KiB")
    return raw.decode("utf-8-sig", "replace")
