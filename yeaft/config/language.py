"""Which language yeaft speaks to the user: a flag, the configuration, or the locale."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

Language = Literal["en", "zh"]
LANGUAGES = ("en", "zh")
LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
LANGUAGE_VARIABLE = "YEAFT_LANGUAGE"
_TYPED = re.compile(r"\s*language\s*=\s*[\"']?([\w-]+)")
_WRITTEN = re.compile(r"^[ \t]*language[ \t]*=[ \t]*[\"']([\w-]+)[\"']", re.MULTILINE)


def language(flag: str, configured: str, environ: Mapping[str, str]) -> Language:
    """The first of `flag`, `configured` and the locale that says anything decides; whatever is not Chinese is English.

    Of the locale variables the first one that is set counts, as POSIX has it. Accepts `zh`, `zh-CN`, `zh_TW.UTF-8`.
    """
    locale = next((environ[name] for name in LOCALE_VARIABLES if environ.get(name)), "")
    said = next((word for word in (flag, configured, locale) if word), "")
    return "zh" if said.lower().startswith("zh") else "en"


def spelled(path: Path, environ: Mapping[str, str], overrides: Sequence[str]) -> str:
    """Return the language that settings ask for which cannot be used, so that the user can read why; empty for none.

    `path` is the user's config.toml, of which a line is enough; `overrides` are the `KEY=VALUE` of `--set`.
    """
    from yeaft.config.files import LARGEST_BYTES
    from yeaft.config.regular import read_regular

    typed = [found[1] for found in map(_TYPED.match, reversed(overrides)) if found]
    if said := next(iter(typed), "") or environ.get(LANGUAGE_VARIABLE, ""):
        return said
    try:
        text = read_regular(path, LARGEST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    found = _WRITTEN.search(f"\n{text}".partition("\n[")[0])
    return found[1] if found else ""
