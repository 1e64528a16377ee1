"""Turns the text of a VP file into a VP, or into problems that say what to mend and where."""

import hashlib
import re

import msgspec
from msgspec import Struct

from yeaft.kernel.nearness import nearest
from yeaft.kernel.pattern import Pattern
from yeaft.prompts.front_matter import FrontMatter, Problem, read_front_matter
from yeaft.prompts.scalars import Value
from yeaft.vp.persona import Vp, id_problem, label_problem, split_persona

KEYS = ("id", "name", "name_zh", "aliases", "role", "role_zh", "area", "traits", "model", "tools", "plan")
"""What the front matter of a VP file can hold."""

_WORDS = (
    ("`array | null`", "a list"),
    ("`array`", "a list"),
    ("`str`", "text"),
    ("`object`", "`key: value` pairs"),
)
_LISTS = ("aliases", "traits")
_PLACE = Pattern(r" - at `\$\.([^`]*)`")


class Parsed(Struct, frozen=True, kw_only=True):
    """A VP, or None if the file cannot be used, and what is wrong with the file."""

    vp: Vp | None
    problems: tuple[Problem, ...] = ()


def parse_vp(text: str, path: str, file_id: str) -> Parsed:
    """Return the VP that the file at `path` describes; `file_id` is its name without `.md`, and must be the VP's id.

    Never raises: whatever is wrong comes back as problems with their lines.
    """
    head = read_front_matter(text, path)
    if isinstance(head, Problem):
        return Parsed(vp=None, problems=(head,))
    if not head.fields:
        return _wrong(head, path, 1, "has no front matter; a VP file begins with the lines `---`, `name: …` and `---`")
    known = {key: value for key, value in head.fields.items() if key in KEYS}
    about = {"digest": hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(), "source": path}
    whole = {"id": file_id, "name": file_id, **_shaped(known), **about, "persona": split_persona(head.body)}
    try:
        vp = msgspec.convert(whole, Vp)
    except msgspec.ValidationError as error:
        return _wrong(head, path, *_explained(error, head))
    if fault := _fault(vp, head, file_id):
        return _wrong(head, path, *fault)
    unknown = (_unknown_key(path, head, key) for key in head.fields if key not in KEYS)
    return Parsed(vp=vp, problems=(*head.problems, *unknown))


def _fault(vp: Vp, head: FrontMatter, file_id: str) -> tuple[int, str] | None:
    """Return the line and reason why the file cannot be used, if there is one."""
    if reason := id_problem(vp.id):
        return head.lines.get("id", 1), reason
    if vp.id != file_id:
        return head.lines.get("id", 1), f"the id is {vp.id!r}, so the file must be named {vp.id}.md"
    if not vp.persona:
        return max(head.lines.values(), default=1), "no persona text stands below the front matter"
    for key, labels in (("name", (vp.name,)), ("name_zh", (vp.name_zh,)), ("aliases", vp.aliases)):
        for label in labels:
            if reason := label_problem(label):
                return head.lines.get(key, 1), reason
    return None


def _shaped(fields: dict[str, Value]) -> dict[str, Value]:
    """Accept what people write for lists: one text, or several with commas between; and a list of tools as `allow`."""
    shaped = {key: _listed(value) if key in _LISTS else value for key, value in fields.items() if value != ""}
    tools = shaped.get("tools")
    if isinstance(tools, dict):
        shaped["tools"] = {key: _listed(value) for key, value in tools.items()}
    elif tools is not None:
        shaped["tools"] = {"allow": _listed(tools)}
    return shaped


def _listed(value: Value) -> Value:
    if not isinstance(value, str):
        return value
    return [part for text in re.split("[,\uff0c\u3001]", value) if (part := text.strip())]


def _unknown_key(path: str, head: FrontMatter, key: str) -> Problem:
    near = nearest(key.lower(), KEYS)
    hint = f"; did you mean {near!r}?" if near else ""
    return Problem(path=path, line=head.lines.get(key, 1), reason=f"the key {key!r} is ignored{hint}", fatal=False)


def _explained(error: msgspec.ValidationError, head: FrontMatter) -> tuple[int, str]:
    text = str(error)
    found = _PLACE.search(text)
    place = found[1] if found else ""
    for theirs, ours in _WORDS:
        text = text.replace(theirs, ours)
    return head.lines.get(re.split(r"[.\[]", place)[0], 1), f"{place}: {_PLACE.sub('', text)}" if place else text


def _wrong(head: FrontMatter, path: str, line: int, reason: str) -> Parsed:
    return Parsed(vp=None, problems=(*head.problems, Problem(path=path, line=line, reason=reason)))
