"""What goes wrong inside yeaft is found in its log, and never on the screen."""

import subprocess
import sys
from pathlib import Path

from tests.cli.commands_given import CHECKOUT, Given

PROGRAM = """
import asyncio, gc, logging, os
from pathlib import Path
from yeaft.interfaces.cli.logbook import keep

async def broken():
    raise RuntimeError("of " + os.environ["THE_KEY"])

async def main():
    task = asyncio.create_task(broken())
    await asyncio.wait((task,))
    del task
    gc.collect()

keep(Path(os.environ["YEAFT_DIR"]), os.environ)
asyncio.run(main())
logging.getLogger("yeaft.engine.calls").warning("%s failed", "Bash")
"""
SECRET = "not-to-be-seen-anywhere"


def ran(home: Path, program: str = PROGRAM) -> str:
    """Run a program that logs; returns what it wrote to the terminal."""
    environ = {"YEAFT_DIR": str(home), "THE_KEY": SECRET, "PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def test_an_unhandled_exception_in_the_event_loop_is_printed_on_the_screen(tmp_path: Path) -> None:
    assert ran(tmp_path / "home") == ""

    log = tmp_path / "home" / "logs" / "yeaft.log"
    told = log.read_text()
    assert "Task exception was never retrieved" in told
    assert "RuntimeError: of ***" in told
    assert "yeaft.engine.calls: Bash failed" in told
    assert SECRET not in told
    assert (log.stat().st_mode & 0o077, log.parent.stat().st_mode & 0o077) == (0, 0)


def test_the_log_grows_without_end(tmp_path: Path) -> None:
    many = "\nfor number in range(60): logging.warning('%s', str(number) * 16000)"

    assert ran(tmp_path / "home", PROGRAM + many) == ""

    logs = sorted((tmp_path / "home" / "logs").iterdir())
    assert [path.name for path in logs] == ["yeaft.log", "yeaft.log.1"]
    assert all(path.stat().st_size <= 1024 * 1024 for path in logs)


def test_a_log_that_cannot_be_kept_is_a_failure_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no folder")

    assert ran(tmp_path / "home") == ""


def test_a_command_without_trouble_leaves_no_log(given: Given) -> None:
    given.yeaft("vp", "ls")

    assert not (given.home / "logs").exists()
