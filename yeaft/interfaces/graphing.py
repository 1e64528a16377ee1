"""Graphs in an open Session: read for it, begun and gone on with in it, its questions put to whoever is there."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from yeaft.events.call import AskOpened
from yeaft.kernel.errors import BadData, Denied
from yeaft.kernel.text import without_surrogates
from yeaft.prompts.find import read_template
from yeaft.prompts.phrases import sections
from yeaft.vp.names import Names
from yeaft.workflows.graphs.called_functions import called_functions
from yeaft.workflows.graphs.files.reading import Read, read_graphs
from yeaft.workflows.graphs.graph import AskTask, Graph
from yeaft.workflows.graphs.plain_values import is_nested_too_deep
from yeaft.workflows.graphs.runs.asking import open_ask_id, put_before
from yeaft.workflows.graphs.runs.doing import NeedsHuman, Work
from yeaft.workflows.graphs.runs.session_runs import Frozen, Runs, Surroundings

if TYPE_CHECKING:
    from yeaft.events.codec import Recorded, Transient
    from yeaft.interfaces.assemble import Opened
    from yeaft.vp.library import Library
    from yeaft.workflows.graphs.files.agents import FindModel

HearRun = Callable[[str, "Recorded"], None]
HearStep = Callable[[str, "Recorded | Transient"], None]
SHOWN_FUNCTIONS, SHOWN_PLACES = 6, 12
YES_WORDS = frozenset(
    ["yes", "y", "ok", "okay", "allow", "approve", "approved", "ja", "是", "好", "好的", "行", "可以", "同意", "批准"]
)
NO_WORDS = frozenset(
    [
        "no",
        "n",
        "deny",
        "reject",
        "decline",
        "refuse",
        "nein",
        "否",
        "不",
        "不行",
        "不好",
        "不要",
        "不可以",
        "不同意",
        "拒绝",
    ]
)
"""What means yes and what means no where a yes is asked for; nothing else does."""


class Graphing:
    """Runs of graphs in one Session. `answers` are given to its asks in turn, before anybody is asked.

    `hear_run` hears the events of every run, those within others too, `hear_step` what happens in a step. Functions
    that a graph names are called only if its folder is trusted or nothing is asked about, unless `is_program`: code of
    the user's own runs then.
    """

    def __init__(
        self,
        here: Opened,
        *,
        answers: Sequence[str] = (),
        hear_run: HearRun | None = None,
        hear_step: HearStep | None = None,
        is_program: bool = False,
    ) -> None:
        self._here = here
        self._answers = deque(answers)
        around = Surroundings(
            ask=self._ask,
            hear_step=hear_step or _unheard,
            hear_run=hear_run or _unheard,
            texts=sections(read_template("prompts/graphs", here.ui.lang)),
            artifacts=here.artifacts,
            check=_unchecked if is_program else lambda frozen: check_calls(frozen, here.may_run_code_in),
        )
        self.runs = Runs(here.means, here.folder, around)

    def begin(self) -> None:
        """Let the Session begin, which a run needs; what a dead process left open is closed."""
        self._here.session.begin()

    async def _ask(self, work: Work, task: AskTask, text: str) -> str | None:
        if self._answers:
            return _answer(task, self._answers.popleft())
        state, epoch_now = self._here.state, self._here.means.parent.epoch
        for epoch in range(1, epoch_now + 1):
            for ask_id in put_before(state, *_place(work, epoch)):
                earlier = state.answers.get(ask_id)  # given, and the process died before it was used
                if earlier is not None:
                    return None if earlier.decision == "deny" else ", ".join(earlier.choice) or earlier.text
        opened = AskOpened(
            ask_id=open_ask_id(state, *_place(work, epoch_now)),
            turn_id="",
            call_id=work.act.act_id,
            vp_id=work.step.id,
            kind=task.kind,
            text=text,
            options=task.options,
        )
        answered = await self._here.approvals.put(opened)
        if answered is None:
            raise NeedsHuman(text)
        return None if answered.decision == "deny" else ", ".join(answered.choice) or answered.text


def check_calls(frozen: Frozen, may_run_code_in: Callable[[Path], bool]) -> None:
    """Check that the functions a graph names may be called here. Raises `Denied`, which says where it names them."""
    functions, folder = called_functions(frozen.graph), Path(frozen.folder)
    if functions and not may_run_code_in(folder):
        more = len(functions) - SHOWN_FUNCTIONS
        shown = ", ".join(functions[:SHOWN_FUNCTIONS]) + (f", … (+{more})" if more > 0 else "")
        named = sorted((line, path) for path in functions for line in frozen.mentions.get(path, ()))
        places = [f"{frozen.file}:{line}: the function {path} is called here" for line, path in named[:SHOWN_PLACES]]
        why = (
            f"The graph {frozen.graph.name!r} calls functions, which run without being asked about ({shown}), and "
            f"{folder} is not trusted. If you know what they do: yeaft trust {quote(str(folder))}; for once: yeaft "
            "--trust …, or yeaft -y …"
        )
        raise Denied("\n".join((*places, why)) if places else why)


def _unchecked(frozen: Frozen) -> None:
    """Let all be called."""
    del frozen


def _unheard(where: str, heard: Recorded | Transient) -> None:
    """Hear and forget."""
    del where, heard


def read_file(path: Path, library: Library, find_model: FindModel | None = None) -> Read:
    """Read a file of graphs for those who can be talked to here. Raises `NotFound`, or `BadData` with every mistake."""
    vps = library.all()
    names = Names(vps)
    return read_graphs(path.absolute(), lambda name: names.id_of(name) or "", [vp.id for vp in vps], find_model)


def frozen(read: Read, name: str = "", params: Mapping[str, str] | None = None) -> Frozen:
    """Return what a run of one of the graphs of a file is made of. Raises `NotFound`, or `BadData` for a parameter."""
    graph = read.graph(name)
    return Frozen(
        graph=with_params(graph, params or {}),
        agents=dict(read.agents),
        folder=str(read.path.parent),
        file=without_surrogates(str(read.path)),
        mentions=dict(read.mentions),
    )


def with_params(graph: Graph, given: Mapping[str, str]) -> Graph:
    """Return a graph with its parameters set; what is JSON is taken as such. Raises `BadData` for one it has not."""
    unknown = [key for key in given if key not in graph.params]
    if unknown:
        known = ", ".join(graph.params) or "none"
        raise BadData(f"The graph {graph.name!r} has no parameter {unknown[0]!r}; it has {known}.")
    return replace(graph, params={**graph.params, **{key: _value(text) for key, text in given.items()}})


def _value(text: str) -> Any:
    try:
        found: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text
    return text if is_nested_too_deep(found) else found


def _place(work: Work, epoch: int) -> tuple[str | int, ...]:
    return work.act.act_id, "ask", work.attempt, epoch


def _answer(task: AskTask, text: str) -> str | None:
    """What an answer given beforehand comes to. Raises `NeedsHuman` for one that is no choice."""
    if task.kind == "approval":
        word = text.strip().casefold()
        if word not in YES_WORDS | NO_WORDS:
            raise NeedsHuman(f"{text!r} is none of the answers: yes, no.")
        return text if word in YES_WORDS else None
    if task.kind == "choice" and text not in task.options:
        number = int(text) if text.isdecimal() else 0
        if not 1 <= number <= len(task.options):
            raise NeedsHuman(f"{text!r} is none of the answers: {', '.join(task.options)}.")
        return task.options[number - 1]
    return text
