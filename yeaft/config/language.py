"""Which language yeaft speaks to the user: a flag, the configuration, or the locale."""

from collections.abc import Mapping
from typing import Literal

Language = Literal["en", "zh"]
LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def language(flag: str, configured: str, environ: Mapping[str, str]) -> Language:
    """The first of `flag`, `configured` and the locale that says anything decides; whatever is not Chinese is English.

    Of the locale variables the first one that is set counts, as POSIX has it. Accepts `zh`, `zh-CN`, `zh_TW.UTF-8`.
    """
    locale = next((environ[name] for name in LOCALE_VARIABLES if environ.get(name)), "")
    said = next((word for word in (flag, configured, locale) if word), "")
    return "zh" if said.lower().startswith("zh") else "en"
