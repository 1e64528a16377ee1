"""The pattern `cite`: a question is answered from the files of the project, and every citation is checked."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from yeaft.workflows.patterns.pattern import MOST_ROUNDS, Budget, Words, endings, limits, within
from yeaft.workflows.patterns.yaml_text import yaml_text

CITATIONS = "yeaft.workflows.patterns.citations"


class Cite(Struct, frozen=True, kw_only=True):
    """`member` says what to look for, and answers from what is found in files that fit `glob`, in `tries` tries."""

    member: str
    glob: str = ""
    tries: int = 2
    budget: Budget = Budget()


def cite(wanted: Cite, words: Words) -> str:
    """Return the graph. Raises `UsageError`."""
    within("tries", wanted.tries, MOST_ROUNDS)
    citation = {"file": "str", "line": "int", "quote": "str"}
    args: dict[str, Any] = {
        "pattern": "{{ input }}",
        "output_mode": "content",
        "case_insensitive": True,
        "context": 2,
        **({"glob": wanted.glob} if wanted.glob else {}),
    }
    given = "{'answer': value, 'found': steps.search, 'before': steps.check | default(none), 'tries': params.tries}"
    steps, ends = endings("cite", "check", words)
    again = {"type": "match", "field": "state", "value": "again"}
    graph: dict[str, Any] = {
        "name": "cite",
        "params": {"tries": wanted.tries},
        "limits": limits(wanted.budget, 4 + 2 * wanted.tries),
        "steps": [
            {"id": "terms", "agent": wanted.member, "prompt": words["cite_terms"], "output": {"terms": ["str"]}},
            {"id": "pattern", "call": f"{CITATIONS}.pattern_of"},
            {"id": "search", "tool": "Grep", "args": args},
            {
                "id": "answer",
                "agent": wanted.member,
                "prompt": words["cite_answer"],
                "output": {"answer": "str", "citations": [citation]},
            },
            {"#": words["remark_check"], "id": "check", "call": f"{CITATIONS}.checked"},
            *steps,
        ],
        "edges": [
            {"from": "start", "to": "terms"},
            {"from": "terms", "to": "pattern"},
            {"from": "pattern", "to": "search"},
            {"from": "search", "to": "answer"},
            {"from": "answer", "to": "check", "transform": given},
            {"#": words["remark_best"], "from": "check", "to": "end", "transform": "value.best"},
            {"from": "check", "to": "answer", "condition": again, "max_visits": MOST_ROUNDS},
            *ends,
        ],
    }
    return yaml_text(graph, words["about_cite"])
