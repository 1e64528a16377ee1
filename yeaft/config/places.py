"""Where yeaft keeps its own files and looks for configuration."""

from collections.abc import Mapping
from pathlib import Path

from yeaft.kernel.errors import NotFound

SYSTEM_CONFIG = Path("/etc/yeaft/config.toml")
CONFIG_NAME = "config.toml"
PROJECT_CONFIGS = (Path(".yeaft/config.toml"), Path(".yeaft/config.local.toml"))
"""In a work folder, weakest first; the second one is for the user alone and not committed."""


def home(environ: Mapping[str, str]) -> Path:
    """The folder of all that yeaft keeps: `YEAFT_DIR`, else `~/.yeaft`. Always absolute; need not exist yet."""
    named = environ.get("YEAFT_DIR", "")
    if named.startswith("~"):
        named = environ.get("HOME", "~") + named[1:] if named[1:2] in ("", "/") else named
    if named:
        return Path(named).absolute()
    return Path(environ.get("HOME") or Path.home()).absolute() / ".yeaft"


def user_config(home_folder: Path) -> Path:
    """The user's own `config.toml`."""
    return home_folder / CONFIG_NAME


def current_folder() -> Path:
    """The folder the process was started in. Raises `NotFound` if it has been deleted since."""
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise NotFound("The current folder is gone. Go to one that exists, or name it with -C.") from error
