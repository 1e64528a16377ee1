"""The JavaScript of a Session's VPs: a Node process for each, started when it is needed and again when it was lost."""

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from yeaft.tools.captured import Captured, Live
from yeaft.tools.js_process import JsProcess, Shown
from yeaft.tools.warden import Warden

OUTPUT_LIMIT_BYTES = 20 * 1024
ENDED_BETWEEN = "Node had ended since the last call ({how})"
INTERRUPTED = "the last call was interrupted"


class Evaluated(Struct, frozen=True, kw_only=True):
    """What came of some code: what was printed since the last call, and its value unless the process was `lost`.

    `lost` says in words why this call ended with the process, `began_afresh` why the state of earlier calls was
    already gone when it began; both are empty when all is well.
    """

    output: str
    value: Shown | None = None
    lost: str = ""
    began_afresh: str = ""


class JsRuntime:
    """The JavaScript of one VP. One call at a time; others wait."""

    def __init__(self, start: Callable[[Callable[[bytes], None]], "asyncio.Future[JsProcess]"]) -> None:
        self._start = start
