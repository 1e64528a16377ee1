"""The keys of the full screen by name: what each does is named here once, for the screen, its help and `[keys]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from yeaft.kernel.errors import ConfigError
from yeaft.kernel.nearness import nearest

Chords = str | tuple[str, ...]
"""One key or several, such as `ctrl+j`; an empty list leaves something without a key."""
ChosenKeys = Mapping[str, Chords | Mapping[str, Chords]]
"""`[keys]` as it is written: `"area.verb" = ...`, or a table `[keys.area]`."""

KEYS: Mapping[str, tuple[str, ...]] = {
    "screen.stop": ("escape",),
    "screen.give_up": ("ctrl+c",),
    "screen.leave": ("ctrl+d",),
    "screen.suspend": ("ctrl+z",),
    "screen.redraw": ("ctrl+l",),
    "screen.mode": ("shift+tab",),
    "screen.next_lane": ("f3",),
    **{f"screen.lane_{number}": (f"alt+{number}",) for number in range(1, 10)},
    "screen.mouse": ("f12",),
    "composer.send": ("enter",),
    "composer.newline": ("ctrl+j", "alt+enter", "shift+enter"),
    "composer.editor": ("ctrl+g",),
    "composer.complete": ("tab",),
    "composer.search": ("ctrl+r",),
    "composer.queue": ("alt+q",),
    "composer.queue_up": ("alt+shift+up",),
    "composer.queue_down": ("alt+shift+down",),
    "composer.queue_delete": ("alt+shift+delete", "alt+shift+backspace"),
    "composer.stash": ("ctrl+s",),
    "composer.palette": ("ctrl+p",),
    "composer.paste_image": ("ctrl+v",),
    "composer.expand": ("alt+e",),
    "composer.undo": ("ctrl+underscore", "ctrl+minus"),
    "composer.redo": ("alt+underscore", "alt+minus", "f24"),
    "composer.up": ("up",),
    "composer.down": ("down",),
    "composer.left": ("left", "ctrl+b"),
    "composer.right": ("right",),
    "composer.word_left": ("ctrl+left", "alt+left", "alt+b"),
    "composer.word_right": ("ctrl+right", "alt+right", "alt+f"),
    "composer.line_start": ("home", "ctrl+a"),
    "composer.line_end": ("end", "ctrl+e"),
    "composer.select_left": ("shift+left",),
    "composer.select_right": ("shift+right",),
    "composer.select_up": ("shift+up",),
    "composer.select_down": ("shift+down",),
    "composer.select_word_left": ("ctrl+shift+left",),
    "composer.select_word_right": ("ctrl+shift+right",),
    "composer.select_line_start": ("shift+home",),
    "composer.select_line_end": ("shift+end",),
    "composer.select_all": ("alt+a",),
    "composer.delete_left": ("backspace", "shift+backspace"),
    "composer.delete_right": ("delete", "ctrl+d"),
    "composer.kill_word_left": ("ctrl+w", "alt+backspace", "ctrl+backspace"),
    "composer.kill_word_right": ("alt+d", "ctrl+delete", "alt+delete"),
    "composer.kill_start": ("ctrl+u",),
    "composer.kill_end": ("ctrl+k",),
    "composer.yank": ("ctrl+y",),
    "composer.yank_pop": ("alt+y",),
    "composer.close": ("escape",),
    "transcript.page_up": ("pageup",),
    "transcript.page_down": ("pagedown",),
    "transcript.first": ("ctrl+home",),
    "transcript.last": ("ctrl+end",),
    "transcript.earlier": ("alt+up",),
    "transcript.later": ("alt+down",),
    "transcript.outputs": ("ctrl+o",),
    "transcript.thinking": ("ctrl+t",),
    "transcript.times": ("f7",),
    "transcript.search": ("ctrl+f",),
    "transcript.focus": ("alt+t",),
    "found.previous": ("up",),
    "found.next": ("down",),
    "found.leave": ("escape",),
    "blocks.down": ("j", "down"),
    "blocks.up": ("k", "up"),
    "blocks.fold": ("enter", "space"),
    "blocks.editor": ("o",),
    "blocks.pager": ("p",),
    "blocks.copy": ("y",),
    "blocks.next": ("n",),
    "blocks.previous": ("N",),
    "blocks.leave": ("escape", "i"),
    "ask.open": ("alt+a",),
    "ask.once": ("1", "y"),
    "ask.session": ("2", "s"),
    "ask.always": ("3", "a"),
    "ask.deny": ("4", "n"),
    "ask.edit": ("e",),
    "ask.hunks": ("h",),
    "ask.split": ("v",),
    "ask.take": ("enter",),
    "ask.mark": ("space",),
    "ask.up": ("up", "k"),
    "ask.down": ("down", "j"),
    "ask.page_up": ("pageup",),
    "ask.page_down": ("pagedown",),
    "ask.previous": ("left", "left_square_bracket"),
    "ask.next": ("right", "right_square_bracket"),
    "ask.later": ("escape",),
    "panel.help": ("f1", "question_mark"),
    "panel.side": ("f2",),
    "panel.sessions": ("f4",),
    "panel.model": ("f5",),
    "panel.rewind": ("f6",),
    "panel.close": ("escape",),
    "panel.give_up": ("ctrl+c",),
    "list.up": ("up", "ctrl+p"),
    "list.down": ("down", "ctrl+n"),
    "list.page_up": ("pageup",),
    "list.page_down": ("pagedown",),
    "list.first": ("ctrl+home",),
    "list.last": ("ctrl+end",),
    "text.leave": ("q",),
    "text.search": ("slash", "ctrl+f"),
    "text.next": ("n",),
    "text.previous": ("N",),
    "text.editor": ("e",),
    "text.write": ("w",),
    "text.view": ("tab",),
    "text.top": ("g", "home"),
    "text.bottom": ("G", "end"),
    "sessions.fork": ("alt+f", "f"),
    "sessions.rename": ("alt+r", "r"),
    "sessions.archive": ("alt+a", "a"),
    "sessions.delete": ("alt+d", "d"),
    "sessions.everywhere": ("alt+e", "e"),
    "rewind.scope": ("alt+s", "s"),
    "rewind.fork": ("alt+f", "f"),
    "rewind.redo": ("alt+r", "r"),
    "pick.whom": ("alt+w", "w"),
    "pick.apply": ("ctrl+s",),
    "pick.default": ("alt+d", "d"),
    "pick.earlier": ("alt+up", "shift+up"),
    "pick.later": ("alt+down", "shift+down"),
    "search.here": ("alt+h",),
    "search.read": ("alt+o",),
    "side.log": ("l",),
    "side.cancel": ("c",),
    "runs.retry": ("r",),
    "runs.cancel": ("c",),
    "runs.artifact": ("o",),
}
"""What can be bound, in the order in which help lists it, with the keys that are built in."""

LIVE: tuple[frozenset[str], ...] = (
    frozenset({"composer", "screen", "transcript", "panel"}),
    frozenset({"ask", "screen", "panel"}),
    frozenset({"blocks", "screen", "transcript", "panel"}),
    frozenset({"side", "screen", "panel"}),
    frozenset({"found", "screen", "panel"}),
    *(frozenset({"list", area, "panel"}) for area in ("sessions", "rewind", "pick", "search")),
    frozenset({"text", "panel"}),
    frozenset({"runs", "panel"}),
)
"""The areas whose keys hold at the same time."""
SHARED: tuple[frozenset[str], ...] = (
    frozenset({"screen.stop", "composer.close", "ask.later", "blocks.leave", "found.leave", "panel.close"}),
    frozenset({"screen.leave", "composer.delete_right"}),
    frozenset({"screen.give_up", "panel.give_up"}),
)
"""What has one key on purpose: the innermost of what is open takes it."""

MODIFIERS = ("ctrl", "alt", "shift", "super", "meta", "hyper")
NAMED_KEYS = [
    "enter",
    "escape",
    "tab",
    "space",
    "backspace",
    "delete",
    "insert",
    "up",
    "down",
    "left",
    "right",
    "home",
    "end",
    "pageup",
    "pagedown",
    "question_mark",
    "slash",
    "underscore",
    "comma",
    "full_stop",
    "minus",
    "plus",
    "equals_sign",
    "at",
    "colon",
    "semicolon",
    "left_square_bracket",
    "right_square_bracket",
    "left_curly_bracket",
    "right_curly_bracket",
    "backslash",
    "vertical_line",
]
FUNCTION_KEYS = tuple(f"f{number}" for number in range(1, 25))


def effective(chosen: ChosenKeys) -> dict[str, tuple[str, ...]]:
    """Return all keys by what they do: those that were chosen over those that are built in."""
    return {**KEYS, **{key_id: chords for key_id, chords in flat(chosen).items() if key_id in KEYS}}


def flat(chosen: ChosenKeys) -> dict[str, tuple[str, ...]]:
    """Return what was chosen by full name, however it was written."""
    found: dict[str, tuple[str, ...]] = {}
    for name, value in chosen.items():
        if isinstance(value, Mapping):
            found |= {f"{name}.{verb}": _chords(chords) for verb, chords in value.items()}
        else:
            found[name] = _chords(value)
    return found


def check_keys(chosen: ChosenKeys, origins: Mapping[str, str]) -> None:
    """Raise `ConfigError` for a name that means nothing or a key that there is not, with the nearest there is."""
    for name, chords in flat(chosen).items():
        place = _place(name, origins)
        if name not in KEYS:
            near = nearest(name, KEYS)
            remedy = f"Did you mean {near}?" if near else "`yeaft keys` lists all."
            raise ConfigError(f"{place}: keys has nothing named {name!r}. {remedy}")
        for chord in chords:
            if problem := _problem(chord):
                raise ConfigError(f"{place}: keys {name} = {chord!r}: {problem}")


def collisions(keys: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return the keys that mean several things at the same time, with these things."""
    users: dict[str, list[str]] = {}
    for key_id, chords in keys.items():
        for chord in chords:
            users.setdefault(chord, []).append(key_id)
    found: dict[str, tuple[str, ...]] = {}
    for chord, ids in users.items():
        clashing = [one for one in ids if any(one != other and _meet(one, other) for other in ids)]
        if clashing:
            found[chord] = tuple(clashing)
    return found


def _meet(one: str, other: str) -> bool:
    """Whether two things can be meant at the same time and are not built to share a key."""
    areas = {_area(one), _area(other)}
    return any(areas <= live for live in LIVE) and not any({one, other} <= shared for shared in SHARED)


def _area(key_id: str) -> str:
    return key_id.partition(".")[0]


def _chords(chords: Chords) -> tuple[str, ...]:
    return (chords,) if isinstance(chords, str) else tuple(chords)


def _place(name: str, origins: Mapping[str, str]) -> str:
    return origins.get(f"keys.{name}") or origins.get(f'keys."{name}"') or "the settings"


def _problem(chord: str) -> str:
    """Say what is wrong with the name of a key; empty if nothing is."""
    *modifiers, key = chord.split("+") if chord != "+" else ["plus"]
    for word in modifiers:
        if word not in MODIFIERS:
            near = nearest(word, MODIFIERS)
            return f"{word!r} is no modifier; " + (f"did you mean {near}?" if near else f"{', '.join(MODIFIERS)} are.")
    if len(key) == 1 or key in NAMED_KEYS or key in FUNCTION_KEYS:
        return ""
    near = nearest(key, (*NAMED_KEYS, *FUNCTION_KEYS))
    return f"{key!r} is no key; " + (f"did you mean {near}?" if near else "write it like ctrl+j, alt+enter or f2.")
