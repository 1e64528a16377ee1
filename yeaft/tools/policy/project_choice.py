"""Programs that only show what they are, unless a file of the project makes them load or run something else for it.

`rust-toolchain.toml` names the compiler that `cargo --version` starts, `.yarnrc.yml` the file that `yarn` is,
`pytest.ini` plugins. Where no such file is in sight, asking for a version is as harmless as anywhere.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from yeaft.tools.policy.carriers import program
from yeaft.tools.policy.read_only import plainly_run
from yeaft.tools.policy.shell_script import ShellCommand
from yeaft.tools.policy.word_list import names

_PYTHON = names("pyproject.toml setup.cfg tox.ini")
_NODE = names("package.json node_modules .npmrc .yarnrc .yarnrc.yml .pnp.cjs pnpm-workspace.yaml .tool-versions")
_RUST = names("rust-toolchain rust-toolchain.toml .cargo")
CHOOSING: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("cargo", "rustc", "rustup"), _RUST),
    **dict.fromkeys(("yarn", "pnpm", "jest", "vitest", "webpack", "turbo", "nx", "lerna"), _NODE),
    **dict.fromkeys(
        ("tox", "nox", "flake8", "pylint", "poetry", "pdm", "hatch"), _PYTHON | names("noxfile.py .flake8")
    ),
    "ansible": names("ansible.cfg"),
    "bazel": names(".bazelversion .bazeliskrc .bazelrc tools WORKSPACE MODULE.bazel"),
    "dotnet": names("global.json .config Directory.Build.props"),
    "go": names("go.mod go.work vendor"),
    "gradle": names("gradle gradle.properties settings.gradle settings.gradle.kts init.gradle"),
    "mvn": names(".mvn .mavenrc pom.xml"),
    "pytest": _PYTHON | names("pytest.ini .pytest.ini conftest.py"),
    "sbt": names("project build.sbt .sbtopts .jvmopts"),
    "swift": names(".swift-version Package.swift"),
    "terraform": names(".terraform-version .terraform"),
}
"""A program and the files, here or in a folder above, by which a project decides what it runs."""
_SHOWS_VERSION = frozenset({("--version",), ("-V",)})
_SHOWS_MORE: Mapping[str, frozenset[tuple[str, ...]]] = {
    "go": frozenset({("version",), ("env",), ("env", "GOPATH"), ("env", "GOROOT"), ("env", "GOOS"), ("env", "GOARCH")}),
    "yarn": frozenset({("-v",)}),
    "pnpm": frozenset({("-v",)}),
    "rustup": frozenset({("show",), ("toolchain", "list"), ("target", "list"), ("target", "list", "--installed")}),
    "terraform": frozenset({("version",)}),
}


def shows_itself(found: ShellCommand) -> bool:
    """Whether the command only asks one of these programs what it is."""
    asked = tuple(word.text or "" for word in found.words[1:])
    name = found.name or ""
    return name in CHOOSING and plainly_run(found) and (asked in _SHOWS_VERSION | _SHOWS_MORE.get(name, frozenset()))


def choosing_file(found: ShellCommand, folders: Iterable[Path]) -> Path | None:
    """The first file by which a project around one of `folders` may choose what the program runs."""
    wanted = CHOOSING[program(found)]
    around = dict.fromkeys(place for folder in folders for place in (folder, *folder.parents))
    return next((place / name for place in around for name in sorted(wanted) if (place / name).exists()), None)
