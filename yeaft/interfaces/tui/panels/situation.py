"""What every panel is opened with: the Session, the user's side of it, and how things look and are said here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from yeaft.config import places
from yeaft.config.keys import effective
from yeaft.interfaces.orders import SESSION

if TYPE_CHECKING:
    from yeaft.config.language import Language
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.dialogue import Dialogue
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui
    from yeaft.session.state import SessionState
    from yeaft.workflows.graphs.runs.known_runs import KnownRun


class Situation:
    """One open Session, seen by its user. `ended_runs` are runs of graphs that were read and change no more, by id."""

    def __init__(self, *, here: Opened, dialogue: Dialogue, look: Look, ui: Ui) -> None:
        self.here = here
        self.dialogue = dialogue
        self.look = look
        self.ui = ui
        self.ended_runs: dict[str, KnownRun] = {}

    @property
    def state(self) -> SessionState:
        """What is known of the Session."""
        return self.here.state

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment that yeaft was started in."""
        return self.dialogue.wish.environ

    @property
    def home(self) -> Path:
        """Where yeaft keeps what is the user's."""
        return places.home(self.environ)

    @property
    def has_begun(self) -> bool:
        """Whether anything was said, so that there is a Session on disk."""
        return self.state.created is not None

    @property
    def vp_ids(self) -> tuple[str, ...]:
        """Who takes part, in order."""
        return self.state.roster or self.dialogue.wish.wanted.roster or (self.default_vp,)

    @property
    def default_vp(self) -> str:
        """Who answers when nobody is mentioned."""
        return self.state.default_vp or next(iter(self.dialogue.wish.wanted.roster), self.here.config.default_vp)

    def words(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the words of a command with the Session's id in its place."""
        return tuple(self.state.session_id if word == SESSION else word for word in words)

    def text(self, code: str, /, **params: str | float) -> str:
        """Return the words for `code`."""
        return self.ui.text(code, **params)

    def keys_of(self, key_id: str) -> tuple[str, ...]:
        """Return the keys that something has now."""
        return effective(self.here.config.keys)[key_id]

    def desk(self) -> Desk:
        """Return what commands start from, for what their modules tell; reading from it can block."""
        from yeaft.interfaces.cli.commands.desk import Desk
        from yeaft.interfaces.cli.options import Options

        wish = self.dialogue.wish
        lang: Language = "zh" if self.ui.lang == "zh" else "en"
        options = Options(folder=self.here.folder, lang=lang, settings=wish.settings, trust=wish.trust)
        return Desk(options, self.environ)
