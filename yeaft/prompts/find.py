"""Finds the texts that a model or user reads: in the installed package, else in the checkout."""

from functools import cache
from pathlib import Path

from yeaft.kernel.errors import ConfigError

FALLBACK_LANG = "en"


@cache
def templates_dir() -> Path:
    """Return the folder of all templates. Raises `ConfigError` if the installation has none."""
    package = Path(__file__).parents[1]
    for place in (package / "templates", package.parent / "templates"):
        if place.is_dir():
            return place
    raise ConfigError(f"No templates folder in or beside {package}; install yeaft again.")


def read_template(name: str, lang: str) -> str:
    """Return the text of `<name>.<lang>.md`, else of `<name>.en.md`, without surrounding blank lines.

    `name` is relative to the templates folder, such as `prompts/system`. Raises `ConfigError` if there is no such
    text or it is empty, because every template is needed.
    """
    folder = templates_dir()
    for candidate in (folder / f"{name}.{lang}.md", folder / f"{name}.{FALLBACK_LANG}.md"):
        try:
            text = candidate.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{candidate} cannot be read ({error}); install yeaft again.") from error
        if text:
            return text
    raise ConfigError(f"The template {name}.{FALLBACK_LANG}.md is missing from {folder}; install yeaft again.")
