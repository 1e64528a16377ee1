"""A process that uses the store, for tests that need a second one: `store_worker.py VERB FOLDER [NUMBER]`."""

import asyncio
import resource
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from tests.store.store_given import STREAM, said, sqlite_journal, words
from yeaft.kernel.errors import SessionBusy, StoreFailed
from yeaft.store.lock import SessionLock


async def append_for_ever(folder: Path) -> None:
    """Append one event after another, every fifth synced, and print each head once it is committed."""
    journal = sqlite_journal(folder)
    head = journal.head(STREAM)
    while True:
        large = "x" * 40_000 if head % 7 == 0 else "x" * 200
        head = await journal.append(STREAM, head, 1, [said(large, event_id=f"e_{head}")], sync=head % 5 == 0)
        print(head, flush=True)


async def append_some(folder: Path, stream: str, count: int) -> None:
    """Append `count` synced events to a stream, then print how many are there."""
    journal = sqlite_journal(folder)
    for seq in range(count):
        await journal.append(stream, seq, 1, [said(f"{stream}-{seq}")], sync=True)
    print(len(journal.read(stream)), flush=True)
    await journal.close()


def hold_lock(folder: Path) -> None:
    """Take the lock, print `mine`, and keep it until the standard input ends; or say who has it."""
    try:
        with SessionLock.take(folder):
            print("mine", flush=True)
            sys.stdin.read()
    except SessionBusy as busy:
        print(busy, flush=True)


async def append_with_little_space(folder: Path) -> None:
    """Fill the file up to a limit that stands for a full disk, then print what is said and that it goes on."""
    journal = sqlite_journal(folder)
    await journal.append(STREAM, 0, 1, [said("before")])
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, resource.RLIM_INFINITY))
    try:
        for number in range(10):
            await journal.append(STREAM, 1, 1, [said(f"{number}" + "x" * 30_000), said(f"y{number}" + "x" * 30_000)])
    except StoreFailed as error:
        print(error, flush=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await journal.append(STREAM, journal.head(STREAM), 1, [said("after")])
    print(" ".join(word[:6] for word in words(journal.read(STREAM))), flush=True)
    await journal.close()


async def append_behind_a_failure(folder: Path) -> None:
    """Append to other streams while an append that will fail is on its way, and once more when that is known."""
    journal = sqlite_journal(folder)
    await journal.append(STREAM, 0, 1, [said("before")])
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, resource.RLIM_INFINITY))
    with closing(sqlite3.connect(folder / "session.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # so the writer is still busy with the first when the next ones come
        first = journal.append(STREAM, 1, 1, [said(f"{place}" + "x" * 30_000) for place in range(9)])
        first.hasten()
        await asyncio.sleep(0)
        behind = [journal.append(name, 0, 1, [said(name)]) for name in ("step/a", "step/b")]
        failed = asyncio.Event()
        first.listen(lambda _: failed.set())
        other.execute("ROLLBACK")
        await failed.wait()  # those behind it still gather then, or are with the writer
        for append in (first, *behind):
            try:
                await append
            except StoreFailed as error:
                print(error, flush=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await journal.append("step/b", 0, 1, [said("after")])
    print(" ".join(journal.streams()), *words(journal.read("step/b")), flush=True)
    await journal.close()


def main(verb: str, folder: Path, *rest: str) -> None:
    match verb:
        case "append-for-ever":
            asyncio.run(append_for_ever(folder))
        case "append-some":
            asyncio.run(append_some(folder, rest[0], int(rest[1])))
        case "hold-lock":
            hold_lock(folder)
        case "append-with-little-space":
            asyncio.run(append_with_little_space(folder))
        case "append-behind-a-failure":
            asyncio.run(append_behind_a_failure(folder))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
