"""Putting a new text in place of an old one without changing any byte that was not asked for."""

from yeaft.tools.files.line_ends import Line, joined, kinds_of_ends, split_lines
from yeaft.tools.files.text_match import Span


def replaced(text: str, spans: tuple[Span, ...], old: str, new: str) -> str:
    """`text` with each of the ascending `spans`, all of which match `old`, rewritten to `new`.

    Lines that `old` and `new` begin or end with in common keep their bytes; the others end as the lines they stand
    for, or else as the line before, or the next one. Only if `old` and `new` differ in nothing but line ends are those
    of `new` taken as they are.
    """
    pieces: list[str] = []
    done = 0
    for start, stop in spans:
        pieces += [text[done:start], _rewritten(text, (start, stop), old, new)]
        done = stop
    return "".join([*pieces, text[done:]])


def _rewritten(text: str, span: Span, old: str, new: str) -> str:
    start, stop = span
    here, before, after = split_lines(text[start:stop]), split_lines(old), split_lines(new)
    if [line.text for line in before] == [line.text for line in after]:
        return new
    head, tail = _common(before, after)
    ends = [line.end for line in here[head : len(here) - tail] if line.end]
    ends = ends or ([here[head - 1].end] if head else [_end_near(text, start)])
    changed = after[head : len(after) - tail]
    middle = [Line(line.text, line.end and ends[min(at, len(ends) - 1)]) for at, line in enumerate(changed)]
    return joined(here[:head] + middle + here[len(here) - tail :])


def _common(before: list[Line], after: list[Line]) -> tuple[int, int]:
    """How many lines the two begin with and end with in common; a line without an end only equals another such."""
    shorter = min(len(before), len(after))
    head = 0
    while head < shorter and _alike(before[head], after[head]):
        head += 1
    tail = 0
    while tail < shorter - head and _alike(before[-1 - tail], after[-1 - tail]):
        tail += 1
    return head, tail


def _alike(one: Line, other: Line) -> bool:
    return one.text == other.text and bool(one.end) == bool(other.end)


def _end_near(text: str, start: int) -> str:
    """The line end nearest to a place, looking back first; LF in a text that has none."""
    back = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start))
    if back >= 0:
        return "\r\n" if text[back] == "\n" and text[back - 1 : back] == "\r" else text[back]
    ahead = text[start:]
    first = min((at for at in (ahead.find("\n"), ahead.find("\r")) if at >= 0), default=None)
    if first is None:
        return "\n"
    return next(iter(kinds_of_ends(ahead[first : first + 2])), "\n") if ahead[first] == "\r" else "\n"
