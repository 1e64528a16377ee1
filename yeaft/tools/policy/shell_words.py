"""Reads the words of a command line: what the shell makes of them, in every way that the script leaves open."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product

from msgspec import Struct
from tree_sitter import Node

from yeaft.tools.policy import shell_braces
from yeaft.tools.policy.shell_numbers import Numbers
from yeaft.tools.policy.shell_script import Word
from yeaft.tools.policy.shell_variables import Variables
from yeaft.tools.policy.word_list import names

WORD_TYPES = names(
    "word string raw_string number concatenation simple_expansion expansion command_substitution ansi_c_string "
    "arithmetic_expansion brace_expression process_substitution"
)
MOST_WAYS = 16
A_FILE_TO_READ = "/dev/stdin"
"""Stands for the name that `<(…)` is replaced by: a pipe that can only be read."""
A_NUMBER, A_COMMIT = "1", "HEAD"
"""Stand for a number and a commit that only the run will tell."""
_NUMBERS = frozenset("?#$")
_VALUE_OF = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_PART_OF = re.compile(
    r"\$\{#([A-Za-z_][A-Za-z0-9_]*)\}"
    r"|\$\{([A-Za-z_][A-Za-z0-9_]*)"
    r"(?:(?:%%?|##?)[A-Za-z0-9_.,/*?@ +-]*|:?[-+][A-Za-z0-9_.,/@ +-]*"
    r"|//?[A-Za-z0-9_. -]+(?:/[A-Za-z0-9_. -]*)?|(?::\d+){1,2})\}"
)
_FOLDER_COMMAND = re.compile(r"\$\(pwd\)|`pwd`")
_GLOB = re.compile(r"[*?]|\[.[^\]]*\]", re.DOTALL)
_BRACES = re.compile(r"\{[^{}]*(?:,|\.\.)[^{}]*\}")
_ANSI_C = re.compile(r"\$'((?:[^\\']|\\[ntr\\'\"])*)'")
_ANSI_C_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_SPLITS = re.compile(r"\s")

Words = tuple[Word, ...]


class Piece(Struct, frozen=True, kw_only=True):
    """One reading of a part of a word; `bare` is what of it stands unquoted, quoted parts as NUL characters."""

    text: str | None
    bare: str = "\0"
    variables: tuple[str, ...] = ()
    glob: bool = False
    splits: bool = False


class WordReader:
    """Reads words; `doubt` hears of what is not understood, `visit` gets each node that holds commands."""

    def __init__(
        self,
        raw: bytes,
        known: Mapping[str, str],
        variables: Variables,
        doubt: Callable[[str], None],
        visit: Callable[[Node], None],
    ) -> None:
        self._raw = raw
        self._known = known
        self._variables = variables
        self._numbers = Numbers(variables, self._text)
        self._doubt = doubt
        self._visit = visit
        self._looked_up: tuple[str, ...] = ()

    def one(self, node: Node) -> Word:
        """The word as it is where only one can stand; its text is None if it can be read in several ways."""
        ways = self.ways(node)
        if len(ways) == 1 and len(ways[0]) == 1:
            return ways[0][0]
        return _unknown(self._text(node), next((way[0].variables for way in ways if way), ()))

    def ways(self, node: Node) -> tuple[Words, ...]:
        """Every way in which the word can be read; each is one word, or several if it has braces. Never empty."""
        source = self._text(node)
        parts = node.named_children if node.type == "concatenation" else [node]
        if node.type == "concatenation" and any(between(self._raw, node)):
            self._doubt("it contains a word that cannot be read")
        if shell_braces.can_expand(source) and all(
            part.type in {"word", "number", "brace_expression"} for part in parts
        ):
            words = tuple(
                Word(source=source, text=text, glob=_GLOB.search(text) is not None)
                for text in islice(shell_braces.expanded(source), shell_braces.MOST_WORDS + 1)
            )
            return (words,) if len(words) <= shell_braces.MOST_WORDS else ((_unknown(source, ("{}",)),),)
        choices = [self._pieces(part) for part in parts]
        ways = [self._joined(source, pieces) for pieces in _combined(choices)]
        if not ways:
            return ((_unknown(source, ("{}",)),),)
        return tuple((way,) for way in dict.fromkeys(ways))

    def is_number(self, node: Node) -> bool:
        """Whether the word is an integer, whatever happens."""
        return self._numbers.is_number(node)

    def splits_unseen(self, node: Node) -> bool:
        """Whether the word may become several that only the run will show: an unquoted output, or what came of one."""
        if node.type == "concatenation":
            return any(self.splits_unseen(child) for child in node.named_children)
        if node.type == "command_substitution":
            return not self._numbers.prints_one_word(node)
        if node.type not in {"simple_expansion", "expansion"} or self.is_number(node):
            return False
        name = node.named_children[0] if node.named_children else node
        return self._variables.is_set(self._text(name)) and self.one(node).text is None

    def _joined(self, source: str, pieces: Sequence[Piece]) -> Word:
        bare = "".join(piece.bare for piece in pieces)
        variables = [name for piece in pieces for name in piece.variables]
        if _BRACES.search(bare) or re.match(r"~[^/]", bare) or re.search(r"[=:]~", bare):
            variables.append("{}")
        texts = [piece.text for piece in pieces]
        text = None if variables or None in texts else "".join(filter(None, texts))
        if text is not None and (bare == "~" or bare.startswith("~/")):
            text = self._known.get("HOME", "~") + text[1:]
        glob = bool(_GLOB.search(re.sub(r"\\.", "", bare))) or any(piece.glob for piece in pieces)
        splits = any(piece.splits for piece in pieces)
        return Word(source=source, text=text, variables=tuple(variables), glob=glob, splits=splits)

    def _pieces(self, node: Node, *, quoted: bool = False) -> tuple[Piece, ...]:
        """The readings of a part of a word; more than one for a variable with several values."""
        source = self._text(node)
        if node.type not in {"word", "number"}:
            source = source.lstrip()  # the grammar gives an expansion the blank that stands before it in a string
        if node.type in {"word", "number"}:
            text = re.sub(r"\\(.)", r"\1", source.replace("\\\n", ""), flags=re.DOTALL)
            return (Piece(text=text, bare=source),)
        if node.type == "raw_string":
            return (Piece(text=source[1:-1]),)
        if node.type == "string":
            return self._quoted(node)
        if node.type == "simple_expansion":
            return self._variable(source[1:], node, quoted=quoted)
        if node.type == "expansion":
            return self._expansion(node, source, quoted=quoted)
        if node.type in {"command_substitution", "process_substitution"}:
            return (self._substituted(node, source),)
        if (ansi_c := _ANSI_C.fullmatch(source)) and (node.parent is None or node.parent.type != "command_name"):
            text = re.sub(r"\\(.)", lambda escape: _ANSI_C_ESCAPES.get(escape[1], escape[1]), ansi_c[1])
            return (Piece(text=text),)
        if node.type == "arithmetic_expansion" and self.is_number(node):
            return (Piece(text=A_NUMBER),)
        self._doubt(f"it contains {kind(node)}")
        if node.type != "ansi_c_string":
            self._visit_below(node)
        return (Piece(text=None, variables=("{}",)),)

    def _substituted(self, node: Node, source: str) -> Piece:
        self._visit_below(node)
        if node.type == "process_substitution":
            if not source.startswith("<("):
                self._doubt("it contains a command that reads what is written to a file name")
            return Piece(text=A_FILE_TO_READ)
        if _FOLDER_COMMAND.fullmatch(source) and "PWD" in self._known:
            return Piece(text=self._known["PWD"])
        if self._numbers.prints_commit(node):
            return Piece(text=A_COMMIT)
        if self.is_number(node):
            return Piece(text=A_NUMBER)
        return Piece(text=None, variables=("$()",))

    def _expansion(self, node: Node, source: str, *, quoted: bool) -> tuple[Piece, ...]:
        if plain := _VALUE_OF.fullmatch(source):
            return self._variable(plain[1], node, quoted=quoted)
        if part := _PART_OF.fullmatch(source):
            return (Piece(text=None, variables=(part[1] or part[2],)),)
        self._doubt(f"it contains {kind(node)}")
        self._visit_below(node)
        return (Piece(text=None, variables=("{}",)),)

    def _quoted(self, node: Node) -> tuple[Piece, ...]:
        """A double-quoted string; what lies between its expansions is taken from the source, blanks included."""
        choices: list[tuple[Piece, ...]] = []
        at = node.start_byte + 1
        if self._raw[node.start_byte : at] != b'"':
            self._doubt("it contains a translated string")
        for child in node.named_children:
            if child.type == "string_content":
                continue
            begin = child.end_byte - len(self._raw[child.start_byte : child.end_byte].lstrip())
            choices.append((Piece(text=_unescaped(self._slice(at, begin))),))
            choices.append(self._pieces(child, quoted=True))
            at = child.end_byte
        choices.append((Piece(text=_unescaped(self._slice(at, node.end_byte - 1))),))
        return tuple(_glued(pieces) for pieces in _combined(choices)) or (Piece(text=None, variables=("{}",)),)

    def _variable(self, name: str, node: Node, *, quoted: bool) -> tuple[Piece, ...]:
        if name in _NUMBERS:
            return (Piece(text=A_NUMBER),)
        if not self._variables.is_set(name) and (value := self._known.get(name)) is not None:
            return (Piece(text=value, splits=not quoted and _SPLITS.search(value) is not None),)
        found = [self._value(word, quoted=quoted, loops=loops) for word, loops in self._values(name, node)]
        if not found or len(found) > MOST_WAYS or any(piece.text is None for piece in found):
            if self.is_number(node):
                return (Piece(text=A_NUMBER),)
            return (Piece(text=None, variables=(name,)),)
        return tuple(found)

    def _values(self, name: str, use: Node) -> Iterator[tuple[Word, bool]]:
        """What the script sets the variable to, and whether a loop goes through it."""
        if name in self._looked_up:
            yield _unknown("", (name,)), False
            return
        reader = WordReader(self._raw, self._known, self._variables, _ignored, _ignored)
        reader._looked_up = (*self._looked_up, name)
        for binding in self._variables.bindings(name, use):
            for value in binding.values if binding.values[0].type in WORD_TYPES else ():
                for way in reader.ways(value):
                    if binding.within is None and len(way) != 1:  # braces stay braces in an assignment
                        yield _unknown("", (name,)), False
                    for word in way:
                        yield word, binding.within is not None
            if any(value.type not in WORD_TYPES for value in binding.values):
                yield _unknown("", (name,)), False

    def _value(self, word: Word, *, quoted: bool, loops: bool) -> Piece:
        """What a variable with this value stands for. A loop variable's value is a name that the pattern stands for."""
        text = word.text
        named = word.glob and loops
        if not text or (named and set(word.source) & set("\"'\\") and "[" in text):
            return Piece(text=None)
        if quoted:
            return Piece(text=text, glob=named, splits=word.splits and named)
        if _SPLITS.search(text) or "\\" in text:
            return Piece(text=None)
        return Piece(text=text, bare="\0", glob=named or _GLOB.search(text) is not None, splits=named)

    def _visit_below(self, node: Node) -> None:
        for child in node.named_children:
            self._visit(child)

    def _text(self, node: Node) -> str:
        return self._slice(node.start_byte, node.end_byte)

    def _slice(self, start: int, end: int) -> str:
        return self._raw[start:end].decode("utf-8", "replace")


def between(raw: bytes, node: Node) -> list[bytes]:
    """What lies before, between and after the parts of a node and belongs to none of them."""
    ends = [node.start_byte, *(part.end_byte for part in node.children)]
    starts = [*(part.start_byte for part in node.children), node.end_byte]
    return [raw[end:start] for end, start in zip(ends, starts, strict=True)]


def kind(node: Node) -> str:
    """What a node is, in words."""
    return node.type.replace("_", " ")


def _ignored(_: object) -> None:
    """Values are read where they are set; reading them again where they are used has nothing new to say."""


def _unknown(source: str, variables: tuple[str, ...]) -> Word:
    return Word(source=source, text=None, variables=variables)


def _combined(choices: Sequence[tuple[Piece, ...]]) -> list[tuple[Piece, ...]]:
    """All combinations of one piece each; none if there are too many."""
    count = 1
    for pieces in choices:
        count *= len(pieces)
    return list(product(*choices)) if count <= MOST_WAYS else []


def _glued(pieces: Sequence[Piece]) -> Piece:
    texts = [piece.text for piece in pieces]
    return Piece(
        text=None if None in texts else "".join(filter(None, texts)),
        variables=tuple(name for piece in pieces for name in piece.variables),
        glob=any(piece.glob for piece in pieces),
        splits=any(piece.splits for piece in pieces),
    )


def _unescaped(text: str) -> str:
    return re.sub(r'\\([$`"\\])', r"\1", text.replace("\\\n", ""))
