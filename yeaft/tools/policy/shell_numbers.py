"""Which words of a script are integers whatever happens: only those may be compared or counted with.

Some shells evaluate what stands in a comparison, and with it code that hides in a value such as `a[$(rm x)]`.
"""

import re
from collections.abc import Callable

from tree_sitter import Node

from yeaft.tools.policy.shell_variables import NAME, Variables

_INTEGER = re.compile(r"[-+]?\d+")
_ARITHMETIC = re.compile(r"\$\(\((?:[\s\w+*/%()-]|\$(?=[A-Za-z_]))*\)\)")
_NUMBER_EXPANSION = re.compile(r"\$[?#]|\$\{#[A-Za-z_]\w*\}|\$\{[?#]\}")
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")
_ONE_TEXT = r"(?:'[^']*'|\"[^\"$`\\]*\"|[\w.-]+)"
_PRINTS_NUMBERS = re.compile(
    rf"wc(?: -[lwcm])?|grep -\w*c\w* {_ONE_TEXT}(?: [\w./-]+)?|nproc|id -u|date \+%s|seq [\d ]+"
    r"|git rev-list --count [\w@~^./-]+"
)
_PRINTS_ONE_WORD = re.compile(
    r"pwd|whoami|uname(?: -[sm])?|arch|hostname|id -un"
    r"|git (?:rev-parse|symbolic-ref|branch --show-current|merge-base|describe)(?: [\w@~^./-]+)*"
)
_PRINTS_A_COMMIT = re.compile(r"git (?:rev-parse(?: --short| --verify)?|merge-base)(?: [A-Za-z0-9@][\w@~^./-]*)+")


class Numbers:
    """Tells numbers from other words. `text` gives the source of a node."""

    def __init__(self, variables: Variables, text: Callable[[Node], str]) -> None:
        self._variables = variables
        self._text = text

    def is_number(self, node: Node, assumed: frozenset[str] = frozenset()) -> bool:
        """Whether the word is an integer; the variables in `assumed` are taken to be."""
        source = self._text(node)
        if node.type == "string" and len(node.named_children) == 1:
            inner = node.named_children[0]
            return source == f'"{self._text(inner)}"' and (
                _INTEGER.fullmatch(self._text(inner)) is not None or self.is_number(inner, assumed)
            )
        if node.type in {"word", "number", "string_content"}:
            return _INTEGER.fullmatch(source) is not None
        if node.type in {"simple_expansion", "expansion"}:
            variable = _VARIABLE.fullmatch(source)
            if variable is None:
                return _NUMBER_EXPANSION.fullmatch(source) is not None
            return self._holds_number(variable[1], node, assumed)
        if node.type == "arithmetic_expansion":
            operands = set(NAME.findall(source))
            plain = _ARITHMETIC.fullmatch(source) is not None
            return plain and all(self._holds_number(name, node, assumed) for name in operands)
        return node.type == "command_substitution" and self._prints(node, _PRINTS_NUMBERS)

    def prints_one_word(self, node: Node) -> bool:
        """Whether a command substitution gives one plain word, by the command that prints it."""
        return self._prints(node, _PRINTS_NUMBERS) or self._prints(node, _PRINTS_ONE_WORD)

    def prints_commit(self, node: Node) -> bool:
        """Whether a command substitution gives the name of a commit or, if there is none, one of its own words."""
        return self._prints(node, _PRINTS_A_COMMIT)

    def _holds_number(self, name: str, use: Node, assumed: frozenset[str]) -> bool:
        if name in assumed:
            return True
        values = [value for one in self._variables.bindings(name, use) for value in one.values]
        return bool(values) and all(self.is_number(value, assumed | {name}) for value in values)

    def _prints(self, node: Node, pattern: re.Pattern[str]) -> bool:
        return pattern.fullmatch(self._last_command(node)) is not None

    def _last_command(self, node: Node) -> str:
        """The command whose output a substitution is; empty if more than one prints."""
        inner = node.named_children
        if len(inner) != 1:
            return ""
        last = inner[0].named_children[-1] if inner[0].type == "pipeline" else inner[0]
        if last.type == "redirected_statement":
            last = last.named_children[0]
        return self._text(last) if last.type == "command" else ""
