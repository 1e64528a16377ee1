"""A process that keeps artifacts one after the other: `keeping_worker.py OUT FIRST COUNT LIMIT_BYTES`.

With a limit the system ends it, without a word, in the write that makes a file longer than that.
"""

import resource
import signal
import sys
from pathlib import Path

from yeaft.artifacts.artifact import Draft
from yeaft.artifacts.keeping import keep
from yeaft.artifacts.store import ArtifactStore

out, first, count, limit_bytes = Path(sys.argv[1]), *map(int, sys.argv[2:])
store = ArtifactStore(out)
if limit_bytes:
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))
for number in range(first, first + count):
    keep(store, Draft(name=f"note-{number}.txt", content=f"note {number}\n".encode()))
    print(number, flush=True)
