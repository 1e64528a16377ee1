"""Reads the block between `---` lines that opens a file which people write: of a VP, a skill, a command.

The everyday part of YAML is read here, because loading a YAML library takes longer than a whole start; only what
has anchors or tags goes to that library. What is not quite YAML is understood all the same, with a problem that says
so.
"""

import re

from msgspec import Struct, structs

from yeaft.kernel.pattern import Pattern
from yeaft.prompts.almost_yaml import KEY, Remark, read_lines
from yeaft.prompts.scalars import Value

LIMIT_CHARS = 256 * 1024
MOST_REMARKS = 20
_LEADING_COMMENT = Pattern(r"\s*<!--(?!\s*lang:).*?-->", re.DOTALL)
_FENCE = Pattern(
    r"\s*(?P<marks>`{3,}|~{3,})[ \t]*(?:markdown|md|yaml|yml)?[ \t]*\n(?=[ \t]*---[ \t]*\n)", re.IGNORECASE
)
_OPENING = Pattern(r"\s*?(?P<indent>[ \t]*)---[ \t]*\n")
_TOML = Pattern(r"\s*?\+\+\+[ \t]*\n")
_CLOSING = Pattern(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_INDENTED_CLOSING = Pattern(r"^[ \t]*(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_ANCHOR = Pattern(r"(?:^|[:\[{,-][ \t]+)&(\w+)", re.MULTILINE)
_ALIAS = Pattern(r"[:\[{,-][ \t]*\*(\w+)")
_TAG = Pattern(r"(?:^|[:\[{,-][ \t]+)!!\w", re.MULTILINE)
_LATE = Pattern(
    r"^(?:-{3,}[ \t]*\n(?P<dashed>(?:.*\n){1,200}?)-{3,}|`{3}ya?ml[ \t]*\n(?P<fenced>(?:.*\n){1,200}?)`{3})[ \t]*$",
    re.MULTILINE,
)
_ABOVE = Pattern(r"[ \t]*(?:$|#|//|/?\*|<!?[A-Za-z/-]|>)")
"""What a line may be that stands above front matter in the wrong place: empty, a heading or a comment."""
_CONFLICT = Pattern(r"^(?:<{7}|>{7})(?:[ \t]|$)", re.MULTILINE)
LATE = "the front matter must be the first thing in the file, between two lines of ---; it is read all the same"
_TELLING_KEYS = frozenset({"name", "description", "id"})
_OFTEN_IN_CAPITALS = _TELLING_KEYS | {"tools", "model", "role"}
FENCED = "the whole file stands in a code fence; take away its first and last line"


class Problem(Struct, frozen=True, kw_only=True):
    """What is wrong with a file that a person wrote; a `fatal` one means that the file cannot be used."""

    path: str
    line: int
    reason: str
    fatal: bool = True

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


class FrontMatter(Struct, frozen=True, kw_only=True):
    """The fields at the top of a file, the line (from 1) each stands in, and the text below.

    `problems` are what was understood although it is not quite right; none of them is fatal.
    """

    fields: dict[str, Value]
    lines: dict[str, int]
    body: str
    problems: tuple[Problem, ...] = ()


class Head(Struct, frozen=True, kw_only=True):
    """Front matter before it is understood: its text, the line (from 1) it begins in, and the text below.

    `is_closed` is False if no line ends it; then it goes as far as its lines look like fields. `is_fenced` says that
    the whole file stood in a code fence, which is not part of the body; `is_late` that it stands below a heading or
    between other lines than it should.
    """

    text: str
    first_line: int
    body: str
    is_closed: bool = True
    is_fenced: bool = False
    is_late: bool = False


def read_front_matter(text: str, path: str) -> FrontMatter | Problem:
    """Return the front matter of `text`, which may begin with a BOM, blank lines and HTML comments.

    A text without front matter has no fields. `path` is only for the messages.
    """
    head = split_head(text)
    if head is None:
        if _TOML.match(text.removeprefix("\ufeff")):
            reason = "TOML between +++ lines is not read; write `key: value` lines between --- lines"
            return Problem(path=path, line=1, reason=reason)
        return FrontMatter(fields={}, lines={}, body=_normal(text))
    if not head.text and not head.is_closed:
        return Problem(path=path, line=1, reason="the front matter has no closing --- line")
    first = _read(head, path)
    if isinstance(first, Problem):
        return first
    second = _second(first.body, text)
    return first if second is None else _merged(first, _read(second, path), path, second.first_line)


def split_head(text: str) -> Head | None:
    """Return the front matter of `text` and what is below; None if there is none."""
    text = _normal(text)
    start = 0
    while comment := _LEADING_COMMENT.match(text, start):
        start = comment.end()
    fence = _FENCE.match(text, start)
    if fence is not None:
        start = fence.end()
        text = _without_fence(text, fence["marks"])
    opening = _OPENING.match(text, start)
    if opening is None:
        return _late(text)
    first_line = text.count("\n", 0, opening.end()) + 1
    closing = (_INDENTED_CLOSING if opening["indent"] else _CLOSING).search(text, opening.end())
    if closing is None:
        end = _end_of_fields(text, opening.end())
        body = text[end:]
        is_usable = bool(body.strip())
        return Head(
            text=text[opening.end() : end] if is_usable else "",
            first_line=first_line,
            body=body,
            is_closed=False,
            is_fenced=fence is not None,
        )
    return Head(
        text=text[opening.end() : closing.start()],
        first_line=first_line,
        body=text[closing.end() :].removeprefix("\n"),
        is_fenced=fence is not None,
    )


def _late(text: str) -> Head | None:
    """Return a block of fields that stands in the wrong place or between the wrong lines, and can be nothing else."""
    found = _LATE.search(text)
    if found is None or not all(map(_ABOVE.match, text[: found.start()].split("\n"))):
        return None
    fields = found["dashed"] or found["fenced"] or ""
    if not _tells(fields):
        return None
    first_line = text.count("\n", 0, found.start()) + 2
    return Head(text=fields, first_line=first_line, body=text[found.end() :].removeprefix("\n"), is_late=True)


def _tells(text: str) -> bool:
    """Whether a block can only be front matter: all that begins a line is a key, and one of them says who it is."""
    lines = [line for line in text.split("\n") if line.strip() and line[0] not in " \t#-"]
    keys = [found[3] for line in lines if (found := KEY.match(line.rstrip()))]
    return len(keys) == len(lines) and not _TELLING_KEYS.isdisjoint(keys)


def _without_fence(text: str, marks: str) -> str:
    """Empty the line that closes a fence around all of `text`."""
    kept = text.rstrip()
    above, _, last = kept.rpartition("\n")
    return f"{above}\n{text[len(kept) :]}" if last.startswith(marks) and not last.strip(marks[0]) else text


def _normal(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _end_of_fields(text: str, at: int) -> int:
    """Return where the lines from `at` on stop to look like fields."""
    while at < len(text):
        found = text.find("\n", at)
        end = len(text) if found == -1 else found
        line = text[at:end].rstrip()
        if not line or not (KEY.match(line) or line[0] in " \t-"):
            break
        at = end + 1
    return min(at, len(text))


def _read(head: Head, path: str) -> FrontMatter | Problem:
    """Understand a head, and say what is not quite right about how it stands in the file."""
    if conflict := _CONFLICT.search(head.text):
        line = head.first_line + head.text.count("\n", 0, conflict.start())
        return Problem(path=path, line=line, reason="holds both sides of a merge conflict; keep one of them")
    found = _understood(head, path)
    if isinstance(found, Problem):
        return found
    remarks: list[Remark] = []
    if head.is_late:
        remarks.append(Remark(head.first_line - 1, LATE))
    if head.is_fenced:
        remarks.append(Remark(1, FENCED))
    if not head.is_closed:
        remarks.append(Remark(1, "the front matter has no closing --- line; it is taken to end with its fields"))
    fields, lines = dict(found.fields), dict(found.lines)
    for key in found.fields:
        small = key.lower()
        if key != small and small in _OFTEN_IN_CAPITALS and small not in fields:
            fields[small], lines[small] = fields.pop(key), lines.pop(key, 1)
            remarks.append(Remark(lines[small], f"the key {key!r} is written in small letters: {small}"))
    problems = (Problem(path=path, line=one.line, reason=one.reason, fatal=False) for one in remarks)
    return structs.replace(found, fields=fields, lines=lines, problems=(*problems, *found.problems))


def _understood(head: Head, path: str) -> FrontMatter | Problem:
    """Understand a head: with the YAML library if it needs that and is YAML, else line by line."""
    if len(head.text) > LIMIT_CHARS:
        reason = f"the front matter is longer than {LIMIT_CHARS // 1024} Ki characters"
        return Problem(path=path, line=head.first_line, reason=reason)
    found = _yaml(head, path) if _needs_yaml(head.text) else None
    if found is not None:
        return found
    try:
        understood = read_lines(head.text, head.first_line)
    except ValueError as error:
        return Problem(path=path, line=head.first_line, reason=str(error))
    if not understood.fields and understood.remarks:
        return Problem(path=path, line=understood.remarks[0].line, reason="must be `key: value` lines")
    remarks = understood.remarks[:MOST_REMARKS]
    return FrontMatter(
        fields=understood.fields,
        lines=understood.lines,
        body=head.body,
        problems=tuple(Problem(path=path, line=one.line, reason=one.reason, fatal=False) for one in remarks),
    )


def _needs_yaml(text: str) -> bool:
    anchors = set(_ANCHOR.findall(text))
    is_map = text.lstrip().startswith("{")  # all of it in brackets, as JSON is
    return is_map or not anchors.isdisjoint(_ALIAS.findall(text)) or _TAG.search(text) is not None


def _yaml(head: Head, path: str) -> FrontMatter | Problem | None:
    """Return what the YAML library makes of a head; None if that is no YAML, so that it is read line by line."""
    from yeaft.prompts.yaml_reader import Mistake, read_yaml  # 30 ms, and hardly any file needs it

    found = read_yaml(head.text)
    if not isinstance(found, Mistake):
        return FrontMatter(fields=found, lines=_key_lines(head), body=head.body)
    if found.is_too_much:
        return Problem(path=path, line=head.first_line + found.line, reason=found.reason)
    return None


def _key_lines(head: Head) -> dict[str, int]:
    numbered = enumerate(head.text.split("\n"), head.first_line)
    found = ((KEY.match(line.rstrip()), number) for number, line in numbered)
    return {key[1] or key[2] or key[3]: number for key, number in found if key}


def _second(body: str, text: str) -> Head | None:
    """Return a second block that follows the first at once, as some programs leave behind; None if there is none."""
    head = split_head(body) if body.lstrip().startswith(("---", "<!--")) else None
    if head is None or not head.is_closed or len(head.text) > LIMIT_CHARS:
        return None
    if not _tells(head.text):
        return None
    above = _normal(text).count("\n") - body.count("\n")
    return Head(text=head.text, first_line=above + head.first_line, body=head.body)


def _merged(first: FrontMatter, second: FrontMatter | Problem, path: str, line: int) -> FrontMatter:
    if isinstance(second, Problem):
        return first
    reason = "a second block of front matter; both are read, and what stands in the first one counts"
    remark = Problem(path=path, line=line - 1, reason=reason, fatal=False)
    return FrontMatter(
        fields={**second.fields, **first.fields},
        lines={**second.lines, **first.lines},
        body=second.body,
        problems=(*first.problems, remark, *second.problems),
    )
