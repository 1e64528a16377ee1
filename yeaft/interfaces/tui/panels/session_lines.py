"""What the Session picker says of a Session: one line in its list, and the end of what was said in it beside that."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.style import Style
from rich.text import Text

from yeaft.interfaces.amounts import money
from yeaft.interfaces.cli.commands.printing import local_time
from yeaft.interfaces.cli.terminal_text import width
from yeaft.interfaces.tui.panels.ages import age
from yeaft.interfaces.tui.panels.columns import in_columns, widths
from yeaft.interfaces.tui.panels.filtered_list import Entry
from yeaft.interfaces.tui.panels.shown_text import safe
from yeaft.interfaces.tui.transcript.line import Line, Part, text_line
from yeaft.interfaces.tui.transcript.palette import palette_of
from yeaft.interfaces.tui.transcript.shown import shown
from yeaft.interfaces.tui.transcript.wrapping import wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from yeaft.interfaces.tui.lines_view import Lay
    from yeaft.interfaces.tui.panels.situation import Situation
    from yeaft.interfaces.tui.transcript.palette import Palette
    from yeaft.prompts.ui import Ui
    from yeaft.store.meta import SessionMeta

LEAST_COLUMNS = (22, 11, 28, 14)
FOLDER_COLUMNS = 28
MOST_MESSAGES = 4
MOST_WORDS_CHARS = 1_500
DIM, BOLD = Style(dim=True), Style(bold=True)


class _Said(NamedTuple):
    """What somebody said; what users write is shown as they wrote it."""

    who: str
    text: str
    is_markdown: bool = True


def session_entries(
    ui: Ui, metas: Sequence[SessionMeta], *, current: str, columns: int, now_ms: int, everywhere: bool
) -> list[Entry]:
    """Return one entry for each Session, to fit into `columns`; the folder is told where there are several."""
    rows = [_cells(ui, meta, current, now_ms, everywhere=everywhere) for meta in metas]
    room = widths(rows, LEAST_COLUMNS, columns)
    return [_entry(meta, cells, room) for meta, cells in zip(metas, rows, strict=True)]


def preview(situation: Situation, session_id: str) -> Lay:
    """Return who takes part in a Session, what it has cost in all, and the end of what was said.

    Reads its journal; blocks.
    """
    from yeaft.interfaces.cli.commands.transcript import speaker, transcript
    from yeaft.session.offline import read_session
    from yeaft.store.cost import NOTHING
    from yeaft.store.index import current_meta

    reading = read_session(situation.home, session_id)
    state, cost = reading.state, current_meta(reading.paths).cost or NOTHING
    facts = (
        ("id", state.session_id),
        ("name", state.name),
        ("folder", state.created.folder if state.created else ""),
        ("roster", " ".join(f"@{vp_id}" for vp_id in state.roster)),
        ("last_active", local_time(state.last_active_ms)),
        ("cost", money(cost.usd, is_least=cost.unpriced > 0)),
    )
    said = list[_Said]()
    for message in transcript(reading)[-MOST_MESSAGES:]:
        who = situation.text("speaker.user") if message.sender == "user" else speaker(message)
        said.append(_Said(who, message.text, is_markdown=message.sender != "user"))
        said += (_Said(f"@{turn.vp}", turn.text or turn.error or turn.outcome) for turn in message.turns)
    named = [
        (situation.text("panel.fact", what=situation.text(f"panel.fact_{key}")), value) for key, value in facts if value
    ]
    palette = palette_of(situation.look, links=False)

    def lay(columns: int) -> list[Line]:
        lines = [line for name, value in named for line in wrapped([Part(name, DIM), Part(safe(value))], columns)]
        for one in said:
            lines += [Line(), text_line(safe(one.who), BOLD), *_words(one, columns, palette)]
        return lines

    return lay


def _words(said: _Said, columns: int, palette: Palette) -> list[Line]:
    """Return the end of what somebody said."""
    from yeaft.interfaces.tui.transcript.markdown.growing import grown

    text = said.text.strip()[-MOST_WORDS_CHARS:]
    return grown(text, columns, palette).lines if said.is_markdown else wrapped([Part(shown(text))], columns)


def _cells(ui: Ui, meta: SessionMeta, current: str, now_ms: int, *, everywhere: bool) -> tuple[str, ...]:
    """Return mark and name, age, folder (empty if that is known) and VPs."""
    name = safe(meta.name or meta.title or meta.last_words or meta.session_id)
    if meta.archived:
        name = f"{name} {ui.text('sessions.archived_mark')}"
    mark = "*" if meta.session_id == current else " "
    folder = _end_of(safe(meta.folder), FOLDER_COLUMNS) if everywhere else ""
    vps = " ".join(f"@{safe(vp_id)}" for vp_id in meta.roster)
    return f"{mark} {name}", age(ui, meta.last_active_ms, now_ms), folder, vps


def _entry(meta: SessionMeta, cells: Sequence[str], columns: Sequence[int]) -> Entry:
    name, *others = in_columns(cells, columns)
    shown = Text(name, no_wrap=True, overflow="ellipsis")
    shown.append("".join(others).rstrip(), style=DIM)
    words = (
        f"{cells[0][2:]} {meta.title or ''} {cells[-1]} {safe(meta.folder)} {meta.session_id} {meta.last_words or ''}"
    )
    return Entry(meta.session_id, shown, words)


def _end_of(path: Path | str, columns: int) -> str:
    """Return the end of a path, which tells more of it than its beginning."""
    shown = str(path)
    while width(shown) > columns:
        shown = "…" + shown.lstrip("…")[1:]
    return shown
