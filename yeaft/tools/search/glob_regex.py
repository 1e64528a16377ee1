"""From a glob to a regular expression: `*`, `?`, `[ab]`, `{a,b}` stay in one folder, `**` crosses folders."""

import re

CLASS = re.compile(r"\[([!^]?)(\]?[^\]]+|\])\]")
TOKENS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def translated(glob: str, *, with_braces: bool = True) -> str:
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
        elif with_braces and glob[at] == "{" and _partner(glob, at):
            depth += 1
            out.append("(?:")
        elif depth and glob[at] in ",}":
            depth -= glob[at] == "}"
            out.append("|" if glob[at] == "," else ")")
        else:
            out.append(re.escape(glob[at]))
        at += len(token) or (len(found[0]) if found else 1)
    return "".join(out) if not depth else translated(glob, with_braces=False)


def _class(found: re.Match[str]) -> str:
    """A bracket expression, or itself literally when its ranges make no sense."""
    members = re.sub(r"([\[\\^])|([-&~|])(?=\2)", r"\\\g<0>", found[2])  # a doubled sign may become a set operator
    try:
        return re.compile(f"(?!/)[{'^' if found[1] else ''}{members}]").pattern
    except re.error:
        return re.escape(found[0])


def _partner(glob: str, at: int) -> int:
    """Where the brace that closes the one at `at` is; 0 if there is none."""
    depth = 0
    for place in range(at, len(glob)):
        depth += (glob[place] == "{") - (glob[place] == "}")
        if depth == 0:
            return place
    return 0


def between_commas(globs: str) -> list[str]:
    """The globs that commas outside brackets and braces part, but for empty ones; never none."""
    parts: list[str] = []
    start = at = 0
    while at < len(globs):
        skipped = CLASS.match(globs, at)
        if globs[at] == ",":
            parts.append(globs[start:at])
            start = at + 1
        if skipped:
            at = skipped.end()
        elif globs[at] == "{" and (end := _partner(globs, at)):
            at = end
        else:
            at += 1
    return [part for part in (*parts, globs[start:]) if part.strip()] or [globs]
