"""Builds the system prompt of a VP: pure, in the order that lets several VPs and days share a provider's cache."""

from collections.abc import Sequence
from datetime import date
from typing import Literal

from msgspec import Struct

from yeaft.prompts.fill import fill
from yeaft.prompts.find import read_template
from yeaft.prompts.place import Place
from yeaft.prompts.reference import in_attribute, without_tags

SHOWN_TASKS = 5

Block = tuple[str, bool]
"""Text of a block, and whether it ends a prefix that later requests will share."""


class Texts(Struct, frozen=True, kw_only=True):
    """The templates of one language, as read from `templates/prompts`."""

    rules: str
    solo: str
    small: str
    notes: str
    notes_trusted: str
    notes_user: str
    roster: str
    handoff: str
    session: str
    session_search: str
    place: str
    weekdays: str
    tasks: str
    more_tasks: str


class Peer(Struct, frozen=True, kw_only=True):
    """Another VP of the Session, as its peers are told of it."""

    id: str
    name: str
    role: str


class Self(Struct, frozen=True, kw_only=True):
    """The VP that the prompt is for; `persona` is its text in the language of the prompt."""

    id: str
    name: str
    persona: str


Standing = Literal["material", "trusted", "user"]
"""Whose word an instruction file is: of a folder nobody vouches for, of a trusted one, of the user."""


class Note(Struct, frozen=True, kw_only=True):
    """An instruction file, such as `AGENTS.md`; `path` as the user would write it.

    `why` says what brought it here: `user`, `repository`, `folder`, `local`, `touched`, or `import of <path>`.
    """

    path: str
    text: str
    standing: Standing = "material"
    why: str = ""


class Announced(Struct, frozen=True, kw_only=True):
    """The Session, as its VPs are told of it: its id, the name the user gave it, and who takes part."""

    session_id: str
    name: str = ""
    vps: tuple[str, ...] = ()


def load_texts(lang: str) -> Texts:
    """Read the templates of `lang`, or the English ones where it has none. Raises `ConfigError` if any is missing."""
    return Texts(
        rules=read_template("prompts/system", lang),
        solo=read_template("prompts/solo", lang),
        small=read_template("prompts/small", lang),
        notes=read_template("prompts/notes", lang),
        notes_trusted=read_template("prompts/notes-trusted", lang),
        notes_user=read_template("prompts/notes-user", lang),
        roster=read_template("prompts/roster", lang),
        handoff=read_template("prompts/handoff", lang),
        session=read_template("prompts/session", lang),
        session_search=read_template("prompts/session-search", lang),
        place=read_template("prompts/place", lang),
        weekdays=read_template("prompts/weekdays", lang),
        tasks=read_template("prompts/tasks", lang),
        more_tasks=read_template("prompts/more-tasks", lang),
    )


def system_blocks(
    texts: Texts,
    me: Self,
    *,
    peers: Sequence[Peer],
    place: Place,
    session: Announced | None = None,
    notes: Sequence[Note] = (),
    tools: frozenset[str] = frozenset(),
    tasks: Sequence[str] = (),
) -> tuple[Block, ...]:
    """Return the blocks of the system prompt, from what most requests share to what changes most often.

    Common rules and project notes (one cache mark at their end: every VP of the Session shares them), then the
    persona (the second mark), then the roster, then the Session, place and date. `tools` are the names that the
    request offers; with none the rules are the short ones, and without RouteForward nothing is said of handing work
    on. `tasks` are the ids of running background tasks; titles are left to the tools, because models wrote them.
    """
    common = [texts.rules if tools else texts.solo]
    common += [noted(texts, note) for note in notes if note.text.strip()]
    blocks: list[Block] = [(text, False) for text in common[:-1]]
    blocks.append((common[-1], True))
    blocks.append((f"# {me.name} (@{me.id})\n\n{me.persona.strip()}", True))
    if peers:
        blocks.append((_roster(texts, me, peers, handing_on="RouteForward" in tools), False))
    last = [_announced(texts, session, searching="HistorySearch" in tools)] if session else []
    last.append(_placed(texts, place))
    blocks.append(("\n".join(last) + (f"\n\n{_running(texts, tasks)}" if tasks else ""), False))
    return tuple(blocks)


def small_block(texts: Texts, *, name: str, role: str) -> Block:
    """Return the one block that a model with a small window gets: longer instructions only confuse it."""
    return fill(texts.small, {"name": name, "role": role}), True


def noted(texts: Texts, note: Note) -> str:
    """Return an instruction file as a model is told it: a block that it cannot get out of, and what it counts for."""
    templates = {"material": texts.notes, "trusted": texts.notes_trusted, "user": texts.notes_user}
    return fill(templates[note.standing], {"path": in_attribute(note.path), "text": without_tags(note.text.strip())})


def _announced(texts: Texts, session: Announced, *, searching: bool) -> str:
    named = f'{session.session_id} "{in_attribute(session.name)}"' if session.name else session.session_id
    text = fill(texts.session, {"session": named, "vps": ", ".join(f"@{vp}" for vp in session.vps)})
    return f"{text} {texts.session_search}" if searching else text


def _roster(texts: Texts, me: Self, peers: Sequence[Peer], *, handing_on: bool) -> str:
    lines = "\n".join(f"- @{peer.id} ({peer.name}): {peer.role}" for peer in peers)
    text = fill(texts.roster, {"id": me.id, "name": me.name, "peers": lines})
    return f"{text}\n\n{texts.handoff}" if handing_on else text


def _running(texts: Texts, tasks: Sequence[str]) -> str:
    lines = [f"- {task_id} (shell): running" for task_id in tasks[-SHOWN_TASKS:]]
    if len(tasks) > SHOWN_TASKS:
        lines.append(fill(texts.more_tasks, {"count": str(len(tasks) - SHOWN_TASKS)}))
    return fill(texts.tasks, {"tasks": "\n".join(lines)})


def _placed(texts: Texts, place: Place) -> str:
    weekday = texts.weekdays.split("\n")[date.fromisoformat(place.date).weekday()]
    return fill(
        texts.place,
        {
            "folder": place.folder,
            "platform": place.platform,
            "shell": place.shell,
            "date": place.date,
            "weekday": weekday,
            "zone": place.zone,
        },
    )
