"""Where the embedded model lives on disk, and whether it is there: `YEAFT_DIR/models`, described by `local.json`."""

from pathlib import Path

import msgspec
from msgspec import Struct

MANIFEST = "local.json"
SITE = "python"


class LocalFiles(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What `yeaft local setup` left behind. `model` is the id by which the weights are asked for.

    Paths are absolute. `origin` and `licence` are shown to the user; by `size_bytes` we see that the weights were cut
    or replaced.
    """

    model: str
    weights: str
    size_bytes: int
    sha256: str
    site: str
    engine: str
    origin: str
    licence: str


class LocalStatus(Struct, frozen=True, kw_only=True):
    """Whether the embedded model can be used; `problem` says why not, in one sentence."""

    files: LocalFiles | None
    problem: str = ""

    @property
    def is_ready(self) -> bool:
        """Whether it can be started."""
        return self.files is not None


def models_folder(home: Path) -> Path:
    """The folder of everything about local models, below YEAFT_DIR."""
    return home / "models"


def status(home: Path) -> LocalStatus:
    """Whether the embedded model is set up; a few stats, no import of the engine and no reading of the weights."""
    manifest = models_folder(home) / MANIFEST
    try:
        files = msgspec.json.decode(manifest.read_bytes(), type=LocalFiles)
    except OSError:
        return LocalStatus(files=None, problem="The embedded model is not set up; `yeaft local setup` does that.")
    except msgspec.DecodeError as error:
        return LocalStatus(files=None, problem=f"{manifest} cannot be read ({error}); run `yeaft local setup`.")
    if not Path(files.site, "xllamacpp").is_dir():
        return LocalStatus(files=None, problem=f"The engine is gone from {files.site}; run `yeaft local setup`.")
    if _size(Path(files.weights)) != files.size_bytes:
        return LocalStatus(
            files=None, problem=f"The weights in {files.weights} are gone or changed; run `yeaft local setup`."
        )
    return LocalStatus(files=files)


def write_manifest(home: Path, files: LocalFiles) -> None:
    """Record that `files` are complete; from now on `status` says so."""
    folder = models_folder(home)
    draft = folder / f"{MANIFEST}.new"
    draft.write_bytes(msgspec.json.format(msgspec.json.encode(files), indent=2))
    draft.replace(folder / MANIFEST)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
