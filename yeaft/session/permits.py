"""What each VP of a Session may do: everybody's mode and rules with its own laid over, and what was granted since."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.tools.policy.grants import Grant, mode_for, rules_for
from yeaft.tools.policy.policy import Policy
from yeaft.tools.policy.rules import rule

if TYPE_CHECKING:
    from yeaft.config.settings import Config, Mode
    from yeaft.tools.paths import Paths
    from yeaft.vp.library import Library


class Permits:
    """The permissions of one Session; `mode` is the one chosen for this process, None if the settings say it."""

    def __init__(
        self, config: Config, grants: Iterable[Grant], *, paths: Paths, library: Library, mode: Mode | None = None
    ) -> None:
        self._config = config
        self._grants = tuple(grants)
        self._paths = paths
        self._library = library
        self._mode: Mode | None = mode

    @property
    def mode(self) -> Mode:
        """The mode of VPs that have none of their own."""
        return mode_for("", self._config, self._mode)

    def choose(self, mode: Mode) -> None:
        """Let another mode hold for everybody; a VP's own one can still be stricter."""
        self._mode = mode

    def add_folder(self, path: Path) -> None:
        """Treat another folder like the work folder."""
        self._paths = replace(self._paths, added=(*self._paths.added, path))

    def allow(self, text: str) -> None:
        """Let a rule hold for all VPs from now on. Raises `ConfigError` for a text that is no rule."""
        granted = Grant(verdict="allow", rule=rule(text), place="session", origin="this Session")
        if granted not in self._grants:
            self._grants = (*self._grants, granted)

    def policy(self, vp_id: str, folder: Path | None = None) -> Policy:
        """By what the calls of a VP are judged; `folder` is where its sub-agent works."""
        return Policy(
            mode=mode_for(vp_id, self._config, self._mode),
            rules=rules_for(vp_id, self._grants),
            paths=self._paths if folder is None else replace(self._paths, folder=folder),
        )

    def has_tool(self, vp_id: str, tool: str) -> bool:
        """Whether the VP's own file lets it use a tool."""
        vp = self._library.get(vp_id)
        return vp is None or vp.tools.offers(tool)
