"""Which sed scripts only change what they print."""

import re

from yeaft.tools.policy.shell_script import Word
from yeaft.tools.policy.word_list import names

Words = tuple[Word, ...]

_FLAGS = names("-n -E -r -nE -En -nr -rn -s -u -z -nz -zE --quiet --silent --regexp-extended")
_SCRIPT_FLAGS = frozenset({"-e", "-ne", "-Ee", "-nEe", "--expression"})
_DELIMITERS = ("/", r"\|", "#", ",", "@", ":", "!", "~", "%", "_")


def sed(rest: Words) -> Words | None:
    """The words after `sed` that are paths; None for -i, -f and scripts with commands or flags that write or run."""
    scripts: list[str] = []
    operands: list[Word] = []
    words = iter(rest)
    for word in words:
        text = word.text or ""
        if text in _SCRIPT_FLAGS:
            scripts.append(next((one.text or "" for one in words), ""))
        elif text.startswith("-"):
            if text not in _FLAGS:
                return None
        else:
            operands.append(word)
    if not scripts and operands:
        scripts.append(operands.pop(0).text or "")
    return tuple(operands) if scripts and all(map(_is_harmless, scripts)) else None


def _is_harmless(script: str) -> bool:
    """Whether it prints, deletes, quits, substitutes and moves text around, and nothing else."""
    address = rf"(?:\d+|\$|\d+~\d+|/{_regex('/')}/I?)"
    where = rf"(?:{address}(?:,(?:{address}|\+\d+))?)?[ \t]*!?[ \t]*"
    substitutions = "|".join(rf"s{end}{_regex(end)}{end}(?:[^{end}\\\n]|\\[^\n])*{end}[gpiI\d]*" for end in _DELIMITERS)
    command = rf"{where}(?:[pPdDgGhHxnNlz=]|q\d*|y/[^/\\\n]*/[^/\\\n]*/|{substitutions})"
    several = rf"[ \t\n]*{command}[ \t]*(?:[;\n]+[ \t]*{command}[ \t]*)*[;\n]?[ \t]*"
    group = rf"{where}\{{{several}\}}"
    any_of_them = rf"[ \t]*(?:{group}|{command})[ \t]*"
    return re.fullmatch(rf"{any_of_them}(?:[;\n]+{any_of_them})*[;\n]?[ \t]*", script) is not None


def _regex(end: str) -> str:
    """What a regular expression up to its delimiter looks like."""
    bracket = rf"\[\^?\]?(?:\[:[a-z]+:\]|[^\]\[{end}\n])*\]"
    return rf"(?:[^{end}\\\n\[]|\\[^\n]|{bracket})*"
