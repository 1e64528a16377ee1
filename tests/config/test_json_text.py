"""JSON as people write it is understood, told about by line, and changed without touching anything else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.config.json_edit import with_member, without_member
from yeaft.config.json_text import Document, Remark, plain, read_json
from yeaft.kernel.errors import BadData

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)
TEXTS = st.text(st.sampled_from('{}[]",:/* \n\r\t\\ab1-.e\ufeff\ud800'))


def read(text: str) -> Document:
    found = read_json(text)
    assert isinstance(found, Document), found
    return found


@given(VALUES, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_what_json_writes_is_read_back_without_a_remark(value, indent, ascii_only):
    found = read(json.dumps(value, indent=indent, ensure_ascii=ascii_only))

    assert plain(found.root) == value
    assert found.remarks == ()


@given(TEXTS | st.text())
def test_no_text_is_ever_an_exception(text):
    found = read_json(text)

    assert isinstance(found, Document | Remark)


def test_comments_commas_and_keys_given_twice_are_understood_and_told_by_line():
    text = '\ufeff{\n  // mine\n  "a": 1, /* and */ "b": [1, 2,],\n  "a": 2,\n}\n'

    found = read(text)

    assert plain(found.root) == {"a": 2, "b": [1, 2]}
    assert [(one.line, one.reason.split(";")[0]) for one in found.remarks] == [
        (2, "comments are not JSON"),
        (3, "a comma before ] is not JSON"),
        (4, "the key 'a' is there twice"),
        (4, "a comma before } is not JSON"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "the text ends where a value is expected"),
        ("{\n a: 1}", 2, "a key in double quotes or } is expected"),
        ('{"a" 1}', 1, "a colon is missing behind the key 'a'"),
        ('{"a": 1\n"b": 2}', 2, "a comma or } is expected"),
        ("{\"a\":\n'x'}", 2, "texts need double quotes"),
        ('{"a": yes}', 1, "'yes' is not a value"),
        ('{"a": "x', 1, "the text in quotes that begins here cannot be read"),
        ("{}\n{}", 2, "something follows the end of the value"),
        ("[" * 200, 1, "it is nested more than 100 deep"),
        ("/* x", 1, "a comment is opened here and never closed"),
        ('{"a": 01}', 1, "'01' is not a value"),
    ],
)
def test_what_cannot_be_meant_is_told_with_its_line(text, line, reason):
    found = read_json(text)

    assert isinstance(found, Remark)
    assert (found.line, found.reason[: len(reason)]) == (line, reason)


MINE = """{
  // servers of mine
  "mcpServers": {
    "a": {"command": "x"}, // the first
    "b": {"command": "y"}  // the second
  },
  "other":   [1,2],
}
"""


def test_a_server_is_added_below_the_others_and_nothing_else_changes():
    changed = with_member(read(MINE), "mcpServers", "c", {"command": "z", "args": ["q"]})

    assert changed == MINE.replace(
        '"y"}  // the second\n',
        '"y"},  // the second\n    "c": {\n      "command": "z",\n      "args": [\n        "q"\n      ]\n    }\n',
    )
    assert without_member(read(changed), "mcpServers", "c") == MINE


def test_a_line_that_holds_a_server_goes_with_it():
    text = '{\n  "mcpServers": {\n    "a": 1,\n    "b": 2,\n    "c": 3\n  }\n}\n'

    assert without_member(read(text), "mcpServers", "b") == text.replace('    "b": 2,\n', "")
    assert without_member(read(text), "mcpServers", "c") == text.replace(',\n    "c": 3', "")
    assert without_member(read(MINE), "mcpServers", "a") == MINE.replace('    "a": {"command": "x"},', "")


EDITS = st.tuples(st.dictionaries(st.text(), VALUES, max_size=4), st.dictionaries(st.text(), VALUES, max_size=4))


@given(EDITS, st.text(), VALUES, st.sampled_from([None, 2, "\t"]), st.booleans())
def test_adding_and_removing_say_what_they_should_and_undo_each_other(both, key, value, indent, crlf):
    outer, servers = both
    root = outer | {"mcpServers": {name: one for name, one in servers.items() if name != key}}
    text = json.dumps(root, indent=indent)
    text = text.replace("\n", "\r\n") if crlf else text

    added = with_member(read(text), "mcpServers", key, value)
    removed = without_member(read(added), "mcpServers", key)

    assert plain(read(added).root) == root | {"mcpServers": root["mcpServers"] | {key: value}}
    assert plain(read(removed).root) == root
    assert "\r\n" not in text or "\n" not in added.replace("\r\n", "")


def test_a_file_that_holds_something_else_is_left_alone():
    with pytest.raises(BadData, match="is not an object"):
        with_member(read("[1]"), "mcpServers", "a", {})
    with pytest.raises(BadData, match="'mcpServers' is not an object"):
        with_member(read('{"mcpServers": []}'), "mcpServers", "a", {})
