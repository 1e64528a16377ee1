"""What models are told of the tools of servers: names, descriptions and schemas that every provider takes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from msgspec import Raw, json

from yeaft.kernel.text import is_hidden
from yeaft.kernel.tool_names import is_meant
from yeaft.mcp.host_protocol import Elicited
from yeaft.mcp.job import Filled
from yeaft.mcp.names import LIMIT_CHARS, server_part, wire_names
from yeaft.mcp.plain import one_line
from yeaft.mcp.schema import LIMIT_BYTES, clean_schema
from yeaft.prompts.find import read_template
from yeaft.prompts.phrases import sections
from yeaft.tools.mcp_questions import Field, Questions, fields_of
from yeaft.vp.persona import ToolPolicy

KEYWORDS = [
    *("type", "properties", "required", "items", "anyOf", "oneOf", "allOf", "$ref", "$defs", "enum", "const", "title"),
    *("minimum", "minLength", "description", "default", "additionalProperties", "format", "pattern", "nullable", "not"),
]
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(["object", "string", "array", "#", "#/$defs/a", "#/properties/a", "str"]),
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from([*KEYWORDS, "a", "b"]), st.text(max_size=4)), inner, max_size=6),
    ),
    max_leaves=40,
)


def cleaned(schema: object) -> dict[str, object]:
    return json.decode(clean_schema(Raw(json.encode(schema))), type=dict[str, object])


@given(SCHEMAS)
def test_whatever_a_server_sends_becomes_a_schema_that_providers_take(schema: object) -> None:
    clean = cleaned(schema)

    Draft202012Validator.check_schema(clean)
    assert clean["type"] == "object"
    assert not {"anyOf", "oneOf", "allOf", "$ref", "enum", "not"} & set(clean)
    assert b'"$ref"' not in json.encode(clean)
    assert len(json.encode(clean)) <= LIMIT_BYTES


@given(SCHEMAS)
def test_cleaning_twice_changes_nothing_more(schema: object) -> None:
    once = cleaned(schema)

    assert cleaned(once) == once


def test_an_ordinary_schema_stays_as_it_is() -> None:
    schema = {
        "type": "object",
        "properties": {
            "path": {"description": "Where.", "type": "string", "minLength": 1},
            "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
            "size": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        },
        "required": ["path"],
        "additionalProperties": False,
    }

    assert cleaned(schema) == schema


def test_references_are_filled_in_and_end_where_they_lead_into_themselves() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "value": {"type": "number"}}}

    clean = cleaned({"type": "object", "properties": {"list": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}})

    inner = {"type": "object", "properties": {}}
    assert clean["properties"] == {
        "list": {"type": "object", "properties": {"next": inner, "value": {"type": "number"}}}
    }


def test_alternatives_at_the_top_become_properties() -> None:
    one = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    other = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    both = {"id": {"type": "integer"}, "name": {"type": "string"}}

    assert cleaned({"anyOf": [one, other]}) == {"type": "object", "properties": both}
    assert cleaned({"allOf": [one, other]}) == {"type": "object", "properties": both, "required": ["id", "name"]}


def test_a_schema_that_unfolds_to_something_huge_is_told_without_detail() -> None:
    wide = {f"p{number}": {"$ref": "#/$defs/B"} for number in range(60)}
    document = {
        "type": "object",
        "properties": {f"q{number}": {"$ref": "#/$defs/A"} for number in range(60)},
        "$defs": {"A": {"type": "object", "properties": wide}, "B": {"type": "object", "properties": {"x": {}}}},
    }

    assert cleaned(document) == {"type": "object", "properties": {}}


@given(st.lists(st.tuples(st.text(max_size=80), st.text(max_size=80)), max_size=20))
def test_names_are_short_plain_and_all_different(tools: list[tuple[str, str]]) -> None:
    names = wire_names(tools, ["mcp__a__b"])

    assert set(names) == set(tools)
    assert len({*names.values(), "mcp__a__b"}) == len(names) + 1
    assert all(re.fullmatch(r"mcp__[a-zA-Z0-9_-]+", name) and len(name) <= LIMIT_CHARS for name in names.values())
    assert wire_names(tools, ["mcp__a__b"]) == names


def test_a_plain_name_stays_and_others_are_marked() -> None:
    assert wire_names([("git", "log")]) == {("git", "log"): "mcp__git__log"}
    assert wire_names([("git", "show me")])["git", "show me"].startswith("mcp__git__show_me_")
    assert server_part("my__server") == "my_server"


@given(st.text(max_size=600), st.integers(2, 300))
def test_texts_are_one_line_with_nothing_hidden(text: str, limit: int) -> None:
    line = one_line(text, limit)

    assert len(line) <= limit
    assert not any(map(is_hidden, line))
    assert line == " ".join(line.split())


def test_a_text_is_only_shortened_when_it_must_be() -> None:
    assert one_line("Good\u200b tools\n\tare\u202e kind") == "Good tools are kind"
    assert one_line("x" * 300) == "x" * 255 + "…"


@pytest.mark.parametrize(
    ("pattern", "tool", "meant"),
    [
        ("mcp__git", "mcp__git__log", True),
        ("mcp__git", "mcp__github__log", False),
        ("mcp__git__*", "mcp__git__log", True),
        ("mcp__git__log", "mcp__git__log", True),
        ("mcp__git__log", "mcp__git__log_all", False),
        ("mcp__*", "mcp__git__log", True),
        ("Bash", "Bash", True),
        ("Bash", "Bash__x", False),
    ],
)
def test_a_pattern_means_a_tool_or_all_of_a_server(pattern: str, tool: str, meant: bool) -> None:
    assert is_meant(pattern, tool) is meant


@pytest.mark.parametrize(
    ("policy", "tool", "offered"),
    [
        (ToolPolicy(), "mcp__git__log", True),
        (ToolPolicy(deny=("mcp__git",)), "mcp__git__log", False),
        (ToolPolicy(allow=("FileRead",)), "mcp__git__log", False),
        (ToolPolicy(allow=("FileRead",)), "mcp__find", False),
        (ToolPolicy(allow=("mcp__git",)), "mcp__git__log", True),
        (ToolPolicy(allow=("mcp__git",)), "mcp__find", True),
        (ToolPolicy(allow=("mcp__git__l*",), deny=("mcp__git__log",)), "mcp__git__log", False),
    ],
)
def test_a_vps_file_may_name_tools_of_servers_by_globs(policy: ToolPolicy, tool: str, offered: bool) -> None:
    assert policy.offers(tool) is offered


def test_fields_to_fill_in_are_understood_in_all_their_spellings() -> None:
    schema = {
        "type": "object",
        "properties": {
            "who": {"type": "string", "title": "Who", "description": "is it", "minLength": 2},
            "size": {"type": "string", "enum": ["s", "l"], "enumNames": ["Small", "Large"]},
            "color": {"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "b"}]},
            "many": {"type": "array", "items": {"type": "string", "enum": ["x", "y"]}},
            "age": {"type": "integer", "minimum": 1, "maximum": 9},
            "odd": 7,
        },
        "required": ["who"],
    }

    assert fields_of(Raw(json.encode(schema))) == (
        Field(name="who", kind="string", label="Who: is it", required=True, least=2.0),
        Field(name="size", kind="string", label="size", choices={"Small": "s", "Large": "l"}),
        Field(name="color", kind="string", label="color", choices={"Red": "r", "b": "b"}),
        Field(name="many", kind="several", label="many", choices={"x": "x", "y": "y"}),
        Field(name="age", kind="integer", label="age", least=1.0, most=9.0),
    )


@given(SCHEMAS)
def test_a_form_that_makes_no_sense_is_no_form(schema: object) -> None:
    assert isinstance(fields_of(Raw(json.encode(schema))), tuple)


class Ann:
    """Somebody who answers what is asked of her with what she has in store."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, tuple[str, ...], int]] = []

    async def ask(self, call_id: str, question: str, options: tuple[str, ...], number: int = 0) -> str:
        self.asked.append((question, options, number))
        return self.answers.pop(0)


def asks(ann: Ann) -> Questions:
    return Questions(ann, "c_1", sections(read_template("prompts/mcp", "en")))


def form(**properties: object) -> Elicited:
    schema = {"type": "object", "properties": properties, "required": ["size"]}
    return Elicited(id=1, server="shop", message="What\u202e shall\nit be?", schema=Raw(json.encode(schema)))


@pytest.mark.parametrize(("answer", "filled"), [("yes", Filled(fields={})), ("(decline)", None), ("whatever", None)])
async def test_a_page_to_open_is_shown_and_asked_about(answer: str, filled: Filled | None) -> None:
    ann = Ann(answer)
    page = Elicited(id=1, server="shop", message="Sign in.", url="https://shop.example/login?x=1")

    found = await asks(ann).elicit(page)

    assert found == filled
    ((question, options, _),) = ann.asked
    assert "https://shop.example/login?x=1\nSign in." in question
    assert options == ("yes", "(decline)")


async def test_each_field_is_a_question_with_its_choices() -> None:
    size = {"type": "string", "enum": ["s", "l"], "enumNames": ["Small", "Large"]}
    extras = {"type": "array", "items": {"type": "string", "enum": ["milk", "sugar"]}}
    ann = Ann("Large", "milk, sugar", "(leave this out)")

    found = await asks(ann).elicit(form(size=size, extras=extras, note={"type": "string"}))

    assert found == Filled(fields={"size": "l", "extras": ["milk", "sugar"]})
    assert ann.asked[0] == ("The MCP server shop asks: What shall it be?\nsize", ("Small", "Large", "(decline)"), 1)
    assert [number for _, _, number in ann.asked] == [1, 2, 3]


@pytest.mark.parametrize("answers", [("(decline)",), ("",), ("9", "x", "1.5")])
async def test_a_field_that_must_be_filled_in_and_is_not_declines_the_whole(answers: tuple[str, ...]) -> None:
    ann = Ann(*answers)

    found = await asks(ann).elicit(form(size={"type": "integer", "maximum": 5}, note={"type": "string"}))

    assert found is None
    assert ann.answers == []
