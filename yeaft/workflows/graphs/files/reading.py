"""Reads a file of graphs: YAML to checked graphs, with everything that is wrong told at once, each with its line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any, Protocol, cast

from msgspec import Struct
from msgspec.structs import replace
from pydantic import ValidationError

from yeaft.kernel.errors import BadData, NotFound
from yeaft.kernel.nearness import nearest
from yeaft.workflows.graphs.files.agents import SECTIONS, AgentReader, FindModel
from yeaft.workflows.graphs.files.checking import shape_mistakes, shape_warnings
from yeaft.workflows.graphs.files.compiling import Compiled, Lines, compiled
from yeaft.workflows.graphs.files.components import components
from yeaft.workflows.graphs.files.located import LIMIT_BYTES, Located, Mistake, Path, Unreadable
from yeaft.workflows.graphs.files.made_steps import Names, fitting_id
from yeaft.workflows.graphs.files.mentions import mentions
from yeaft.workflows.graphs.files.teams import Translator
from yeaft.workflows.graphs.files.whole_file import whole_file
from yeaft.workflows.graphs.files.written import WrittenGraph
from yeaft.workflows.graphs.files.written_mistakes import told
from yeaft.workflows.graphs.graph import Agent, Graph, GraphTask
from yeaft.workflows.graphs.plain_values import listing, mapping

KNOWN_KEYS = frozenset(
    (*SECTIONS, "graph", "graphs", "teams", "name", "description", "version", "params", "prompts", "responses")
) | {"default_agent", "model_variants", "INHERIT"}
LIMIT_STEPS = 1000
"""How many steps of a graph may be written down; a list that is spread may have more elements."""
LIMIT_EDGES = 3000
SHOWN_MISTAKES = 20
_SINGLE = ("steps", "edges", "joins")
"""What a file begins with that is one graph and nothing else."""
_LONGEST_CHARS = 600
_SHOWN_KEYS = 8


class Read(Struct, frozen=True, kw_only=True):
    """What a file holds. `main` is the graph that is meant where none is named, if that can be said.

    `mentions` has the lines in which the graphs name functions, by import path.
    """

    path: FilePath
    graphs: Mapping[str, Graph]
    agents: Mapping[str, Agent]
    warnings: tuple[str, ...]
    main: str = ""
    mentions: Mapping[str, tuple[int, ...]] = {}

    def graph(self, name: str = "") -> Graph:
        """Return a graph by name, or the one that is meant, with all others at hand. Raises `NotFound`."""
        wanted = name or self.main
        if wanted not in self.graphs:
            near = nearest(wanted, self.graphs) if wanted else None
            listed = f" It has {', '.join(self.graphs) or 'none'}; say --graph NAME."
            hint = f" Did you mean {near!r}?" if near else listed
            said = f"{self.path}:1: there is no graph {wanted!r}." if wanted else f"{self.path}:1: several can be run."
            raise NotFound(said + hint)
        return replace(self.graphs[wanted], graphs=dict(self.graphs))


class FindVp(Protocol):
    """Knows the VPs that are there without the file."""

    def __call__(self, name: str, /) -> str:
        """Return the id of a VP by any of its names; empty if there is none."""
        ...


def read_graphs(path: FilePath, find_vp: FindVp, vp_names: Sequence[str], find_model: FindModel | None = None) -> Read:
    """Read and check a file. Raises `NotFound`, or `BadData` with every mistake in it.

    `find_model` tells which models can be used here; without it every model that an agent names is taken.
    """
    try:
        if not path.is_file():
            kind = "a folder" if path.is_dir() else "no ordinary file"
            raise BadData(f"{path} is {kind}.") if path.exists() else NotFound(f"There is no file {path}.")
        with path.open("rb") as file:
            raw = file.read(LIMIT_BYTES + 1)
    except (OSError, ValueError) as error:
        raise BadData(f"{path} cannot be read: {error}.") from error
    if len(raw) > LIMIT_BYTES:
        raise BadData(f"{path} is larger than {LIMIT_BYTES // 1024} KiB, which no graph needs.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        mistake = Mistake(raw.count(b"\n", 0, error.start) + 1, "it is no UTF-8 from here on; save it as UTF-8")
        raise refused(path, [mistake]) from error
    return read_text(text, path, find_vp, vp_names, find_model)


def read_text(
    text: str, path: FilePath, find_vp: FindVp, vp_names: Sequence[str], find_model: FindModel | None = None
) -> Read:
    """As `read_graphs`, of a text that stands, or would stand, at `path`."""
    try:
        located = whole_file(text, path.parent, path.name)
    except Unreadable as error:
        raise refused(path, [error.mistake]) from error
    return _Reader(located, path, find_vp, vp_names, find_model).read()


def refused(path: FilePath, mistakes: Iterable[Mistake]) -> BadData:
    """An error that tells of every mistake, one line each, in the order of the file."""
    ordered = sorted(set(mistakes))
    lines = [f"{path}:{one.line}: {_cut(one.text)}" if one.line else f"{path}: {_cut(one.text)}" for one in ordered]
    del lines[SHOWN_MISTAKES:]
    if len(ordered) > SHOWN_MISTAKES:
        lines.append(f"and {len(ordered) - SHOWN_MISTAKES} more")
    return BadData("\n".join(lines))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_CHARS else f"{text[: _LONGEST_CHARS // 2]} … {text[-_LONGEST_CHARS // 2 :]}"


class _Reader:
    def __init__(
        self, located: Located, path: FilePath, find_vp: FindVp, vp_names: Sequence[str], find_model: FindModel | None
    ) -> None:
        self._located = located
        self._path = path
        self._data = cast("dict[str, Any]", located.data)
        reader = AgentReader(located, path.parent, find_model)
        self._agents = reader.read()
        self._mistakes = reader.mistakes
        self._warnings = [*located.warnings, *reader.warnings]
        self._find_outside = find_vp
        self._vp_names = (*self._agents, *vp_names)
        self._has_bad_teams = False

    def read(self) -> Read:
        sources = self._sources()
        names = Names(self._find, self._vp_names, sources, self._agents)
        graphs: dict[str, Graph] = {}
        mentioned: set[tuple[str, int]] = set()
        for name, (raw, place) in sources.items():
            written = self._written(name, raw, place)
            if written is None:
                continue
            mentioned.update(mentions(written, place))
            made = compiled(name, written, names, self._path.parent, place)
            self._mistakes += made.mistakes
            if not made.mistakes and not self._has_bad_teams:
                self._check_shape(made, place)
            graphs[name] = made.graph
        if not sources and not self._mistakes:
            self._mistakes.append(self._nothing_to_run())
        if not self._has_bad_teams:
            self._mistakes += self._circular(graphs)
        if self._mistakes:
            raise refused(self._path, self._mistakes)
        main = self._main(graphs)
        warnings = tuple(f"{self._path}:{one.line}: {_cut(one.text)}" for one in sorted(set(self._warnings)))
        lines: dict[str, tuple[int, ...]] = {}
        for function, line in sorted(mentioned):
            lines[function] = (*lines.get(function, ()), line)
        return Read(path=self._path, graphs=graphs, agents=self._agents, warnings=warnings, main=main, mentions=lines)

    def _sources(self) -> dict[str, tuple[Any, Lines]]:
        """All graphs of the file, as they are written or translated, and where their parts stand."""
        found: dict[str, tuple[Any, Lines]] = {}
        data = self._data
        if any(key in data for key in _SINGLE):
            single = {key: value for key, value in data.items() if key not in SECTIONS}
            return {str(data.get("name") or self._path.stem): (single, _Within(self._located, ()))}
        self._tell_unknown_keys()
        self._tell_unknown_default()
        for name, raw in mapping(data.get("graphs")).items():
            found[name] = (raw, _Within(self._located, ("graphs", name)))
        translator = Translator(self._located)
        for name, made in translator.graphs().items():
            found.setdefault(name, (made.graph, made))
        self._mistakes += translator.mistakes
        self._has_bad_teams = bool(translator.mistakes)
        self._warnings += translator.warnings
        if data.get("graph") is not None:
            found[self._name_of_graph()] = (data["graph"], _Within(self._located, ("graph",)))
        if not found:
            for name, agent in self._agents.items():
                alone = {"name": name, "steps": [{"id": fitting_id(name, ()), "agent": name}]}
                found[name] = (alone, _At(agent.line))
        return found

    def _nothing_to_run(self) -> Mistake:
        """Say that there is nothing, and what there is instead."""
        if "connections" in self._data:
            return Mistake(1, "connections stand in an agent or in a team, not by themselves")
        text = "there is nothing to run: no graph, teams, connections or agents"
        empty = next((key for key in ("graphs", "teams", *SECTIONS) if key in self._data), "")
        if empty:
            return Mistake(self._located.line((empty,)), f"there is nothing to run: {empty} is empty")
        near = next(filter(None, (nearest(key, ("agents", "teams", "graph", "graphs")) for key in self._data)), None)
        shown = list(self._data)[:_SHOWN_KEYS]
        text += f"; it has {', '.join(shown)}" if shown else ""
        return Mistake(1, text + (f". Did you mean {near!r}?" if near and near not in self._data else ""))

    def _tell_unknown_keys(self) -> None:
        for key in self._data:
            if key not in KNOWN_KEYS and not key.startswith((".", "x-", "_")):
                near = nearest(key, KNOWN_KEYS)
                hint = f". Did you mean {near!r}?" if near else ""
                self._warnings.append(Mistake(self._located.line((key,)), f"{key!r} means nothing for a graph{hint}"))

    def _tell_unknown_default(self) -> None:
        default = self._data.get("default_agent")
        known = [*self._agents, *(name for key in ("teams", "graphs") for name in mapping(self._data.get(key)))]
        if default is not None and str(default) not in known:
            near = nearest(str(default), known)
            text = f"default_agent names {str(default)!r}, which is no agent or team here"
            hint = f". Did you mean {near!r}?" if near else ""
            self._warnings.append(Mistake(self._located.line(("default_agent",)), text + hint))

    def _name_of_graph(self) -> str:
        return str(mapping(self._data.get("graph")).get("name") or "graph")

    def _main(self, graphs: Mapping[str, Graph]) -> str:
        """The graph that is meant where none is named: `graph:`, else the only one that is no part of another.

        Of agents that nothing connects it is the one that is said to be the default, else the first.
        """
        if self._data.get("graph") is not None:
            return self._name_of_graph()
        parts = {step.task.graph for one in graphs.values() for step in one.steps if isinstance(step.task, GraphTask)}
        whole = [name for name in graphs if name not in parts]
        if len(whole) == 1:
            return whole[0]
        default = str(self._data.get("default_agent") or "")
        if default in graphs:
            return default
        if not all(name in self._agents for name in graphs):
            return ""
        if default not in graphs:
            default = next(iter(graphs))
            text = f"nothing connects the agents; {default!r}, the first, is run, and --graph names another"
            self._warnings.append(Mistake(self._agents[default].line, text))
        return default

    def _written(self, name: str, raw: Any, place: Lines) -> WrittenGraph | None:
        for parts, most in (("steps", LIMIT_STEPS), ("edges", LIMIT_EDGES)):
            count = len(listing(mapping(raw).get(parts)))
            if count > most:
                text = f"the graph {name!r} has {count} {parts}; {most} are the most"
                self._mistakes.append(Mistake(place.line((parts,)), text))
                return None
        try:
            return WrittenGraph.model_validate(raw)
        except ValidationError as error:
            for path, text in told(error):
                self._mistakes.append(Mistake(place.line(path), text))
            return None

    def _check_shape(self, made: Compiled, place: Lines) -> None:
        self._mistakes += (replace(one, line=one.line or place.line(())) for one in shape_mistakes(made))
        self._warnings += (*made.warnings, *shape_warnings(made))

    def _circular(self, graphs: Mapping[str, Graph]) -> Iterable[Mistake]:
        """Tell of graphs that are steps of themselves, by whatever way: once for each circle."""
        uses = {
            name: {step.task.graph: step.line for step in graph.steps if isinstance(step.task, GraphTask)}
            for name, graph in graphs.items()
        }
        for circle in components({name: list(used) for name, used in uses.items()}):
            name = next(name for name in uses if name in circle)
            line = next(line for used, line in uses[name].items() if used in circle)
            yield Mistake(line, f"the graph {name!r} is a step of itself")

    def _find(self, name: str) -> str:
        return name if name in self._agents else self._find_outside(name)


class _At:
    """A graph that stands at one line; see `compiling.Lines`."""

    def __init__(self, line: int) -> None:
        self._line = line

    def line(self, path: Path) -> int:
        del path
        return self._line


class _Within:
    """The lines of a graph that stands at `place` in the file; see `compiling.Lines`."""

    def __init__(self, located: Located, place: Path) -> None:
        self._located = located
        self._place = place

    def line(self, path: Path) -> int:
        return self._located.line((*self._place, *path))
