"""What a run is given: text, or for a graph that says what it takes, a value that fits."""

from __future__ import annotations

from typing import Any

import msgspec

from yeaft.kernel.errors import BadData
from yeaft.workflows.graphs.conditions import read_json
from yeaft.workflows.graphs.graph import Graph
from yeaft.workflows.graphs.outputs import misfits


def given_value(graph: Graph, given: Any) -> Any:
    """Return what a run of a graph is given; text is read as JSON where the graph says what it takes.

    Raises `BadData` for what does not fit.
    """
    if not graph.input:
        return given
    value = read_json(given) if isinstance(given, str) else given
    schema = msgspec.json.decode(graph.input, type=dict[str, Any])
    mistakes = misfits(value, schema)
    if value is given and isinstance(given, str) and (mistakes or not schema):
        mistakes = ["it is no JSON."]
    if mistakes:
        raise BadData(f"The graph {graph.name!r} cannot take this input: {' '.join(mistakes)}")
    return value
