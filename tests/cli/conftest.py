"""A scripted model as a process of its own, shared by the stories that need conversations."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands_given import CHECKOUT, Given

KEY_IN_THE_ANSWER = "sk-ant-api03-abcdefghijklmnopqrst"
SCRIPT = {
    "lines": [
        {
            "vp": "omni",
            "when": "look around",
            "repeat": True,
            "steps": [
                {
                    "step": "calls",
                    "text": "I look.",
                    "calls": [{"tool": "ListDir", "args": {"path": "."}}],
                },
                {"step": "says", "text": f"Nothing here, but {KEY_IN_THE_ANSWER}.", "thinking": "A quiet thought."},
            ],
        }
    ],
    "fallback": {"step": "says", "text": "你好 from the script."},
}


@pytest.fixture(scope="session")
def scripted_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    script = tmp_path_factory.mktemp("scripted") / "script.json"
    script.write_text(json.dumps(SCRIPT), encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "yeaft.llm.scripted", str(script)],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        yield json.loads(server.stdout.readline())["url"]
        server.stdin.close()


@pytest.fixture
def given(tmp_path: Path) -> Given:
    return Given(tmp_path)


@pytest.fixture
def talking(tmp_path: Path, scripted_url: str) -> Given:
    return Given(tmp_path, scripted_url)
