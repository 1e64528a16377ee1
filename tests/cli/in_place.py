"""The command line in the process of a test: the same words, streams, folder and environment, without a start of Python.

What a process is more than that - its first words, how it ends, terminals, signals - is for real ones to tell: those of
`test_real_processes.py`, and e2e.
"""

import io
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from yeaft.interfaces.cli import entry

STREAMS = (0, 1, 2)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def answered(words: tuple[str, ...], folder: Path, environ: Mapping[str, str]) -> tuple[int, str, str]:
    """Do what the program does with `words` and no standard input; return its exit code and what it wrote to both."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with _in(folder), _with(environ), _signals_kept(), _nothing_loaded_from(folder), _writing_to(out, err):
            code = entry.done_with(list(words))
        return code, _all_of(out), _all_of(err)


def _all_of(file: BinaryIO) -> str:
    file.seek(0)
    return file.read().decode()


@contextmanager
def _in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _with(environ: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(environ)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Take back the signals, which a conversation leaves as nobody may disturb it any more."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        yield
    finally:
        for number, what in before.items():
            signal.signal(number, what)


@contextmanager
def _nothing_loaded_from(folder: Path) -> Iterator[None]:
    """Forget modules of the user's that were imported: the next story has others of the same name."""
    before = set(sys.modules)
    try:
        yield
    finally:
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(f"{folder.parent}/"):
                del sys.modules[name]


@contextmanager
def _writing_to(out: BinaryIO, err: BinaryIO) -> Iterator[None]:
    """Let the three descriptors, and what Python writes to two of them, lead to nothing and to these files."""
    kept = [os.dup(number) for number in STREAMS]
    shown = sys.stdout, sys.stderr
    with ExitStack() as after, Path(os.devnull).open("rb") as nothing:
        after.callback(_lead_back, kept)
        for number, file in zip(STREAMS, (nothing, out, err), strict=True):
            os.dup2(file.fileno(), number)
        sys.stdout, sys.stderr = (_text(number) for number in STREAMS[1:])
        try:
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            sys.stdout, sys.stderr = shown


def _text(number: int) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedWriter(io.FileIO(number, "w", closefd=False)), "utf-8", "replace")


def _lead_back(kept: list[int]) -> None:
    for number, descriptor in zip(STREAMS, kept, strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)
