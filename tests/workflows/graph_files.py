"""Files of graphs for stories: written, read with a few VPs at hand, and compared by what they mean."""

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from yeaft.workflows.graphs.files.plain import is_implicit, plain
from yeaft.workflows.graphs.files.reading import Read, read_text
from yeaft.workflows.graphs.graph import Graph

VPS = ("omni", "builder", "skeptic", "writer", "editor")


def find_vp(name: str) -> str:
    return name if name in VPS else ""


def read(yaml: str, folder: Path = Path("/nowhere")) -> Read:
    """Read a text as if it stood in `folder`."""
    return read_text(yaml, folder / "graph.yaml", find_vp, VPS)


def graph(yaml: str, name: str = "", folder: Path = Path("/nowhere")) -> Graph:
    return read(yaml, folder).graph(name)


def structure(graph: Graph) -> dict[str, Any]:
    """A graph as values that are equal if two graphs mean the same, wherever and in whatever order it is written."""
    shown = plain(graph)
    names = {join.id: f"join({', '.join(join.inputs)})" for join in shown.joins if is_implicit(join)}
    edges = [
        replace(
            edge,
            id=0,
            group=0,
            line=0,
            source=names.get(edge.source, edge.source),
            target=names.get(edge.target, edge.target),
        )
        for edge in shown.edges
    ]
    return {
        "steps": {step.id: replace(step, line=0) for step in shown.steps},
        "joins": sorted((replace(join, id=names.get(join.id, join.id), line=0) for join in shown.joins), key=repr),
        "edges": sorted(edges, key=repr),
        "rest": replace(graph, name="", steps=(), joins=(), edges=(), graphs={}),
    }


def ways(graph: Graph) -> list[str]:
    """The edges of a graph in short, as they were written: `a -> b`, `a & b -> c`."""
    shown = plain(graph)
    names = {join.id: " & ".join(join.inputs) for join in shown.joins if is_implicit(join)}
    return [
        f"{names.get(edge.source, edge.source)} -> {edge.target}" for edge in shown.edges if edge.target not in names
    ]
