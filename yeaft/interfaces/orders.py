"""What screens do themselves when a line begins with `/`: names with what they take, for help and completion."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from yeaft.config.settings import EFFORTS, Mode, Theme
from yeaft.events.history import RewindScope
from yeaft.events.ops import AnyOp, Checkpoint, Compact, Interrupt, Redo, Rename, Rewind, SetMode, SetModel, SetRoster
from yeaft.kernel.errors import BadData, UsageError
from yeaft.session.addressing import known_names
from yeaft.vp.library import Library

if TYPE_CHECKING:
    from yeaft.session.state import SessionState

SESSION = "{session}"
MODES: Mapping[str, Mode] = {"ask": "ask", "edits": "edits", "plan": "plan", "auto": "auto"}
THEMES: tuple[Theme, ...] = ("auto", "light", "dark", "ansi", "none")
Panel = Literal[
    "agents",
    "artifacts",
    "context",
    "effort",
    "mode",
    "model",
    "rewind",
    "roster",
    "runs",
    "search",
    "sessions",
    "tasks",
    "theme",
    "usage",
]
"""What a full screen has a panel for."""
SCOPES: Mapping[str, RewindScope] = {"--conversation": "conversation", "--files": "files", "--both": "both"}


class Run(Struct, frozen=True):
    """Show what a command of the command line prints; `{session}` stands for the Session's id."""

    words: tuple[str, ...]


class Leave(Struct, frozen=True):
    """Leave this Session: for good, for a new one, or for the one that `resume` names.

    `at` are ids of messages or turns; a screen shows the first of them that is there.
    """

    resume: str | None = None
    new: bool = False
    at: tuple[str, ...] = ()


class Show(Struct, frozen=True):
    """Show something of the Session: `help` or `status`."""

    what: str


class AttachFile(Struct, frozen=True):
    """Attach a file to the next message."""

    path: str


class KeepFile(Struct, frozen=True):
    """Keep a file as an artifact of the Session."""

    path: str


class RunGraph(Struct, frozen=True):
    """Run the graph of a file in this Session, beside the conversation.

    With a `pattern` it is the graph that `yeaft flow` makes of these words, and `file` only what it is called.
    """

    file: str
    given: str = ""
    pattern: tuple[str, ...] = ()


class ChangeRun(Struct, frozen=True):
    """Go on with a run of this Session, cancel it, or try one of its steps again; `run` is its id, or enough of it.

    `limits` are words such as `--max-cost 1`, as `yeaft graph retry` takes them.
    """

    verb: Literal["resume", "cancel", "retry"]
    run: str
    step: str = ""
    limits: tuple[str, ...] = ()


class Copy(Struct, frozen=True):
    """Copy an answer, or code of it, to where it can be pasted from; see `copied_text` for `what`."""

    what: str = ""
    to_file: bool = False


class Choose(Struct, frozen=True):
    """Let the user look and choose in a panel of the screen; `text` is what to begin with.

    A screen without panels does what is said `plainly` or, where that is nothing, refuses in the words of `refusal`.
    """

    panel: Panel
    plainly: Run | Show | None = None
    refusal: str = ""
    text: str = ""

    def in_lines(self) -> Run | Show:
        """Return what a screen without panels does instead. Raises `UsageError` if there is nothing like it."""
        if self.plainly is None:
            raise UsageError(self.refusal)
        return self.plainly


Deed = AnyOp | Run | Leave | Show | AttachFile | KeepFile | RunGraph | ChangeRun | Copy | Choose
Read = Callable[[str, "SessionState", Library], Deed]


CHECKPOINTS = Run(("session", "checkpoints", SESSION))
ARTIFACTS = Run(("artifact", "ls", "--session", SESSION))
RUNS = Run(("graph", "ls", "--session", SESSION))


class Order(Struct, frozen=True):
    """An order: what it takes (for help), and how the rest of its line is read. Raises `YeaftError`."""

    takes: str
    read: Read


def orders() -> dict[str, Order]:
    """Return all orders by name, in the order in which help lists them; some have a second name."""
    return {
        "help": _plain(Show("help")),
        "status": _plain(Show("status")),
        "vp": Order("[@NAME ...]", _roster),
        "model": Order("[@NAME] [MODEL]", _model),
        "effort": Order("[@NAME] LEVEL", _effort),
        "mode": Order("ask|edits|plan|auto", _mode),
        "theme": Order(f"[{'|'.join(THEMES)}]", _theme),
        "stop": Order("[@NAME]", _stop),
        "attach": _with("FILE", AttachFile),
        "copy": Order("[N|code|md] [--file]", _copy),
        "artifact": Order("[FILE|@ID]", _artifact),
        "artifacts": _plain(Choose("artifacts", ARTIFACTS)),
        "graph": _with("FILE [INPUT]", _graph),
        "runs": Order("[[resume|cancel|retry] RUN [STEP] [--max-cost USD ...]]", _runs),
        "graphs": _plain(Choose("runs", RUNS)),
        "context": _plain(Choose("context", Run(("session", "context", SESSION)))),
        "usage": _plain(Choose("usage", Run(("usage", "--by", "vp", "--session", SESSION)))),
        "history": _plain(Run(("session", "show", SESSION))),
        "search": Order("TEXT", _search),
        "tasks": _plain(Choose("tasks", Run(("task", "ls")))),
        "agents": _plain(Choose("agents", Run(("agent", "ls")))),
        "skills": _plain(Run(("skill", "ls"))),
        "mcp": _plain(Run(("mcp", "ls"))),
        "flow": Order("PATTERN [@VP ...] TASK", _flow),
        "checkpoint": _with("NAME", lambda name: Checkpoint(name=name)),
        "checkpoints": _plain(Choose("rewind", CHECKPOINTS)),
        "rewind": Order("TO [--conversation|--files|--both]", _rewind),
        "redo": _plain(Redo()),
        "compact": Order("[@NAME] [--undo]", _compact),
        "rename": _with("NAME", lambda name: Rename(name=name)),
        "resume": Order("ID|NAME", _resume),
        "new": _plain(Leave(new=True)),
        "clear": _plain(Leave(new=True)),
        "quit": _plain(Leave()),
        "exit": _plain(Leave()),
        "q": _plain(Leave()),
    }


def _plain(deed: Deed) -> Order:
    """An order that takes nothing."""

    def read(rest: str, state: SessionState, library: Library) -> Deed:
        del state, library
        if rest:
            raise UsageError(f"This takes nothing more: {rest!r}.")
        return deed

    return Order("", read)


def _with(takes: str, make: Callable[[str], Deed]) -> Order:
    """An order that takes the whole rest of its line and cannot do without."""

    def read(rest: str, state: SessionState, library: Library) -> Deed:
        del state, library
        return make(_needed(rest, takes))

    return Order(takes, read)


def _graph(rest: str) -> Deed:
    file, _, given = rest.partition(" ")
    return RunGraph(file, given.strip())


def _artifact(rest: str, state: SessionState, library: Library) -> Deed:
    del state, library
    if not rest:
        return Choose("artifacts", ARTIFACTS)
    if rest.startswith("@a_"):
        artifact_id = rest.removeprefix("@")
        return Choose("artifacts", Run(("artifact", "show", artifact_id, "--session", SESSION)), text=artifact_id)
    return KeepFile(rest)


def _runs(rest: str, state: SessionState, library: Library) -> Deed:
    del state, library
    verb, *words = rest.split() or ("",)
    match verb, *words:
        case ("",):
            return Choose("runs", RUNS)
        case ("resume" | "cancel" as how, run):
            return ChangeRun(how, run)
        case ("retry", run, step, *limits):
            return ChangeRun("retry", run, step, tuple(limits))
        case (run,) if run not in ("resume", "cancel", "retry"):
            return Choose("runs", Run(("graph", "logs", run)), text=run)
        case _:
            raise UsageError(
                f"This is meant: [[resume|cancel] RUN], or retry RUN STEP [--max-cost USD ...]; not {rest!r}."
            )


def _needed(rest: str, takes: str) -> str:
    if not rest:
        raise UsageError(_missing(takes))
    return rest


def _missing(takes: str) -> str:
    return f"{takes} is missing."


def _vp(word: str, state: SessionState, library: Library) -> str:
    """Return the id of a VP by any of its names; empty for no word."""
    name = word.strip().lstrip("@＠")
    if not name:
        return ""
    vp_id = known_names(state, library).id_of(name)
    if vp_id is None:
        raise BadData(f"No VP named {name!r}. See `yeaft vp ls`.")
    return vp_id


def _parted(rest: str, state: SessionState, library: Library) -> tuple[str, str]:
    """Return the VP that `rest` begins with, if any, and what follows."""
    first, _, more = rest.partition(" ")
    return (_vp(first, state, library), more.strip()) if first[:1] in ("@", "＠") else ("", rest)


def _roster(rest: str, state: SessionState, library: Library) -> Deed:
    vp_ids = tuple(_vp(word, state, library) for word in rest.split())
    return SetRoster(roster=vp_ids) if vp_ids else Choose("roster", Show("status"))


def _model(rest: str, state: SessionState, library: Library) -> Deed:
    vp_id, model = _parted(rest, state, library)
    return SetModel(vp_id=vp_id, model=model) if model else Choose("model", Run(("model", "ls")), text=vp_id)


def _effort(rest: str, state: SessionState, library: Library) -> Deed:
    vp_id, effort = _parted(rest, state, library)
    if not effort:
        return Choose("effort", refusal=f"The levels are {', '.join(EFFORTS)}.", text=vp_id)
    if effort not in EFFORTS:
        raise UsageError(f"There is no effort {effort!r}; there are {', '.join(EFFORTS)}.")
    return SetModel(vp_id=vp_id, effort=effort)


def _resume(rest: str, state: SessionState, library: Library) -> Deed:
    del state, library
    return Leave(resume=rest) if rest else Choose("sessions", refusal=_missing("ID|NAME"))


def _search(rest: str, state: SessionState, library: Library) -> Deed:
    del state, library
    return Choose("search", Run(("search", rest)) if rest else None, refusal=_missing("TEXT"), text=rest)


def _mode(rest: str, state: SessionState, library: Library) -> Deed:
    del state, library
    mode = MODES.get(rest)
    if mode is None:
        if not rest:
            return Choose("mode", refusal=f"The modes are {', '.join(MODES)}; /status says which is in force.")
        raise UsageError(f"There is no mode {rest!r}; there are {', '.join(MODES)}.")
    return SetMode(mode=mode)


def _theme(rest: str, state: SessionState, library: Library) -> Deed:
    del state, library
    if rest and rest not in THEMES:
        raise UsageError(f"There is no theme {rest!r}; there are {', '.join(THEMES)}.")
    return Choose("theme", refusal="Only the full screen has themes.", text=rest)


def _stop(rest: str, state: SessionState, library: Library) -> Deed:
    return Interrupt(vp_id=_vp(rest, state, library))


def _copy(rest: str, state: SessionState, library: Library) -> Deed:
    del state, library
    words = [word for word in rest.split() if word != "--file"]
    if len(words) > 1 or any(not word.isdecimal() and word not in ("code", "md") for word in words):
        raise UsageError(f"This is copied: nothing more for the newest answer, a number, code, or md; not {rest!r}.")
    return Copy(what=words[0] if words else "", to_file="--file" in rest.split())


def _rewind(rest: str, state: SessionState, library: Library) -> Deed:
    del state, library
    words = rest.split()
    scopes: list[RewindScope] = [SCOPES[word] for word in words if word in SCOPES]
    names = [word for word in words if word not in SCOPES]
    if len(scopes) > 1:
        raise UsageError(f"Only one of {', '.join(SCOPES)} can be meant.")
    if not names:
        return Choose("rewind", CHECKPOINTS)
    return Rewind(to=" ".join(names), scope=(*scopes, "both")[0])


def _flow(rest: str, state: SessionState, library: Library) -> Deed:
    del state, library
    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise UsageError(f"A quotation mark is missing: {rest!r}.") from error
    if not words or words[0] in ("ls", "show") or "--help" in words:
        return Run(("flow", *(words or ("ls",))))
    return RunGraph(f"/flow {words[0]}", pattern=tuple(words))


def _compact(rest: str, state: SessionState, library: Library) -> Deed:
    words = rest.split()
    names = [word for word in words if word != "--undo"]
    return Compact(vp_id=_vp(names[0], state, library) if names else "", undo="--undo" in words)
