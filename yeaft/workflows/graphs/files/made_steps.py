"""Steps from how they are written to what is done."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from yeaft.config.settings import EFFORTS
from yeaft.kernel.nearness import nearest
from yeaft.kernel.tool_names import BUILT_IN, OUTSIDE_PREFIX
from yeaft.workflows.graphs.expressions import template_mistake
from yeaft.workflows.graphs.files.agents import HUMAN
from yeaft.workflows.graphs.files.written import WrittenStep
from yeaft.workflows.graphs.functions import function_mistake
from yeaft.workflows.graphs.graph import (
    END,
    START,
    Agent,
    AskTask,
    CodeTask,
    FailTask,
    GraphTask,
    OnError,
    OutType,
    Retries,
    Step,
    Task,
    ToolTask,
    VpTask,
)
from yeaft.workflows.graphs.outputs import OUT_TYPES, output_schema, schema_type
from yeaft.workflows.graphs.plain_values import listing, mapping
from yeaft.workflows.graphs.saying import FAIL_NAMES, NAMES

KINDS = ("agent", "tool", "ask", "approve", "graph", "call", "fail")
OF_VPS = {
    "AskUser": "ask: TEXT",
    **dict.fromkeys(("RouteForward", "SpawnAgent", "PromptAgent"), "agent: NAME"),
    **dict.fromkeys(("WaitAgent", "CloseAgent", "ListAgents", "ListTasks", "ReadTaskLog", "CancelTask"), ""),
}
"""Tools that only a VP has, in a turn of its own, and what a step says in their place; empty where nothing is alike."""
_ID = re.compile(r"[\w][\w. -]{0,79}", re.UNICODE)
_NO_ID = re.compile(r"[^\w. -]+|\.{2,}")
_MOST_GUESSES = 20
"""After so many unknown names nobody reads on, and to look for what was meant takes its time in a large file."""
_LONGEST_STEM = 70
"""How much of a name an id may keep, so that there is room for a number."""
Tell = Callable[[str, str], None]
"""Notes a mistake: the key it is about (empty for the step), and what is wrong."""


class Names:
    """Who and what steps may speak of: VPs and graphs by any name. `find_vp` returns an id, or empty.

    `agents` are those VPs that the file brings along.
    """

    def __init__(
        self,
        find_vp: Callable[[str], str],
        vp_names: tuple[str, ...],
        graphs: Mapping[str, object],
        agents: Mapping[str, Agent],
    ) -> None:
        self.find_vp = find_vp
        self.vp_names = vp_names
        self.graphs = graphs
        self.agents = agents
        self._guesses = 0

    def near(self, name: str, known: Iterable[str]) -> str | None:
        """The one of those that are known that was probably meant, for the first unknown names of a file."""
        self._guesses += 1
        return nearest(name, known) if self._guesses <= _MOST_GUESSES else None

    def vp_mistake(self, name: str) -> str:
        """What is said of a name that nobody has."""
        near = self.near(name.casefold(), self.vp_names)
        hint = f"Did you mean {near!r}?" if near else "Write it down under `agents:`, or see `yeaft vp ls`."
        return f"there is no VP or agent named {name!r}. {hint}"


def id_mistake(step_id: str) -> str:
    """Return why something cannot be the id of a step; it also names a folder."""
    if step_id in (START, END):
        return f"{step_id!r} is there already; give the step another id"
    if not _ID.fullmatch(step_id) or ".." in step_id or step_id.endswith((" ", ".")):
        return f"{step_id!r} cannot be an id: letters, digits, `_`, `-`, `.` and blanks, 80 at most"
    return ""


def fitting_id(name: str, taken: Collection[str]) -> str:
    """Return an id for the step of somebody who may be called anything: the name itself, or as much of it as can be.

    It is none of `taken`.
    """
    stem = name
    if id_mistake(name) and name not in (START, END):
        stem = _NO_ID.sub("_", name).lstrip(" .-")[:_LONGEST_STEM].rstrip(" .") or "_"
    number, found = 1, stem
    while found in taken or found in (START, END):
        number += 1
        found = f"{stem[:_LONGEST_STEM]}-{number}"
    return found


def made_step(written: WrittenStep, names: Names, folder: Path, line: int, tell: Tell) -> Step:
    """Return what a step does; mistakes are told, and the step is made as well as it can be."""
    if mistake := id_mistake(written.id):
        tell("id", mistake)
    kinds = [kind for kind in KINDS if getattr(written, kind) is not None]
    if len(kinds) != 1:
        named = ", ".join(KINDS)
        tell("", f"step {written.id!r} needs exactly one of {named}; it has {', '.join(kinds) or 'none'}")
    if written.limit and written.fail is None:
        tell("limit", f"step {written.id!r} has a limit, which only a step with fail can name")
    on_error, error_step = _on_error(written, tell)
    out, schema = _out(written, tell)
    return Step(
        id=written.id,
        task=_task(written, names, folder, schema, tell),
        label=written.label or "",
        out=out,
        retries=_retries(written),
        timeout_ms=round((written.timeout or 0) * 1000),
        on_error=on_error,
        error_step=error_step,
        keep=written.out is not None or written.output is not None,
        line=line,
    )


def _task(written: WrittenStep, names: Names, folder: Path, schema: str, tell: Tell) -> Task:
    texts = {"ask": written.ask, "approve": written.approve, "prompt": written.prompt}
    for key, text in (texts | {"shared_prompt": written.shared_prompt}).items():
        if text and (mistake := template_mistake(text, NAMES)):
            tell(key, f"the template of step {written.id!r} is wrong: {mistake}")
    if written.tool is not None:
        _check_tool(written, tell)
        return ToolTask(tool=written.tool, args=msgspec.json.encode(written.args).decode())
    if written.ask is not None:
        return AskTask(
            kind="choice" if written.options else "question", text=written.ask, options=tuple(written.options)
        )
    if written.approve is not None:
        return AskTask(kind="approval", text=written.approve)
    if written.graph is not None:
        if written.graph not in names.graphs:
            near = names.near(written.graph, names.graphs)
            tell("graph", f"there is no graph named {written.graph!r}." + (f" Did you mean {near!r}?" if near else ""))
        return GraphTask(graph=written.graph, prompt=written.prompt or "", shared=written.shared_prompt or "")
    if written.call is not None:
        if mistake := function_mistake(written.call, folder):
            tell("call", mistake)
        return CodeTask(path=written.call)
    if written.fail is not None:
        if mistake := template_mistake(written.fail, FAIL_NAMES):
            tell("fail", f"the template of step {written.id!r} is wrong: {mistake}")
        return FailTask(text=written.fail, limit=written.limit or "")
    return _vp_task(written, names, schema, tell)


def _check_tool(written: WrittenStep, tell: Tell) -> None:
    name = written.tool or ""
    if name not in BUILT_IN and not name.startswith(OUTSIDE_PREFIX):
        near = nearest(name, BUILT_IN) or next((one for one in BUILT_IN if one.casefold() == name.casefold()), "")
        hint = f" Did you mean {near!r}?" if near else " `yeaft tool ls` lists those there are."
        tell("tool", f"there is no tool named {name!r}.{hint}")
    elif (instead := OF_VPS.get(name)) is not None:
        hint = f" Write `{instead}`." if instead else ""
        tell("tool", f"the tool {name!r} is for VPs alone.{hint}")
    for key, text in _texts_in(written.args, ""):
        if mistake := template_mistake(text, NAMES):
            tell("args", f"the template of {key!r} in step {written.id!r} is wrong: {mistake}")


def _texts_in(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    for name, one in mapping(value).items():
        yield from _texts_in(one, f"{key}.{name}".lstrip("."))
    for one in listing(value):
        yield from _texts_in(one, key)


def _vp_task(written: WrittenStep, names: Names, schema: str, tell: Tell) -> Task:
    name = written.agent or ""
    vp_id = (names.find_vp(name) or names.find_vp(name.lstrip("@＠"))) if name else ""
    prompt, shared = written.prompt or "", written.shared_prompt or ""
    if name and not vp_id:
        if name in names.graphs:
            return GraphTask(graph=name, prompt=prompt, shared=shared)
        tell("agent", names.vp_mistake(name))
    if written.effort and written.effort not in EFFORTS:
        tell("effort", f"{written.effort!r} is no effort. Choose one of: {', '.join(EFFORTS)}.")
    agent = names.agents.get(vp_id)
    if agent is not None and agent.kind == HUMAN:
        return AskTask(kind="question", text=prompt or "{{ input }}")
    return VpTask(
        vp_id=vp_id or name,
        prompt=prompt,
        shared=shared,
        extra=written.template_vars,
        model=written.model or "",
        effort=written.effort or "",
        mcp_servers=tuple(one for one in written.mcp_servers if isinstance(one, str)),
        schema=schema,
        answer="" if agent is None or schema or written.out is not None else agent.schema,
        workspace=written.workspace,
    )


def _on_error(written: WrittenStep, tell: Tell) -> tuple[OnError, str]:
    how, _, target = written.on_error.partition(":")
    if how == "route" and target.strip():
        return "route", target.strip()
    plain: dict[str, OnError] = {"fail": "fail", "skip": "skip", "continue": "continue"}
    if not target and how in plain:
        return plain[how], ""
    tell("on_error", f"on_error is fail, skip, continue or route:STEP, not {written.on_error!r}")
    return "fail", ""


def _out(written: WrittenStep, tell: Tell) -> tuple[OutType, str]:
    """The type of what a step gives, and its schema as JSON, empty for none."""
    shape: Any = written.output
    kind: OutType = "text"
    if isinstance(written.out, str) or written.out is None:
        if written.out is not None and written.out not in OUT_TYPES:
            near = nearest(written.out, OUT_TYPES)
            hint = f" Did you mean {near}?" if near else f" There are {', '.join(OUT_TYPES)}."
            tell("out", f"{written.out!r} is no type of output.{hint}")
        elif written.out is not None:
            kind = next(one for one in OUT_TYPES if one == written.out)
    else:
        shape = written.out if shape is None else shape
    if shape is None:
        return kind, ""
    try:
        schema = output_schema(shape)
    except ValueError as error:
        tell("output" if written.output is not None else "out", str(error))
        return "json", ""
    return schema_type(schema), msgspec.json.encode(schema).decode()


def _retries(written: WrittenStep) -> Retries:
    if isinstance(written.retries, int):
        most = written.retries or written.member_retry_attempts
        return Retries(max=most, delay_ms=round(written.member_retry_delay * 1000))
    retries = written.retries
    return Retries(max=retries.max, delay_ms=round(retries.delay * 1000), on=retries.on)
