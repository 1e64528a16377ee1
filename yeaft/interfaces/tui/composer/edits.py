"""What keys do to a draft alone, by the names of their bindings."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from yeaft.interfaces.tui.composer.editing import Editing, Motion

Edit = Callable[[Editing], object]
_MOTIONS: tuple[Motion, ...] = ("left", "right", "word_left", "word_right", "line_start", "line_end")


def _moving(motion: Motion, *, selects: bool) -> Edit:
    return lambda editing: editing.move(motion, selects=selects)


def _deleting(motion: Motion) -> Edit:
    return lambda editing: editing.delete(motion)


def _killing(motion: Motion) -> Edit:
    return lambda editing: editing.kill(motion)


EDITS: Mapping[str, Edit] = {
    **{motion: _moving(motion, selects=False) for motion in _MOTIONS},
    **{f"select_{motion}": _moving(motion, selects=True) for motion in _MOTIONS},
    "select_all": Editing.select_all,
    "newline": lambda editing: editing.insert("\n"),
    "delete_left": _deleting("left"),
    "delete_right": _deleting("right"),
    "kill_word_left": _killing("word_left"),
    "kill_word_right": _killing("word_right"),
    "kill_start": _killing("line_start"),
    "kill_end": _killing("line_end"),
    "yank": Editing.yank,
    "yank_pop": Editing.yank_pop,
    "undo": Editing.undo,
    "redo": Editing.redo,
    "expand": Editing.expand,
}
"""Every one of these takes the draft that is shown, also while that is the word to search for."""

EMPTY_PASSES = frozenset({"delete_right"})
"""With nothing written these keys are free for others: Ctrl+D leaves."""
