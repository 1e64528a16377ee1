"""What a VP is: who it is called, what it does, how it speaks; and what ids and names may be."""

import re

from msgspec import Struct

from yeaft.kernel.pattern import Pattern
from yeaft.kernel.tool_names import FINDERS, OUTSIDE_PREFIX, is_meant

CONVERSATION_TOOLS = frozenset({"AskUser", "TodoWrite", "RouteForward"})
"""Tools that stay inside the conversation: a VP has them unless its file denies them by name."""

RESERVED = frozenset({"all", "everyone", "user", "system", "所有人", "全体"})
LIMIT_ID_CHARS = 40
LIMIT_NAME_CHARS = 60
_COMMENT = Pattern(r"^[ \t]*<!--(?![ \t]*lang:).*?-->[ \t]*(?:\n|\Z)", re.MULTILINE | re.DOTALL)
_LANG = Pattern(r"^[ \t]*<!--[ \t]*lang:[ \t]*([A-Za-z]{2,3})[\w-]*[ \t]*-->[ \t]*$", re.MULTILINE)
_ID = Pattern(r"[A-Za-z0-9_-]+")


class ToolPolicy(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Which of the Session's tools a VP gets; `allow` None means all. Those of servers may be named by globs."""

    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()

    def offers(self, tool: str) -> bool:
        """Whether the VP gets `tool`."""
        if any(is_meant(pattern, tool) for pattern in self.deny):
            return False
        if self.allow is None or tool in CONVERSATION_TOOLS:
            return True
        if tool in FINDERS:
            return any(pattern.startswith(OUTSIDE_PREFIX) for pattern in self.allow)
        return any(is_meant(pattern, tool) for pattern in self.allow)


class Vp(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A virtual person. `model` is empty, `primary`, `fast` or `provider/model`.

    `persona` holds the text by language, under `""` what stands before the first language mark. `digest` is the
    SHA-256 of the file's text, `source` the path it was read from.
    """

    id: str
    name: str
    name_zh: str = ""
    aliases: tuple[str, ...] = ()
    role: str = ""
    role_zh: str = ""
    area: str = ""
    traits: tuple[str, ...] = ()
    model: str = ""
    tools: ToolPolicy = ToolPolicy()
    plan: str = ""
    persona: dict[str, str] = {}
    digest: str = ""
    source: str = ""

    @property
    def labels(self) -> tuple[str, ...]:
        """Everything the VP is called by, its id first."""
        return tuple(dict.fromkeys(label for label in (self.id, self.name, self.name_zh, *self.aliases) if label))

    def name_in(self, lang: str) -> str:
        """The name for readers of `lang`."""
        return self.name_zh if lang == "zh" and self.name_zh else self.name

    def role_in(self, lang: str) -> str:
        """The role for readers of `lang`."""
        return (self.role_zh or self.role) if lang == "zh" else (self.role or self.role_zh)

    def text(self, lang: str) -> str:
        """The persona in `lang`, else in English, else in the language it has."""
        spoken = [self.persona[key] for key in (lang, "en", *self.persona) if key and key in self.persona]
        return "\n\n".join(part for part in (self.persona.get("", ""), *spoken[:1]) if part)


def id_problem(vp_id: str) -> str:
    """Say why `vp_id` cannot be the id of a VP; empty if it can."""
    if not vp_id:
        return "the id is empty"
    if len(vp_id) > LIMIT_ID_CHARS:
        return f"the id is longer than {LIMIT_ID_CHARS} characters"
    if not _ID.fullmatch(vp_id):
        return f"the id {vp_id!r} may have only letters a-z, digits, - and _"
    if vp_id.startswith("_"):
        return f"the id {vp_id!r} may not begin with _"
    if vp_id.isdigit():
        return f"the id {vp_id!r} may not be all digits"
    return f"the id {vp_id!r} is reserved" if vp_id.lower() in RESERVED else ""


def label_problem(label: str) -> str:
    """Say why `label` cannot be a name or alias of a VP; empty if it can."""
    if label.casefold() in RESERVED:
        return f"the name {label!r} is reserved"
    if len(label) > LIMIT_NAME_CHARS or "\n" in label:
        return f"the name {label[:LIMIT_NAME_CHARS]!r} is too long; names have at most {LIMIT_NAME_CHARS} characters"
    return f"the name {label!r} may not hold @, < or >" if re.search("[@\uff20<>]", label) else ""


def split_persona(body: str) -> dict[str, str]:
    """Return the text under each `<!-- lang:xx -->` mark by language; what stands before them under `""`.

    Other comments on lines of their own are for whoever edits the file and left out.
    """
    before, *pairs = _LANG.split(_COMMENT.sub("", body))
    found = {"": before.strip()}
    for lang, text in zip(pairs[::2], pairs[1::2], strict=True):
        key = lang.lower()
        found[key] = f"{found[key]}\n\n{text.strip()}" if key in found else text.strip()
    return {lang: text for lang, text in found.items() if text}
