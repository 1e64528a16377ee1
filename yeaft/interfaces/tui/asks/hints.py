"""The first and last lines of a question: what is asked, and which keys do what just now."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from rich.text import Text

from yeaft.config.keys import effective
from yeaft.interfaces.cli.terminal_text import cut
from yeaft.interfaces.key_names import chord_text, text_code
from yeaft.interfaces.tui.asks.ask_words import GAP, in_lines, without_middle
from yeaft.interfaces.tui.asks.diff_layout import LEAST_SPLIT_COLUMNS

if TYPE_CHECKING:
    from textual.geometry import Size

    from yeaft.config.keys import ChosenKeys
    from yeaft.interfaces.tui.asks.asking import Asking
    from yeaft.prompts.ui import Ui

APPROVAL = ("ask.once", "ask.session", "ask.always", "ask.deny", "ask.edit", "ask.hunks")
CHOOSING = ("ask.mark", "ask.take", "ask.session", "ask.always", "ask.deny", "ask.edit")
PICKING = ("ask.take", "ask.mark")
LOST_AT_BREAKS = 12
"""About so many columns stay empty at the end of a row, because a word does not fit."""
MOST_RULE_ROWS = 3
"""What a rule allows may be a whole script, which stands above it: of that only so much."""
DECISIONS = ("ask.once", "ask.session", "ask.always")


class Standing(Struct, frozen=True, kw_only=True):
    """How the user stands to a question. `can` says whether an action with a parameter makes sense now."""

    has_focus: bool
    is_ready: bool
    is_left: bool
    is_written: bool
    can: Callable[[str, str], bool]


def head(name: Text, asking: Asking, most_columns: int) -> Text:
    """Return who asks for what, and why it has to be asked; a reason takes so many columns, whatever it speaks of."""
    text = Text(GAP).join([name, *([Text(asking.what, style="bold")] if asking.what else [])])
    for line in asking.why:
        text.append(f"\n{without_middle(line, most_columns)}", style="dim")
    return text


def in_one_line(name: Text, asking: Asking, keys: ChosenKeys, columns: int) -> Text:
    """Return what is left of a question that the user wants to answer later."""
    how = f"  {_hint('ask.open', keys, asking.ui)}"
    about = "  ".join(part for part in (asking.what, asking.first_line) if part)
    text = cut(asking.ui.text("asks.named", name=name.plain, what=about), max(10, columns - len(how)))
    return Text.assemble(text, (how, "bold"), no_wrap=True, overflow="ellipsis")


def foot(asking: Asking, keys: ChosenKeys, stands: Standing, size: Size, *, is_split: bool = False) -> str:
    """Return which keys do what, below the rules that a yes for good would make; those only in the rows that are left.

    `is_split` says that old and new stand side by side where there is room for that.
    """
    ui, columns = asking.ui, size.width
    if stands.is_written:
        code = "asks.reason" if asking.ask.kind == "approval" else "asks.your_answer"
        return in_lines([ui.text(code), _hint("ask.later", keys, ui, "asks.back")], columns)
    hints = _hints(asking, keys, stands, columns, is_split=is_split)
    left_open = [] if asking.is_waited_for else [ui.text("asks.left_open")]
    rows = max(1, min(MOST_RULE_ROWS, size.height - hints.count("\n") - 1 - len(left_open)))
    rules = asking.rules(columns_of(rows, columns))
    return "\n".join([*left_open, *rules, hints])


def _hints(asking: Asking, keys: ChosenKeys, stands: Standing, columns: int, *, is_split: bool) -> str:
    ui = asking.ui
    if not stands.has_focus:
        return _hint("ask.open", keys, ui)
    if not stands.is_ready:
        return ui.text("asks.one_moment")
    ids = [key_id for key_id in _ids(asking, stands) if stands.can(*_action(key_id))]
    if columns >= LEAST_SPLIT_COLUMNS - 2 and asking.taking is not None:
        ids.append("ask.split")
    codes = {"ask.split": "asks.stacked"} if is_split else {}
    if stands.can("go", ""):
        ids += ["ask.previous", "ask.next"]
    return in_lines([_hint(one, keys, ui, codes.get(one, "")) for one in (*ids, "ask.later")], columns)


def columns_of(rows: int, columns: int) -> int:
    """Return how much of a text surely fits into rows of so many columns."""
    return rows * columns - (rows - 1) * LOST_AT_BREAKS


def _ids(asking: Asking, stands: Standing) -> tuple[str, ...]:
    if asking.ask.kind != "approval":
        return PICKING
    return CHOOSING if stands.can("take", "") else APPROVAL


def _action(key_id: str) -> tuple[str, str]:
    verb = key_id.removeprefix("ask.")
    return ("decide", verb) if key_id in DECISIONS else (verb, "")


def _hint(key_id: str, keys: ChosenKeys, ui: Ui, code: str = "") -> str:
    chords = effective(keys)[key_id]
    return f"{chord_text(chords[0]) if chords else '-'} {ui.text(code or text_code(key_id))}"
