"""Standard output, written by a thread of its own so that a slow reader never stops a turn from being interrupted."""

import asyncio
import os
import queue
import select
import threading
from collections.abc import Callable


class Output:
    """Takes bytes at once and writes them in order. Make it in a running loop.

    `is_whole` says that all was written, `error` why the rest was not; `on_closed_pipe` is called in the loop when the
    reader has left.
    """

    def __init__(self, descriptor: int, on_closed_pipe: Callable[[], None]) -> None:
        self.is_whole = False
        self.error: OSError | None = None
        self._descriptor = descriptor
        self._on_closed_pipe = on_closed_pipe
        self._chunks: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._finished = asyncio.Event()
        threading.Thread(target=self._write, name="output", daemon=True).start()

    def write(self, chunk: bytes) -> None:
        """Queue `chunk`."""
        self._chunks.put(chunk)

    async def finish(self) -> None:
        """Wait until all that was queued is written or cannot be; nothing may be queued after this."""
        self._chunks.put(None)
        await self._finished.wait()

    def give_up(self) -> None:
        """Let `finish` return though the reader has not taken everything."""
        self._finished.set()

    def _write(self) -> None:
        error = self._written()
        try:
            self._loop.call_soon_threadsafe(self._end, error)
        except RuntimeError:
            return  # the loop is over: nobody waits any more

    def _written(self) -> OSError | None:
        while (chunk := self._chunks.get()) is not None:
            view = memoryview(chunk)
            while view:
                try:
                    view = view[os.write(self._descriptor, view) :]
                except BlockingIOError:  # somebody else has made the pipe or terminal non-blocking
                    select.select((), (self._descriptor,), ())
                except OSError as error:
                    return error
        return None

    def _end(self, error: OSError | None) -> None:
        self.error, self.is_whole = error, error is None
        if isinstance(error, BrokenPipeError):
            self._on_closed_pipe()
        self._finished.set()
