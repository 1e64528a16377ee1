"""Reads the file of one place into a layer of settings, unchecked."""

from pathlib import Path

from yeaft.config.regular import MIB, read_regular
from yeaft.config.tables import Layer
from yeaft.kernel.errors import ConfigError

LARGEST_BYTES = MIB


def read_layer(path: Path) -> Layer | None:
    """The settings in a file, or None if there is no such file. Raises `ConfigError` if it is not TOML, or large."""
    try:
        text = read_regular(path, LARGEST_BYTES).decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"{path} cannot be read: {reason}. Make it a UTF-8 text file or move it away.") from error
    return parse_layer(path, text)


def parse_layer(path: Path, text: str) -> Layer:
    """The settings in the `text` of the file at `path`. Raises `ConfigError` if it is not TOML."""
    import tomllib

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            f"{path} is not valid TOML: {error}. Correct that place; the file was left as it is."
        ) from error
    return Layer(origin=str(path), table=table, path=path, text=text)
