"""Permission rules as people write them: `Tool` or `Tool(pattern)`, and what they match.

    Bash(git status:*)     the command `git status`, alone or followed by anything
    Bash(npm run *)        a glob over the whole command; `*` stands for anything
    Bash(make test)        exactly this
    FileRead(~/notes/**)   files below a folder; `*` stays within one folder, `**` does not
    FileEdit(docs)         a path without wildcards also means all that is below it
    WebFetch(domain:*.example.com)  pages of these hosts; without wildcard exactly this host
    mcp__git               all tools of this server
    mcp__git__*            a glob over tool names

A relative path starts at the work folder. Rules about reading a path hold for every tool that reads, rules about
writing for every tool that writes; a rule without a pattern holds for the named tool only.
"""

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct, structs

from yeaft.config.settings import Permissions
from yeaft.kernel.errors import ConfigError, ToolFailed
from yeaft.kernel.nearness import nearest
from yeaft.kernel.pattern import Pattern
from yeaft.kernel.tool_names import OUTSIDE_PREFIX, is_meant
from yeaft.tools.paths import Paths

READERS = frozenset({"FileRead", "Read", "Glob", "Grep", "ListDir", "DiskUsage", "ViewImage"})
WRITERS = frozenset(
    {
        "FileWrite",
        "FileEdit",
        "ApplyPatch",
        "NotebookEdit",
        "EnterWorktree",
        "ExitWorktree",
        "Write",
        "Edit",
    }
)
OTHER_NAMES = {"Read": "FileRead", "Write": "FileWrite", "Edit": "FileEdit"}
ALL = frozenset({"*", "**", ":*"})
_SHAPE = Pattern(r"([A-Za-z][A-Za-z0-9_*-]*)(?:\((.*)\))?", re.DOTALL)
_WILD = Pattern(r"[*?\[]")


class Rule(Struct, frozen=True, kw_only=True):
    """A rule; `pattern` None means every use of the tool."""

    tool: str
    pattern: str | None = None

    @property
    def text(self) -> str:
        """The rule as people write it."""
        return self.tool if self.pattern is None else f"{self.tool}({self.pattern})"

    @property
    def covers_all(self) -> bool:
        """Whether it says nothing but the tool."""
        return self.pattern is None or self.pattern in ALL

    def names(self, tool: str) -> bool:
        """Whether it is about this tool."""
        return is_meant(OTHER_NAMES.get(self.tool, self.tool), tool)


class Rules(Struct, frozen=True, kw_only=True):
    """The three lists; `deny` wins over `ask`, `ask` over `allow`."""

    allow: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()
    deny: tuple[Rule, ...] = ()


def check_tool(one: Rule, tools: Iterable[str]) -> None:
    """Raise `ConfigError` for a rule that no tool could ever meet: it fits no name of `tools` and is not of a server.

    A deny rule with a slip in its name would else deny nothing, and nobody would be told.
    """
    known = {name.casefold(): name for name in (*tools, *OTHER_NAMES)}
    if one.tool.startswith(OUTSIDE_PREFIX) or any(fnmatchcase(name, one.tool) for name in known.values()):
        return
    near = nearest(one.tool.casefold(), known)
    meant = structs.replace(one, tool=known[near]).text if near else ""
    remedy = f"Did you mean {meant}?" if near else "`yeaft tool ls` lists them."
    raise ConfigError(f"{one.text}: there is no tool {one.tool}. {remedy}")


def rule(text: str) -> Rule:
    """Read one rule. Raises `ConfigError`."""
    found = _SHAPE.fullmatch(text.strip())
    if found is None or found[2] == "":
        raise ConfigError(
            f"The permission rule {text!r} cannot be understood; write Tool or Tool(pattern), "
            "for example Bash(git status:*) or FileRead(~/notes/**)."
        )
    return Rule(tool=found[1], pattern=found[2])


def rules(permissions: Permissions) -> Rules:
    """Read the rules of `[permissions]`. Raises `ConfigError` for the first that cannot be understood."""
    return Rules(
        allow=tuple(map(rule, permissions.allow)),
        ask=tuple(map(rule, permissions.ask)),
        deny=tuple(map(rule, permissions.deny)),
    )


def about_command(rules: Iterable[Rule], forms: Iterable[str]) -> Rule | None:
    """The first rule about Bash that matches one of the spellings of a command."""
    spellings = tuple(forms)
    for one in rules:
        if one.names("Bash") and (
            one.covers_all or any(_matches_command(one.pattern or "*", form) for form in spellings)
        ):
            return one
    return None


def about_path(rules: Iterable[Rule], *, writing: bool, spellings: Sequence[Path], paths: Paths) -> Rule | None:
    """The first rule about reading (or writing) that matches one of the spellings of an absolute path."""
    family = WRITERS if writing else READERS
    for one in rules:
        if one.tool in family and one.pattern is not None and _matches_path(one.pattern, spellings, paths):
            return one
    return None


def about_domain(rules: Iterable[Rule], tool: str, domain: str) -> Rule | None:
    """The first rule about the tool that matches a domain (lower case, no port, no final dot)."""
    for one in rules:
        pattern = (one.pattern or "*").removeprefix("domain:").strip().casefold().rstrip(".")
        if one.names(tool) and fnmatchcase(domain, pattern):
            return one
    return None


def _matches_command(pattern: str, command: str) -> bool:
    if pattern.endswith(":*"):
        prefix = pattern[:-2].rstrip()
        return command == prefix or command.startswith(prefix + " ")
    if "*" in pattern:
        return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), command, re.DOTALL) is not None
    return command == pattern


def _matches_path(pattern: str, spellings: Sequence[Path], paths: Paths) -> bool:
    return any(
        re.fullmatch(regex, path.as_posix(), re.DOTALL) for regex in path_regexes(pattern, paths) for path in spellings
    )


def path_regexes(pattern: str, paths: Paths) -> tuple[str, ...]:
    """The pattern as written, and with the symbolic links of its fixed part followed."""
    fixed, rest = _parted(pattern, paths)
    tail = _glob_regex(rest) if rest else "(?:/.*)?"
    return tuple(re.escape(form.rstrip("/")) + tail for form in {fixed, str(_followed(fixed, paths))})


def fixed_part(pattern: str, paths: Paths) -> tuple[str, str]:
    """The folder or file below which a pattern can match anything, as written and with its links followed."""
    fixed, _ = _parted(pattern, paths)
    return fixed, str(_followed(fixed, paths))


def _parted(pattern: str, paths: Paths) -> tuple[str, str]:
    """The absolute path that a pattern begins with, and what stands behind it, from the first part with wildcards."""
    text = re.sub(r"^\$(?:HOME|\{HOME\})(?=/|$)", "~", pattern)
    text = f"{paths.home}{text[1:]}" if text == "~" or text.startswith("~/") else text
    whole = (paths.folder / text).as_posix() if text not in ALL else f"{paths.folder}/**"
    wild = _WILD.search(whole)
    if wild is None:
        return re.sub(r"/(?:\./)+|//+", "/", whole).rstrip("/"), ""
    cut = whole.rindex("/", 0, wild.start())
    return whole[:cut] or "/", whole[cut:]


def _followed(text: str, paths: Paths) -> Path:
    try:
        return paths.resolve(text)
    except ToolFailed:
        return Path(text)


def _glob_regex(glob: str) -> str:
    """A regular expression for a path glob that begins with a slash."""
    pieces = re.findall(r"/\*\*(?=/|$)|\*+|\?|\[!?\]?[^\]]*\]|.", glob, re.DOTALL)
    return "".join(map(_glob_piece, pieces))


def _glob_piece(piece: str) -> str:
    if piece == "/**":
        return "(?:/.*)?"
    if piece.startswith("*"):
        return "[^/]*"
    if piece == "?":
        return "[^/]"
    if piece.startswith("[") and piece.endswith("]"):
        inner = piece[1:-1].replace("\\", "\\\\").replace("[", "\\[")
        return f"[^{inner[1:]}]" if inner.startswith("!") else f"[{inner}]"
    return re.escape(piece)
