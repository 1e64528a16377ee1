"""What the files that a work folder brings along would do, one row each, so that a person can judge it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from yeaft.config.brought import BroughtFile
from yeaft.kernel.errors import ConfigError

if TYPE_CHECKING:
    from yeaft.config.json_text import Json
    from yeaft.config.trust import Trust
    from yeaft.mcp.mcp_file import Declared
    from yeaft.prompts.front_matter import FrontMatter

RowKind = Literal["setting", "hook", "server", "vp", "skill", "recipe", "command", "agent", "instructions", "problem"]
Change = Literal["", "new", "changed", "gone"]
DETAIL_CHARS = 300
LARGEST_BYTES = 1024 * 1024
SKILL_NAME = "skill.md"
_PLAIN = re.compile(r"(?:[\w@%+=:,./-]|\$\{[A-Za-z_]\w*(?::-[\w./:-]*)?\})+")


class BroughtRow(Struct, frozen=True, kw_only=True):
    """One thing: its kind, what it is called, what it does, where it is, and how it differs from what was agreed to."""

    kind: RowKind
    name: str
    detail: str
    path: str
    change: Change = ""


def brought_rows(folder: Path, trust: Trust) -> tuple[BroughtRow, ...]:
    """Return everything that trusting `folder` puts in force, the most powerful kinds first."""
    found = [row for file in _by_power(trust.brought.files) for row in _rows(folder, file, trust)]
    found += _gone(trust)
    return tuple(found)


def declared_servers(folder: Path) -> tuple[Declared, ...]:
    """Return the MCP servers that the folder would add."""
    from yeaft.mcp.mcp_file import NAME, read_mcp_file

    return read_mcp_file(folder / NAME).servers


def command_line(declared: Declared, *, with_values: bool = True) -> str:
    """Return what a server runs or calls, with variables as they are written, and `with_values` what it is given."""
    server = declared.server
    if not with_values:
        return server.url or " ".join(map(_quoted, (server.command, *server.args)))
    if server.kind == "http":
        return "\n".join((server.url, *(f"{name}: {value}" for name, value in server.headers.items())))
    words = (*(f"{name}={value}" for name, value in server.env.items()), server.command, *server.args)
    line = " ".join(_quoted(word) for word in words)
    return f"cd {_quoted(server.cwd)} && {line}" if server.cwd else line


def _quoted(word: str) -> str:
    """A word as a shell takes it; variables stay readable."""
    return word if _PLAIN.fullmatch(word) else shlex.quote(word)


def _by_power(files: Sequence[BroughtFile]) -> list[BroughtFile]:
    order = ("hooks", "servers", "config", "command", "skill", "agent", "vp", "recipe")
    return sorted(files, key=lambda file: (order.index(file.kind), file.path))


def _rows(folder: Path, file: BroughtFile, trust: Trust) -> Iterator[BroughtRow]:
    change = _change(file, trust)
    match file.kind:
        case "config":
            found = _settings(folder / file.path)
        case "hooks":
            found = _hooks(folder / file.path)
        case "servers":
            found = _servers(folder / file.path)
        case "skill":
            found = _skill(folder, file)
        case "vp" | "agent" | "recipe" | "command":
            found = _text_file(folder, file, file.kind)
    for kind, name, detail in found:
        yield BroughtRow(kind=kind, name=name, detail=detail, path=file.path, change=change)


def _settings(path: Path) -> Iterator[tuple[RowKind, str, str]]:
    from yeaft.config.files import read_layer
    from yeaft.config.listing import HIDDEN
    from yeaft.config.tables import dotted, leaves

    try:
        layer = read_layer(path)
    except ConfigError as error:
        yield "problem", path.name, str(error)
        return
    for parts, value in leaves(layer.table if layer is not None else {}):
        shown = HIDDEN if parts[-1] == "api_key" else msgspec.json.encode(value).decode()
        yield "setting", dotted(parts), shown


def _hooks(path: Path) -> Iterator[tuple[RowKind, str, str]]:
    """Every command in a hooks file, whatever else is wrong with it."""
    from yeaft.config.json_text import Remark, list_in, plain, read_json, table_in

    found = read_json(_content(path))
    if isinstance(found, Remark):
        yield "problem", path.name, f"line {found.line}: {found.reason}"
        return
    root = table_in(plain(found.root))
    for event, groups in table_in(root.get("hooks", root)).items():
        for group in list_in(groups):
            matcher = table_in(group).get("matcher")
            for command in _commands_in(group):
                yield "hook", f"{event}({matcher})" if matcher else event, command


def _commands_in(value: Json) -> Iterator[str]:
    """All texts under a key `command`, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "command" and isinstance(inner, str):
                yield inner
            else:
                yield from _commands_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _commands_in(inner)


def _servers(path: Path) -> Iterator[tuple[RowKind, str, str]]:
    from yeaft.mcp.mcp_file import read_mcp_file

    file = read_mcp_file(path)
    for declared in file.servers:
        yield "server", declared.server.name, command_line(declared)
    for problem in file.problems:
        if problem.fatal:
            yield "problem", path.name, f"line {problem.line}: {problem.reason}"


def _skill(folder: Path, file: BroughtFile) -> Iterator[tuple[RowKind, str, str]]:
    path = Path(file.path)
    if path.name.casefold() == SKILL_NAME:
        yield "skill", path.parent.name, _description(folder / path)
    elif path.suffix == ".md" and len(path.parts) == len(Path(".yeaft/skills/x.md").parts):
        yield "skill", path.stem, _description(folder / path)
    else:
        yield "skill", "/".join(path.parts[2:]), f"{file.size_bytes:,} bytes"


def _text_file(
    folder: Path, file: BroughtFile, kind: Literal["vp", "agent", "recipe", "command"]
) -> Iterator[tuple[RowKind, str, str]]:
    path = Path(file.path)
    name = "/".join(path.with_suffix("").parts[2:])
    described = _description(folder / path)
    runs = [f"runs {command}" for command in _commands_of(folder / path)] if kind == "command" else []
    yield kind, name, "; ".join([described, *runs]).removeprefix("; ")


def _commands_of(path: Path) -> Iterator[str]:
    """What the command in a file may run, read as it is when the command is used."""
    from yeaft.session.slash.template import RUN

    found = _front_matter(path)
    return (run["command"].strip() for run in RUN.finditer(found.body)) if found is not None else iter(())


def _description(path: Path) -> str:
    """What a file with front matter says of itself, else how it begins."""
    found = _front_matter(path)
    if found is None:
        return ""
    for key in ("description", "role"):
        value = found.fields.get(key, "")
        if isinstance(value, str) and value.strip():
            return _cut(value)
    return _cut(next((line.strip("# ") for line in found.body.split("\n") if line.strip()), ""))


def _front_matter(path: Path) -> FrontMatter | None:
    """A Markdown file as all who use it read it, in whatever encoding it is; None if nobody can."""
    from yeaft.prompts.front_matter import Problem, read_front_matter
    from yeaft.prompts.text_file import read_text_file

    file = read_text_file(path)
    found = file if isinstance(file, Problem) else read_front_matter(file.text, str(path))
    return None if isinstance(found, Problem) else found


def _content(path: Path) -> str:
    from yeaft.config.regular import read_regular

    try:
        return read_regular(path, LARGEST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""  # it has gone, or grown, since it was counted


def _change(file: BroughtFile, trust: Trust) -> Change:
    if trust.state != "changed" or file.path not in trust.changed:
        return ""
    return "changed" if file.path in trust.agreed_files else "new"


def _gone(trust: Trust) -> list[BroughtRow]:
    here = {file.path for file in trust.brought.files}
    gone = [path for path in trust.changed if path not in here]
    return [BroughtRow(kind="problem", name=Path(path).name, detail="", path=path, change="gone") for path in gone]


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= DETAIL_CHARS else line[: DETAIL_CHARS - 1] + "…"
