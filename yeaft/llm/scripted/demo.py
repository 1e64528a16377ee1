"""What `yeaft demo` plays: questions, the files they are about, and the script that answers them, per language."""

from pathlib import Path

import msgspec
from msgspec import Struct

from yeaft.kernel.errors import ConfigError
from yeaft.llm.scripted.script import Script
from yeaft.prompts.find import FALLBACK_LANG, templates_dir


class Demo(Struct, frozen=True, kw_only=True):
    """`prompts` are sent to one Session in this order; `files` maps a name to its text; the tools are the real ones.

    `on_screen` is what the full screen offers instead: it holds `prompts` and more, orders of the screen among them.
    """

    prompts: tuple[str, ...]
    on_screen: tuple[str, ...]
    files: dict[str, str]
    script: Script


def read_demo(lang: str) -> Demo:
    """The demo in `lang`, or in English. Raises `ConfigError` if the installation lacks it."""
    folder = templates_dir() / "demo"
    path = folder / f"demo.{lang}.json"
    if not path.is_file():
        path = folder / f"demo.{FALLBACK_LANG}.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Demo)
    except (OSError, msgspec.DecodeError) as error:
        raise ConfigError(f"The demo {path} cannot be read ({error}); install yeaft again.") from error


def lay_out(demo: Demo, folder: Path) -> None:
    """Write the demo's files into `folder`, which exists and is the demo's own."""
    for name, text in demo.files.items():
        (folder / name).write_text(text, encoding="utf-8")
