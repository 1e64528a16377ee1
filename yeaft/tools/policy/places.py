"""Where the words of a shell command lead: inside the work folder, outside it, or to a place that needs asking."""

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.paths import Paths
from yeaft.tools.policy.carriers import passed_through, program
from yeaft.tools.policy.sensitive import is_instructions, is_sensitive, spellings
from yeaft.tools.policy.shell_script import STANDARD_FILES, Script, ShellCommand, Word

MOST_NAMES, MOST_FOLDERS = 1000, 8
_SIMPLE_SET = re.compile(r"\[[A-Za-z0-9_.-]+\]")
_SPLIT_AGAIN = re.compile(r"[\s*?\[\\]")
_QUOTES = frozenset("\"'\\")
CHANGES_FOLDER = frozenset({"cd", "pushd", "popd", "chdir"})


class Places(Struct, frozen=True, kw_only=True):
    """The folders that relative paths of a script may start from; none means that it leaves the work folder."""

    paths: Paths
    folders: tuple[Path, ...]

    def holds(self, word: Word) -> bool:
        """Whether all that the word can name lies inside; False if that cannot be known."""
        if word.text is None or not self.folders:
            return False
        if word.text == "-" or word.text in STANDARD_FILES:
            return True
        for folder in self.folders:
            names = self._names(word, folder)
            if names is None or not all(self._leads_inside(name, folder) for name in names):
                return False
            if any(_becomes_another(word, name, folder) for name in names):
                return False
        return True

    def strays(self, word: Word) -> bool:
        """Whether the word names something outside, by the look of it: its first folder must exist."""
        if word.text in STANDARD_FILES:
            return False
        return any(
            not self.paths.inside(real) and len(real.parts) > 1 and Path(*real.parts[:2]).exists()
            for _, real in self.spellings(word)
        )

    def needs_asking(self, word: Word, *, staging: bool = False) -> bool:
        """Whether the word names a place that changes what other programs do.

        For a command that takes files as they are into a repository (`staging`) instructions are like any others.
        """
        named = (path for pair in self.spellings(word) for path in pair)
        return any(is_sensitive(path, self.paths) and not (staging and is_instructions(path)) for path in named)

    def spellings(self, word: Word) -> Iterator[tuple[Path, Path]]:
        """All paths the word may name, each as written and as it really leads; also those inside `a=b` and `a:b`."""
        if word.text is None:
            return
        pieces = {word.text, *re.split(r"[:=,]", word.text), re.sub(r"^-\w(?=[/~.])", "", word.text)} - {""}
        for folder in self.folders or (self.paths.folder,):
            for piece in pieces:
                names = self._names(Word(source=piece, text=piece, glob=word.glob), folder) or (piece,)
                for name in (piece, *names):
                    try:
                        yield spellings(name, self.paths, folder)
                    except ToolFailed:
                        continue

    def exact(self, word: Word) -> Iterator[Path]:
        """Where a word without wildcards really leads, from each folder."""
        for folder in self.folders:
            try:
                yield spellings(word.text or ".", self.paths, folder)[1]
            except ToolFailed:
                continue

    def below(self, steps: tuple[Word, ...]) -> tuple[Path, ...] | None:
        """Where one gets from each folder by going to one word after the other; None if that cannot be known."""
        found = self.folders
        try:
            for word in steps:
                if word.text is None or word.glob or word.splits:
                    return None
                found = tuple(spellings(word.text or ".", self.paths, folder)[1] for folder in found)
        except ToolFailed:
            return None
        return found

    def _names(self, word: Word, folder: Path) -> tuple[str, ...] | None:
        """The word itself, and what its wildcards stand for now; None if they stand for too much or lie outside.

        Rather too many names than too few: `*` also takes hidden files, and what pathlib reads differently is refused.
        """
        text = word.text or "."
        if not word.glob:
            return (text,)
        fixed = re.split(r"[^/]*[*?\[]", text, maxsplit=1)[0]
        if not self._leads_inside(fixed or ".", folder):
            return None
        if ".." in text or (set(word.source) & _QUOTES and "[" in text) or "[" in _SIMPLE_SET.sub("", text):
            return None
        try:
            found = [str(path) for path in islice((folder / fixed).glob(text[len(fixed) :]), MOST_NAMES + 1)]
        except (ValueError, OSError):
            return None
        return (text, *found) if len(found) <= MOST_NAMES else None

    def _leads_inside(self, text: str, folder: Path) -> bool:
        try:
            return self.paths.inside(spellings(text, self.paths, folder)[1])
        except ToolFailed:
            return False


def _becomes_another(word: Word, name: str, folder: Path) -> bool:
    """Whether `name`, which stands for the word, is read as an option or as several words."""
    if not word.glob:
        return word.splits and _SPLIT_AGAIN.search(name) is not None
    if name == word.text:
        return False
    shown = os.path.relpath(name, folder)
    is_option = shown.startswith("-") and (word.text or "")[:1] in {"*", "?", "["}
    return is_option or (word.splits and _SPLIT_AGAIN.search(shown) is not None)


def places(paths: Paths, cwd: str, found: Script) -> Places:
    """The places of a script that starts in `cwd` and changes the folder by plain `cd`."""
    try:
        folders = [paths.resolve(cwd or ".")]
    except ToolFailed:
        return Places(paths=paths, folders=())
    here = tuple(folders)
    for command in found.commands:
        if program(passed_through(command)) in CHANGES_FOLDER:
            there = _after(command, here, paths)
            succeeds = found.chained or (found.sequential and all(os.access(place, os.X_OK) for place in there))
            here = there if succeeds else (*here, *there)
            folders.extend(there)
        if not all(map(paths.inside, folders)) or len(folders) > MOST_FOLDERS:
            return Places(paths=paths, folders=())
    inside = all(map(paths.inside, folders))
    return Places(paths=paths, folders=tuple(dict.fromkeys(folders)) if inside else ())


def _after(command: ShellCommand, folders: tuple[Path, ...], paths: Paths) -> tuple[Path, ...]:
    """Where `cd` may lead from each of `folders`; the root for what is no plain `cd FOLDER`."""
    operands = [word for word in command.words[1:] if word.text not in {"--", "-P", "-L"}]
    if command.name != "cd" or len(operands) != 1 or operands[0].glob:
        return (Path("/"),)
    text = operands[0].text
    if text is None or text.startswith("-"):
        return (Path("/"),)
    try:
        return tuple(spellings(text, paths, folder)[1] for folder in folders)
    except ToolFailed:
        return (Path("/"),)
