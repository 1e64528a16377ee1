r"""Lists of shell commands with the verdict that each should get, as people write them into files.

    # VERDICT<TAB>COMMAND; \n is a line break, \t a tab, \uXXXX any character
    allow<TAB>git status
    ask<TAB>git push
    [edits --allow 'Bash(make:*)' --deny 'Bash(git push:*)']
    allow<TAB>make

A line in brackets gives the mode (empty: the one in force) and the rules that hold from there on.
"""

import re
import shlex
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from yeaft.config.settings import Mode
from yeaft.kernel.errors import BadData
from yeaft.tools.policy.rules import Rule, Rules, rule
from yeaft.tools.policy.verdict import Judgement

KINDS: Mapping[str, Judgement] = {"allow": "allow", "ask": "ask", "deny": "deny"}
MODES: Mapping[str, Mode] = {"ask": "ask", "edits": "edits", "plan": "plan", "auto": "auto"}
_ESCAPE = re.compile(r"\\n|\\t|\\u[0-9a-fA-F]{4}")


class Case(Struct, frozen=True, kw_only=True):
    """A command and what should be said about it under `rules`; `mode` None is whatever is in force."""

    line: int
    wanted: Judgement
    command: str
    mode: Mode | None = None
    rules: Rules = Rules()


def cases(text: str) -> Iterator[Case]:
    """The cases in `text`. Raises `BadData` that names the first line that is none, `ConfigError` for a bad rule."""
    section = Case(line=0, wanted="ask", command="")
    for number, line in enumerate(text.splitlines(), start=1):
        verdict, tab, command = line.partition("\t")
        if not line.strip() or line.startswith("#"):
            continue
        if not tab and line.startswith("[") and line.rstrip().endswith("]"):
            section = _section(line.strip()[1:-1], number)
        elif tab and verdict in KINDS:
            yield replace(section, line=number, wanted=KINDS[verdict], command=_ESCAPE.sub(_character, command))
        else:
            raise BadData(f"Line {number} is not VERDICT<TAB>COMMAND with allow, ask or deny: {line[:60]!r}.")


def _section(header: str, number: int) -> Case:
    try:
        words = shlex.split(header)
    except ValueError as error:
        raise BadData(f"Line {number}: {header!r} cannot be read: {error}.") from error
    mode = words.pop(0) if words and not words[0].startswith("--") else None
    kinds, texts = words[::2], words[1::2]
    known = [f"--{kind}" for kind in KINDS]
    chosen = MODES.get(mode or "")
    if (mode and chosen is None) or len(kinds) != len(texts) or not set(kinds) <= set(known):
        raise BadData(f"Line {number}: write [MODE --allow RULE --ask RULE --deny RULE], not [{header}].")
    named: dict[str, tuple[Rule, ...]] = {
        kind: tuple(rule(text) for flag, text in zip(kinds, texts, strict=True) if flag == f"--{kind}")
        for kind in KINDS
    }
    return Case(line=number, wanted="ask", command="", mode=chosen, rules=Rules(**named))


def _character(escape: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t"}.get(escape[0][1]) or chr(int(escape[0].removeprefix("\\u"), base=16))
