"""Reads the file of a language with what screens say, and decodes only those texts that somebody asks for.

A run that says one sentence would else wait for a parser of TOML and for a thousand texts.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from yeaft.kernel.errors import ConfigError

_LONG = '"""'


class UiTexts(Mapping[str, str]):
    """The texts of one file by code, such as `mention.unknown`. Raises `ConfigError` for what cannot be read.

    The file is TOML: headings `[group]`, and below each of them lines `name = "text"` or a text in three quotes.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._written = dict(_statements(path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise self._useless(error) from error

    def __getitem__(self, code: str) -> str:
        written = self._written[code]
        try:
            return msgspec.json.decode(written, type=str)
        except msgspec.DecodeError:  # not all that TOML allows is JSON: a text in three quotes, for one
            return self._decoded(written)

    def __iter__(self) -> Iterator[str]:
        return iter(self._written)

    def __len__(self) -> int:
        return len(self._written)

    def _decoded(self, written: str) -> str:
        import tomllib

        try:
            return msgspec.convert(tomllib.loads(f"text = {written}")["text"], str)
        except ValueError as error:
            raise self._useless(error) from error

    def _useless(self, error: Exception) -> ConfigError:
        return ConfigError(f"{self._path} cannot be used ({error}); install yeaft again.")


def _statements(text: str) -> Iterator[tuple[str, str]]:
    """Yield each code with its text as it is written, quotes and all. Raises `ValueError` for other lines."""
    group = ""
    lines = iter(text.split("\n"))
    for line in lines:
        if not line or line[0] == "#":
            continue
        if line[0] == "[":
            group = line[1 : line.index("]")]
            continue
        name, equals, written = line.partition(" = ")
        if not equals:
            raise ValueError(f"not a text: {line!r}")
        if written.startswith(_LONG):
            written = _whole(written, lines)
        yield ".".join((group, name.strip('"'))), written


def _whole(first: str, rest: Iterator[str]) -> str:
    """Return a text in three quotes, of which `first` is the first line, up to the line that ends with them."""
    lines = [first]
    while not lines[-1].endswith(_LONG) or lines == [_LONG]:
        line = next(rest, None)
        if line is None:
            raise ValueError(f"no end: {first!r}")
        lines.append(line)
    return "\n".join(lines)
