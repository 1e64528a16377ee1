"""Conditions and expressions mean what they say, under every name they go by, for whatever values there are."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workflows.graph_files import graph
from yeaft.workflows.graphs.bounded_regexes import is_quick
from yeaft.workflows.graphs.conditions import (
    MISSING,
    Condition,
    Contains,
    Cost,
    Count,
    Elapsed,
    Every,
    Expr,
    Match,
    Moment,
    Not,
    Outside,
    Some,
    Sums,
    Tokens,
    at_path,
    holds,
    outside_parts,
    read_json,
)
from yeaft.workflows.graphs.expressions import evaluated, expression_mistake, filled, template_mistake
from yeaft.workflows.graphs.files.written_conditions import written_condition
from yeaft.workflows.graphs.outputs import misfits

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
PLAIN = st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=8)
WORDS = st.lists(st.text("abc ", min_size=1, max_size=3).filter(str.strip), min_size=1, max_size=3)


def moment(value: Any = None, *, edge: Sums | None = None, run: Sums | None = None, now_ms: int = 0) -> Moment:
    return Moment(
        value=value,
        edge=edge or Sums(),
        run=run or Sums(),
        now_ms=now_ms,
        evaluate=lambda text: evaluated(text, {"value": value, "input": "go", "steps": {}, "params": {}, "index": 0}),
    )


WRITTEN = {
    "{type: match, field: a.b, value: yes}": Match(field="a.b", value="yes", has_value=True),
    "{type: match, value: null}": Match(has_value=True),
    "{type: match, field: n, in: [1, 2]}": Match(field="n", within=(1, 2)),
    "{type: match, regex: '^ok'}": Match(regex="^ok"),
    "{type: match, field: n, gt: 1, lt: 5.5}": Match(field="n", gt=1.0, lt=5.5),
    "{type: contains, words: [a, b]}": Contains(words=("a", "b")),
    "{type: contains, words: a, mode: all, whole_word: true, case_sensitive: true}": Contains(
        words=("a",), every=True, whole_word=True, case_sensitive=True
    ),
    "{type: word_match, words: [a], name: named}": Contains(words=("a",), whole_word=True),
    "{type: word_match, words: [a], whole_word: false}": Contains(words=("a",)),
    "{type: expr, expr: value > 3}": Expr(text="value > 3"),
    "{type: expr, expression: '{{ value > 3 }}'}": Expr(text="value > 3"),
    "{type: jinja2, template: '{{ value > 3 }}'}": Expr(text="value > 3"),
    "{type: count, max: 3}": Count(max=3),
    "{type: message_count, max_messages: 3, count_mode: total}": Count(max=3),
    "{type: count, max: 3, scope: run}": Count(max=3, scope="run"),
    "{type: elapsed, max: 5m}": Elapsed(max_ms=300_000),
    "{type: time, duration: 30}": Elapsed(max_ms=30_000),
    "{type: tokens, max: 9, scope: run}": Tokens(max=9, scope="run"),
    "{type: token_threshold, max_tokens: 9, count_type: completion}": Tokens(max=9, count="completion"),
    "{type: cost, max: 0.5}": Cost(max_usd=0.5),
    "{type: cost_limit, max_cost: 0.5}": Cost(max_usd=0.5),
    "{type: callable, predicate: 'json.dumps'}": Outside(path="json.dumps"),
    "{type: judge, vp: '@skeptic', question: Good?}": Outside(vp_id="skeptic", question="Good?"),
    "{type: judge, agent: skeptic, question: Good?}": Outside(vp_id="skeptic", question="Good?"),
    "{type: and, conditions: [{type: count, max: 1}, {type: not, condition: {type: cost, max: 1}}]}": Every(
        conditions=(Count(max=1), Not(condition=Cost(max_usd=1)))
    ),
    "{type: or, conditions: [{type: and, conditions: [{type: count, max: 1}]}]}": Some(
        conditions=(Every(conditions=(Count(max=1),)),)
    ),
}


@pytest.mark.parametrize("written", WRITTEN)
def test_every_condition_can_be_written_and_stops_an_edge_as_well_as_it_opens_one(written: str) -> None:
    found = graph(f"""
        graph:
          steps: [{{id: a, agent: omni}}, {{id: b, agent: omni}}]
          edges:
            - {{from: a, to: b, condition: {written}, stop_condition: {written}}}
            - {{from: a, to: end, else: true}}
    """)

    assert found.edges[0].condition == found.edges[0].stop_condition == WRITTEN[written]


@given(VALUES, PLAIN)
def test_a_match_of_the_whole_value_is_equality(value: Any, wanted: Any) -> None:
    is_same = type(value) is type(wanted) and value == wanted
    is_same |= isinstance(value, str) and isinstance(wanted, str) and value.strip() == wanted.strip()

    if isinstance(value, str):
        value = {"text": value}  # a text that is JSON would be read as such
        assert holds(Match(field="text", value=wanted, has_value=True), moment(value)) == is_same
    else:
        assert holds(Match(value=wanted, has_value=True), moment(value)) == is_same


@given(st.lists(st.sampled_from(["a", "b", 0, 1, -1]), max_size=4), VALUES)
def test_a_path_leads_where_it_says_or_nowhere(path: list[str | int], value: Any) -> None:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
    expected = value
    for part in path:
        try:
            is_there = isinstance(expected, list) if isinstance(part, int) else isinstance(expected, dict)
            expected = expected[part] if is_there else None
        except (LookupError, TypeError):
            is_there = False
        if not is_there:
            expected = MISSING
            break

    if not isinstance(value, str):  # which would be read as JSON
        assert at_path(value, text) == expected


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-50, 50))
def test_bounds_are_open_and_hold_together(number: int, low: int, high: int) -> None:
    assert holds(Match(field="n", gt=low, lt=high), moment({"n": number})) == (low < number < high)
    assert holds(Match(field="n", within=(low, high)), moment({"n": number})) == (number in (low, high))


@given(WORDS, st.text("abcAB .,", max_size=20), st.booleans())
def test_words_are_looked_for_in_the_text(words: list[str], text: str, every: bool) -> None:
    found = [word.casefold() in text.casefold() for word in words]
    whole = [re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None for word in words]
    named = tuple(words)

    assert holds(Contains(words=named, every=every), moment(text)) == (all(found) if every else any(found))
    assert holds(Contains(words=named, every=every, whole_word=True), moment(text)) == (
        all(whole) if every else any(whole)
    )
    assert not holds(Contains(words=("error",), whole_word=True), moment("terror"))


@given(st.integers(1, 100), st.integers(0, 200), st.sampled_from(["edge", "run"]))
def test_sums_are_those_of_the_edge_or_of_the_run(most: int, there: int, scope: Any) -> None:
    sums = Sums(count=there, cost_usd=there / 100, sent_tokens=there, received_tokens=1000 * there)
    now = moment(**{scope: sums}, now_ms=there) if scope == "edge" else moment(run=sums, now_ms=there)
    other: Any = "run" if scope == "edge" else "edge"

    for condition in (Count(max=most, scope=scope), Cost(max_usd=most / 100, scope=scope)):
        assert holds(condition, now) == (there >= most)
    assert holds(Tokens(max=most, scope=scope, count="prompt"), now) == (there >= most)
    assert holds(Tokens(max=1000 * most, scope=scope, count="completion"), now) == (there >= most)
    assert holds(Elapsed(max_ms=most, scope=scope), now) == (there >= most)
    assert not holds(Count(max=most, scope=other), now)


CONDITIONS: st.SearchStrategy[Condition] = st.recursive(
    st.sampled_from([Match(value=1, has_value=True), Contains(words=("a",)), Count(max=1), Expr(text="value == 1")]),
    lambda inner: st.one_of(
        st.builds(lambda parts: Every(conditions=tuple(parts)), st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda parts: Some(conditions=tuple(parts)), st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda part: Not(condition=part), inner),
    ),
    max_leaves=6,
)


@given(st.lists(CONDITIONS, min_size=1, max_size=3), st.sampled_from([1, 2, "a", "1"]))
def test_and_or_and_not_are_those_of_logic(parts: list[Condition], value: Any) -> None:
    now = moment(value, edge=Sums(count=1))
    each = [holds(part, now) for part in parts]

    assert holds(Every(conditions=tuple(parts)), now) == all(each)
    assert holds(Some(conditions=tuple(parts)), now) == any(each)
    negated = Every(conditions=tuple(Not(condition=part) for part in parts))
    assert holds(Not(condition=Some(conditions=tuple(parts))), now) == holds(negated, now)


@given(st.text(max_size=30))
def test_a_text_is_an_expression_or_it_is_said_why_not(text: str) -> None:
    names = {"value": 1, "input": "", "steps": {}, "params": {}, "index": 0}

    mistake, said = expression_mistake(text), ""
    try:
        evaluated(text, names)
    except ValueError as error:
        said = str(error)

    assert "cannot be evaluated" in said if mistake else not said or "cannot be evaluated" in said


@given(st.text("{}%# abc|.()", max_size=30))
def test_a_text_is_a_template_or_it_is_said_why_not(text: str) -> None:
    mistake = template_mistake(text)

    if "{" not in text:
        assert not mistake
        assert filled(text, {}) == text.removesuffix("\n")
    if mistake:
        with pytest.raises(ValueError, match="cannot be filled in"):
            filled(text, {})


def test_a_model_may_call_its_fields_what_it_likes() -> None:
    value = {"items": [1, 2], "keys": "k", "values": {"get": 3}}

    assert evaluated("value.items[1]", {"value": value}) == 2
    assert evaluated("value.values.get", {"value": value}) == 3


HARMLESS = ("value | attr('__class__')",)
"""What comes to nothing instead of being refused."""


@pytest.mark.parametrize(
    "text",
    [
        "value.__class__.__mro__",
        "().__class__.__base__.__subclasses__()",
        "value | attr('__class__')",
        "10 ** 10 ** 10",
        "'a' * 1000000000",
        "[0] * 1000000000",
        "range(10)",
        "1 / 0",
        "lipsum()",
        "[1, 2] | random",
        "value.nothing.more",
    ],
)
def test_an_expression_can_do_no_harm(text: str) -> None:
    mistake = expression_mistake(text)
    if not mistake and text not in HARMLESS:
        with pytest.raises(ValueError, match="cannot be evaluated"):
            evaluated(text, {"value": "x"})
    assert mistake or text not in HARMLESS or evaluated(text, {"value": "x"}) is None


@pytest.mark.parametrize(
    "template",
    [
        "{% for a in value %}{% for b in value %}{% for c in value %}{% endfor %}{% endfor %}{% endfor %}",
        "{% for a in value %}{{ value }}{% endfor %}",
        "{% set all %}{% for a in value %}{{ value }}{% endfor %}{% endset %}{{ all | length }}",
        "{% set all %}{% for a in value %}" + "x" * 1000 + "{% endfor %}{% endset %}{{ all | length }}",
        "{% macro again(n) %}{{ again(n) }}{% endmacro %}{{ again(1) }}",
        (
            "{% macro twice(n) %}{% if n %}{% set a = twice(n - 1) %}{% set b = twice(n - 1) %}{% endif %}{% endmacro %}"
            "{{ twice(90) }}"
        ),
        "{{ '%9999999999d' % 1 }}",
        "{{ '%*d' % (9999999999, 1) }}",
        "{{ '{:9999999999}'.format(1) }}",
        "{{ '%9999999999d' | format(1) }}",
        "{{ ('%s' * 9000) % ((value,) * 9000) }}",
        "{{ 'x'.ljust(9999999999) }}",
        "{{ 'x' | center(9999999999) }}",
        "{{ value['rjust'](9999999999) }}",
        "{{ value | replace('', value) | length }}",
        "{{ value.replace('y', value) | length }}",
        "{{ ([value] * 9000) | join }}",
        "{{ value.join(value) }}",
        "{{ value | join(value) }}",
        "{{ (value | list) | batch(9999999999, 'x') | list | length }}",
        "{{ ([[1] * 1000] * 1000) | sum(start=[]) | length }}",
        "{{ 1 | round(9999999999) }}",
        "{{ value | indent(9999999999) }}",
        "{% set a = value + value %}" + "{% set a = a + a %}" * 12 + "{{ a | length }}",
        "{% set a = value ~ value %}" + "{% set a = a ~ a %}" * 12 + "{{ a | length }}",
        "{{ value }}" * 200,
    ],
)
def test_a_template_that_would_not_end_or_not_fit_is_given_up(template: str) -> None:
    assert template_mistake(template) == ""  # which works nothing out

    with pytest.raises(ValueError, match="cannot be filled in"):
        filled(template, {"value": "y" * 20_000})


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{% for one in value %}{{ loop.index }}. {{ one }}\n{% endfor %}", "1. a\n2. b\n"),
        ("{{ value | join(', ') }} ({{ value | length }})", "a, b (2)"),
        ("{{ 'x'.ljust(3) }}|{{ '%05d' % 7 }}|{{ '{:>4}'.format('r') }}|{{ 'a' ~ 1 ~ none }}", "x  |00007|   r|a1None"),
        (
            "{{ '%d' % 1234567 }} {{ '{:,}'.format(1234567) }} {{ none | default(1234567, true) }} {{ 7654321 }}",
            "1234567 1,234,567 1234567 7654321",
        ),
        ("{{ '%s: %s' % ('a', 1234567) }} {{ 3.14159 | round(2) }} {{ 'ab' | center(4) }}", "a: 1234567 3.14  ab "),
        ("{% macro one(n) %}<{{ n }}>{% endmacro %}{{ value | map('upper') | join }}{{ one(2) }}", "AB<2>"),
        (
            "{{ [1, 2] | sum }} {{ 'aXa'.replace('a', 'b') }} {{ 'a\nb' | indent(2) }} {{ [1] + [2] }}",
            "3 bXb a\n  b [1,2]",
        ),
    ],
)
def test_what_people_write_in_templates_is_filled_in(template: str, text: str) -> None:
    assert filled(template, {"value": ["a", "b"]}) == text


@pytest.mark.parametrize(
    ("template", "mistake"),
    [
        ("{% include 'secret' %}", "a template cannot bring in other files"),
        ("{% import 'os' as os %}{{ os }}", "a template cannot bring in other files"),
        ("{% extends 'base' %}", "a template cannot bring in other files"),
        ("{{ input.__class__ }}", "'__class__' cannot be looked into"),
        (
            "{% for one in input recursive %}{{ loop(input) }}{% endfor %}",
            "a loop within itself may have no end (its line 1)",
        ),
    ],
)
def test_what_no_template_may_do_is_told_before_anything_is_begun(template: str, mistake: str) -> None:
    assert template_mistake(template) == mistake


def test_nothing_but_what_it_is_given_reaches_a_template(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s")

    for template in ("{% include 'secret' %}", "{% import 'os' as os %}", "{{ self.__init__.__globals__ }}"):
        with pytest.raises(ValueError, match="cannot be filled in"):
            filled(template, {"input": ""})


@pytest.mark.parametrize(
    "text", ["```json\n" + "\n" * 200_000, "```\n" * 100_001, "```json\n" + " \n" * 100_000 + "``"]
)
def test_text_in_which_a_fence_never_closes_is_read_as_text(text: str) -> None:
    assert read_json(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('Here it is: ```json\n{"a": 1}\n```\nDone.', {"a": 1}),
        ("```\r\n[1, 2]\r\n  ``` ", [1, 2]),
        ("```python\nx = 1\n```\nand\n```json\n{}\n```", {}),
        ("```\nnot this\n```\n```\n3\n```\n```\n4\n```", 3),
        ("```json\n1", "```json\n1"),
    ],
)
def test_the_json_in_the_first_fence_that_has_some_is_what_a_text_says(text: str, value: Any) -> None:
    assert read_json(text) == value


@pytest.mark.parametrize("regex", ["(a+)+$", "a*b", "a{3}", "(x|y)?" * 9, r"\(?" * 9])
def test_a_regex_that_may_take_long_is_left_to_others_and_written_as_before(regex: str) -> None:
    condition = Match(field="word", regex=regex, gt=1.0, is_slow=not is_quick(regex))
    part = Outside(field="word", regex=regex)

    assert outside_parts(Not(condition=condition)) == (part,)
    assert written_condition(condition) == {"type": "match", "field": "word", "regex": regex, "gt": 1.0}


@pytest.mark.parametrize("regex", ["^ok", r"(?i)\bapproved?\b", "a|b|c", "Exit code: 0$", r"[^,]\d\d(?=x)"])
def test_a_regex_that_repeats_nothing_is_looked_for_at_once(regex: str) -> None:
    assert is_quick(regex)


@pytest.mark.parametrize("text", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, "[" * 201 + "]" * 201])
def test_what_is_nested_without_end_is_text(text: str) -> None:
    assert read_json(text) == text
    assert at_path(text, "a[0].b") is MISSING


def test_what_is_nested_as_deep_as_anything_may_be_is_read() -> None:
    assert isinstance(read_json("[" * 200 + "]" * 200), list)
    assert len(misfits([["x"]] * 3, {"type": "object"})) == 1
    assert misfits(json.loads('{"a":' * 300 + "1" + "}" * 300), {}) == ["value: it is nested more than 200 deep."]
