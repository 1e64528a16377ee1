"""Reads a reply in which a model without tool calling thinks, calls a tool or answers, piece by piece as it comes.

The form is `Thought:`, `Action:`, `Action Input:` or `Final Answer:` at the beginnings of lines. A reply that has none
of them is an answer; `<tool_call>` with a JSON object is understood, too. Only the first call counts: a model that
goes on after it invents the result.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct

from yeaft.kernel.pattern import Pattern
from yeaft.llm.model import Piece
from yeaft.llm.text_call_arguments import Arguments, named, read, tagged

LABELS = ("thought:", "action:", "action input:", "observation:", "final answer:")
_LABEL = Pattern(
    r"[ \t>*_#`]{0,16}(thought|action(?:[ \t]{1,4}input)?|observation|final[ \t]{1,4}answer)[*_` \t]{0,8}[:：]"
    r"(?:\*\*|__)?[ \t]{0,8}",
    re.IGNORECASE,
)
_BEFORE_WORD = Pattern(r"[ \t>*_#`]{0,16}")
_AFTER_WORD = Pattern(r"[*_` \t]{0,8}$")
_SPACES = Pattern(r"[ \t]+")
_FENCE = Pattern(r"[ \t]*```[ \t]*[\w+-]*[ \t\r]*")
_NAME = Pattern(r"[\[(<`\"'*_]*([A-Za-z_](?:[\w.-]*\w)?)[\])>`\"'*]*\.?[ \t]*")
TAG = "<tool_call>"
LONGEST_LABEL = 64
"""A line that is longer by then is no label, fence or blank line, so nobody has to wait for its end."""
NO_NAMES: Mapping[str, str] = {}
NO_TOOL = frozenset({"none", "null", "nothing"})

State = Literal["start", "thought", "text", "answer", "call"]


class TextReading:
    """One reply. `feed` and `end` return what can be shown by now; what is shown does not depend on how it was cut.

    `tool` is empty if nothing is called. `thought` and `text` are whole after `end`. `first` names, by tool, the
    argument that is meant where a text stands in the place of arguments.
    """

    def __init__(self, first: Mapping[str, str] = NO_NAMES) -> None:
        self._first = first
        self.tool = ""
        self.arguments = Arguments(raw="{}")
        self._state: State = "start"
        self._rest = ""
        self._is_midline = False
        self._held = ""  # blank lines, fences and a named tool, whose meaning the next line decides
        self._named = ""
        self._thought: list[str] = []
        self._text: list[str] = []
        self._tail: list[str] = []

    @property
    def calls_seen(self) -> bool:
        """Whether a call has begun."""
        return self._state == "call"

    @property
    def thought(self) -> str:
        """What the model thought before it called or answered."""
        return "".join(self._thought).strip()

    @property
    def text(self) -> str:
        """What is said to the reader."""
        said = "".join(self._text)
        return said.rstrip() if self.tool else said

    def feed(self, text: str) -> list[Piece]:
        """Read on."""
        if self.calls_seen:
            self._tail.append(text)
            return []
        self._rest += text
        pieces = list(self._shown(self._lines(is_end=False)))
        if self._state == "call" and self.tool:  # what it is called with is shown when it is understood
            pieces.append(Piece(kind="call", pieces=(), tool=self.tool))
        return pieces

    def end(self) -> list[Piece]:
        """Nothing more comes."""
        pieces = list(self._shown(self._lines(is_end=True)))
        if self._state != "call" and self._named and self._state != "text":
            self._call(self._named)
        if self._state == "call":
            self._understand("".join(self._tail))
            return [*pieces, Piece(kind="call", pieces=(self.arguments.raw,), tool=self.tool)]
        if self._state == "thought":  # it only thought aloud, so that is the answer
            said, self._thought = self.thought, []
            self._state, self._held = "answer", ""
            return [*pieces, *self._shown([said])]
        return [*pieces, *self._shown([self._released()])]

    def _understand(self, tail: str) -> None:
        if self.tool:
            self.arguments = named(read(tail), self._first.get(self.tool, ""))
        else:
            self.tool, self.arguments = tagged(tail)
            self.tool = self.tool or TAG.strip("<>")  # there is no such tool, as the model is told

    def _shown(self, texts: Iterator[str] | list[str]) -> Iterator[Piece]:
        """Keep what is said and turn it into pieces, each with what it was when it was said."""
        for text in texts:
            if not text:
                continue
            is_thought = self._state == "thought"
            (self._thought if is_thought else self._text).append(text)
            yield Piece(kind="thinking" if is_thought else "text", pieces=(text,))

    def _lines(self, *, is_end: bool) -> Iterator[str]:
        while self._rest and self._state != "call":
            line, newline, after = self._rest.partition("\n")
            if self._state == "answer":
                self._rest = ""
                yield line + newline + after
            elif self._is_midline:
                self._rest, self._is_midline = after, not newline
                yield line + newline
            elif not newline and not is_end and _may_grow(line):
                return
            else:
                said, used = self._judged(line, newline)
                self._rest = self._rest[used:]
                yield said
        if self._state == "call" and self._rest:
            self._tail.append(self._rest)
            self._rest = ""

    def _judged(self, line: str, newline: str) -> tuple[str, int]:
        """Say what can be shown, and how much of the line is used up by that or by a change of state."""
        whole, label = len(line) + len(newline), _LABEL.match(line)
        word = _SPACES.sub(" ", label[1].lower()) if label else ""
        begins_at = label.end() if label else 0
        if self._named:
            used = self._after_name(line, begins_at, word)
            if used is not None:
                return "", used
            if not newline or not _is_blank(line):
                self._named = ""
        if line[:LONGEST_LABEL].lstrip().startswith(TAG):
            self._call("")
            return "", line.index(TAG) + len(TAG)
        action = _action(line[begins_at:]) if word == "action" else None
        if action is not None:
            return "", self._acted(action, line + newline, begins_at)
        if (word == "thought" and self._state == "start") or (word == "final answer" and self._state != "text"):
            self._state = "thought" if word == "thought" else "answer"
            self._held, self._is_midline = "", True
            return "", begins_at
        if newline and _is_blank(line):
            self._held += line + newline
            return "", whole
        self._is_midline = not newline
        if self._state == "start":
            self._state = "text"
        return self._released() + line + newline, whole

    def _acted(self, action: "_Action", line: str, begins_at: int) -> int:
        if action.input_at is not None:
            self._call(action.tool)
            return begins_at + action.input_at
        if action.tool:
            self._named = action.tool
            self._held += line
        return len(line)

    def _after_name(self, line: str, begins_at: int, word: str) -> int | None:
        """Begin the call whose tool was named on an earlier line, if this line holds its input; say where that is."""
        if word == "action input":
            self._call(self._named)
            return begins_at
        if word == "observation" or line[:LONGEST_LABEL].lstrip().startswith("{"):
            self._call(self._named)
            return 0
        return None

    def _call(self, tool: str) -> None:
        self.tool, self._state, self._held, self._named = tool, "call", "", ""

    def _released(self) -> str:
        held, self._held = self._held, ""
        return held


class _Action(Struct, frozen=True, kw_only=True):
    """What a line says of a call; `tool` is empty if none is wanted, `input_at` None if the input is not on it."""

    tool: str
    input_at: int | None = None


def _action(rest: str) -> _Action | None:
    """Read what follows `Action:`; None if that is just words."""
    found = _NAME.match(rest)
    if found is None:
        return None
    after = rest[found.end() :]
    if not after.strip():
        return _Action(tool="" if found[1].lower() in NO_TOOL else found[1])
    label = _LABEL.match(after)
    if label is not None and _SPACES.sub(" ", label[1].lower()) == "action input":
        return _Action(tool=found[1], input_at=found.end() + label.end())
    opened = len(after) - len(after.lstrip("( \t"))
    return _Action(tool=found[1], input_at=found.end() + opened) if after[opened : opened + 1] == "{" else None


def _may_grow(line: str) -> bool:
    """Whether what is still to come of a line may change what it is."""
    label = _LABEL.match(line)
    if label is not None:
        return line[label.end() :] in ("", "*", "_") or label[1].lower() == "action"
    if len(line) > LONGEST_LABEL:
        return False
    if TAG.startswith(line.lstrip()):
        return True
    decoration = _BEFORE_WORD.match(line)
    word = line[decoration.end() if decoration else 0 :].lower()
    word = _SPACES.sub(" ", _AFTER_WORD.sub("", word))
    return any(known.startswith(word) for known in LABELS) or _FENCE.fullmatch(line) is not None


def _is_blank(line: str) -> bool:
    return len(line) <= LONGEST_LABEL and (not line.strip() or _FENCE.fullmatch(line) is not None)
