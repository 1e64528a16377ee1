"""The process that tries a regular expression, or a JSON Schema with some in it: what hangs here can be stopped.

It reads `{"pattern": TEXT, "text": TEXT}` or `{"value": ANY, "schema": SCHEMA, "most": COUNT}` from its standard input
and prints whether the pattern is found, or a list of what does not fit. As a file it imports nothing of yeaft, and
nothing that is not needed, because it must start fast.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from typing import Any

MOST_CPU_S = 2
"""A time of the processor, so that a busy machine refuses no more than an idle one."""
_MOST_MEMORY_BYTES = 2**30
LONGEST_CHARS = 200


def misfits(value: Any, schema: Mapping[str, Any], most: int) -> list[str]:
    """Return in words what of a value does not fit a schema, `most` of it at most; nothing if it does."""
    from jsonschema import Draft202012Validator

    validator: Any = Draft202012Validator(dict(schema))  # its own hints are not whole
    found = sorted(validator.iter_errors(value), key=lambda error: list(map(str, error.path)))
    return [f"{'.'.join(map(str, one.path)) or 'value'}: {one.message[:LONGEST_CHARS]}." for one in found[:most]]


def main() -> None:
    """Judge what stands on standard input."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY_BYTES, _MOST_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S))
    asked: dict[str, Any] = json.load(sys.stdin)
    if "pattern" in asked:
        json.dump(re.search(asked["pattern"], asked["text"]) is not None, sys.stdout)
    else:
        json.dump(misfits(asked["value"], asked["schema"], asked["most"]), sys.stdout)


if __name__ == "__main__":
    main()
