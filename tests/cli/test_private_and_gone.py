"""The doctor's report can be shown around, and a folder that was deleted is a mistake with a name."""

import subprocess
import sys

import pytest

from tests.cli.commands_given import PATIENCE_S, Given

CONFIG = """
[providers.gate]
protocol = "anthropic"
base_url = "https://me:s3cret@gate.example/v1?key=hidden"
api_key = "k"
"""


def test_the_doctor_hides_credentials_in_urls(given: Given) -> None:
    given.home.mkdir()
    (given.home / "config.toml").write_text(CONFIG)

    for words in (("doctor",), ("doctor", "--json")):
        told = given.yeaft(*words)
        assert "gate.example" in told.out
        assert "s3cret" not in told.out + told.err
        assert "hidden" not in told.out + told.err


@pytest.mark.parametrize("words", ["vp ls", "session ls", "doctor", "config ls", "perms ls", "model ls", "hello"])
def test_a_command_in_a_deleted_folder_says_so(given: Given, words: str) -> None:
    folder = given.folder / "gone"
    folder.mkdir()
    done = subprocess.run(
        ["sh", "-c", f'rmdir "$1" && exec "$0" -m yeaft {words}', sys.executable, str(folder)],
        cwd=folder,
        env=given.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )

    assert done.returncode == 66
    assert done.stderr == "yeaft: The current folder is gone. Go to one that exists, or name it with -C.\n"
