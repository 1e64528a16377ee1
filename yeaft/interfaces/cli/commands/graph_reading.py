"""`yeaft graph check|show|translate`: what a file of graphs says, without running anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Literal

import click
from msgspec import Struct

from yeaft.interfaces.cli.commands.parsing import Action, option
from yeaft.interfaces.cli.commands.printing import put, put_json
from yeaft.interfaces.cli.streams import complain
from yeaft.kernel.errors import YeaftError
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.workflows.graphs.files.reading import Read
    from yeaft.workflows.graphs.graph import Graph

Form = Literal["tree", "mermaid", "yaml"]


class GraphRow(Struct, frozen=True, kw_only=True):
    """One graph of a file; `steps` are ids of those that were written, `functions` import paths of what it calls."""

    name: str
    main: bool
    steps: tuple[str, ...]
    joins: int
    edges: int
    functions: tuple[str, ...] = ()


class Checked(Struct, frozen=True, kw_only=True):
    """What came of a check. `mistakes` are lines that begin with file and line, as `warnings` are."""

    file: str
    ok: bool
    graphs: tuple[GraphRow, ...] = ()
    warnings: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()


def check(desk: Desk, *, file: Path, name: str) -> int:
    """Say whether a file of graphs can be run; all that is wrong is said at once."""
    try:
        read = read_with_warnings(desk, file)
        names = [name] if name else list(read.graphs)
        for one in names:
            read.graph(one)
    except YeaftError as error:
        if not desk.as_json:
            raise
        put_json(Checked(file=str(file), ok=False, mistakes=tuple(str(error).splitlines())))
        return error.exit_code
    rows = tuple(_row(read, one) for one in names)
    if desk.as_json:
        put_json(Checked(file=str(file), ok=True, graphs=rows, warnings=read.warnings))
        return EXIT_ANSWERED
    _warn(desk, read)
    for row in rows:
        code = "graph_show.fine_main" if row.main else "graph_show.fine"
        put(desk.text(code, graph=row.name, steps=len(row.steps), edges=row.edges))
    _tell_functions(desk, read, [function for row in rows for function in row.functions])
    return EXIT_ANSWERED


def show(desk: Desk, *, file: Path, name: str, form: Form) -> int:
    """Show a graph: as a tree in words, as a Mermaid flowchart, or as YAML with all that was implied."""
    from yeaft.workflows.graphs.called_functions import called_functions
    from yeaft.workflows.graphs.files.writing import file_text, written_graph

    read = read_with_warnings(desk, file)
    names = [name] if name else [read.main] if read.main else list(read.graphs)
    graphs = {one: read.graph(one) for one in names}
    if desk.as_json:
        put_json([written_graph(graph) for graph in graphs.values()])
        return EXIT_ANSWERED
    _warn(desk, read)
    if form == "yaml":
        put(file_text(graphs, {}, names[0] if len(names) == 1 else "").rstrip())
        return EXIT_ANSWERED
    for number, graph in enumerate(graphs.values()):
        if number:
            put("")
        _draw(desk, graph, form)
    if form == "tree":
        _tell_functions(desk, read, [function for graph in graphs.values() for function in called_functions(graph)])
    return EXIT_ANSWERED


def translate(desk: Desk, *, file: Path, name: str) -> int:
    """Write teams, connections and agents as graphs: YAML that reads back as the same graphs."""
    from yeaft.workflows.graphs.files.writing import file_text, written_graph

    read = read_with_warnings(desk, file)
    _warn(desk, read)
    graphs = _with_parts(read, read.graph(name)) if name else dict(read.graphs)
    if desk.as_json:
        put_json({one: written_graph(graph) for one, graph in graphs.items()})
        return EXIT_ANSWERED
    put(file_text(graphs, read.agents, name or read.main).rstrip())
    return EXIT_ANSWERED


def _tell_functions(desk: Desk, read: Read, functions: Sequence[str]) -> None:
    """Say which code of somebody's runs when the graph does, and what that still needs."""
    if functions:
        folder = str(read.path.parent)
        code = "graph_show.functions" if desk.may_run_code_in(read.path.parent) else "graph_show.functions_untrusted"
        put(desk.text(code, functions=", ".join(dict.fromkeys(functions)), folder=quote(folder)))


def _draw(desk: Desk, graph: Graph, form: Form) -> None:
    if form == "mermaid":
        from yeaft.interfaces.cli.graphs.mermaid import mermaid

        put(mermaid(desk.ui, graph))
        return
    from yeaft.interfaces.cli.graphs.graph_tree import tree

    limits = graph.limits
    put(desk.text("graph_show.title", graph=graph.name, steps=limits.max_steps, parallel=limits.max_parallel))
    for line in tree(desk.ui, graph):
        put(line)


def read_with_warnings(desk: Desk, file: Path) -> Read:
    """Read a file of graphs for those who are here. Raises `NotFound`, or `BadData` with every mistake in it."""
    from yeaft.interfaces.cli.mcp_known import known
    from yeaft.interfaces.graph_models import usable_models
    from yeaft.interfaces.graph_servers import with_server_warnings
    from yeaft.interfaces.graphing import read_file

    read = read_file(desk.folder / file, desk.library, usable_models(desk.config, desk.environ))
    servers, _ = known(desk)
    return with_server_warnings(read, [one.name for one in servers])


def _with_parts(read: Read, graph: Graph) -> dict[str, Graph]:
    """A graph with those that are steps of it, and theirs."""
    from yeaft.workflows.graphs.graph import GraphTask

    found: dict[str, Graph] = {}
    left = [graph]
    while left:
        one = left.pop()
        if one.name not in found:
            found[one.name] = one
            left += [read.graph(step.task.graph) for step in one.steps if isinstance(step.task, GraphTask)]
    return found


def _row(read: Read, name: str) -> GraphRow:
    from yeaft.workflows.graphs.called_functions import called_functions
    from yeaft.workflows.graphs.files.plain import is_implicit, plain

    graph = plain(read.graph(name))
    return GraphRow(
        name=name,
        main=name == read.main,
        steps=tuple(step.id for step in graph.steps),
        joins=sum(not is_implicit(join) for join in graph.joins),
        edges=len(graph.edges),
        functions=called_functions(read.graph(name)),
    )


def _warn(desk: Desk, read: Read) -> None:
    if not desk.options.quiet:
        for warning in read.warnings:
            complain(desk.ui.retold(warning))


FILE = click.Argument(["file"], metavar="FILE", type=click.Path(path_type=Path))
GRAPH = option("--graph", "name", default="")
READING: Mapping[str, Action] = {
    "check": Action(run=check, params=(FILE, GRAPH)),
    "show": Action(
        run=show,
        params=(
            FILE,
            GRAPH,
            option("--format", "form", type=click.Choice(["tree", "mermaid", "yaml"]), default="tree"),
        ),
    ),
    "translate": Action(run=translate, params=(FILE, GRAPH)),
}
"""Those parts of `yeaft graph` that run nothing."""
