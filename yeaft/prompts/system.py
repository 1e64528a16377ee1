"""Builds the system prompt of a VP: pure, in the order that lets several VPs and days share a provider's cache."""

from collections.abc import Sequence

from msgspec import Struct

from yeaft.prompts.fill import fill
from yeaft.prompts.find import read_template
from yeaft.prompts.place import Place

SHOWN_TASKS = 5

Block = tuple[str, bool]
"""Text of a block, and whether it ends a prefix that later requests will share."""


class Texts(Struct, frozen=True, kw_only=True):
    """The templates of one language, as read from `templates/prompts`."""

    rules: str
    solo: str
    small: str
    notes: str
    roster: str
    handoff: str
    place: str
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


class Note(Struct, frozen=True, kw_only=True):
    """An instruction file of the work folder, such as `AGENTS.md`; `path` as the user would write it."""

    path: str
    text: str


def load_texts(lang: str) -> Texts:
    """Read the templates of `lang`, or the English ones where it has none. Raises `ConfigError` if any is missing."""
    return Texts(
        rules=read_template("prompts/system", lang),
        solo=read_template("prompts/solo", lang),
        small=read_template("prompts/small", lang),
        notes=read_template("prompts/notes", lang),
        roster=read_template("prompts/roster", lang),
        handoff=read_template("prompts/handoff", lang),
        place=read_template("prompts/place", lang),
        tasks=read_template("prompts/tasks", lang),
        more_tasks=read_template("prompts/more-tasks", lang),
    )


def system_blocks(
    texts: Texts,
    me: Self,
    *,
    peers: Sequence[Peer],
    place: Place,
    notes: Sequence[Note] = (),
    tools: frozenset[str] = frozenset(),
    tasks: Sequence[str] = (),
) -> tuple[Block, ...]:
    """Return the blocks of the system prompt, from what most requests share to what changes most often.

    Common rules and project notes (one cache mark at their end: every VP of the Session shares them), then the
    persona (the second mark), then the roster, then place and date. `tools` are the names that the request offers;
    with none the rules are the short ones, and without RouteForward nothing is said of handing work on. `tasks` are the
    ids of running background tasks; titles are left to the tools, because models wrote them.
    """
    common = [texts.rules if tools else texts.solo]
    common += [_noted(texts.notes, note) for note in notes if note.text.strip()]
    blocks: list[Block] = [(text, False) for text in common[:-1]]
    blocks.append((common[-1], True))
    blocks.append((f"# {me.name} (@{me.id})\n\n{me.persona.strip()}", True))
    if peers:
        blocks.append((_roster(texts, me, peers, handing_on="RouteForward" in tools), False))
    placed = _placed(texts.place, place)
    blocks.append((f"{placed}\n\n{_running(texts, tasks)}" if tasks else placed, False))
    return tuple(blocks)


def small_block(texts: Texts, *, name: str, role: str) -> Block:
    """Return the one block that a model with a small window gets: longer instructions only confuse it."""
    return fill(texts.small, {"name": name, "role": role}), True


def _noted(template: str, note: Note) -> str:
    text = note.text.strip().replace("</project-notes", "&lt;/project-notes")
    return fill(template, {"path": note.path.replace('"', "'"), "text": text})


def _roster(texts: Texts, me: Self, peers: Sequence[Peer], *, handing_on: bool) -> str:
    lines = "\n".join(f"- @{peer.id} ({peer.name}): {peer.role}" for peer in peers)
    text = fill(texts.roster, {"id": me.id, "name": me.name, "peers": lines})
    return f"{text}\n\n{texts.handoff}" if handing_on else text


def _running(texts: Texts, tasks: Sequence[str]) -> str:
    lines = [f"- {task_id} (shell): running" for task_id in tasks[-SHOWN_TASKS:]]
    if len(tasks) > SHOWN_TASKS:
        lines.append(fill(texts.more_tasks, {"count": str(len(tasks) - SHOWN_TASKS)}))
    return fill(texts.tasks, {"tasks": "\n".join(lines)})


def _placed(template: str, place: Place) -> str:
    return fill(
        template,
        {
            "folder": place.folder,
            "platform": place.platform,
            "shell": place.shell,
            "date": place.date,
            "zone": place.zone,
        },
    )
