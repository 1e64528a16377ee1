"""The glob dialect of the search tools: `*`, `?`, `[ab]`, `{a,b}` stay in one folder, `**` crosses folders."""

import re

from msgspec import Struct

MAGIC = re.compile(r"[*?\[{]")
CLASS = re.compile(r"\[([!^]?)(\]?[^\]]+|\])\]")
BRACE_WITH_FOLDERS = re.compile(r"\{[^}]*/")
TOKENS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
PLAIN_NAME = re.compile(r"[\w.*?{},+@ -]+")


class PathGlob(Struct, frozen=True, kw_only=True):
    """A compiled pattern.

    `folder` is its literal beginning (may be absolute or begin with `~` or `..`), below which `matches` judges
    relative paths with `/`. `depth` is how many levels below `folder` a match can be, None if any. `name` is a glob
    that the last part of every match fits, for tools that can filter by name; empty if there is none.
    """

    folder: str
    regex: re.Pattern[str]
    depth: int | None
    name: str
    words: frozenset[str]
    negated: bool = False

    def matches(self, path: str) -> bool:
        """Whether `path`, relative to `folder`, fits."""
        return bool(self.regex.fullmatch(path)) != self.negated


def compile_glob(pattern: str) -> PathGlob:
    """Compile a pattern; without `/` it is about names in any folder, with a leading `!` about everything else.

    Backslashes count as `/`. Brackets and braces that are never closed stand for themselves.
    """
    negated = pattern.startswith("!")
    plain = pattern.removeprefix("!").replace("\\", "/")
    folder, rest = ("", plain) if negated else _split(plain)
    rest = f"{rest}**" if rest.endswith("/") else rest
    anywhere = "/" not in plain
    name = rest.rpartition("/")[2]
    unbounded = anywhere or negated or "**" in rest or BRACE_WITH_FOLDERS.search(rest)
    return PathGlob(
        folder=folder,
        regex=re.compile(("(?:.*/)?" if anywhere else "") + _translated(rest), re.DOTALL),
        depth=None if unbounded else rest.count("/") + 1,
        name=name if not negated and "**" not in name and _is_plain(name) else "",
        words=frozenset(part for part in re.split(r"[/{},]", rest) if part and not MAGIC.search(part)),
        negated=negated,
    )


def _split(pattern: str) -> tuple[str, str]:
    """The literal folders a pattern begins with, and the rest, which is never empty."""
    magic = MAGIC.search(pattern)
    cut = pattern.rfind("/", 0, magic.start() if magic else len(pattern.rstrip("/")))
    return (pattern[:cut] or "/", pattern[cut + 1 :]) if cut >= 0 else ("", pattern)


def _is_plain(name: str) -> bool:
    """Whether other programs read the name glob as we do."""
    return bool(PLAIN_NAME.fullmatch(name)) and name.count("{") == name.count("}") <= 1


def _translated(glob: str, *, with_braces: bool = True) -> str:
    """The regular expression for `glob`; braces of which one has no partner stand for themselves."""
    out: list[str] = []
    at = depth = 0
    while at < len(glob):
        token = next((token for token in TOKENS if glob.startswith(token, at)), "")
        found = CLASS.match(glob, at)
        if token:
            out.append(TOKENS[token])
        elif found:
            out.append(_class(found))
        elif with_braces and glob[at] == "{" and _closed(glob, at):
            depth += 1
            out.append("(?:")
        elif depth and glob[at] in ",}":
            depth -= glob[at] == "}"
            out.append("|" if glob[at] == "," else ")")
        else:
            out.append(re.escape(glob[at]))
        at += len(token) or (len(found[0]) if found else 1)
    return "".join(out) if not depth else _translated(glob, with_braces=False)


def _class(found: re.Match[str]) -> str:
    """A bracket expression, or itself literally when its ranges make no sense."""
    members = re.sub(r"([\[\\^])|([-&~|])(?=\2)", r"\\\g<0>", found[2])  # a doubled sign may become a set operator
    try:
        return re.compile(f"(?!/)[{'^' if found[1] else ''}{members}]").pattern
    except re.error:
        return re.escape(found[0])


def _closed(glob: str, at: int) -> bool:
    """Whether the brace at `at` has its partner."""
    depth = 0
    for char in glob[at:]:
        depth += (char == "{") - (char == "}")
        if depth == 0:
            return True
    return False
