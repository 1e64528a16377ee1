"""Standard output, written by a thread of its own so that a slow reader never stops a turn from being interrupted."""

import os
import queue
import threading
from collections.abc import Callable


class Output:
    """Takes bytes at once and writes them in order. `on_closed_pipe` is called from the thread when nobody reads."""

    def __init__(self, descriptor: int, on_closed_pipe: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._on_closed_pipe = on_closed_pipe
        self._chunks: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="output", daemon=True)
        self._thread.start()

    def write(self, chunk: bytes) -> None:
        """Queue `chunk`."""
        self._chunks.put(chunk)

    def close(self, timeout_s: float | None = None) -> bool:
        """Write what is queued and stop; False if the reader did not take it all within `timeout_s`."""
        self._chunks.put(None)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _write(self) -> None:
        while (chunk := self._chunks.get()) is not None:
            view = memoryview(chunk)
            try:
                while view:
                    view = view[os.write(self._descriptor, view) :]
            except BrokenPipeError:
                self._on_closed_pipe()
                return
            except OSError:
                return  # closed descriptor: there is nobody to tell
