"""Which language yeaft speaks before a Session is open, and errors in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from yeaft.interfaces.cli.streams import complain
from yeaft.kernel.errors import YeaftError
from yeaft.prompts.ui import Ui

if TYPE_CHECKING:
    from yeaft.interfaces.cli.options import Options


def spoken(options: Options, environ: Mapping[str, str]) -> Ui:
    """Return words in the user's language, also if other settings cannot be used."""
    from yeaft.config import places
    from yeaft.config.language import language, spelled
    from yeaft.config.layers import load

    home = places.home(environ)
    try:
        configured = load(home, None, environ, options.settings).config.language
    except YeaftError:
        configured = spelled(places.user_config(home), environ, options.settings)
    return Ui(language(options.lang or "", configured, environ))


def told(error: YeaftError, options: Options, environ: Mapping[str, str]) -> str:
    """Return what an error says, in the user's language."""
    return spoken(options, environ).retold(str(error))


def complain_of(text: str, options: Options, environ: Mapping[str, str]) -> None:
    """Write what went wrong, as it is said in English, to standard error in the user's language."""
    complain(spoken(options, environ).retold(text))
