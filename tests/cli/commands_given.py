"""What stories about commands begin with: an empty home, a folder of work, and the program, here or as a process."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from tests.cli.in_place import answered

CHECKOUT = Path(__file__).resolve().parents[2]
PATIENCE_S = 60


class Done(Struct, frozen=True):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code in (0, 66, 78), self.err
        return json.loads(self.out)


@contextmanager
def scripted_model(place: Path, script: Mapping[str, Any]) -> Iterator[str]:
    """Serve a script, kept in `place`, by a process of its own; gives its address."""
    file = place / "script.json"
    file.write_text(json.dumps(script), encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "yeaft.llm.scripted", str(file)],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        yield json.loads(server.stdout.readline())["url"]
        server.stdin.close()


class Given:
    """A machine that has only what the story puts there; `url` is a scripted model's, empty for none."""

    def __init__(self, root: Path, url: str = "") -> None:
        self.home = root / "yeaft"
        self.folder = root / "work"
        self.folder.mkdir()
        self.environ = {
            "HOME": str(root),
            "YEAFT_DIR": str(self.home),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(CHECKOUT),
            "NO_PROXY": "127.0.0.1",
        }
        if url:
            self.environ |= {"YEAFT_BASE_URL": url, "YEAFT_MODEL": "scripted", "YEAFT_PROTOCOL": "anthropic"}

    def yeaft(self, *words: str, **variables: str) -> Done:
        """Do what the program does with these words and without standard input, in the process of the test."""
        return Done(*answered(words, self.folder, self.environ | variables))

    def process(self, *words: str, stdin: str | None = None, **variables: str) -> Done:
        """Run the program as a process; without `stdin` there is none."""
        done = self._python("-m", "yeaft", *words, stdin=stdin, **variables)
        assert "Traceback" not in done.err, done.err
        return done

    def prints(self, program: Path) -> list[str]:
        """Run a program of the user's own, which must succeed, and return the lines that it printed."""
        done = self._python(str(program))
        assert done.code == 0, done.err
        return done.out.splitlines()

    def _python(self, *words: str, stdin: str | None = None, **variables: str) -> Done:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env=self.environ | variables,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE_S,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def says(self, *words: str, **variables: str) -> str:
        """Run the program, which must succeed, and return what it printed."""
        done = self.yeaft(*words, **variables)
        assert done.code == 0, done.err
        return done.out.rstrip("\n")

    def session(self, text: str = "@omni @skeptic look around", *, name: str = "") -> str:
        """Have a conversation and return the id of its Session."""
        found = self.yeaft("--json", *(("--name", name) if name else ()), text).json
        return str(found["session"])
