"""Which language yeaft speaks before a Session is open, and errors in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from yeaft.kernel.errors import YeaftError
from yeaft.prompts.ui import Ui

if TYPE_CHECKING:
    from yeaft.interfaces.cli.options import Options


def spoken(options: Options, environ: Mapping[str, str]) -> Ui:
    """Return words in the user's language; settings that cannot be read say nothing about it."""
    from yeaft.config import places
    from yeaft.config.language import language
    from yeaft.config.layers import load

    try:
        configured = load(places.home(environ), None, environ, options.settings).config.language
    except YeaftError:
        configured = ""
    return Ui(language(options.lang or "", configured, environ))


def told(error: YeaftError, options: Options, environ: Mapping[str, str]) -> str:
    """Return what an error says, in the user's language if it is one that users meet often."""
    return spoken(options, environ).retold(str(error))
