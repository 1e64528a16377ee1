"""One thing that another agent keeps, what it would become here, and whether that is there already."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from yeaft.mcp.server import McpServer
from yeaft.tools.policy.verdict import Judgement

Kind = Literal["agents", "commands", "skills", "servers", "rules"]
KINDS: tuple[Kind, ...] = ("agents", "commands", "skills", "servers", "rules")
Status = Literal["new", "there", "kept", "in_place", "not_taken", "taken", "failed"]
"""`there`: the same is here already; `kept`: another one of this name is, and stays; `in_place`: it is used where it
is; `not_taken`: it has no counterpart here."""


class NewFile(Struct, frozen=True, kw_only=True, tag=True):
    """A text file to be written."""

    path: Path
    text: str


class NewFolder(Struct, frozen=True, kw_only=True, tag=True):
    """A folder to be copied."""

    path: Path
    source: Path


class NewServer(Struct, frozen=True, kw_only=True, tag=True):
    """A server for a `config.toml`."""

    path: Path
    server: McpServer
    enabled: bool = True


class NewRule(Struct, frozen=True, kw_only=True, tag=True):
    """A permission rule for a `config.toml`."""

    path: Path
    verdict: Judgement
    rule: str


Content = NewFile | NewFolder | NewServer | NewRule


class Item(Struct, frozen=True, kw_only=True):
    """Something that was found: `source` is its file, `becomes` what it is here, `reason` why it is not taken."""

    kind: Kind
    name: str
    source: str
    becomes: str = ""
    content: Content | None = None
    status: Status = "new"
    reason: str = ""
    warnings: tuple[str, ...] = ()


class Places(Struct, frozen=True, kw_only=True):
    """Where to look and where to put things.

    `user` is the user's own folder, `given` the one named with `--from` (in place of it, and of the project);
    `folder` is the work folder, `home` where yeaft keeps its files.
    """

    user: Path
    folder: Path
    home: Path
    environ: Mapping[str, str]
    given: Path | None = None

    def root(self, name: str, variable: str, marks: tuple[str, ...]) -> Path:
        """Return an agent's own folder: `name` below the user's folder, unless `variable` says another one.

        What was named with `--from` may be that folder itself, known by `marks` in it, or the one around it.
        """
        if self.given is not None:
            is_it = any((self.given / mark).exists() for mark in marks)
            return self.given if is_it else self.given / name
        named = self.environ.get(variable, "")
        return Path(named) if named else self.user / name

    @property
    def config(self) -> Path:
        """The user's `config.toml`."""
        return self.home / "config.toml"


def not_taken(kind: Kind, name: str, source: Path, reason: str) -> Item:
    """Return something that is only named."""
    return Item(kind=kind, name=name, source=str(source), status="not_taken", reason=reason)
