"""Putting the hunks of a patch into a file, at the one place each can only mean."""

from collections.abc import Callable, Sequence

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.files.line_ends import Line, end_near, joined, split_lines
from yeaft.tools.files.text_match import folded, nearest_line
from yeaft.tools.patches.patch import Hunk, HunkLine

ECHO_CHARS = 100
LISTED = 6
LOOKS: tuple[Callable[[str], str], ...] = (str, str.rstrip, lambda line: folded(line).rstrip())
"""How lines are compared: as they are, then without trailing blanks, then with plain punctuation as well."""


def patched(text: str, hunks: Sequence[Hunk], shown: str) -> str:
    """`text` with the hunks applied in order, lines that stay keeping their bytes.

    Line numbers are only a first guess: a hunk goes where its old lines are, and if they are in several other places
    `ToolFailed` lists them. New lines end as their neighbours do, and whether the file ends with a line end stays as
    it is unless the patch says otherwise.
    """
    *lines, last = split_lines(text)
    lines += [last] if last.text else []
    out: list[Line] = []
    done = shift = 0
    for number, hunk in enumerate(hunks, 1):
        at = _place(lines, hunk, done, shift, f"Hunk {number} of {shown}")
        shift = at - hunk.start + 1 if hunk.start and hunk.old else shift
        out += lines[done:at]
        out += _changed(lines, hunk, at)
        done = at + len(hunk.old)
    out += lines[done:]
    return joined(_ended(out, lines, hunks[-1], touches_end=done == len(lines)) if hunks else out)


def _changed(lines: list[Line], hunk: Hunk, at: int) -> list[Line]:
    end = end_near(lines, at) if lines else "\n"
    out: list[Line] = []
    for line in hunk.lines:
        if line.sign == "+":
            out.append(Line(line.text, end))
            continue
        out += [lines[at]] if line.sign == " " else []
        at += 1
    return out


def _ended(out: list[Line], before: list[Line], hunk: Hunk, *, touches_end: bool) -> list[Line]:
    """`out` with line ends inside, and at the end of the file what the last hunk says, or else what was there."""
    default = end_near(before, len(before)) if before else "\n"
    whole = [line if line.end else Line(line.text, default) for line in out[:-1]]
    if not out:
        return out
    last = out[-1]
    newest = next((line for line in reversed(hunk.lines) if line.sign != "-"), None)
    if touches_end and newest is not None and newest.sign == "+":
        says = any(line.bare for line in hunk.lines)
        had_end = not before or bool(before[-1].end)
        last = Line(last.text, "" if newest.bare or not (says or had_end) else last.end)
    return [*whole, last]


def _place(lines: list[Line], hunk: Hunk, done: int, shift: int, name: str) -> int:
    """The 0-based line at which the hunk's old lines begin, not before `done`."""
    after = _after_anchors(lines, hunk, done, name)
    if not hunk.old:
        return _place_of_addition(lines, hunk, done, after, name)
    for look in LOOKS:
        found = _found(lines, hunk, done, look)
        guess = (hunk.start or 0) - 1 + shift
        if guess in found:
            return guess
        found = _behind_anchors(found, after) if hunk.anchors else found
        if len(found) == 1:
            return found[0]
        if found:
            raise _ambiguous(name, "its old lines are", found)
    raise _missing(lines, hunk, name, after=f" after {hunk.anchors[-1]!r}" if hunk.anchors else "")


def _found(lines: list[Line], hunk: Hunk, done: int, look: Callable[[str], str]) -> list[int]:
    wanted = [look(text) for text in hunk.old]
    seen = [look(line.text) for line in lines]
    latest = len(lines) - len(wanted)
    starts = range(max(done, latest) if hunk.at_end else done, latest + 1)
    return [at for at in starts if seen[at] == wanted[0] and seen[at : at + len(wanted)] == wanted]


def _after_anchors(lines: list[Line], hunk: Hunk, done: int, name: str) -> list[int]:
    """The lines behind each place of the last anchor that comes after the anchors before it."""
    after = [done]
    for anchor in hunk.anchors:
        wanted = folded(anchor).strip()
        after = [at + 1 for at in range(min(after), len(lines)) if folded(lines[at].text).strip() == wanted]
        if not after:
            raise ToolFailed(f"{name}: the line {anchor[:ECHO_CHARS]!r} is not in the file. Nothing was written.")
    return after


def _behind_anchors(found: list[int], after: list[int]) -> list[int]:
    """Of the places, the first behind each anchor."""
    return sorted({min(at for at in found if at >= start) for start in after if start <= max(found, default=-1)})


def _place_of_addition(lines: list[Line], hunk: Hunk, done: int, after: list[int], name: str) -> int:
    if hunk.at_end or not lines:
        return len(lines)
    if hunk.anchors:
        if len(after) > 1:
            raise _ambiguous(name, f"{hunk.anchors[-1]!r} is", [at - 1 for at in after])
        return after[0]
    if hunk.start is None:
        raise ToolFailed(
            f"{name} adds lines but does not say where: give a line that stays, or an '@@ LINE' anchor. "
            "Nothing was written."
        )
    if not done <= hunk.start <= len(lines):
        raise ToolFailed(f"{name} adds after line {hunk.start}, but the file has {len(lines)}. Nothing was written.")
    return hunk.start


def _ambiguous(name: str, what: str, found: list[int]) -> ToolFailed:
    places = ", ".join(str(at + 1) for at in found[:LISTED]) + (", …" if len(found) > LISTED else "")
    return ToolFailed(f"{name}: {what} at lines {places}; add lines around it. Nothing was written.")


def _missing(lines: list[Line], hunk: Hunk, name: str, after: str) -> ToolFailed:
    """Names the first old line that is nowhere, or else the first of them, and the line most like it."""
    seen = {folded(line.text).rstrip() for line in lines}
    lost = next((text for text in hunk.old if folded(text).rstrip() not in seen), hunk.old[0])
    near = nearest_line(joined(lines), lost)
    hint = f" The nearest line is {near[0]}: {near[1][:ECHO_CHARS]!r}." if near else ""
    return ToolFailed(
        f"{name}: its {len(hunk.old)} old lines are not in the file{after}, looking for "
        f"{lost[:ECHO_CHARS]!r}.{hint} Read the file again. Nothing was written."
    )


def created(hunks: Sequence[Hunk]) -> str:
    """The text of a new file, whose hunks may only add."""
    lines: list[HunkLine] = [line for hunk in hunks for line in hunk.lines]
    return "".join(line.text + ("" if line.bare else "\n") for line in lines if line.sign != "-")
