"""The three standard streams, made safe to use: none missing, text that always encodes, nobody who must read."""

import contextlib
import io
import os
import sys

STDOUT, STDERR = 1, 2


def make_usable() -> None:
    """Let everything else print without care, whatever the process was started with.

    A closed descriptor would be given to the next file that is opened, such as the journal, and `print` would write
    there; so its number is taken. What was meant for a closed standard output still fails, so that it is noticed.
    """
    for descriptor, flags in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        if not _is_open(descriptor):
            os.open(os.devnull, flags)  # takes the lowest free number, which is this one
    sys.stdout = sys.stdout or io.TextIOWrapper(io.FileIO(1, "w", closefd=False))
    sys.stderr = sys.stderr or io.TextIOWrapper(io.FileIO(2, "w", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


def complain(line: str) -> None:
    """Write a line to standard error that says whose it is."""
    remark(f"yeaft: {line}")


def remark(line: str) -> None:
    """Write a line to standard error, unmasked; if nobody reads there, that is no reason to stop."""
    from yeaft.interfaces.cli.terminal_text import unmasked  # most runs have nothing to remark

    try:
        print(unmasked(line), file=sys.stderr, flush=True)
    except OSError:
        return


def share_a_terminal() -> bool:
    """Whether both outputs go to one terminal, so that nothing need be said on both of them."""
    return os.isatty(STDOUT) and are_one(STDOUT, STDERR)


def are_one(one: int, other: int) -> bool:
    """Whether two descriptors lead to the same terminal, pipe or file, so that their lines stand among each other."""
    first, second = os.fstat(one), os.fstat(other)
    return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)


def flush() -> OSError | None:
    """Send off what is still held back; return why standard output did not take it."""
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    try:
        sys.stdout.flush()
    except OSError as error:
        return error
    return None


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
