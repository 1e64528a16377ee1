"""What a question says about itself: who asks, what for, why it has to be asked, and what can be pressed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from yeaft.interfaces.cli.terminal_text import cut
from yeaft.interfaces.key_names import chord_text
from yeaft.tools.policy.visible import visible, visible_on_one_line

if TYPE_CHECKING:
    from yeaft.events.call import AskOpened
    from yeaft.interfaces.tui.look import Look
    from yeaft.prompts.ui import Ui
    from yeaft.session.asked import Asked

MOST_SUBJECT_CHARS = 400
LEAST_RULE_COLUMNS = 12
GAP = "  "


def who(ask: AskOpened, number: int, count: int, look: Look, ui: Ui, *, step: str = "") -> Text:
    """Return one line: who asks, in which `step` of a run if it is one, and the how manieth question this is."""
    vp_id, _, agent = ask.vp_id.partition("/")
    own = look.of_vp(vp_id)
    code = "asks.who_agent" if agent else "asks.who"
    text = Text(f"{own.glyph} ", style=own.style)
    if step and not ask.turn_id:
        text = Text(visible_on_one_line(ui.text("runs.step_asks", step=step)), style="bold")
    else:
        text.append(visible_on_one_line(ui.text(code, vp=vp_id, agent=agent)), style=own.style)
        text.append(f"{GAP}{visible_on_one_line(step)}" if step else "", style="dim")
    if count > 1:
        text.append(f"{GAP}{ui.text('asks.number', number=number, count=count)}", style="bold")
    return text


def waiting(ask: AskOpened, ui: Ui, step: str) -> str:
    """Return what is said of a question that has come while the user looks at something else."""
    if step and not ask.turn_id:
        return visible_on_one_line(ui.text("runs.question_waits", step=step))
    return ui.text("asks.waits", vp=ask.vp_id)


def void(ask: AskOpened, gone: str, ui: Ui, step: str) -> str:
    """Return what is said of a question that was not answered here."""
    if step and not ask.turn_id and gone != "answered":
        return visible_on_one_line(ui.text("runs.question_void", step=step))
    return ui.text(f"asks.gone_{gone}", vp=ask.vp_id)


def what(ask: AskOpened, asked: Asked | None) -> str:
    """Return the tool and its subject; the text of the question where no call waits any more."""
    if asked is None:
        return visible(ask.text) if ask.kind == "approval" else ""
    touches = asked.bound.touches
    subject = ", ".join((*touches.writes, *touches.reads, *touches.domains)) if touches.command is None else ""
    return cut(visible_on_one_line(f"{asked.bound.tool}{GAP}{subject}".rstrip()), MOST_SUBJECT_CHARS)


def why(ask: AskOpened, asked: Asked | None, ui: Ui) -> Iterator[str]:
    """Yield why the human has to decide: the reason, and the rule that asks if that does not say it."""
    if asked is None or ask.kind != "approval":
        return
    reason = asked.why or asked.verdict.reason
    if reason:
        yield ui.retold(visible(reason))
    rule = "" if asked.why else asked.verdict.rule
    if rule and rule not in reason:
        yield ui.text("perms.by_rule", rule=visible(rule))


def details(ask: AskOpened, asked: Asked | None, ui: Ui) -> Iterator[str]:
    """Yield what is to be read before deciding: the whole command and each of its parts, or the whole question."""
    if ask.kind != "approval":
        yield from visible(ask.text).split("\n")
        return
    if asked is None:
        return
    touches = asked.bound.touches
    if touches.command is None:
        if touches.shown:
            yield from visible(touches.shown).split("\n")
        return
    yield from visible(touches.command).split("\n")
    if touches.command_cwd:
        yield ui.text("asks.in_folder", folder=visible_on_one_line(touches.command_cwd))
    if len(asked.verdict.commands) > 1:
        yield ""
        for one in asked.verdict.commands:
            command = f"{visible_on_one_line(one.command)}{_because(one.reason, ui)}"
            yield ui.text("asks.named", name=ui.text(f"perms.{one.verdict}"), what=command)


def rules(
    ask: AskOpened, asked: Asked | None, kept_in: str, keys: Mapping[str, Sequence[str]], ui: Ui, *, columns: int
) -> Iterator[str]:
    """Yield which rule a yes for more than once would make, and where it would be kept.

    A rule is cut to let all of it be said in so many `columns`, if that can be.
    """
    if ask.kind == "approval" and ask.rule:
        session, always = (chord_text(next(iter(keys[name]), "-")) for name in ("ask.session", "ask.always"))
        said = partial(ui.text, "asks.rule", path=visible_on_one_line(kept_in), session=session, always=always)
        room = max(columns - cell_len(said(rule="")), LEAST_RULE_COLUMNS)
        yield said(rule=cut(visible_on_one_line(ask.rule), room))
    elif ask.kind == "approval" and asked is not None:
        yield ui.text("asks.no_rule")


def without_middle(text: str, columns: int) -> str:
    """Return a text in at most so many columns: a reason begins with a command, and ends with what is said of it."""
    if cell_len(text) <= columns:
        return text
    end = text[-(columns // 2) :]
    while cell_len(end) > columns // 2:
        end = end[1:]
    return cut(text, columns - cell_len(end)) + end


def in_lines(hints: Sequence[str], columns: int) -> str:
    """Return hints in lines of at most `columns` cells, none broken if that can be helped."""
    lines: list[str] = []
    for hint in hints:
        if lines and cell_len(lines[-1]) + len(GAP) + cell_len(hint) <= columns:
            lines[-1] += GAP + hint
        else:
            lines.append(hint)
    return "\n".join(lines)


def _because(reason: str, ui: Ui) -> str:
    return f"  {ui.text('asks.because', reason=ui.retold(visible_on_one_line(reason)))}" if reason else ""
