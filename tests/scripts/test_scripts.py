"""The scripts of the repository, run in a copy of it whose Python and yeaft are stand-ins that write down their use."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = """#!/bin/sh
[ "$1" = -c ] && exit 0
echo "$*" >>"$(dirname "$0")/../asked"
"""
YEAFT = """#!/bin/sh
echo "$*" >>"$(dirname "$0")/../told"
[ "$1 $2" = "local setup" ] && exit "${SETUP_CODE:-0}"
echo "answer"
exit "${ANSWER_CODE:-0}"
"""
INSTALL = "-m pip install --quiet --disable-pip-version-check --no-input --retries 2"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "a checkout"
    shutil.copytree(ROOT / "scripts", folder / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "yeaft").mkdir()
    (folder / "yeaft" / "__init__.py").write_text('__version__ = "0"\n')
    return folder


@pytest.fixture
def equipped(checkout: Path) -> Path:
    for name, text in (("python", PYTHON), ("yeaft", YEAFT), ("pytest", '#!/bin/sh\necho "pytest $*"\n')):
        program = checkout / ".venv" / "bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)
    return checkout


def run(checkout: Path, script: str, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [checkout / "scripts" / script, *words],
        env={**os.environ, **environ},
        cwd=checkout.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def asked(checkout: Path) -> list[str]:
    """What pip was asked since the last look."""
    path = checkout / ".venv" / "asked"
    lines = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return [line.removeprefix(INSTALL + " ") for line in lines]


def test_yeaft_is_installed_once_and_again_only_when_its_sources_change(equipped: Path) -> None:
    run(equipped, "venv")
    first = asked(equipped)
    run(equipped, "venv")
    second = asked(equipped)
    (equipped / "yeaft" / "__init__.py").write_text('__version__ = "1"\n')
    run(equipped, "venv")
    third = asked(equipped)
    run(equipped, "venv", "test")

    again = "--no-build-isolation --force-reinstall --no-deps ."
    assert first == ["hatchling>=1.26", again, "--no-build-isolation ."]
    assert second == []
    assert third == [again]
    assert asked(equipped) == ["hatchling>=1.26", again, "--no-build-isolation .[test]"]


def test_try_sets_up_the_model_asks_two_vps_and_says_what_is_next(equipped: Path) -> None:
    done = run(equipped, "try", "Is it late?")

    assert (done.returncode, done.stdout) == (0, "answer\n")
    told = (equipped / ".venv" / "told").read_text().splitlines()
    assert told == ["local setup", "-m local/smollm2 @omni @skeptic Is it late?"]
    assert "yeaft -c" in done.stderr


def test_try_hands_on_the_exit_code_of_the_answer(equipped: Path) -> None:
    assert run(equipped, "try", ANSWER_CODE="4").returncode == 4


def test_try_plays_the_demo_and_says_so_when_there_is_no_model(equipped: Path) -> None:
    done = run(equipped, "try", SETUP_CODE="69")

    assert (done.returncode, done.stdout) == (0, "answer\n")
    assert (equipped / ".venv" / "told").read_text().splitlines() == ["local setup", "demo"]
    assert "this is the demo" in done.stderr


def test_try_on_a_fresh_clone_without_a_registry_says_so_in_one_sentence(checkout: Path) -> None:
    no_registry = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(checkout), "PIP_CONFIG_FILE": os.devnull}

    done = run(checkout, "try", **no_registry)

    assert (done.returncode, done.stdout) == (69, "")
    assert done.stderr.splitlines()[-1].startswith("No package registry could be reached")


def test_test_hands_its_arguments_to_pytest(equipped: Path) -> None:
    done = run(equipped, "test", "-x", "tests/a b")

    assert done.stdout.splitlines()[-1] == f"pytest -n {len(os.sched_getaffinity(0)) + 1} -x tests/a b"


CHECKS = {
    "ruff": 'echo "ruff $*"; [ "$1" = check ]',
    "mypy": "read -r word <heard && echo mypy heard $word; exit 1",
    "pyright": "echo pyright >heard; echo pyright is done >&2",
    "lint-imports": "echo layers are kept",
}


def test_check_runs_all_side_by_side_tells_each_in_its_place_and_names_those_that_failed(equipped: Path) -> None:
    os.mkfifo(equipped / "heard")  # which neither opens before the other one does
    for name, text in CHECKS.items():
        program = equipped / ".venv" / "bin" / name
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)

    failing = run(equipped, "check", TMPDIR=str(equipped.parent))
    (equipped / ".venv" / "bin" / "ruff").write_text("#!/bin/sh\n")
    (equipped / ".venv" / "bin" / "mypy").write_text("#!/bin/sh\ncat heard\n")
    passing = run(equipped, "check")

    told = failing.stdout.splitlines()
    assert failing.returncode == 1
    assert told[told.index("== ruff") :] == [
        *("== ruff", "ruff check", "== format", "ruff format --check", "== mypy", "mypy heard pyright"),
        *("== pyright", "pyright is done", "== layers", "layers are kept", "== size", "Failed: format mypy"),
    ]
    assert (passing.returncode, passing.stdout.splitlines()[-1]) == (0, "All checks passed.")
    assert [path.name for path in equipped.parent.iterdir()] == [equipped.name]


def test_size_check_names_what_is_too_long(tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text("x = 1\n" * 401)
    (tmp_path / "deep.py").write_text("def f() -> None:\n" + "    x = 1\n" * 60)
    (tmp_path / "fine.py").write_text("def f() -> None:\n" + "    x = 1\n" * 59)

    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "size-check", tmp_path], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert [line.split(":", 1)[1] for line in done.stdout.splitlines()[:-1]] == [
        "1: f has 61 lines, at most 60",
        " 401 lines, at most 400: find the second idea and give it a module",
    ]
    assert done.stdout.splitlines()[-1] == "3 modules, 2 too long"
