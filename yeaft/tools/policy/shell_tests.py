"""Which tests, `[ … ]` and `[[ … ]]`, only look: in some shells they also evaluate what stands in them."""

import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from yeaft.tools.policy.shell_words import WORD_TYPES, WordReader, kind
from yeaft.tools.policy.word_list import names

_PARTS = names("unary_expression binary_expression negation_expression")
_FLAGS = names("-a -o -b -c -d -e -f -g -h -k -L -n -p -r -s -S -t -u -w -x -z -nt -ot -ef -G -N -O")
_COMPARING_NUMBERS = names("-eq -ne -lt -le -gt -ge")
_SINGLE = frozenset({"=", "!=", "==", "!", "[", "]"})
_DOUBLE = frozenset({"=", "!=", "==", "=~", "<", ">", "!", "&&", "||", "[[", "]]"})
_PATTERN = re.compile(r"[^`$(){}#\\'\"<>;&|]*")
_REGEX = re.compile(r"(?:[^`$#<>;&'\"]|\$(?=[)|\s]|$|[A-Za-z_]))*")


def doubt_about(node: Node, text: Callable[[Node], str], words: WordReader) -> str:
    """Read the words of a test and say why it may do more than look; empty if it does not."""
    is_double = text(node).startswith("[[")
    parts = list(_below(node))
    found = [child for child in parts if child.type in WORD_TYPES]
    reasons = [_doubt_about_part(child, text(child), is_double=is_double) for child in parts if child not in found]
    if any(text(child) in _COMPARING_NUMBERS for child in parts) and not all(map(words.is_number, found)):
        reasons.append("it compares what may be more than numbers")
    if not is_double and any(map(words.splits_unseen, found)):
        reasons.append("it tests what may be more than one word")
    for child in found:
        words.ways(child)
    return next(filter(None, reasons), "")


def _doubt_about_part(child: Node, source: str, *, is_double: bool) -> str:
    if child.type == "regex":
        return "" if is_double and _REGEX.fullmatch(source) else "it contains a regular expression that cannot be read"
    if child.type == "extglob_pattern":
        return "" if _PATTERN.fullmatch(source) else "it contains a pattern that cannot be read"
    if child.type == "test_operator" or not child.is_named:
        known = _FLAGS | _COMPARING_NUMBERS | (_DOUBLE if is_double else _SINGLE)
        return "" if source in known else f"it contains the test {source}"
    return "" if child.type in _PARTS else f"it contains {kind(child)}"


def _below(node: Node) -> Iterator[Node]:
    """All parts of a test, without what lies inside its words."""
    for child in node.children:
        yield child
        if child.type not in WORD_TYPES:
            yield from _below(child)
