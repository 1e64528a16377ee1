"""What the Session picker says of a Session: one line in its list, and the end of what was said in it beside that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from yeaft.interfaces.cli.commands.printing import local_time
from yeaft.interfaces.cli.terminal_text import cut, padded, width
from yeaft.interfaces.tui.panels.ages import age
from yeaft.interfaces.tui.panels.filtered_list import Entry
from yeaft.interfaces.tui.panels.shown_text import safe

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from yeaft.interfaces.tui.panels.situation import Situation
    from yeaft.prompts.ui import Ui
    from yeaft.store.meta import SessionMeta

ROOMY_COLUMNS = 70
AGE_COLUMNS, VPS_COLUMNS, FOLDER_COLUMNS = 11, 20, 28
LEAST_NAME_COLUMNS = 12
MOST_MESSAGES = 4
MOST_WORDS_CHARS = 1_500
DIM, BOLD = Style(dim=True), Style(bold=True)


def session_entries(
    ui: Ui, metas: Sequence[SessionMeta], *, current: str, columns: int, now_ms: int, everywhere: bool
) -> list[Entry]:
    """Return one entry for each Session, to fit into `columns`; the folder is told where there are several."""
    return [_entry(ui, meta, current, columns, now_ms, everywhere=everywhere) for meta in metas]


def preview(situation: Situation, session_id: str) -> Text:
    """Return who takes part in a Session, what it has cost, and the end of what was said. Reads its journal; blocks."""
    from yeaft.interfaces.cli.commands.transcript import speaker, transcript
    from yeaft.session.offline import read_session

    reading = read_session(situation.home, session_id)
    state, text = reading.state, Text()
    facts = (
        ("id", state.session_id),
        ("name", state.name),
        ("folder", state.created.folder if state.created else ""),
        ("roster", " ".join(f"@{vp_id}" for vp_id in state.roster)),
        ("last_active", local_time(state.last_active_ms)),
        ("cost", f"${state.spent_usd:.4f}"),
    )
    for key, value in facts:
        if value:
            text.append(f"{situation.text(f'panel.fact_{key}')}: ", style=DIM)
            text.append(f"{safe(value)}\n")
    for message in transcript(reading)[-MOST_MESSAGES:]:
        who = situation.text("speaker.user") if message.sender == "user" else speaker(message)
        _say(text, safe(who), message.text)
        for turn in message.turns:
            _say(text, f"@{safe(turn.vp)}", turn.text or turn.error or turn.outcome)
    return text


def _say(text: Text, who: str, words: str) -> None:
    text.append(f"\n{who}\n", style=BOLD)
    shown = "\n".join(safe(line) for line in words.strip()[-MOST_WORDS_CHARS:].splitlines())
    text.append(f"{shown}\n")


def _entry(ui: Ui, meta: SessionMeta, current: str, columns: int, now_ms: int, *, everywhere: bool) -> Entry:
    name = safe(meta.name or meta.title or meta.last_words or meta.session_id)
    vps = " ".join(f"@{safe(vp_id)}" for vp_id in meta.roster)
    folder = safe(meta.folder)
    if meta.archived:
        name = f"{name} {ui.text('sessions.archived_mark')}"
    right = [padded(age(ui, meta.last_active_ms, now_ms), AGE_COLUMNS)]
    if columns >= ROOMY_COLUMNS:
        right.append(padded(cut(vps, VPS_COLUMNS), VPS_COLUMNS))
        if everywhere:
            right.append(padded(_end_of(folder, FOLDER_COLUMNS), FOLDER_COLUMNS))
    tail = " ".join(right).rstrip()
    room = max(columns - width(tail) - 4, LEAST_NAME_COLUMNS)
    mark = "*" if meta.session_id == current else " "
    shown = Text(f"{mark} {padded(cut(name, room), room)} ", no_wrap=True, overflow="ellipsis")
    shown.append(tail, style=DIM)
    words = f"{name} {meta.title or ''} {vps} {folder} {meta.session_id} {meta.last_words or ''}"
    return Entry(meta.session_id, shown, words)


def _end_of(path: Path | str, columns: int) -> str:
    """Return the end of a path, which tells more of it than its beginning."""
    shown = str(path)
    while width(shown) > columns:
        shown = "…" + shown.lstrip("…")[1:]
    return shown
