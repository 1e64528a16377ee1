"""Which values the variables of a script can have, as far as the script itself writes them down.

A value counts only if its assignment has certainly run before the use, in the same shell, and nothing else in the
script can set the variable. Everything else is not known.
"""

import re
from collections.abc import Callable, Iterator

from msgspec import Struct
from tree_sitter import Node

from yeaft.tools.policy.word_list import names

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
SETTERS = names(
    "read mapfile readarray getopts printf let unset export local declare typeset readonly set wait command builtin "
    "vared print zparseopts integer float zstyle zstat sysread noglob nocorrect"
)
"""Commands that set the variables named in their arguments."""
SETS_ANYTHING = names("eval source . trap alias exec enable emulate autoload zmodload sched coproc")
_SETS_BY_ARITHMETIC = re.compile(r"(?<![=!<>])=(?!=)|\+\+|--")
_SETS_BY_DEFAULT = re.compile(r"\$\{[^}:=]*:?=")
_IN_SEQUENCE = frozenset(
    {
        "program",
        "compound_statement",
        "do_group",
        "subshell",
        "command_substitution",
        "process_substitution",
        "case_item",
        "else_clause",
        "elif_clause",
        "variable_assignments",
    }
)
_SET_BY_THE_SHELL = names("match mbegin mend status pipestatus argv _")
_CLAUSES = frozenset({"elif_clause", "else_clause"})


class Binding(Struct, frozen=True):
    """A place that sets a variable to one of `values`; `within` is the loop body where it holds, if there is one."""

    node: Node
    values: tuple[Node, ...]
    within: Node | None = None


class Variables:
    """The variables that a script sets. `text` gives the source of a node."""

    def __init__(self, root: Node, text: Callable[[Node], str]) -> None:
        self._text = text
        self._bindings: dict[str, list[Binding]] = {}
        self._doubtful = set(_SET_BY_THE_SHELL)
        self._all_doubtful = False
        for node in everything(root):
            self._collect(node)

    def is_set(self, name: str) -> bool:
        """Whether the script names the variable as one that it sets."""
        return name in self._doubtful or name in self._bindings

    def bindings(self, name: str, use: Node) -> tuple[Binding, ...]:
        """All places from which the variable can have its value at `use`; none if that cannot be known."""
        found = tuple(self._bindings.get(name, ()))
        if self._all_doubtful or name in self._doubtful or not any(_reaches(one, use) for one in found):
            return ()
        return found

    def _collect(self, node: Node) -> None:
        if node.type == "variable_assignment":
            self._collect_assignment(node)
        elif node.type == "for_statement":
            self._collect_loop(node)
        elif node.type == "command":
            self._collect_command(node)
        elif node.type in {"declaration_command", "unset_command"}:
            self._doubtful.update(NAME.findall(self._text(node)))
        elif node.type in {"arithmetic_expansion", "c_style_for_statement", "postfix_expression"}:
            self._all_doubtful |= _SETS_BY_ARITHMETIC.search(self._text(node)) is not None
        elif node.type == "expansion":
            self._all_doubtful |= _SETS_BY_DEFAULT.match(self._text(node)) is not None
        elif node.type == "function_definition":
            self._all_doubtful = True

    def _collect_assignment(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        label = NAME.match(self._text(node))
        if label is None or name is None:
            self._all_doubtful = True
            return
        is_for_one_command = node.parent is not None and node.parent.type == "command"
        is_plain = name.type == "variable_name" and any(child.type == "=" for child in node.children)
        if value is None or not is_plain or is_for_one_command:
            self._doubtful.add(label[0])
        else:
            self._bindings.setdefault(label[0], []).append(Binding(node, (value,)))

    def _collect_loop(self, node: Node) -> None:
        variable, body = node.child_by_field_name("variable"), node.child_by_field_name("body")
        values = tuple(node.children_by_field_name("value"))
        if variable is None or body is None:
            return
        if not values or node.children[0].type != "for":
            self._doubtful.add(self._text(variable))
        else:
            self._bindings.setdefault(self._text(variable), []).append(Binding(node, values, body))

    def _collect_command(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        program = "" if name is None else self._text(name)
        if not re.fullmatch(r"[\w./+-]+|\[", program) or program in SETS_ANYTHING:
            self._all_doubtful = True
        elif program in SETTERS:
            self._doubtful.update(NAME.findall(self._text(node)))


def everything(node: Node) -> Iterator[Node]:
    """A node and all that is below it."""
    pending = [node]
    while pending:
        one = pending.pop()
        yield one
        pending.extend(one.named_children)


def _reaches(binding: Binding, use: Node) -> bool:
    """Whether the binding has certainly happened when `use` is read, and holds there."""
    if binding.within is not None:
        return _contains(binding.within, use)
    if use.start_byte < binding.node.end_byte:
        return False
    child, parent, only_if = binding.node, binding.node.parent, False
    while parent is not None and not _contains(parent, use):
        if _is_in_background(child):
            return False
        if parent.type == "list":
            only_if = (only_if or parent.children[0] != child) and _operator(parent) == "&&"
            if parent.children[0] != child and not only_if:
                return False
        elif only_if or parent.type not in {"variable_assignments", "compound_statement"}:
            return False
        child, parent = parent, parent.parent
    return parent is not None and not _is_in_background(child) and _precedes(parent, child, use, only_if=only_if)


def _precedes(parent: Node, child: Node, use: Node, *, only_if: bool) -> bool:
    """Whether `child` has run when `use` is reached, both being parts of `parent`.

    `only_if`: the binding has happened if `child` succeeded.
    """
    if parent.type == "list":
        return not only_if or _operator(parent) == "&&"
    if only_if:
        return False
    if parent.type in {"if_statement", "while_statement"}:
        if child in parent.children_by_field_name("condition"):
            return True
        beside = next((one for one in parent.children if _contains(one, use)), None)
        return parent.type == "if_statement" and beside is not None and beside.type not in _CLAUSES
    return parent.type in _IN_SEQUENCE


def _operator(node: Node) -> str:
    return node.children[1].type if len(node.children) > 1 else ""


def _is_in_background(node: Node) -> bool:
    following = node.next_sibling
    return following is not None and following.type == "&"


def _contains(node: Node, inner: Node) -> bool:
    return node.start_byte <= inner.start_byte and inner.end_byte <= node.end_byte
