"""Reads a command line with tree-sitter-bash into a `Script`; imported only when a command is more than plain words."""

import re
from collections.abc import Mapping

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from yeaft.tools.shell_script import Assignment, Redirection, Script, ShellCommand, Word
from yeaft.tools.word_list import names

_CONTAINERS = frozenset(
    {
        "program",
        "list",
        "pipeline",
        "subshell",
        "compound_statement",
        "if_statement",
        "elif_clause",
        "else_clause",
        "negated_command",
        "do_group",
        "case_item",
        "redirected_statement",
        "command_substitution",
        "heredoc_body",
        "variable_assignments",
    }
)
_LOOPS = frozenset({"for_statement", "while_statement"})
_SILENT = frozenset({"comment", "heredoc_start", "heredoc_end", "heredoc_content", "file_descriptor"})
_ONE_LINERS = frozenset({"command", "redirected_statement", "file_redirect", "negated_command", "test_command"})
_WORDS = frozenset({"word", "string", "raw_string", "number", "concatenation", "simple_expansion", "expansion"})
_WORDS_TOO = frozenset({"command_substitution", "ansi_c_string", "arithmetic_expansion"})
_WORD_TYPES = _WORDS | _WORDS_TOO
_TEST_PARTS = frozenset({"unary_expression", "binary_expression", "negation_expression", "parenthesized_expression"})
_TEST_OPERATORS = frozenset({"=", "!=", "==", "!", "(", ")", "[", "]"})
_TEST_FLAGS = names("-a -b -c -d -e -f -g -h -k -L -n -p -r -s -S -u -w -x -z -nt -ot -ef")
_PLAIN_EXPANSION = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_PLAIN_ARITHMETIC = re.compile(r"\$\(\([0-9 +*/%()-]*\)\)")
_HEREDOC_START = re.compile(rb"<<(-?)[ \t]*(['\"]?)([A-Za-z_][A-Za-z0-9_]*)\2")
_LINE_BREAK = re.compile(rb"(?<!\\)\n")
_EXPANSION = re.compile(rb"`|\$[({\[]")
_GLOB = re.compile(r"[*?\[]")
_BRACES = re.compile(r"\{[^{}]*(?:,|\.\.)[^{}]*\}")


def parsed(command: str, known: Mapping[str, str]) -> Script:
    """The script as the grammar sees it; whatever is not understood for certain ends up in `doubt`."""
    raw = command.encode("utf-8", "surrogatepass")
    root = Parser(Language(tree_sitter_bash.language())).parse(raw).root_node
    reading = _Reading(raw, known)
    if root.has_error:
        reading.doubt("the command cannot be parsed")
    reading.statement(root, looping=False)
    return reading.script(unreadable=root.has_error)


class _Reading:
    """Collects what one walk over the syntax tree finds."""

    def __init__(self, raw: bytes, known: Mapping[str, str]) -> None:
        self._raw = raw
        self._known = known
        self._commands: list[ShellCommand] = []
        self._assignments: list[Assignment] = []
        self._redirections: list[Redirection] = []
        self._doubt = ""

    def script(self, *, unreadable: bool) -> Script:
        return Script(
            commands=tuple(self._commands),
            assignments=tuple(self._assignments),
            redirections=tuple(self._redirections),
            doubt=self._doubt,
            unreadable=unreadable,
        )

    def doubt(self, reason: str) -> None:
        self._doubt = self._doubt or reason

    def statement(self, node: Node, *, looping: bool) -> None:
        """Take in a node that is not a word."""
        if node.type in _ONE_LINERS and any(map(_LINE_BREAK.search, self._between(node))):
            self.doubt("a line break in it can be read in two ways")
        if node.type == "command":
            self._command(node, looping=looping)
        elif node.type in _CONTAINERS:
            self._statements(node, looping=looping)
        elif node.type in _LOOPS:
            self._loop(node)
        elif node.type == "case_statement" or node.type in _WORD_TYPES:
            self._inside(node, looping=looping)
        elif node.type == "test_command":
            self._test(node)
        elif node.type == "variable_assignment":
            self._assignments.append(self._assignment(node))
        elif node.type in {"file_redirect", "herestring_redirect", "heredoc_redirect"}:
            self._redirection(node, looping=looping)
        elif node.type not in _SILENT:
            self.doubt(f"it contains {_kind(node)}")
            self._statements(node, looping=looping)

    def _statements(self, node: Node, *, looping: bool) -> None:
        for child in node.named_children:
            self.statement(child, looping=looping)

    def _inside(self, node: Node, *, looping: bool) -> None:
        """A word that is no argument, such as the subject of `case`: only what it runs matters."""
        if node.type in _WORD_TYPES:
            self._word(node)
        else:
            self._statements(node, looping=looping)

    def _loop(self, node: Node) -> None:
        variable = node.child_by_field_name("variable")
        if variable is not None:
            self._assignments.append(Assignment(name=self._text(variable)))
        for child in node.named_children:
            if child.type in _WORD_TYPES:
                self._word(child)
            elif child != variable:
                self.statement(child, looping=True)

    def _command(self, node: Node, *, looping: bool) -> None:
        words: list[Word] = []
        assignments: list[Assignment] = []
        place = len(self._commands)
        for child in node.named_children:
            inner = child.named_children[0] if child.type == "command_name" and child.named_children else child
            if inner.type in _WORD_TYPES:
                words.append(self._word(inner))
            elif inner.type == "variable_assignment":
                assignments.append(self._assignment(inner))
            else:
                self.statement(inner, looping=looping)
        if not words:
            self.doubt("it contains a command without a name")
            return
        found = ShellCommand(words=tuple(words), source=self._text(node), assignments=tuple(assignments))
        self._commands.insert(place, found)
        if looping and found.name == "cd":
            self.doubt("it changes the folder in a loop")

    def _test(self, node: Node) -> None:
        """`[ … ]` with literal operators; `[[ … ]]` and arithmetic may run code hidden in values."""
        if self._text(node).startswith("[["):
            self.doubt("it contains [[ ]], whose arithmetic can run code")
        for child in _below(node):
            if child.type in _WORD_TYPES:
                self._word(child)
            elif child.type == "test_operator" or not child.is_named:
                if self._text(child) not in _TEST_OPERATORS | _TEST_FLAGS:
                    self.doubt(f"it contains the test {self._text(child)}")
            elif child.type not in _TEST_PARTS:
                self.doubt(f"it contains {_kind(child)}")

    def _redirection(self, node: Node, *, looping: bool) -> None:
        operators = [child.type for child in node.children if not child.is_named]
        targets = [child for child in node.named_children if child.type in _WORD_TYPES]
        if node.type == "file_redirect":
            if len(operators) != 1 or len(targets) > 1:
                self.doubt("it contains an unusual redirection")
            for target in targets:
                self._redirections.append(Redirection(operator=operators[0], target=self._word(target)))
            for child in node.named_children:
                if child not in targets:
                    self.statement(child, looping=looping)
            return
        if node.type == "heredoc_redirect" and not _heredoc_is_plain(self._raw, node):
            self.doubt("it contains a here-document that may run code")
        for child in node.named_children:
            if child.type in _WORD_TYPES:
                self._word(child)
            else:
                self.statement(child, looping=looping)

    def _assignment(self, node: Node) -> Assignment:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or name.type != "variable_name":
            self.doubt("it sets an array element")
            return Assignment(name="")
        if value is not None and value.type not in _WORD_TYPES:
            self.doubt(f"it contains {_kind(value)}")
            self._statements(value, looping=False)
            return Assignment(name=self._text(name))
        return Assignment(name=self._text(name), value=self._word(value) if value is not None else None)

    def _word(self, node: Node) -> Word:
        source = self._text(node)
        parts = node.named_children if node.type == "concatenation" else [node]
        if node.type == "concatenation" and any(self._between(node)):
            self.doubt("it contains a word that cannot be read")
        texts: list[str | None] = []
        variables: list[str] = []
        for part in parts:
            text, names = self._part(part)
            texts.append(text)
            variables.extend(names)
        bare = "".join(self._text(part) if part.type in {"word", "number"} else "\0" for part in parts)
        if _BRACES.search(bare) or re.match(r"~[^/]", bare) or re.search(r"[=:]~", bare):
            variables.append("{}")
        glob = bool(_GLOB.search(re.sub(r"\\.", "", bare)))
        text = None if variables or None in texts else "".join(filter(None, texts))
        if text is not None and (bare == "~" or bare.startswith("~/")):
            text = self._known.get("HOME", "~") + text[1:]
        return Word(source=source, text=text, variables=tuple(variables), glob=glob)

    def _part(self, node: Node) -> tuple[str | None, tuple[str, ...]]:
        """The text of a part of a word, or None and the variables it depends on."""
        source = self._text(node)
        if node.type in {"word", "number"}:
            return re.sub(r"\\(.)", r"\1", source.replace("\\\n", ""), flags=re.DOTALL), ()
        if node.type == "raw_string":
            return source[1:-1], ()
        if node.type == "string":
            return self._quoted(node)
        if node.type == "simple_expansion":
            return self._variable(source[1:])
        if node.type == "expansion" and (plain := _PLAIN_EXPANSION.fullmatch(source)):
            return self._variable(plain[1])
        if node.type == "command_substitution":
            self._statements(node, looping=False)
            return None, ("$()",)
        if node.type == "arithmetic_expansion" and _PLAIN_ARITHMETIC.fullmatch(source):
            return None, ()
        self.doubt(f"it contains {_kind(node)}")
        if node.type != "ansi_c_string":
            self._statements(node, looping=False)
        return None, ("{}",)

    def _quoted(self, node: Node) -> tuple[str | None, tuple[str, ...]]:
        """A double-quoted string; what lies between its expansions is taken from the source, blanks included."""
        pieces: list[str | None] = []
        variables: list[str] = []
        at = node.start_byte + 1
        if self._raw[node.start_byte : at] != b'"':
            self.doubt("it contains a translated string")
        for child in node.named_children:
            if child.type == "string_content":
                continue
            pieces.append(_unescaped(self._slice(at, child.start_byte)))
            text, names = self._part(child)
            pieces.append(text)
            variables.extend(names)
            at = child.end_byte
        pieces.append(_unescaped(self._slice(at, node.end_byte - 1)))
        return (None if None in pieces else "".join(filter(None, pieces))), tuple(variables)

    def _variable(self, name: str) -> tuple[str | None, tuple[str, ...]]:
        value = self._known.get(name)
        return (value, ()) if value is not None else (None, (name,))

    def _between(self, node: Node) -> list[bytes]:
        """What lies before, between and after the parts of a node and belongs to none of them."""
        ends = [node.start_byte, *(part.end_byte for part in node.children)]
        starts = [*(part.start_byte for part in node.children), node.end_byte]
        return [self._raw[end:start] for end, start in zip(ends, starts, strict=True)]

    def _text(self, node: Node) -> str:
        return self._slice(node.start_byte, node.end_byte)

    def _slice(self, start: int, end: int) -> str:
        return self._raw[start:end].decode("utf-8", "replace")


def _unescaped(text: str) -> str:
    return re.sub(r'\\([$`"\\])', r"\1", text.replace("\\\n", ""))


def _heredoc_is_plain(raw: bytes, node: Node) -> bool:
    """Whether the grammar ends the document where the shell does, and has seen every expansion in it.

    It overlooks some: backquotes, and everything in a document that begins with an expansion.
    """
    parts = {child.type: child for child in node.named_children}
    start, body, end = parts.get("heredoc_start"), parts.get("heredoc_body"), parts.get("heredoc_end")
    if start is None or body is None or end is None:
        return False
    opening = _HEREDOC_START.fullmatch(raw[node.start_byte : start.end_byte])
    first = raw.find(b"\n", start.end_byte) + 1
    if opening is None or raw[start.end_byte : start.end_byte + 1].strip(b" \t\n;|&<>)") or not first:
        return False
    lines = [line.lstrip(b"\t") if opening[1] else line for line in raw[first:].split(b"\n")]
    text, at = raw[first : end.start_byte], first
    if opening[3] not in lines or text.count(b"\n") != lines.index(opening[3]):
        return False
    unseen = b""
    for child in body.named_children:
        if child.type != "heredoc_content":
            unseen += raw[at : child.start_byte]
            at = child.end_byte
    unseen += raw[at : end.start_byte]
    return bool(opening[2]) or not _EXPANSION.search(unseen)


def _below(node: Node) -> list[Node]:
    """All parts of a test, without what lies inside its words."""
    found: list[Node] = []
    for child in node.children:
        found.append(child)
        if child.type not in _WORD_TYPES:
            found.extend(_below(child))
    return found


def _kind(node: Node) -> str:
    return node.type.replace("_", " ")
