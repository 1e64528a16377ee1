"""`--allow` and `--deny`: rules as given on the command line, taken apart and held against the tools there are."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from yeaft.kernel.errors import ConfigError, UsageError
from yeaft.kernel.nearness import nearest

OUTSIDE_PREFIX = "mcp__"
"""How the names of tools begin that are not built in."""


def rules_given(flag: str, given: Iterable[str]) -> tuple[str, ...]:
    """Return the rules given with `flag`, several of which may stand between commas.

    Raises `UsageError` for what is no rule, and for one about a tool that does not exist, with the nearest name.
    """
    rules = [rule for text in given for rule in _split(text)]
    for rule in rules:
        _check(flag, rule)
    return tuple(rules)


def _split(text: str) -> list[str]:
    """Split at commas outside of parentheses."""
    rules: list[str] = []
    depth, start = 0, 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            rules.append(text[start:place])
            start = place + 1
    rules.append(text[start:])
    return [rule.strip() for rule in rules if rule.strip()]


def _check(flag: str, text: str) -> None:
    from yeaft.session.catalogue import RULED
    from yeaft.tools.policy.rules import OTHER_NAMES, rule

    try:
        tool = rule(text).tool
    except ConfigError as error:
        raise UsageError(f"{flag}: {error}") from error
    known = {name: name for name in RULED} | OTHER_NAMES
    if tool.startswith(OUTSIDE_PREFIX) or any(fnmatchcase(name, tool) for name in known):
        return
    folded = {name.casefold(): name for name in known}
    near = nearest(tool.casefold(), folded)
    remedy = f"Did you mean {text.replace(tool, folded[near], 1)}?" if near else "`yeaft tool ls` lists them."
    raise UsageError(f"{flag} {text}: there is no tool {tool}. {remedy}")
