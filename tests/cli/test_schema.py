"""`--schema` is checked beforehand, and whatever schema and answer are, a verdict comes."""

import json
import os
import threading
from pathlib import Path

import pytest

from yeaft.interfaces.cli.schema import SCHEMA_LIMIT_BYTES, problem_with, read_schema
from yeaft.kernel.errors import BadData, NotFound

LIST = {"type": "object", "properties": {"next": {"$ref": "#"}, "value": {"type": "integer"}}, "required": ["value"]}
CATASTROPHE = {"type": "string", "pattern": "^(a+)+$"}


def deep(depth: int) -> str:
    return '{"value":1,"next":' * depth + '{"value":1}' + "}" * depth


def refusal(schema: str) -> str:
    with pytest.raises(BadData) as refused:
        read_schema(schema)
    return str(refused.value)


def test_a_recursive_schema_judges_answers_with_and_without_a_fence() -> None:
    schema = read_schema(json.dumps(LIST))

    assert schema == LIST
    assert not problem_with(deep(3), schema)
    assert not problem_with(f"```json\n{deep(1)}\n```", schema)
    assert problem_with('{"value":1,"next":{}}', schema) == (
        "The answer does not satisfy --schema at $.next: 'value' is a required property."
    )
    assert "is not JSON" in problem_with("Well.", schema)


def test_an_expression_that_takes_for_ever_ends_with_a_sentence() -> None:
    schema = read_schema(json.dumps(CATASTROPHE))

    problem = problem_with(json.dumps("a" * 60 + "!"), schema, 1)

    assert problem == "The answer could not be checked against --schema within 1 s."


@pytest.mark.parametrize(
    "ref",
    [
        "http://127.0.0.1:9/s.json",
        "file:///etc/passwd",
        "other.json",
        "#/$defs/none",
        "#none",
        "#/title",
        "http://[::1",
    ],
)
def test_a_reference_to_elsewhere_is_named_and_never_followed(ref: str) -> None:
    said = refusal(json.dumps({"title": "T", "properties": {"a": {"items": {"$ref": ref}}}}))

    assert ref in said
    assert "nothing is fetched" in said


def test_a_reference_inside_a_constant_is_only_a_value() -> None:
    schema = {"const": {"$ref": "http://elsewhere.example"}, "properties": {"$ref": {"type": "string"}}}

    assert read_schema(json.dumps(schema)) == schema


def test_the_published_meta_schema_may_be_referred_to() -> None:
    schema = read_schema('{"$ref": "https://json-schema.org/draft/2020-12/schema"}')

    assert not problem_with('{"type": "string"}', schema)
    assert "$.type" in problem_with('{"type": "strong"}', schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}},
    ],
)
def test_a_schema_that_leads_back_to_itself_is_refused_beforehand(schema: dict[str, object]) -> None:
    assert "never end" in refusal(json.dumps(schema))


@pytest.mark.parametrize("depth", [300, 100_000])
def test_what_is_nested_too_deeply_is_said_to_be(depth: int) -> None:
    assert "nested too deeply" in refusal('{"not":' * depth + "{}" + "}" * depth)
    assert "nested too deeply" in problem_with(deep(depth), LIST)


@pytest.mark.parametrize("schema", ['{"pattern": "("}', '{"type": "strong"}', '{"patternProperties": {"(": {}}}'])
def test_what_is_no_schema_is_refused(schema: str) -> None:
    assert "is not a JSON Schema" in refusal(schema)


def test_only_files_and_pipes_of_a_sensible_size_are_read(tmp_path: Path) -> None:
    large = tmp_path / "large.json"
    large.write_bytes(b" " * (SCHEMA_LIMIT_BYTES + 1))
    odd = tmp_path / "odd.json"
    odd.write_bytes(b'{"title": "\xff"}')
    silent = tmp_path / "silent"
    os.mkfifo(silent)

    assert "neither a file nor a pipe" in refusal("/dev/zero")
    assert "neither a file nor a pipe" in refusal(str(tmp_path))
    assert "larger than 1 MiB" in refusal(str(large))
    assert "is not a JSON object" in refusal(str(odd))
    with pytest.raises(BadData, match="did not end in time"):
        read_schema(str(silent), 0.1)
    with pytest.raises(NotFound, match="No such file"):
        read_schema("missing.json")


def test_a_schema_may_come_out_of_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(json.dumps(LIST),))
    writer.start()

    assert read_schema(str(pipe)) == LIST
    writer.join()
