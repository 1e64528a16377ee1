"""Every kind of standard input that a command can be started with, for real."""

import asyncio
import os
import pty
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterator
from contextlib import contextmanager

from e2e.given import PATIENCE_S, Ran, Yeaft

PIPED = b"milk and eggs, piped in\n"
WAITING = b"waiting for standard input"
KINDS = ("tty", "closed", "/dev/null", "file", "pipe", "silent", "sibling")
WITH_DATA = frozenset({"file", "pipe", "sibling"})
"""`silent` is an open pipe that only an ancestor holds; `sibling` one whose writer speaks up when it is waited for."""


async def run_with(yeaft: Yeaft, kind: str, *words: str) -> Ran:
    """Run yeaft to its end with that kind of standard input."""
    match kind:
        case "closed":
            argv = ("sh", "-c", 'exec "$@" <&-', "sh", *yeaft.command(*words))
            return await yeaft.ended(await yeaft.start_program(*argv))
        case "/dev/null":
            return await yeaft.run(*words)
        case "pipe":
            return await yeaft.run(*words, given=PIPED)
        case "sibling":
            return await _after_a_sibling(yeaft, words)
        case _:
            with _open_descriptor(yeaft, kind) as descriptor:
                return await yeaft.run(*words, stdin=descriptor)


@contextmanager
def _open_descriptor(yeaft: Yeaft, kind: str) -> Iterator[int]:
    match kind:
        case "tty":
            other, given = pty.openpty()
        case "silent":
            given, other = os.pipe()
        case _:
            (yeaft.home / "given.txt").write_bytes(PIPED)
            given = os.open(yeaft.home / "given.txt", os.O_RDONLY)
            other = os.dup(given)
    try:
        yield given
    finally:
        os.close(given)
        os.close(other)


async def _after_a_sibling(yeaft: Yeaft, words: tuple[str, ...]) -> Ran:
    """`cat | yeaft`, where cat gets its input only when yeaft has said that it waits."""
    read_end, write_end = os.pipe()
    cat = await asyncio.create_subprocess_exec("cat", stdin=PIPE, stdout=write_end, stderr=DEVNULL)
    os.close(write_end)
    process = await yeaft.start(*words, stdin=read_end)
    os.close(read_end)
    assert process.stderr is not None
    said = b""
    async with asyncio.timeout(PATIENCE_S):
        while WAITING not in said and (line := await process.stderr.readline()):
            said += line
        await cat.communicate(PIPED)
    ran = await yeaft.ended(process)
    return ran._replace(err=said.decode() + ran.err)
