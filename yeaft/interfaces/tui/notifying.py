"""Makes itself heard outside the screen: the window's title, progress in its tab, and a call to who looks elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from yeaft.events.call import AskOpened
from yeaft.events.codec import Recorded
from yeaft.events.session import MessagePosted, MessageSettled
from yeaft.interfaces.cli.terminal_text import cut, unmasked

if TYPE_CHECKING:
    from yeaft.config.settings import TuiSettings
    from yeaft.events.codec import Transient
    from yeaft.interfaces.assemble import Opened
    from yeaft.prompts.ui import Ui

LONG_S = 10.0
"""What takes longer than this is worth a call to a user who looks elsewhere."""
MOST_COLUMNS = 80
KEEP_TITLE, GIVE_TITLE_BACK = "\x1b[22;2t", "\x1b[23;2t"
KNOW_PROGRESS = ("ghostty", "WezTerm", "vscode")
KNOW_OSC9 = ("iTerm.app", "ghostty", "WezTerm")
Means = Literal["osc9", "osc777", "bell", "off"]


class Notifying:
    """Writes sequences with `write` as [tui] wants them; `has_focus` says whether the user looks at this terminal."""

    def __init__(
        self,
        settings: TuiSettings,
        environ: Mapping[str, str],
        ui: Ui,
        write: Callable[[str], None],
        has_focus: Callable[[], bool],
    ) -> None:
        self._means: Means = means_of(environ) if settings.notify == "auto" else settings.notify
        self._has_title = settings.title and environ.get("TERM") != "linux"
        self._has_progress = settings.progress and knows_progress(environ)
        self._ui = ui
        self._write = write
        self._has_focus = has_focus
        self._title = ""
        self._is_busy = False
        self._began_s: dict[str, float] = {}

    def hear(self, heard: Recorded | Transient) -> None:
        """Call the user for a question, and for the end of what took long, unless they look on."""
        match heard.event if isinstance(heard, Recorded) else heard:
            case MessagePosted(kind="user", message_id=message_id):
                self._began_s[message_id] = time.monotonic()
            case MessageSettled(message_id=message_id):
                began_s = self._began_s.pop(message_id, None)
                if began_s is not None and time.monotonic() - began_s >= LONG_S:
                    self._call(self._ui.text("screen.call_done"))
            case AskOpened(vp_id=vp_id):
                self._call(self._ui.text("screen.call_asks", vp=vp_id))
            case _:
                pass

    def show(self, here: Opened, *, is_busy: bool) -> None:
        """Let the title name the Session, and its mark and the tab show whether somebody is at work."""
        if self._has_title:
            name = here.state.name or here.folder.name or str(here.folder)
            self._entitle(f"{'* ' if is_busy else ''}yeaft: {name}")
        if self._has_progress and is_busy != self._is_busy:
            self._write(f"\x1b]9;4;{3 if is_busy else 0};0\x1b\\")
        self._is_busy = is_busy

    def stop(self) -> None:
        """Leave the title and the tab as they were."""
        if self._title:
            self._write(GIVE_TITLE_BACK)
            self._title = ""
        if self._has_progress and self._is_busy:
            self._write("\x1b]9;4;0;0\x1b\\")
        self._is_busy = False

    def _entitle(self, title: str) -> None:
        title = _plain(title)
        if title != self._title:
            self._write(f"{'' if self._title else KEEP_TITLE}\x1b]2;{title}\x1b\\")
            self._title = title

    def _call(self, text: str) -> None:
        if self._has_focus():
            return
        text = _plain(text)
        match self._means:
            case "osc9":
                self._write(f"\x1b]9;{text}\x1b\\")
            case "osc777":
                self._write(f"\x1b]777;notify;yeaft;{text.replace(';', ',')}\x1b\\")
            case "bell":
                self._write("\a")
            case "off":
                pass


def means_of(environ: Mapping[str, str]) -> Means:
    """Return how a terminal can call its user; within a multiplexer only the bell is sure to get through."""
    if environ.get("TMUX") or environ.get("STY"):
        return "bell"
    if environ.get("TERM_PROGRAM") in KNOW_OSC9 or environ.get("KITTY_WINDOW_ID"):
        return "osc9"
    if environ.get("VTE_VERSION") or environ.get("TERM", "").startswith(("rxvt", "foot")):
        return "osc777"
    return "bell"


def knows_progress(environ: Mapping[str, str]) -> bool:
    """Whether a terminal takes OSC 9;4 for progress; another one might show it as a message."""
    if environ.get("TMUX") or environ.get("STY"):
        return False
    is_known = environ.get("TERM_PROGRAM") in KNOW_PROGRESS or bool(environ.get("WT_SESSION"))
    return is_known or environ.get("ConEmuANSI") == "ON"


def _plain(text: str) -> str:
    """Return text that cannot end the sequence it stands in, on one line of some length."""
    return cut(unmasked(" ".join(text.split())), MOST_COLUMNS)
