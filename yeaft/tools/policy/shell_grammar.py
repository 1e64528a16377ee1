"""Reads a command line with tree-sitter-bash into a `Script`; imported only when a command is more than plain words."""

import re
from collections.abc import Mapping
from itertools import product

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from yeaft.tools.policy import shell_heredoc
from yeaft.tools.policy.shell_script import Assignment, Redirection, Script, ShellCommand, Word
from yeaft.tools.policy.shell_tests import doubt_about
from yeaft.tools.policy.shell_variables import Variables, everything
from yeaft.tools.policy.shell_words import MOST_WAYS, WORD_TYPES, WordReader, Words, between, kind
from yeaft.tools.policy.word_list import names

_CONTAINERS = names(
    "program list pipeline subshell compound_statement if_statement elif_clause else_clause negated_command do_group "
    "redirected_statement heredoc_body variable_assignments"
)
_LOOPS = frozenset({"for_statement", "while_statement"})
_SILENT = names("comment heredoc_start heredoc_end heredoc_content file_descriptor")
_ONE_LINERS = names("command redirected_statement file_redirect negated_command test_command")
_FOLDER_CHANGERS = frozenset({b"cd", b"pushd", b"popd", b"chdir"})
_LINE_BREAK = re.compile(rb"(?<!\\)\n")
_CASE_PATTERN = re.compile(r"[\w.*?/+,:@%-]+")


def parsed(command: str, known: Mapping[str, str]) -> Script:
    """The script as the grammar sees it; whatever is not understood for certain ends up in `doubt`."""
    raw = command.encode("utf-8", "surrogatepass")
    root = Parser(Language(tree_sitter_bash.language())).parse(raw).root_node
    reading = _Reading(raw, known, root)
    if root.has_error:
        reading.doubt("the command cannot be parsed")
    reading.statement(root, looping=False)
    return reading.script(unreadable=root.has_error)


class _Reading:
    """Collects what one walk over the syntax tree finds."""

    def __init__(self, raw: bytes, known: Mapping[str, str], root: Node) -> None:
        self._raw = raw
        self._commands: list[ShellCommand] = []
        self._assignments: list[Assignment] = []
        self._redirections: list[Redirection] = []
        self._listed: list[Word] = []
        self._chained, self._sequential = _is_chain(root), _is_sequence(root)
        self._doubt = ""
        self._words = WordReader(raw, known, Variables(root, self._text), self.doubt, self._inner)

    def script(self, *, unreadable: bool) -> Script:
        return Script(
            commands=tuple(self._commands),
            assignments=tuple(self._assignments),
            redirections=tuple(self._redirections),
            listed=tuple(self._listed),
            chained=self._chained,
            sequential=self._sequential,
            doubt=self._doubt,
            unreadable=unreadable,
        )

    def doubt(self, reason: str) -> None:
        self._doubt = self._doubt or reason

    def statement(self, node: Node, *, looping: bool) -> None:
        """Take in a node that is not a word."""
        if node.type in _ONE_LINERS and any(map(_LINE_BREAK.search, between(self._raw, node))):
            self.doubt("a line break in it can be read in two ways")
        if node.type == "command":
            self._command(node, looping=looping)
        elif node.type in _CONTAINERS:
            self._statements(node, looping=looping)
        elif node.type in _LOOPS:
            self._loop(node)
        elif node.type in {"case_statement", "case_item"}:
            self._case(node, looping=looping)
        elif node.type == "test_command":
            self.doubt(doubt_about(node, self._text, self._words))
        elif node.type == "variable_assignment":
            self._assignments.append(self._assignment(node))
        elif node.type in {"file_redirect", "herestring_redirect", "heredoc_redirect"}:
            self._redirection(node, looping=looping)
        elif node.type in WORD_TYPES:
            self._words.ways(node)
        elif node.type not in _SILENT:
            self.doubt(f"it contains {kind(node)}")
            self._statements(node, looping=looping)

    def _statements(self, node: Node, *, looping: bool) -> None:
        for child in node.named_children:
            self.statement(child, looping=looping)

    def _inner(self, node: Node) -> None:
        """A statement inside a word."""
        self.statement(node, looping=False)

    def _case(self, node: Node, *, looping: bool) -> None:
        """The subject, the patterns and the statements of `case`; a pattern is compared, whatever it looks like."""
        for child in node.named_children:
            if child.type != "extglob_pattern" or not _CASE_PATTERN.fullmatch(self._text(child)):
                self.statement(child, looping=looping)

    def _loop(self, node: Node) -> None:
        variable = node.child_by_field_name("variable")
        if variable is not None:
            self._assignments.append(Assignment(name=self._text(variable)))
        for child in node.named_children:
            if child.type in WORD_TYPES:
                self._listed.extend(word for way in self._words.ways(child) for word in way if word.glob)
            elif child != variable:
                self.statement(child, looping=True)

    def _command(self, node: Node, *, looping: bool) -> None:
        words: list[tuple[Words, ...]] = []
        assignments: list[Assignment] = []
        place = len(self._commands)
        for child in node.named_children:
            inner = child.named_children[0] if child.type == "command_name" and child.named_children else child
            if inner.type in WORD_TYPES:
                words.append(self._words.ways(inner))
            elif inner.type == "variable_assignment":
                assignments.append(self._assignment(inner))
            else:
                self.statement(inner, looping=looping)
        if not words:
            self.doubt("it contains a command without a name")
            return
        found = [
            ShellCommand(words=chosen, source=self._text(node), assignments=tuple(assignments))
            for chosen in _choices(words)
        ]
        self._commands[place:place] = found
        if looping and any(one.name == "cd" for one in found):
            self.doubt("it changes the folder in a loop")

    def _redirection(self, node: Node, *, looping: bool) -> None:
        operators = [child.type for child in node.children if not child.is_named]
        targets = [child for child in node.named_children if child.type in WORD_TYPES]
        if node.type == "file_redirect":
            if len(operators) != 1 or len(targets) > 1:
                self.doubt("it contains an unusual redirection")
            for target in targets:
                for way in self._words.ways(target):
                    one = way[0] if len(way) == 1 else Word(source=self._text(target), text=None, variables=("{}",))
                    self._redirections.append(Redirection(operator=operators[0], target=one))
            for child in node.named_children:
                if child not in targets:
                    self.statement(child, looping=looping)
            return
        if node.type == "heredoc_redirect" and not shell_heredoc.is_plain(self._raw, node):
            self.doubt("it contains a here-document that may run code")
        self._statements(node, looping=looping)

    def _assignment(self, node: Node) -> Assignment:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or name.type != "variable_name":
            self.doubt("it sets an array element")
            return Assignment(name="")
        if value is not None and value.type not in WORD_TYPES:
            self.doubt(f"it contains {kind(value)}")
            self._statements(value, looping=False)
            return Assignment(name=self._text(name))
        return Assignment(name=self._text(name), value=self._words.one(value) if value is not None else None)

    def _text(self, node: Node) -> str:
        return self._raw[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _is_chain(root: Node) -> bool:
    """Whether the script is `A && B && C`, and changes the folder nowhere but in its links."""
    links = _statements_of(root)
    if len(links) != 1:
        return False
    while links[0].type == "list" and links[0].children[1].type == "&&":
        links[:1] = links[0].named_children
    return _only_plainly_changes_folder(links)


def _is_sequence(root: Node) -> bool:
    """Whether the script changes the folder only by commands that stand alone, one after the other."""
    statements = _statements_of(root)
    in_background = any(one.next_sibling is not None and one.next_sibling.type == "&" for one in statements)
    return not in_background and _only_plainly_changes_folder(statements)


def _statements_of(root: Node) -> list[Node]:
    return [child for child in root.named_children if child.type != "comment"]


def _only_plainly_changes_folder(statements: list[Node]) -> bool:
    """Whether none of the statements that is more than a command changes the folder somewhere inside."""
    inner = [node for one in statements if one.type != "command" for node in everything(one)]
    return not any(node.type == "command_name" and node.text in _FOLDER_CHANGERS for node in inner)


def _choices(words: list[tuple[Words, ...]]) -> list[Words]:
    """Every command that these readings of its words add up to; one with unknown words if they are too many."""
    count = 1
    for ways in words:
        count *= len(ways)
    if count > MOST_WAYS:
        words = [ways if len(ways) == 1 else (_unsettled(ways),) for ways in words]
    return [tuple(word for way in chosen for word in way) for chosen in product(*words)]


def _unsettled(ways: tuple[Words, ...]) -> Words:
    return (Word(source=ways[0][0].source, text=None, variables=("{}",)),)
