"""Starts the keeper of a background task and hears from it."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from yeaft.store.task_files import TaskRecord
from yeaft.tools.shell import descendants
from yeaft.tools.shell.shell import Shell

KEEPER = Path(__file__).with_name("task_keeper.py")
START_WITHIN_S = 20.0
NEWS_BYTES = 4096


class Order(Struct, frozen=True, kw_only=True):
    """What the keeper finds in `job.json`."""

    record: TaskRecord
    argv: tuple[str, ...]
    marks: Mapping[str, str]


class KeeperLine:
    """The owner's side of a keeper: its news, and the pipe whose end is the end of an owned command."""

    def __init__(self, child: subprocess.Popen[bytes], news: int, life: int | None) -> None:
        self.has_ended = False
        self._child = child
        self._news = news
        self._life = life
        self._tell: Callable[[str], None] = _to_nobody
        os.set_blocking(news, False)
        asyncio.get_running_loop().add_reader(news, self._read)

    def listen(self, tell: Callable[[str], None]) -> None:
        """Call `tell` with every piece of news from now on; empty means that the keeper itself has ended."""
        self._tell = tell

    def release(self) -> None:
        """Let the command end, if it may not go on without its owner."""
        if self._life is not None:
            os.close(self._life)
            self._life = None

    def close(self) -> None:
        """Hear no more; a command that may go on does."""
        self.release()
        if not self.has_ended:
            self.has_ended = True
            asyncio.get_running_loop().remove_reader(self._news)
            os.close(self._news)
            self._child.poll()

    def kill(self) -> None:
        """End the keeper at once; whoever kills it has to end what it kept."""
        self._child.kill()
        self._child.wait()

    def _read(self) -> None:
        try:
            news = os.read(self._news, NEWS_BYTES).decode("utf-8", "replace")
        except BlockingIOError:
            return
        if not news:
            self.close()
            self._child.wait()  # it has closed everything: this takes no time
        self._tell(news)


async def launch(
    place: Path, record: TaskRecord, left_id: str, shell: Shell, folders: Sequence[Path] = ()
) -> KeeperLine:
    """Start the command of `record`; when this returns, it runs and its record is in `place`.

    `left_id` is the id that what it leaves running gets; in a sandbox it writes only below `folders`. Raises `OSError`
    when it cannot be started and `ToolFailed` when it may not; then, as when this is cancelled, nothing of it is left.
    """
    shell.stand_by()
    confined = await shell.confined(record.command, Path(record.cwd), folders)
    _write_order(place, record, shell, confined.argv)
    line = _spawned(place, left_id, shell, is_owned=not record.survives)
    try:
        await _began(line)
    except BaseException:
        line.kill()
        descendants.strike(descendants.family(None, record.mark), signal.SIGKILL)
        line.close()
        shutil.rmtree(place, ignore_errors=True)
        raise
    return line


def _write_order(place: Path, record: TaskRecord, shell: Shell, argv: tuple[str, ...]) -> None:
    name, value = record.mark.split("=", 1)
    marks = {name: value} if record.survives else {name: value, **dict([shell.mark])}
    place.mkdir(mode=0o700, parents=True)
    (place / "job.json").write_bytes(msgspec.json.encode(Order(record=record, argv=argv, marks=marks)))


def _spawned(place: Path, left_id: str, shell: Shell, *, is_owned: bool) -> KeeperLine:
    news, news_end = os.pipe()
    life_end, life = os.pipe() if is_owned else (os.open(os.devnull, os.O_RDONLY), None)
    argv = [sys.executable, "-I", "-S", str(KEEPER), str(place), left_id]
    try:
        child = subprocess.Popen(
            [*argv, "owned"] if is_owned else argv,
            stdin=life_end,
            stdout=news_end,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
            env=shell.environ,
        )
    except OSError:
        os.close(news)
        if life is not None:
            os.close(life)
        raise
    finally:
        os.close(news_end)
        os.close(life_end)
    return KeeperLine(child, news, life)


async def _began(line: KeeperLine) -> None:
    heard: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def hear(news: str) -> None:
        if not heard.done():
            heard.set_result(news)

    line.listen(hear)
    try:
        async with asyncio.timeout(START_WITHIN_S):
            answer = await heard
    except TimeoutError as error:
        raise OSError(f"its keeper did not start within {START_WITHIN_S:g} s") from error
    if not answer.startswith("started"):
        raise OSError(answer.removeprefix("failed: ").strip() or "its keeper ended at once")


def _to_nobody(_: str) -> None:
    """Lose news that nobody has asked for."""
