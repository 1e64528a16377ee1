"""A graph as a Mermaid flowchart, for documents and for whoever would rather look at a picture."""

from __future__ import annotations

from yeaft.interfaces.cli.graphs.graph_words import GraphWords
from yeaft.prompts.ui import Ui
from yeaft.workflows.graphs.files.plain import plain
from yeaft.workflows.graphs.graph import END, START, AskTask, CodeTask, FailTask, Graph, GraphTask, Step, Task, ToolTask


def mermaid(ui: Ui, graph: Graph) -> str:
    """Return the text of a flowchart. Ids in it are numbers, so that no name can break it."""
    shown = plain(graph)
    words = GraphWords(ui, shown)
    joins = [join.id for join in shown.joins]
    ids = {node: f"n{number}" for number, node in enumerate((START, *(step.id for step in shown.steps), *joins, END))}
    lines = ["flowchart TD", f"  {ids[START]}([{_label(words.name(START))}])"]
    lines += [f"  {ids[step.id]}{_shaped(step, _label(words.node(step.id)))}" for step in shown.steps]
    lines += [f"  {ids[join]}{{{{{_label(words.node(join))}}}}}" for join in joins]
    lines.append(f"  {ids[END]}([{_label(words.name(END))}])")
    for edge in shown.edges:
        said = words.edge(edge)
        arrow = "-.->" if edge.detached or edge.mode == "context" else "==>" if edge.map else "-->"
        lines.append(f"  {ids[edge.source]} {arrow}{f'|{_label(said)}|' if said else ''} {ids[edge.target]}")
    for step in shown.steps:
        if step.error_step:
            lines.append(f"  {ids[step.id]} -.->|{_label(words.say('on_error'))}| {ids[step.error_step]}")
    return "\n".join(lines)


def _shaped(step: Step, label: str) -> str:
    before, after = _shape(step.task)
    return f"{before}{label}{after}"


def _shape(task: Task) -> tuple[str, str]:
    """What a step of a kind is drawn as: a box for VPs, and others that can be told apart from it."""
    match task:
        case ToolTask() | CodeTask():
            return "[[", "]]"
        case AskTask():
            return "[/", "/]"
        case FailTask():
            return "{{", "}}"
        case GraphTask():
            return "[(", ")]"
        case _:
            return "[", "]"


def _label(text: str) -> str:
    """A text in quotes; what would mean something to Mermaid is written by its number."""
    plain_text = " ".join(text.split())
    return (
        '"' + "".join(one if one.isalnum() or one in " .,:@_-→()=%/" else f"#{ord(one)};" for one in plain_text) + '"'
    )
