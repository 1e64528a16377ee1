"""Adds a member to an object in a JSON file, or takes one out, and leaves every other byte as it was."""

import json

from yeaft.config.json_text import Document, Json, Member, Members, Remark, as_json, plain, plain_object, read_json
from yeaft.kernel.errors import BadData

STEP = "  "


def with_member(document: Document, within: str, key: str, value: object) -> str:
    """Return the text with `key` added to the object at the key `within` of the outermost one, which is made if needed.

    Raises `BadData` if the file has something else there.
    """
    root = _object(document.root, "the file")
    added = as_json(value)
    inner = root.get(within)
    if inner is None:
        made: Json = {key: added}
        return _checked(_added(document.text, root, within, made), _with(plain_object(root), within, made))
    members = _object(inner, repr(within))
    text = _added(document.text, members, key, added)
    return _checked(text, _with(plain_object(root), within, _with(plain_object(members), key, added)))


def without_member(document: Document, within: str, key: str) -> str:
    """Return the text without `key` in the object at `within`. Raises `BadData`, also if it is not there."""
    root = _object(document.root, "the file")
    members = _object(root.get(within) or root, repr(within))
    found = [index for index, member in enumerate(members.members) if member.key == key]
    if members is root or not found:
        raise BadData(f"{key!r} does not stand under {within!r}, so it cannot be taken out; change the file by hand.")
    text = _removed(document.text, members, found[-1])
    if len(found) > 1:
        return without_member(_read(text), within, key)
    left: Json = {name: one for name, one in plain_object(members).items() if name != key}
    return _checked(text, _with(plain_object(root), within, left))


def _with(table: dict[str, Json], key: str, value: Json) -> dict[str, Json]:
    return {**table, key: value}


def _object(node: object, named: str) -> Members:
    if not isinstance(node, Members):
        raise BadData(f"{named} is not an object in braces, so nothing was changed; mend it first.")
    return node


def _added(text: str, members: Members, key: str, value: Json) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _indent(text, members.start)
    step = "\t" if "\t" in outer else STEP
    indent = outer + step
    if members.members:
        last = members.members[-1]
        indent = _indent(text, last.start)
        if "\n" not in text[members.start : last.start]:  # all in one line
            place = last.comma_at + 1 or last.node.end
            comma = "" if last.comma_at >= 0 else ","
            return f"{text[:place]}{comma} {json.dumps(key, ensure_ascii=False)}: {_one_line(value)}{text[place:]}"
        if last.comma_at < 0:
            text = f"{text[: last.node.end]},{text[last.node.end :]}"
    closing = members.end - 1 + (bool(members.members) and members.members[-1].comma_at < 0)
    before = text[:closing].rstrip()
    lines = json.dumps(value, ensure_ascii=False, indent="\t" if "\t" in indent else STEP).split("\n")
    written = f"{indent}{json.dumps(key, ensure_ascii=False)}: " + f"{newline}{indent}".join(lines)
    return f"{before}{newline}{written}{newline}{outer}{text[closing:]}"


def _removed(text: str, members: Members, index: int) -> str:
    member = members.members[index]
    start = member.start
    end = (member.comma_at + 1) or member.node.end
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    following = end
    while text[following : following + 1] and text[following] in " \t\r":
        following += 1
    if text[start - 1 : start] == "\n" and text[following : following + 1] == "\n":
        end = following + 1
    elif text[start - 1 : start] != "\n":
        start = member.start
        end = following
    text = text[:start] + text[end:]
    before = members.members[index - 1] if index else None
    if before is not None and member.comma_at < 0 and before.comma_at >= 0:
        text = _without_comma(text, before, start)
    return text


def _without_comma(text: str, before: Member, start: int) -> str:
    """Take away the comma that stood between two members of which the last is gone."""
    after = before.comma_at + 1
    if not text[after:start].strip():
        kept = text[after:start] if "\n" in text[after:start] else ""
        return text[: before.comma_at] + kept + text[start:].removeprefix("" if kept else " ")
    return text[: before.comma_at] + text[after:]


def _one_line(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _indent(text: str, at: int) -> str:
    """Return the blanks that the line around `at` begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _read(text: str) -> Document:
    found = read_json(text)
    if isinstance(found, Remark):
        raise BadData(
            f"the file cannot be changed without damage (line {found.line}: {found.reason}); edit it by hand."
        )
    return found


def _checked(text: str, wanted: Json) -> str:
    """Return `text` if it says what it should. Raises `BadData`, so that a file is never damaged."""
    if plain(_read(text).root) != wanted:
        raise BadData("the file cannot be changed without damage; edit it by hand.")
    return text
