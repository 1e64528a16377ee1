"""The first minutes: nobody has said which model to use, so the user is shown the three ways and can go any of them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rich.text import Text
from textual.containers import Vertical
from textual.widgets import Input, Static

from yeaft.config import places
from yeaft.config.edit import set_value
from yeaft.interfaces.cli.terminal_text import unmasked
from yeaft.interfaces.tui.choice import Choice, Option
from yeaft.interfaces.tui.lines_view import prose
from yeaft.interfaces.tui.modal import Modal
from yeaft.interfaces.tui.one_line import MOST_CHARS
from yeaft.kernel.errors import YeaftError

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from yeaft.interfaces.ground import Wish
    from yeaft.interfaces.tui.app import YeaftApp
    from yeaft.prompts.ui import Ui

Way = Literal["again", "demo", "look"]
"""Open the Session anew with what is set up now; play the demo; or look around without a model."""
PREFIXES = {"sk-ant-": "anthropic", "sk-": "openai"}
"""What keys begin with, the longer first."""


async def first_run(app: YeaftApp, wish: Wish) -> Way:
    """Show the three ways until one of them has led somewhere. Nothing goes over the network before it was chosen."""
    ui = app.ui
    while not app.is_ending:
        options = [Option(way, ui.text(f"first_run.{way}")) for way in ("key", "local", "demo", "look")]
        title, body = ui.text("first_run.title"), ui.text("first_run.body")
        match await app.asked(Choice(ui, title, body, options, escape="look")):
            case "key":
                is_there = await _take_key(app, wish)
            case "local":
                is_there = await _set_up(app, wish)
            case "demo":
                return "demo"
            case _:
                return "look"
        if is_there:
            return "again"
    return "look"


async def _take_key(app: YeaftApp, wish: Wish) -> bool:
    """Take a key and write it where only the user can read it; nobody is asked whether it is good."""
    ui = app.ui
    config = places.user_config(places.home(wish.environ))
    key = await app.asked(KeyPrompt(ui, str(config)))
    if not key:
        return False
    provider = next((name for prefix, name in PREFIXES.items() if key.startswith(prefix)), "")
    if not provider:
        options = [Option(name, name) for name in ("anthropic", "openai")]
        provider = await app.asked(Choice(ui, ui.text("first_run.whose"), "", options)) or ""
    if not provider:
        return False
    try:
        await asyncio.to_thread(set_value, config, f"providers.{provider}.api_key", key)
    except YeaftError as error:
        app.notify(ui.retold(str(error)), severity="error", markup=False)
        return False
    app.notify(ui.text("first_run.key_kept", provider=provider, path=str(config)), markup=False)
    return True


async def _set_up(app: YeaftApp, wish: Wish) -> bool:
    """Fetch the embedded model if the user agrees to what that is, and say whether it can be used."""
    from yeaft.llm.embedded_files import models_folder
    from yeaft.llm.local_setup import CARRIER, ENGINE, ENGINE_LICENCE, WEIGHTS, WEIGHTS_LICENCE

    ui, home = app.ui, places.home(wish.environ)
    body = ui.text(
        "first_run.local_body",
        engine=ENGINE,
        engine_licence=ENGINE_LICENCE,
        weights=WEIGHTS,
        origin=CARRIER,
        weights_licence=WEIGHTS_LICENCE,
        folder=str(models_folder(home)),
    )
    options = [Option(what, ui.text(f"first_run.local_{what}")) for what in ("no", "yes")]
    if await app.asked(Choice(ui, ui.text("first_run.local"), body, options)) != "yes":
        return False
    done = await app.asked(Fetching(ui, home))
    return bool(done)


class KeyPrompt(Modal[str]):
    """Takes an API key without showing it; returns nothing if the user would rather not."""

    DEFAULT_CSS = """
    KeyPrompt { align: center middle; }
    KeyPrompt > Vertical { width: 78; max-width: 96%; height: auto; padding: 0 1; background: $surface; }
    KeyPrompt Input, KeyPrompt Input:focus { border: none; height: 1; margin: 1 0; padding: 0 1; background: $panel; }
    """
    BINDINGS = [("escape", "give_up", "")]

    def __init__(self, ui: Ui, path: str) -> None:
        super().__init__()
        self._ui = ui
        self._path = path

    def compose(self) -> ComposeResult:
        """Return what is asked, and a line for the answer."""
        with Vertical(classes="framed"):
            yield Static(Text(self._ui.text("first_run.key"), style="bold"), markup=False)
            yield prose(self._ui.text("first_run.key_body", path=unmasked(self._path)))
            line = Input(password=True, max_length=MOST_CHARS)
            line.cursor_blink = False
            yield line
            yield Static(Text(self._ui.text("first_run.key_hint"), style="dim"), markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return what was typed or pasted."""
        self.dismiss("".join(event.value.split()))

    def action_give_up(self) -> None:
        """Return nothing."""
        self.dismiss("")


class Fetching(Modal[str]):
    """Fetches the embedded model and shows how far that is; returns something if it can be used. Escape stops it."""

    DEFAULT_CSS = """
    Fetching { align: center middle; }
    Fetching > Vertical { width: 78; max-width: 96%; height: auto; padding: 0 1; background: $surface; }
    """
    BINDINGS = [("escape", "give_up", "")]

    def __init__(self, ui: Ui, home: Path) -> None:
        super().__init__()
        self._ui = ui
        self._home = home
        self._lines = list[str]()
        self._has_failed = False
        self._said = Static(markup=False)

    def compose(self) -> ComposeResult:
        """Return what is going on."""
        with Vertical(classes="framed"):
            yield Static(Text(self._ui.text("first_run.local"), style="bold"), markup=False)
            yield self._said
            yield Static(Text(self._ui.text("first_run.fetching_hint"), style="dim"), markup=False)

    def on_mount(self) -> None:
        """Begin."""
        self.run_worker(self._fetch(), exit_on_error=True)

    def action_give_up(self) -> None:
        """Stop, and return that there is no model."""
        self.dismiss("")

    async def _fetch(self) -> None:
        from yeaft.llm import local_setup

        try:
            await local_setup.setup(self._home, gguf=None, progress=self._tell)
        except YeaftError as error:
            self._lines.append(self._ui.retold(str(error)))
            self._show()
            return
        self.dismiss("ready")

    def _tell(self, code: str, params: Mapping[str, str]) -> None:
        self._lines.append(self._ui.text(code, **params))
        self._show()

    def _show(self) -> None:
        self._said.update(Text("\n".join(unmasked(line) for line in self._lines)))
