"""Opens the panels of the full screen: by key, by order, and for what commands print."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from yeaft.events.agent import AgentEnded, AgentPrompted, AgentReported, AgentSpawned
from yeaft.events.call import TodoChanged
from yeaft.events.codec import Recorded, Transient
from yeaft.events.history import Rewound
from yeaft.events.task import TaskEnded, TaskOrphaned, TaskStarted
from yeaft.interfaces.orders import THEMES, Choose, Deed, Leave, Run, Show
from yeaft.interfaces.tui.panels.bound import bound
from yeaft.interfaces.tui.panels.situation import Situation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.screen import Screen
    from textual.widget import Widget

    from yeaft.config.settings import Theme
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.dialogue import Dialogue
    from yeaft.interfaces.tui.blocks import AnyBlock
    from yeaft.interfaces.tui.look import Look
    from yeaft.interfaces.tui.panels.frame import Panel
    from yeaft.interfaces.tui.panels.overview import Overview
    from yeaft.interfaces.tui.panels.runs_panel import RunsPanel
    from yeaft.interfaces.tui.panels.text_panel import View
    from yeaft.prompts.ui import Ui

Push = Callable[["Panel", Callable[[Deed | None], None]], object]
PANEL_KEYS = [
    bound("panel.help", "panel('help')"),
    bound("panel.side", "panel('side')"),
    bound("panel.sessions", "panel('sessions')"),
    bound("panel.model", "panel('model')"),
    bound("panel.rewind", "panel('rewind')"),
]
"""The bindings of a screen that lets `action_panel` open them."""
NEEDS_SESSION = ("rewind", "context", "usage")
ROOMY_COLUMNS = 100
"""From so many on the side panel stands beside the conversation instead of over it."""
RUN_FRAME_S = 0.2
"""What happens in runs of graphs is looked at in panels at most this often."""
TOLD_BESIDE = (
    TodoChanged,
    TaskStarted,
    TaskEnded,
    TaskOrphaned,
    AgentSpawned,
    AgentPrompted,
    AgentReported,
    AgentEnded,
    Rewound,
)


class Panels:
    """Opens panels over `screen`, and gives what they are left with to `do`; it has nothing to open before `attach`.

    `push` puts a panel on top; what it is left with goes to the function that comes along. `retheme` lets the program
    look otherwise, `seek` brings messages or turns of this Session into view.
    """

    def __init__(self, screen: Screen[None], look: Look, ui: Ui, push: Push, do: Callable[[Deed], None]) -> None:
        self.seek: Callable[[Sequence[str]], None] | None = None
        self.retheme: Callable[[Theme], None] | None = None
        self._screen = screen
        self._push = push
        self._look = look
        self._ui = ui
        self._do = do
        self._situation: Situation | None = None
        self._beside: Overview | None = None
        self._over: Overview | None = None
        self._runs: RunsPanel | None = None
        self._focused_before: Widget | None = None
        self._is_run_due = False

    def attach(self, here: Opened, dialogue: Dialogue) -> None:
        """Open panels about this Session from now on."""
        self.close_side()
        self._situation = Situation(here=here, dialogue=dialogue, look=self._look, ui=self._ui)
        here.listen(self._hear)

    def detach(self) -> None:
        """Open nothing any more: the Session is closed."""
        self.close_side()
        self._situation = self._over = self._runs = None

    def show(self, deed: Run | Show | Choose) -> None:
        """Open what an order asks for."""
        situation = self._situation
        if situation is None:
            return
        from yeaft.interfaces.tui.panels import views

        match deed:
            case Run(words=words):
                if situation.words(words) != words and not situation.has_begun:
                    self._say("line.nothing_said")
                else:
                    self._show_text(situation, (views.printed_view(situation, words),))
            case Show(what="help"):
                self.open("help")
            case Show():
                self._show_text(situation, (views.status_view(situation),))
            case Choose(panel=panel, text=text):
                self.open(panel, text)

    def show_text(self, title: str, text: str) -> None:
        """Show a text over the whole screen."""
        from yeaft.interfaces.tui.panels.text_panel import View

        async def given(_: int) -> str:
            return text

        if self._situation is not None:
            self._show_text(self._situation, (View(title, given),))

    def show_pictures(self, block: AnyBlock) -> bool:
        """Show the pictures of a block over the whole screen, and say whether it has any."""
        if self._situation is None:
            return False
        from yeaft.interfaces.tui.panels.block_pictures import pictures_of
        from yeaft.interfaces.tui.panels.picture_panel import PicturePanel

        pictures = pictures_of(block, self._situation)
        if pictures:
            self._push(PicturePanel(self._situation, pictures), self._left)
        return bool(pictures)

    def open(self, name: str, text: str = "") -> None:
        """Open a panel by its name; `text` is what to begin with."""
        situation = self._situation
        if situation is None:
            return
        if name in NEEDS_SESSION and not situation.has_begun:
            self._say("line.nothing_said")
        elif name == "theme" and text in THEMES and self.retheme is not None:
            self.retheme(text)
        elif name == "side" and self._screen.size.width >= ROOMY_COLUMNS:
            self._turn_side(situation)
        else:
            self._push(self._made(situation, name, text), self._left)

    def close_side(self) -> bool:
        """Close the side panel, and say whether it was open."""
        if self._beside is None:
            return False
        if self._beside.has_focus_within:
            self._screen.set_focus(self._focused_before)
        self._beside.remove()
        self._beside = None
        return True

    def _made(self, situation: Situation, name: str, text: str) -> Panel:
        """Make a panel; its module is imported when it is first wanted."""
        match name:
            case "help":
                from yeaft.interfaces.tui.panels.help_panel import HelpPanel

                return HelpPanel(situation)
            case "sessions":
                from yeaft.interfaces.tui.panels.session_panel import SessionPanel

                return SessionPanel(situation)
            case "rewind":
                from yeaft.interfaces.tui.panels.rewind_panel import RewindPanel

                return RewindPanel(situation)
            case "roster":
                from yeaft.interfaces.tui.panels.roster_panel import RosterPanel

                return RosterPanel(situation)
            case "search":
                from yeaft.interfaces.tui.panels.search_panel import SearchPanel

                return SearchPanel(situation, text)
            case "model" | "effort" | "mode" | "theme":
                return _picker(situation, name, text)
            case "runs":
                from yeaft.interfaces.tui.panels.runs_panel import RunsPanel

                self._runs = RunsPanel(situation, text)
                return self._runs
            case "artifacts":
                from yeaft.interfaces.tui.panels.artifacts_panel import ArtifactsPanel

                return ArtifactsPanel(situation, text)
            case "context" | "usage":
                from yeaft.interfaces.tui.panels import text_panel, views

                made = views.context_views if name == "context" else views.usage_views
                return text_panel.TextPanel(situation, made(situation))
            case _:
                from yeaft.interfaces.tui.panels.overview_panel import OverviewPanel

                panel = OverviewPanel(situation)
                self._over = panel.overview
                return panel

    def _show_text(self, situation: Situation, views: Sequence[View]) -> None:
        from yeaft.interfaces.tui.panels.text_panel import TextPanel

        self._push(TextPanel(situation, views), self._left)

    def _turn_side(self, situation: Situation) -> None:
        """Open the side panel, or let keys go to it or, if they do, close it."""
        from yeaft.interfaces.tui.panels.overview import Overview

        if self._beside is None:
            self._beside = Overview(situation, is_beside=True, close=self.close_side, then=self._left)
            self._screen.mount(self._beside)
        elif not self._beside.has_focus_within:
            self._focused_before = self._screen.focused
            self._beside.take_focus()
        else:
            self.close_side()

    def _left(self, deed: Deed | None) -> None:
        self._over = self._runs = None
        here = self._situation.state.session_id if self._situation is not None else ""
        if isinstance(deed, Leave) and deed.at and deed.resume == here and self.seek is not None:
            self.seek(deed.at)
        elif deed is not None:
            self._do(deed)

    def _hear(self, heard: Recorded | Transient) -> None:
        """Let an open overview look again when something has happened that it tells of."""
        event = heard.event if isinstance(heard, Recorded) else heard
        if isinstance(event, TOLD_BESIDE):
            for overview in (self._beside, self._over):
                if overview is not None and overview.is_attached:
                    overview.hear()

    def hear_run(self) -> None:
        """Let open panels look again when something has happened in a run of a graph; often is once in a while."""
        if self._is_run_due or not (self._runs or self._beside or self._over):
            return
        self._is_run_due = True
        self._screen.set_timer(RUN_FRAME_S, self._look_at_runs)

    def _look_at_runs(self) -> None:
        self._is_run_due = False
        if self._runs is not None and self._runs.is_attached:
            self._runs.hear()
        for overview in (self._beside, self._over):
            if overview is not None and overview.is_attached:
                overview.hear()

    def _say(self, code: str) -> None:
        self._screen.notify(self._ui.text(code), markup=False)


def _picker(situation: Situation, name: str, text: str) -> Panel:
    """Return the picker of a model, an effort or a mode; `text` is the VP that it is for, if only one can be meant."""
    match name:
        case "model":
            from yeaft.interfaces.tui.panels.model_panel import model_panel

            return model_panel(situation, text)
        case "effort":
            from yeaft.interfaces.tui.panels.choice_panel import effort_panel

            return effort_panel(situation, text)
        case "theme":
            from yeaft.interfaces.tui.panels.choice_panel import theme_panel

            return theme_panel(situation)
        case _:
            from yeaft.interfaces.tui.panels.choice_panel import mode_panel

            return mode_panel(situation)
