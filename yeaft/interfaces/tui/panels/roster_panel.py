"""Chooses who takes part, in which order, and who answers when nobody is mentioned."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.text import Text

from yeaft.events.ops import SetRoster
from yeaft.interfaces.cli.terminal_text import padded, width
from yeaft.interfaces.tui.panels.bound import bound
from yeaft.interfaces.tui.panels.filtered_list import Entry, FilteredList
from yeaft.interfaces.tui.panels.list_panel import ListPanel
from yeaft.interfaces.tui.panels.shown_text import safe

if TYPE_CHECKING:
    from yeaft.interfaces.tui.panels.situation import Situation
    from yeaft.vp.persona import Vp

NARROW_COLUMNS = 60
"""Where there are fewer, a VP has its id and its role, and no name between them."""
KEYS = ("pick.apply", "pick.default", "pick.earlier", "pick.later")


class RosterPanel(ListPanel):
    """Lists all VPs, those who take part first; Enter adds or removes one. Nothing changes before it is applied."""

    BINDINGS = [
        bound("pick.apply", "apply"),
        bound("pick.default", "default"),
        bound("pick.earlier", "shift(-1)"),
        bound("pick.later", "shift(1)"),
    ]

    def __init__(self, situation: Situation) -> None:
        super().__init__(situation, situation.text("panel.roster"), KEYS)
        self._roster = list(situation.vp_ids)
        self._default = situation.default_vp
        self._vps: tuple[Vp, ...] = ()

    def on_mount(self) -> None:
        """Begin to read."""
        self.run_worker(self._read())

    def on_resize(self) -> None:
        """Lay the lines out for another width."""
        self._show()

    def on_filtered_list_chosen(self, message: FilteredList.Chosen) -> None:
        """Let a VP take part, or not any more; somebody always does."""
        vp_id = message.key
        if vp_id not in self._roster:
            self._roster.append(vp_id)
        elif len(self._roster) > 1:
            self._roster.remove(vp_id)
        if self._default not in self._roster:
            self._default = self._roster[0]
        self._show()

    def action_default(self) -> None:
        """Let the marked VP answer when nobody is mentioned."""
        vp_id = self.listed.marked
        if vp_id:
            self._default = vp_id
            if vp_id not in self._roster:
                self._roster.append(vp_id)
            self._show()

    def action_shift(self, by: int) -> None:
        """Let the marked VP stand earlier or later."""
        vp_id = self.listed.marked
        if vp_id not in self._roster:
            return
        place = self._roster.index(vp_id)
        there = min(max(place + by, 0), len(self._roster) - 1)
        self._roster.insert(there, self._roster.pop(place))
        self._show()

    def action_apply(self) -> None:
        """Let it be so."""
        self.dismiss(SetRoster(roster=tuple(self._roster), default_vp=self._default))

    async def _read(self) -> None:
        self._vps = await asyncio.to_thread(self.situation.here.library.all)
        self._show()

    def _show(self) -> None:
        known = {vp.id: vp for vp in self._vps}
        order = [*self._roster, *(vp_id for vp_id in known if vp_id not in self._roster)]
        told = [self._told(known.get(vp_id)) for vp_id in order]
        ids, names = max(map(width, order), default=0), max((width(name) for name, _ in told), default=0)
        self.listed.show([self._entry(vp_id, *one, ids, names) for vp_id, one in zip(order, told, strict=True)])

    def _told(self, vp: Vp | None) -> tuple[str, str]:
        """Return name and role, in the user's language."""
        is_zh = self.situation.ui.lang == "zh"
        name = (vp.name_zh or vp.name if is_zh else vp.name) if vp else ""
        role = (vp.role_zh or vp.role if is_zh else vp.role) if vp else ""
        return safe(name), safe(role)

    def _entry(self, vp_id: str, name: str, role: str, id_columns: int, name_columns: int) -> Entry:
        mark = f"[{self._roster.index(vp_id) + 1}]" if vp_id in self._roster else "[ ]"
        star = "*" if vp_id == self._default else " "
        look = self.situation.look.of_vp(vp_id)
        shown = Text(f"{mark}{star} ", no_wrap=True, overflow="ellipsis")
        shown.append(f"{look.glyph} @{vp_id}", style=look.style)
        named = "" if self.size.width < NARROW_COLUMNS else f"{padded(name, name_columns)}  "
        shown.append(f"{' ' * (id_columns - width(vp_id))}  {named}{role}")
        return Entry(vp_id, shown, f"{vp_id} {name} {role}")
