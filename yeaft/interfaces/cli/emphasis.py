"""Bold type for headings and speakers, where the user has not said no and the stream can show it."""

import os
from collections.abc import Mapping

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"
STDOUT = 1
COLOR = "YEAFT_COLOR"
"""Where `--color` is noted for all that draws, in this process and in those that it starts to show something."""


def is_wanted(descriptor: int, environ: Mapping[str, str]) -> bool:
    """Whether `descriptor` gets escape sequences.

    `--color` decides, then NO_COLOR, then FORCE_COLOR and CLICOLOR_FORCE, then what kind of file it is.
    See no-color.org and bixense.com/clicolors.
    """
    if (chosen := environ.get(COLOR)) in ("always", "never"):
        return chosen == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR") or environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return environ.get("TERM") != "dumb" and environ.get("CLICOLOR") != "0" and os.isatty(descriptor)


def bold(text: str) -> str:
    """Return `text` for standard output, bold if that is wanted there."""
    return f"{BOLD}{text}{PLAIN}" if text and is_wanted(STDOUT, os.environ) else text
