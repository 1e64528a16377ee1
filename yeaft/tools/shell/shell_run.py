"""One shell command while it runs: its wrapper process, the two pipes it prints to, and how it is waited for."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from yeaft.tools.shell import descendants
from yeaft.tools.shell.captured import STREAM_LIMIT_BYTES, Captured, Live, Log
from yeaft.tools.shell.descendants import Family, Sighting

CHUNK_BYTES = 64 * 1024
DRAIN_CHUNKS = 64
CALL_MARK = "YEAFT_CALL="


class Pipe:
    """The reading end of one output; every chunk goes to all `takers`."""

    def __init__(self, fd: int, takers: Sequence[Callable[[bytes], None]]) -> None:
        self._fd = fd
        self._takers = takers
        self._loop = asyncio.get_running_loop()
        self.ended = asyncio.Event()
        os.set_blocking(fd, False)
        self._loop.add_reader(fd, self._read)

    def drain(self) -> None:
        """Read at once what is already there; bounded, because a survivor may print for ever."""
        for _ in range(DRAIN_CHUNKS):
            if self.ended.is_set() or not self._read():
                return

    def close(self) -> None:
        """Stop reading."""
        if not self.ended.is_set():
            self._loop.remove_reader(self._fd)
            os.close(self._fd)
            self.ended.set()

    def _read(self) -> bool:
        try:
            chunk = os.read(self._fd, CHUNK_BYTES)
        except BlockingIOError:
            return False
        if not chunk:
            self.close()
            return False
        for take in self._takers:
            take(chunk)
        return True


class ShellRun:
    """A started command. Whoever makes it calls `close`, now or when the last survivor has let go of the pipes.

    `seen` are the processes that it was seen to start and that this process may have to bury. `stdin` is a file to read
    from; of each output at most `limit_bytes` are kept.
    """

    def __init__(
        self,
        call_id: str,
        argv: Sequence[str],
        *,
        cwd: Path,
        environ: Mapping[str, str],
        log: Path,
        live: Live,
        stdin: int = subprocess.DEVNULL,
        limit_bytes: int = STREAM_LIMIT_BYTES,
    ) -> None:
        self.call_id = call_id
        self.seen: dict[int, Sighting] = {}
        self.stdout, self.stderr = Captured(limit_bytes), Captured(limit_bytes)
        self.log = Log(log)
        self._live = live
        self._children_before = descendants.own_children()
        out, out_end = os.pipe()
        err, err_end = os.pipe()
        try:
            self._wrapper = subprocess.Popen(
                argv,
                stdin=stdin,
                stdout=out_end,
                stderr=err_end,
                start_new_session=True,
                cwd=cwd,
                env=environ,
            )
        except BaseException:
            os.close(out)
            os.close(err)
            raise
        finally:
            os.close(out_end)
            os.close(err_end)
        shared = (self.log.take, live.take)
        self._pipes = (Pipe(out, (self.stdout.take, *shared)), Pipe(err, (self.stderr.take, *shared)))

    @property
    def pid(self) -> int:
        """The wrapper's pid, which is also the command's process group and session."""
        return self._wrapper.pid

    @property
    def silent(self) -> bool:
        """Whether nobody can print any more."""
        return all(pipe.ended.is_set() for pipe in self._pipes)

    async def ended(self) -> int:
        """Wait for the shell and return its exit code; what it started may still run and print."""
        if sys.platform != "linux":
            return await asyncio.to_thread(self._wrapper.wait)
        gone, loop = asyncio.Event(), asyncio.get_running_loop()
        pidfd = os.pidfd_open(self.pid)
        loop.add_reader(pidfd, gone.set)
        try:
            await gone.wait()
        finally:
            loop.remove_reader(pidfd)
            os.close(pidfd)
        return self._wrapper.wait()

    async def settled(self, within_s: float) -> Family:
        """Wait a moment for the last output and for stragglers; returns who is still there then."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + within_s
        while True:
            self.catch_up()
            survivors = self.survivors()
            if (self.silent and not survivors) or loop.time() >= deadline:
                self._live.flush()
                return survivors
            await asyncio.sleep(descendants.FIRST_LOOK_S)

    def catch_up(self) -> None:
        """Read at once what has been printed, so that the log holds it."""
        for pipe in self._pipes:
            pipe.drain()

    def survivors(self) -> Family:
        """Who of the command's processes is still alive after its shell; cheap when nobody is (one small read)."""
        now, before = descendants.own_children(), self._children_before
        if now is None or before is None:
            return self.everyone()
        newcomers = tuple(filter(None, map(descendants.sighting, now - before - {self.pid})))
        self.seen.update({one.pid: one for one in newcomers if one.session == self.pid})
        return self.everyone() if any(one.alive for one in newcomers) else {}

    def everyone(self) -> Family:
        """All living processes of the command, the wrapper included."""
        found = descendants.family(self.pid, CALL_MARK + self.call_id)
        self.seen.update({pid: one for pid, one in found.items() if pid != self.pid})
        return found

    async def stop(self, grace_s: float) -> Family:
        """End the command with everything it started; returns who would not die."""
        left = await descendants.end(self.everyone, grace_s)
        self._kill_group()
        self._wrapper.wait()
        self.catch_up()
        self._live.flush()
        return left

    def close(self) -> None:
        """Let go of pipes and log."""
        for pipe in self._pipes:
            pipe.close()
        self.log.close()

    def _kill_group(self) -> None:
        """Where there is no /proc this is all that can be done; elsewhere nobody is left to be hit."""
        if self._wrapper.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)
