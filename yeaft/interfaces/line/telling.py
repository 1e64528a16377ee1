"""The texts of line mode that are put together from what is known, and its whole lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from yeaft.events.artifact import ArtifactStored
from yeaft.events.codec import Recorded
from yeaft.events.history import CheckpointTaken, Rewound
from yeaft.events.ops import AnyOp, Rename, SetMode, SetModel, SetRoster
from yeaft.events.session import NoticePosted
from yeaft.interfaces.cli.terminal_text import padded
from yeaft.kernel.effort_prefix import LEVELS

if TYPE_CHECKING:
    from yeaft.events.codec import Transient
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.orders import Order
    from yeaft.prompts.ui import Ui
    from yeaft.session.slash.slash_word import SlashWord

NAMES_COLUMNS = 44
RUNS = "runs."
"""How the codes of notices begin that say how a run has ended."""
SHOWN_LEVELS = f"/{'|'.join(LEVELS)} MESSAGE"


class WholeLines:
    """Passes text on line by line: a line that is still growing cannot stand above one that is being typed."""

    def __init__(self, put: Callable[[str], None]) -> None:
        self._put = put
        self._begun = ""

    def write(self, raw: bytes) -> None:
        """Take in text as UTF-8; what has no line end yet waits."""
        *whole, self._begun = (self._begun + raw.decode("utf-8", "replace")).split("\n")
        if whole:
            self._put("".join(f"{line}\n" for line in whole))


def help_lines(ui: Ui, orders: Mapping[str, Order], words: Sequence[SlashWord]) -> list[str]:
    """Return one line for each order, skill and custom command, and how everything else is meant."""
    shown = [(f"/{name} {order.takes}".rstrip(), ui.text(f"order.{name}")) for name, order in orders.items()]
    shown.append((SHOWN_LEVELS, ui.text("effort.help")))
    shown += [(f"/{word.name} {word.hint}".rstrip(), word.description) for word in words]
    return [*(f"  {padded(left, NAMES_COLUMNS)}  {right}" for left, right in shown), "", ui.text("line.help")]


def status_lines(here: Opened) -> list[str]:
    """Return where one is, who takes part, and what it has cost in all."""
    state, cost, ui = here.state, here.purse.cost, here.ui
    return [
        ui.text("line.status", session=state.session_id, name=state.name or "-", folder=str(here.folder)),
        _roster(here),
        _mode(here),
        ui.text("line.cost", usd=f"{cost.usd:.4f}{'+' if cost.unpriced else ''}"),
    ]


def is_answer(heard: Recorded | Transient) -> bool:
    """Whether a notice says what a run has given, which is said nowhere else."""
    return isinstance(heard, Recorded) and isinstance(heard.event, NoticePosted) and heard.event.code.startswith(RUNS)


def outcome_of(op: AnyOp, here: Opened) -> str:
    """Return what is told once `op` is done; empty for what is told by what it leads to."""
    match op:
        case Rename(name=name):
            return here.ui.text("line.renamed", name=name)
        case SetRoster():
            return _roster(here)
        case SetMode():
            return _mode(here)
        case SetModel(model=model, effort=effort, vp_id=vp_id):
            whom = f"@{vp_id}" if vp_id else here.ui.text("line.everybody")
            return here.ui.text("line.model" if model else "line.effort", vp=whom, value=model or effort)
        case _:
            return ""


def what_came(heard: Recorded, ui: Ui) -> str:
    """Return what is told of an event that an order has led to; empty for any other event."""
    match heard.event:
        case CheckpointTaken(reason="user", checkpoint_id=checkpoint_id, name=name):
            return ui.text("line.kept", id=checkpoint_id, name=name)
        case ArtifactStored(artifact_id=artifact_id, artifact_type=kind, name=name):
            return ui.text("artifact.stored", id=artifact_id, type=ui.text(f"artifact.is_{kind}"), name=name)
        case Rewound(undoes=undoes, scope=scope):
            what = ui.text(f"line.scope_{scope}")
            return ui.text("line.redone" if undoes else "line.rewound", what=what)
        case _:
            return ""


def _roster(here: Opened) -> str:
    state = here.state
    roster = state.roster or (here.config.default_vp,)
    default = state.default_vp or here.config.default_vp
    names = " ".join(f"@{vp_id}{'*' if vp_id == default else ''}" for vp_id in roster)
    return here.ui.text("line.roster", vps=names)


def _mode(here: Opened) -> str:
    return here.ui.text("line.mode", mode=here.approvals.mode_of(here.state.default_vp or here.config.default_vp))
