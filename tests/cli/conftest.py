"""A scripted model as a process of its own, shared by the stories that need conversations."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands_given import Given, scripted_model

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
    with scripted_model(tmp_path_factory.mktemp("scripted"), SCRIPT) as url:
        yield url


@pytest.fixture
def given(tmp_path: Path) -> Given:
    return Given(tmp_path)


@pytest.fixture
def talking(tmp_path: Path, scripted_url: str) -> Given:
    return Given(tmp_path, scripted_url)
