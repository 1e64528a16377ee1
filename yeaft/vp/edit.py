"""Writes VP files: new ones from fields, checked by reading them back before anything is on disk."""

import re
import secrets
from collections.abc import Iterable
from pathlib import Path

from msgspec import structs

from yeaft.kernel.errors import ConfigError, UsageError
from yeaft.store.filesystem import make_private
from yeaft.vp.persona import ToolPolicy, Vp, id_problem
from yeaft.vp.vp_file import parse_vp

_PLAIN = re.compile(r"[^\W\d_][\w ./()-]*")
_NOT_TEXT = ("null", "true", "false", "yes", "no", "on", "off")


def vp_text(vp: Vp) -> str:
    """Return the text of a VP file that describes `vp`; its `digest` and `source` do not matter."""
    fields = [f"{key}: {_scalar(value)}" for key, value in _texts(vp) if value]
    fields += [
        f"{key}: {_listed(values)}" for key, values in (("aliases", vp.aliases), ("traits", vp.traits)) if values
    ]
    if vp.tools != ToolPolicy():
        fields.append(f"tools: {_tools(vp.tools)}")
    marked = [f"<!-- lang:{lang} -->\n{text.strip()}" for lang, text in vp.persona.items() if lang]
    return "\n".join(["---", *fields, "---", vp.persona.get("", "").strip(), *marked]).rstrip() + "\n"


def checked_text(vp: Vp) -> str:
    """Return `vp_text(vp)` if it reads back as a usable VP. Raises `UsageError` that says what is wrong."""
    if reason := id_problem(vp.id):
        raise UsageError(f"{reason[:1].upper()}{reason[1:]}.")
    text = vp_text(vp)
    parsed = parse_vp(text, f"{vp.id}.md", vp.id)
    if parsed.vp is None:
        raise UsageError(f"This VP cannot be written: {parsed.problems[0].reason}.")
    return text


def write_vp(folder: Path, vp: Vp, *, replace: bool = False) -> Path:
    """Write the VP file into `folder` (made if need be), whole or not at all, and return its path.

    Raises `UsageError` if the fields cannot make a VP or the file is there and `replace` is False, `ConfigError` if
    it cannot be written.
    """
    return _written(folder / f"{vp.id}.md", checked_text(vp), replace=replace)


def write_draft(folder: Path, vp: Vp, comment: str) -> Path:
    """Write a VP file whose persona is still to come: `comment` says what to write. Nobody can talk to it before.

    `vp` has no persona. Raises as `write_vp`.
    """
    checked_text(structs.replace(vp, persona={"": comment}))
    return _written(folder / f"{vp.id}.md", f"{vp_text(vp)}<!-- {comment} -->\n", replace=False)


def _written(path: Path, text: str, *, replace: bool) -> Path:
    try:
        make_private(path.parent)
        _put(path, text, replace=replace)
    except FileExistsError as error:
        raise UsageError(f"{path} is already there; edit it, or choose another id.") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}.") from error
    return path


def _put(path: Path, text: str, *, replace: bool) -> None:
    target = path.resolve()  # a link stays one
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        if not replace:
            path.touch(exist_ok=False)  # takes the name; a rename alone would replace what is there
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _texts(vp: Vp) -> tuple[tuple[str, str], ...]:
    return (
        ("id", vp.id),
        ("name", vp.name),
        ("name_zh", vp.name_zh),
        ("role", vp.role),
        ("role_zh", vp.role_zh),
        ("area", vp.area),
        ("model", vp.model),
        ("plan", vp.plan),
    )


def _tools(tools: ToolPolicy) -> str:
    parts = [] if tools.allow is None else [f"allow: {_listed(tools.allow)}"]
    parts += [f"deny: {_listed(tools.deny)}"] if tools.deny else []
    return "{" + ", ".join(parts) + "}"


def _listed(values: Iterable[str]) -> str:
    return "[" + ", ".join(_scalar(value) for value in values) + "]"


def _scalar(text: str) -> str:
    """Return `text` on one line, quoted unless every YAML reader takes it for the same plain text."""
    line = " ".join(text.split())
    if _PLAIN.fullmatch(line) and line.lower() not in _NOT_TEXT:
        return line
    return "'" + line.replace("'", "''") + "'"
