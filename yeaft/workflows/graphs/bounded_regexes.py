"""Regular expressions of a graph's author, which meet text of models: a bad one may take for ever to say no.

`is_quick` knows those that cannot; all others are tried in a process of their own, which can be stopped.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from yeaft.kernel.lists import is_list
from yeaft.workflows.graphs import bounded_judge
from yeaft.workflows.graphs.plain_values import is_mapping

MOST_CPU_S = bounded_judge.MOST_CPU_S
_MOST_WAIT_S = 120.0
"""For a machine that is so busy that the judge does not get its time."""
_JUDGE = Path(bounded_judge.__file__)
_REPEATS = re.compile(r"[*+{]")
_CHOICES = re.compile(r"\||(?<!\()\?|\\\(\?")
_MOST_CHOICES = 8
_NEEDED = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH")
"""What Python needs to start; no key of the user's may be near what a model wrote."""


class TooSlow(Exception):
    """The judge took more time, or memory, than it may."""


def is_quick(pattern: str) -> bool:
    """Whether the time that a pattern takes can only grow with the text: it repeats nothing and has few choices."""
    return _REPEATS.search(pattern) is None and len(_CHOICES.findall(pattern)) <= _MOST_CHOICES


def is_quick_schema(schema: Any) -> bool:
    """Whether a JSON Schema holds no regular expression that may be slow."""
    return all(map(is_quick, _patterns(schema)))


def found(pattern: str, text: str) -> bool:
    """Whether a pattern is found in a text. Raises `TooSlow`; must not be called by the thread of the event loop."""
    if is_quick(pattern):
        return re.search(pattern, text) is not None
    return bool(_judged({"pattern": pattern, "text": text}, "-I", "-S"))


def misfits_apart(value: Any, schema: Mapping[str, Any], most: int) -> list[str]:
    """Return what `bounded_judge.misfits` says, from a process of its own. Raises `TooSlow`; blocks."""
    return msgspec.convert(_judged({"value": value, "schema": schema, "most": most}, "-P"), list[str])


def _patterns(schema: Any) -> Iterator[str]:
    if is_mapping(schema):
        for key, value in schema.items():
            if key == "pattern" and isinstance(value, str):
                yield value
            if key == "patternProperties" and is_mapping(value):
                yield from value
            yield from _patterns(value)
    elif is_list(schema):
        for one in schema:
            yield from _patterns(one)


def _judged(asked: Mapping[str, Any], *flags: str) -> Any:
    environ = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    with subprocess.Popen(
        [sys.executable, *flags, str(_JUDGE)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=environ,
    ) as judge:
        try:
            printed, _ = judge.communicate(json.dumps(asked).encode(), timeout=_MOST_WAIT_S)
        except subprocess.TimeoutExpired as error:
            raise TooSlow from error
        finally:
            if judge.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(judge.pid, signal.SIGKILL)
    if judge.returncode != 0:
        raise TooSlow
    return json.loads(printed)
