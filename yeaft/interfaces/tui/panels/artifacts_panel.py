"""What is kept as artifacts in this Session; one of them can be looked at whole: a table, a picture, a text, a diff."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.text import Text
from textual import work

from yeaft.interfaces.amounts import size_text
from yeaft.interfaces.cli.commands.artifact_rows import made_by
from yeaft.interfaces.cli.terminal_text import cut
from yeaft.interfaces.orders import SESSION
from yeaft.interfaces.tui.panels.block_pictures import Picture
from yeaft.interfaces.tui.panels.columns import joined
from yeaft.interfaces.tui.panels.filtered_list import Entry, FilteredList
from yeaft.interfaces.tui.panels.list_panel import ListPanel
from yeaft.interfaces.tui.panels.picture_panel import PicturePanel
from yeaft.interfaces.tui.panels.shown_text import safe
from yeaft.interfaces.tui.panels.text_panel import TextPanel
from yeaft.interfaces.tui.panels.views import printed_view
from yeaft.kernel.errors import YeaftError

if TYPE_CHECKING:
    from collections.abc import Callable

    from yeaft.artifacts.artifact import Artifact
    from yeaft.interfaces.tui.panels.situation import Situation

MOST_LINES = 100_000


class ArtifactsPanel(ListPanel):
    """Lists them, newest first; with `artifact`, an id or enough of it, that one is opened at once."""

    def __init__(self, situation: Situation, artifact: str = "") -> None:
        super().__init__(situation, situation.text("runs.artifacts"), ())
        self._wanted = artifact
        self._found: dict[str, Artifact] = {}

    def on_mount(self) -> None:
        """Begin to read."""
        self._read()

    def on_filtered_list_chosen(self, message: FilteredList.Chosen) -> None:
        """Show the whole of what was chosen."""
        message.stop()
        self._open(self._found[message.key])

    @work(exclusive=True, group="read")
    async def _read(self) -> None:
        store = self.situation.here.artifacts
        try:
            found = await asyncio.to_thread(store.current)
            wanted, self._wanted = self._wanted, ""
            if wanted:
                self._open(await asyncio.to_thread(store.find, wanted))
        except YeaftError as error:
            self.refuse(error)
            found = []
        self._found = {one.path: one for one in reversed(found)}
        columns = max(self.size.width - 4, 20)
        entries = [_entry(self.situation, one, columns) for one in self._found.values()]
        self.listed.show(entries, empty=self.situation.text("runs.no_artifacts"))

    def _open(self, one: Artifact) -> None:
        if not self.is_on_top:
            return  # a key was pressed twice
        if one.type == "image":
            self.app.push_screen(PicturePanel(self.situation, (_picture(self.situation, one),)))
            return
        words = ("artifact", "show", one.artifact_id, "--lines", str(MOST_LINES), "--session", SESSION)
        view = printed_view(self.situation, words, safe(f"{one.name} · {one.artifact_id}"))
        self.app.push_screen(TextPanel(self.situation, (view,)))


def _entry(situation: Situation, one: Artifact, columns: int) -> Entry:
    kind = situation.text(f"artifact.is_{one.type}")
    shown = Text(cut(f"{safe(one.name)}  {kind}", columns), no_wrap=True, overflow="ellipsis")
    about = [f"@{one.artifact_id}", size_text(one.size_bytes), safe(made_by(one.created_by, situation.here.ui))]
    about += [safe(one.description)] if one.description else []
    shown.append("\n" + cut(f"  {joined(about, columns - 2)}", columns), style="dim")
    return Entry(one.path, shown, f"{one.name} {one.artifact_id} {kind} {one.description}")


def _picture(situation: Situation, one: Artifact) -> Picture:
    store = situation.here.artifacts

    def content() -> bytes | None:
        try:
            return store.read(one)
        except YeaftError:
            return None

    read: Callable[[], bytes | None] = content
    return Picture(name=one.name, mime=one.mime, size_bytes=one.size_bytes, path=store.out / one.path, content=read)
