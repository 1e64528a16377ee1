"""The one resolver: what a path that a model wrote stands for, and whether that is inside the work folder."""

import os
import re
from pathlib import Path

from msgspec import Struct, field

from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.pattern import Pattern
from yeaft.kernel.text import without_surrogates

CONTROL = Pattern(r"[\x00-\x1f\x7f-\x9f]")


class Paths(Struct, frozen=True):
    """The work folder, the folders the user added to it, and the user's home for `~`."""

    folder: Path
    added: tuple[Path, ...] = ()
    home: Path = field(default_factory=Path.home)

    def resolve(self, text: str) -> Path:
        """The absolute path that `text` stands for, every symbolic link on the way followed.

        Relative means relative to the work folder, `~` is the home. Nothing needs to exist: links are followed as far
        as they go, also dangling ones, so that `inside` judges the place that would be written. Raises `ToolFailed`
        for an empty path and for control characters, which would make a path look like another.
        """
        if not text.strip():
            raise ToolFailed("The path is empty; give a file or folder, absolute or relative to the work folder.")
        if found := CONTROL.search(text):
            raise ToolFailed(f"The path {text[:100]!r} contains the control character {found[0]!r}; write it without.")
        plain = without_surrogates(text)
        if plain == "~" or plain.startswith("~/"):
            plain = f"{self.home}{plain[1:]}"
        return Path(os.path.realpath(self.folder / re.sub("^//+", "/", plain)))

    def inside(self, path: Path) -> bool:
        """Whether `path`, links followed, is the work folder, an added folder or below one of them."""
        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(os.path.realpath(root)) for root in (self.folder, *self.added))

    def shown(self, path: Path) -> str:
        """`path` for a reader: relative when inside the work folder (`.` for itself), else absolute."""
        root = os.path.realpath(self.folder)
        shortest = path.relative_to(root) if path.is_relative_to(root) else path
        return os.fsencode(shortest).decode("utf-8", "replace")
