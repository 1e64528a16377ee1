"""Whatever stands in a file of graphs: it is read, or refused with a reason, and never anything else happens."""

import itertools
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.workflows.graph_files import read
from yeaft.kernel.errors import YeaftError
from yeaft.workflows.graphs.files.located import LIMIT_VALUES, Unreadable, read_located
from yeaft.workflows.graphs.files.yaml_text import yaml_text

SEEDS = [
    """
agents:
  scout: {type: native, model: "a:b", system_prompts: [x, {type: library, reference: calm}], connections: [
    {type: node, name: judge, filter_condition: {type: or, conditions: [{type: word_match, words: [a]}]}}]}
  judge: &judge {inherits: scout, output_type: {fields: {a: {type: "list[str]"}}}}
prompts: {calm: {content: c}}
teams:
  t: {mode: parallel, members: [scout, judge, {name: scout}], shared_prompt: s, member_timeout: 5}
  u: {mode: sequential, members: [t, judge], validator: scout}
""",
    """
graph:
  name: g
  limits: {max_steps: 9, cost: 1.5}
  steps:
    - {id: a, agent: omni, prompt: "{{ input }}", output: {v: [x, y], n: int}, retries: {max: 1, on: [timeout]}}
    - {id: b, tool: Glob, args: {pattern: "*.py"}, on_error: "route:c"}
    - {id: c, ask: "What?", options: [p, q], timeout: 1h}
    - {id: d, call: json.dumps}
  joins: [{id: j, inputs: [b, c], reducer: dict, initial: {a: 1}, partial: true}]
  edges:
    - {from: a, to: [b, c], condition: {type: match, field: v, value: x}}
    - {from: a, to: d, else: true, delay: 2s, transform: value.n}
    - {from: j, to: a, max_visits: 2, condition: {type: and, conditions: [{type: expr, expr: value == 1}]}}
    - {from: j, to: end, else: true}
    - {from: d, to: end, async: false, mode: run}
""",
]
BITS = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        ":",
        "- ",
        "\n",
        "  ",
        "*a",
        "&a ",
        "!x ",
        "|",
        ">",
        "'",
        '"',
        "#",
        "%",
        "<<: ",
        "null",
        "1",
        "true",
        "graph",
        "steps",
        "agents",
        "teams",
        "members",
        "from",
        "to",
        "end",
        "start",
        "\t",
        "é",
        "\x00",
        "1e999",
        "~",
    ]
)


@st.composite
def mutated(draw: Any) -> str:
    """A file of graphs with a few things cut out, put in or doubled."""
    text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, len(text)))
        length = draw(st.integers(0, 12))
        put_in = draw(BITS | st.just(text[begin : begin + 40]) | st.text(max_size=4))
        text = text[:begin] + put_in + text[begin + length :]
    return text


WORDS = ["graph", "graphs", "steps", "edges", "joins", "agents", "teams", "members", "from", "to", "condition", "type"]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6)
SHAPES = st.recursive(
    SCALARS | st.sampled_from(["a", "omni", "match", "start", "end"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=12,
)
TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(min_size=1), inner),
    max_leaves=20,
)


def is_told(text: str) -> None:
    said = ""
    try:
        read(text)
    except YeaftError as error:
        said = str(error)
    assert not said or said.startswith("/nowhere/graph.yaml:")


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated())
@example("graph:\n  judge: {type: match}\n")
def test_a_file_in_which_something_went_wrong_is_read_or_refused(text: str) -> None:
    is_told(text)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(WORDS), SHAPES, max_size=4))
def test_a_file_of_any_shape_is_read_or_refused(data: dict[str, Any]) -> None:
    is_told(msgspec.json.encode(data).decode())


@settings(max_examples=200, deadline=None)
@given(st.text() | st.text("[]{}:,-&*!|>'\"#%@`?~ \n\tab01"))
def test_a_text_of_any_kind_is_read_or_refused(text: str) -> None:
    is_told(text)


@settings(max_examples=300, deadline=None)
@given(TREES)
@example({"on": "no", "1": "1_0", "a b": " x ", "~": "~", "c": "- d", "e": "f: g", "h": "#i", "j": "k\nl\n", "m": "\n"})
@example([[], {}, [[]], [{}], {"a": []}, {"a": [[{"b": "c\n d"}]]}])
@example("\ufeff\u2028\x85\r\n")
def test_what_is_written_as_yaml_is_read_as_what_it_was(value: Any) -> None:
    text = yaml_text({"value": value})

    assert read_located(text).data == {"value": value}


@given(st.integers(1, 9), st.integers(1, 12))
def test_aliases_count_as_often_as_they_are_used(width: int, depth: int) -> None:
    names = [f"n{number}" for number in range(depth + 1)]
    lines = [f"{names[0]}: &{names[0]} [x]"]
    lines += [f"{name}: &{name} [{', '.join([f'*{before}'] * width)}]" for before, name in itertools.pairwise(names)]
    size = sum(width**number * 2 for number in range(depth + 1))

    try:
        read_located("\n".join(lines))
    except Unreadable:
        assert size * width > LIMIT_VALUES / 3
    else:
        assert size < LIMIT_VALUES


def test_the_line_of_everything_is_known(tmp_path: Path) -> None:
    located = read_located("a:\n  - b: 1\n\n    c: [x,\n      y]\nd: &k\n  e: 2\nf: *k\n")

    places = [("a",), ("a", 0), ("a", 0, "b"), ("a", 0, "c"), ("a", 0, "c", 1), ("d", "e"), ("f",), ("f", "e"), ("g",)]
    assert [located.line(place) for place in places] == [1, 2, 2, 4, 5, 7, 8, 8, 1]
