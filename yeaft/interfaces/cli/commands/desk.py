"""What every command starts from: the user's options, the places, the settings, and words in the user's language."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from yeaft.config import places
from yeaft.config.language import Language, language, spelled
from yeaft.config.layers import Loaded, load
from yeaft.interfaces.cli.streams import remark
from yeaft.interfaces.trusted import library_of, may_run_code_in, trust_for
from yeaft.kernel.errors import ConfigError
from yeaft.prompts.ui import Ui

if TYPE_CHECKING:
    from pathlib import Path

    from yeaft.config.settings import Config
    from yeaft.config.trust import Trust
    from yeaft.interfaces.cli.options import Options
    from yeaft.vp.library import Library


STDERR = 2


class Desk:
    """One run of one command. What is read from disk is read when first asked for, and once."""

    def __init__(self, options: Options, environ: Mapping[str, str] = os.environ, *, as_json: bool = False) -> None:
        self.options = options
        self.environ = environ
        self.as_json = as_json or options.output_format != "text"
        self.home = places.home(environ)
        self.folder = (options.folder or places.current_folder()).resolve()

    @cached_property
    def loaded(self) -> Loaded:
        """The settings in force here, and where they come from. Raises `ConfigError`."""
        trusted = self.trust.is_trusted
        return load(self.home, self.folder, self.environ, self.options.settings, trusted=trusted)

    @cached_property
    def trust(self) -> Trust:
        """Whether what the folder brings along is used. Raises `ConfigError` if `--trust` cannot be meant."""
        return trust_for(self.home, self.folder, self.environ, by_flag=self.options.trust)

    def may_run_code_in(self, place: Path) -> bool:
        """Return whether code that lies in `place` may run unasked. Raises `ConfigError`."""
        from yeaft.tools.policy.grants import mode_for

        mode = mode_for("", self.config, self.options.mode)
        return may_run_code_in(place, self.home, self.trust, self.environ, mode, by_flag=self.options.trust)

    @property
    def config(self) -> Config:
        """The settings in force here. Raises `ConfigError`."""
        return self.loaded.config

    @cached_property
    def lang(self) -> Language:
        """The user's language, also if other settings cannot be used and have yet to be mended."""
        try:
            configured = self.config.language
        except ConfigError:
            configured = spelled(places.user_config(self.home), self.environ, self.options.settings)
        return language(self.options.lang or "", configured, self.environ)

    @cached_property
    def ui(self) -> Ui:
        """Words for the user."""
        return Ui(self.lang)

    @cached_property
    def library(self) -> Library:
        """The VPs that can be talked to."""
        return library_of(self.home, self.folder, self.trust)

    def text(self, code: str, /, **params: str | float) -> str:
        """Return the words for `code`."""
        return self.ui.text(code, **params)

    def fact(self, code: str, value: object = "") -> str:
        """Return a line that says what `code` stands for is `value`."""
        return self.text("heading.fact", name=self.text(code), value=str(value))

    def note_wait(self, session_id: str) -> None:
        """Say to a user at a terminal why nothing happens: another process changes this Session."""
        if os.isatty(STDERR):
            self.note("sessions.waits", session=session_id)

    def note(self, code: str, /, **params: str | float) -> None:
        """Say something beside the data, on standard error; `--quiet` keeps it back."""
        if not self.options.quiet:
            remark(self.text(code, **params))
