"""`--schema`: an answer that must be JSON of a given shape."""

import os
import re
import select
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from yeaft.kernel.errors import BadData, NotFound

CHECK_S = 5.0
"""How long a schema may take to arrive, and an answer to be checked."""
SCHEMA_LIMIT_BYTES = 2**20
_JUDGE = Path(__file__).with_name("schema_judge.py")
_FENCE = re.compile(r"\A\s*```[a-zA-Z]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)


class Verdict(Struct, frozen=True, kw_only=True):
    """What is wrong with a schema and with an answer; see `schema_judge`."""

    schema: str = ""
    answer: str = ""


def read_schema(given: str, timeout_s: float | None = None) -> dict[str, Any]:
    """Return the JSON Schema that `given` is, or that the file or pipe it names holds.

    Takes at most 5 s for each of reading and checking, or `timeout_s`. Raises `NotFound` for a missing file and
    `BadData` for what is not a JSON Schema that can be checked without fetching anything.
    """
    limit_s = _limit_s(timeout_s)
    is_inline = given.lstrip().startswith("{")
    content = given.encode("utf-8", "replace") if is_inline else _content(given, limit_s)
    place = "--schema" if is_inline else f"--schema {given}"
    try:
        schema = msgspec.json.decode(content, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise BadData(f"{place} is not a JSON object: {error}.") from error
    except RecursionError as error:
        raise BadData(f"{place} is nested too deeply to be checked.") from error
    try:
        verdict = _verdict(content.decode(), None, limit_s)
    except TimeoutError as error:
        raise BadData(f"{place} could not be checked within {limit_s:g} s.") from error
    if verdict.schema:
        raise BadData(f"{place} {verdict.schema}.")
    return schema


def unfenced(text: str) -> str:
    """Return `text` without the Markdown code fence that models like to put around JSON."""
    found = _FENCE.match(text)
    return found[1] if found else text.strip()


def problem_with(answer: str, schema: dict[str, Any], timeout_s: float | None = None) -> str:
    """Say why an answer does not satisfy the schema, as far as 5 s or `timeout_s` let it be known; empty if it does."""
    limit_s = _limit_s(timeout_s)
    text = unfenced(answer)
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        return f"The answer is not JSON ({error}), so it cannot satisfy --schema."
    except RecursionError:
        return "The answer is nested too deeply to be checked against --schema."
    try:
        verdict = _verdict(msgspec.json.encode(schema).decode(), text, limit_s)
    except TimeoutError:
        return f"The answer could not be checked against --schema within {limit_s:g} s."
    except BadData as error:
        return str(error)
    problem = verdict.answer or verdict.schema
    return f"The answer {problem}." if problem else ""


def _limit_s(timeout_s: float | None) -> float:
    return CHECK_S if timeout_s is None else min(CHECK_S, timeout_s)


def _content(path: str, limit_s: float) -> bytes:
    """Read a file, or a pipe such as the shell's `<(...)`, without ever waiting for long."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError as error:
        raise NotFound(f"--schema: {path} cannot be read: {error.strerror}.") from error
    try:
        kind = os.fstat(descriptor).st_mode
        if not (stat.S_ISREG(kind) or stat.S_ISFIFO(kind)):
            raise BadData(f"--schema: {path} is neither a file nor a pipe.")
        return _read(descriptor, path, time.monotonic() + limit_s)
    except OSError as error:
        raise NotFound(f"--schema: {path} cannot be read: {error.strerror}.") from error
    finally:
        os.close(descriptor)


def _read(descriptor: int, path: str, until_s: float) -> bytes:
    content = bytearray()
    while len(content) <= SCHEMA_LIMIT_BYTES:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, until_s - time.monotonic()))
        if not ready:
            raise BadData(f"--schema: {path} did not end in time; is somebody writing to the pipe?")
        chunk = os.read(descriptor, SCHEMA_LIMIT_BYTES)
        if not chunk:
            return bytes(content)
        content += chunk
    raise BadData(f"--schema: {path} is larger than {SCHEMA_LIMIT_BYTES >> 20} MiB.")


def _verdict(schema: str, answer: str | None, limit_s: float) -> Verdict:
    """Ask the judge. Raises `TimeoutError` if it takes too long and `BadData` if it breaks down."""
    try:
        ran = subprocess.run(
            [sys.executable, "-P", str(_JUDGE)],
            input=msgspec.json.encode({"schema": schema, "answer": answer}),
            capture_output=True,
            timeout=limit_s,
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TimeoutError from error
    except OSError as error:
        raise BadData(f"--schema could not be checked: {error.strerror}.") from error
    try:
        return msgspec.json.decode(ran.stdout, type=Verdict)
    except msgspec.DecodeError as error:
        last = ran.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise BadData(f"--schema could not be checked: {last or 'the checking process was killed'}.") from error
