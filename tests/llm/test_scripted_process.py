"""The scripted model as a process of its own, the way a benchmark or a test of real processes uses it."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from yeaft.llm.scripted.script import Line, Says, Script
from yeaft.llm.scripted.server import Exchange

ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 60


@contextmanager
def served(tmp_path: Path, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    script = Script(lines=(Line(when="list", steps=(Says(text="Milk and eggs."),)),), fallback=Says(text="Well."))
    (tmp_path / "script.json").write_bytes(msgspec.json.encode(script))
    with subprocess.Popen(
        [sys.executable, "-m", "yeaft.llm.scripted", str(tmp_path / "script.json"), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:
        try:
            yield process, json.loads(process.stdout.readline())["url"]
        finally:
            process.kill()


def ask(url: str, text: str) -> Any:
    body = json.dumps({"model": "scripted", "input": text}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{url}/v1/responses", body), timeout=WAIT_S) as reply:
        return json.load(reply)["output"][0]["content"][0]["text"]


def test_a_script_file_is_served_and_every_exchange_is_logged(tmp_path: Path) -> None:
    with served(tmp_path, "--log", str(tmp_path / "log.jsonl")) as (process, url):
        answers = [ask(url, "What is on my list?"), ask(url, "Else?")]
        process.terminate()
        code = process.wait(WAIT_S)

    log = [msgspec.json.decode(line, type=Exchange) for line in (tmp_path / "log.jsonl").read_bytes().splitlines()]
    assert answers == ["Milk and eggs.", "Well."]
    assert code == 0
    assert [(exchange.number, exchange.whole, exchange.problems) for exchange in log] == [(0, True, ()), (1, True, ())]
    assert all(exchange.at_s <= exchange.first_byte_s <= exchange.end_s for exchange in log)


def test_it_ends_when_its_stdin_does(tmp_path: Path) -> None:
    with served(tmp_path) as (process, _):
        process.stdin.close()

        assert process.wait(WAIT_S) == 0


@pytest.mark.parametrize(("text", "code"), [("{", 65), (None, 66)])
def test_a_script_it_cannot_use_ends_it_with_a_sentence(tmp_path: Path, text: str | None, code: int) -> None:
    path = tmp_path / "script.json"
    if text is not None:
        path.write_text(text)

    done = subprocess.run(
        [sys.executable, "-m", "yeaft.llm.scripted", str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (code, "")
    assert str(path) in done.stderr
