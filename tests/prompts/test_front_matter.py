"""Front matter as people write it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.prompts.front_matter import FrontMatter, Problem, read_front_matter
from yeaft.prompts.scalars import read_value

COLON = "holds `: ` without quotes, which other programs refuse; put the value in quotes"


def fields(text):
    found = read_front_matter(f"---\n{text}\n---\nbody", "vp.md")
    assert isinstance(found, FrontMatter), found
    return found.fields


class StartsWith(str):
    """Equal to any text that goes on from this one."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other):
        return isinstance(other, str) and other.startswith(str(self))


def problem(text):
    found = read_front_matter(text, "vp.md")
    assert isinstance(found, Problem), found
    return str(found)


def test_a_whole_file_with_all_that_people_write():
    text = (
        "\ufeff<!-- (c) us -->\r\n\r\n---\r\n"
        "id: skeptic  # short\r\n"
        'name: "Skep\\"tic"\r\n'
        "aliases: [doubter, 'it''s', \"a, b\", 杠精]\r\n"
        "role: Finds: the weakest\r\n  and goes on\r\n"
        "traits:\r\n- terse\r\n- evidence first\r\n"
        "# a comment\r\n\r\n"
        "tools:\r\n  allow: [FileRead]\r\n  deny:\r\n    - Bash\r\n"
        "plan:\r\n"
        "---\r\n<!-- lang:en -->\r\nYou doubt.\r\n"
    )

    assert read_front_matter(text, "vp.md") == FrontMatter(
        fields={
            "id": "skeptic",
            "name": 'Skep"tic',
            "aliases": ["doubter", "it's", "a, b", "杠精"],
            "role": "Finds: the weakest and goes on",
            "traits": ["terse", "evidence first"],
            "tools": {"allow": ["FileRead"], "deny": ["Bash"]},
            "plan": "",
        },
        lines={"id": 4, "name": 5, "aliases": 6, "role": 7, "traits": 9, "tools": 14, "plan": 18},
        body="<!-- lang:en -->\nYou doubt.\n",
        problems=(Problem(path="vp.md", line=7, reason=COLON, fatal=False),),
    )


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("1.10", "1.10"),
        ("~", ""),
        ("2026-01-01", "2026-01-01"),
        ("C#-minded", "C#-minded"),
        ('"C:\\Users\\new"', "C:\\Users\new"),
        ('"Foo" and "bar"', '"Foo" and "bar"'),
        ("[]", []),
        ("{a: {b: [c, 'd']}, \"e\": f}", {"a": {"b": ["c", "d"]}, "e": "f"}),
        ("[a, b] # both", ["a", "b"]),
        ("a: b: c", "a: b: c"),
        ("'#1'", "#1"),
    ],
)
def test_values_are_text_and_never_guessed(written, value):
    assert fields(f"x: {written}") == {"x": value}


def test_what_is_beyond_the_subset_is_read_as_yaml():
    assert fields("role: >\n  folded\n  text\ntraits: &t\n  - a\naliases: *t\nlist: [a,\n  b]") == {
        "role": "folded text\n",
        "traits": ["a"],
        "aliases": ["a"],
        "list": ["a", "b"],
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\njust words\n---\n", "vp.md:2: must be `key: value` lines"),
        ("---\nid: x\n", "vp.md:1: the front matter has no closing --- line"),
        ("+++\nname = 'x'\n+++\nbody", "vp.md:1: TOML between +++ lines is not read"),
        (f"---\nname: {'x' * 300_000}\n---\nbody", "vp.md:2: the front matter is longer than 256 Ki characters"),
        ("---\n" + "".join(f"{' ' * depth}a:\n" for depth in range(40)) + "---\n", "vp.md:2: holds values nested"),
    ],
)
def test_a_mistake_is_named_with_its_file_and_line(text, said):
    assert problem(text).startswith(said)


@pytest.mark.parametrize(
    ("text", "wanted", "remarks"),
    [
        ("a: x\na: y", {"a": "x"}, ["3: the key 'a' stands here again; the first one counts"]),
        ("a: 'open", {"a": "open"}, ["2: opens a quote that is not closed; quotes go around the whole value"]),
        ("a: 'x' y", {"a": "'x' y"}, ["2: has text behind its closing quote; quotes go around the whole value"]),
        ("a: one: two", {"a": "one: two"}, [f"2: {COLON}"]),
        ("a: fix #12", {"a": "fix"}, ["2: is cut off at ` #`, which begins a comment"]),
        ("a: #12", {"a": ""}, ["2: is cut off at ` #`, which begins a comment"]),
        ("a: x # why", {"a": "x"}, []),
        ("a: [x] y", {"a": "[x] y"}, ["2: begins with [ and is no list; it is taken as text"]),
        ("a: {x", {"a": "{x"}, ["2: begins with { and is no map; it is taken as text"]),
        ("a: *x*", {"a": "*x*"}, ["2: begins with *, which means something else in YAML"]),
        ("a: @x", {"a": "@x"}, ["2: begins with @, which means something else in YAML"]),
        ("a: %x", {"a": "%x"}, ["2: begins with %, which means something else in YAML"]),
        ("a: `x`", {"a": "`x`"}, ["2: begins with `, which means something else in YAML"]),
        ("a: !!x/y z\nb: [", {"a": "!!x/y z", "b": "["}, ["2: begins with !", "3: begins with [ and is no list"]),
        ("a: one\ntwo\nthree", {"a": "one two three"}, ["3: is taken as more of 'a'; indent it"]),
        ("a: [x]\nloose", {"a": ["x"]}, ["3: is no `key: value` line and is ignored"]),
        ("a:\tx\n\tmore", {"a": "x more"}, []),
        ("a:\n\t- x", {"a": ["x"]}, ["3: is indented with a tab; YAML wants spaces"]),
        ("a:x", {"a": "x"}, ["2: the key 'a' has no space behind its colon"]),
        ("a\uff1ax", {"a": "x"}, ["2: the key 'a' has a full-width colon"]),
    ],
)
def test_what_is_almost_yaml_is_understood_and_remarked(text, wanted, remarks):
    found = read_front_matter(f"---\n{text}\n---\nbody", "vp.md")

    assert isinstance(found, FrontMatter)
    assert found.fields == wanted
    assert [str(problem).removeprefix("vp.md:") for problem in found.problems if not problem.fatal] == [
        StartsWith(remark) for remark in remarks
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a: |\n  one\n   two\n\n  three\nb: x", {"a": "one\n two\n\nthree\n", "b": "x"}),
        ("a: >-\n  one\n  two\n\n  three\n", {"a": "one two\nthree"}),
        ("a: |2-\n    one\n", {"a": "  one"}),
        ('a: "one\n  two\n\n  three"\nb: x', {"a": "one two\nthree", "b": "x"}),
        ("a: [x,\n  y # both\n]\nb: {c: d,\n  e: f}", {"a": ["x", "y"], "b": {"c": "d", "e": "f"}}),
        ("a:\n  one\n  two", {"a": "one two"}),
        ("a:\n  - x: 1\n    y: 2\n  - z", {"a": [{"x": "1", "y": "2"}, "z"]}),
        ("a:\n- - x\n  - y\n-\n  z: 1", {"a": [["x", "y"], {"z": "1"}]}),
        ("'a b': x\n\"c\": y", {"a b": "x", "c": "y"}),
        ("  a: x\n  b: y", {"a": "x", "b": "y"}),
        ("a: one\n\n  two", {"a": "one\ntwo"}),
    ],
)
def test_everyday_yaml_is_read_without_a_library_or_a_remark(text, wanted):
    found = read_front_matter(f"---\n{text}\n---\nbody", "vp.md")

    assert found == FrontMatter(fields=wanted, lines=found.lines, body="body")


def test_front_matter_that_is_never_closed_ends_with_its_fields():
    found = read_front_matter("---\nname: x\ntools:\n  - y\n\n# Title\nbody: no field\n", "vp.md")

    assert isinstance(found, FrontMatter)
    assert (found.fields, found.body) == ({"name": "x", "tools": ["y"]}, "\n# Title\nbody: no field\n")
    assert [str(problem) for problem in found.problems] == [
        "vp.md:1: the front matter has no closing --- line; it is taken to end with its fields"
    ]


def test_two_blocks_are_both_read_and_a_rule_below_is_none():
    two = read_front_matter("---\nlicense: MIT\n---\n\n---\nname: x\nlicense: GPL\n---\nbody", "vp.md")
    rule = read_front_matter("---\nname: x\n---\n---\nHello: you\n---\nbody", "vp.md")

    assert isinstance(two, FrontMatter)
    assert (two.fields, two.lines["name"], two.body) == ({"license": "MIT", "name": "x"}, 6, "body")
    assert [problem.line for problem in two.problems] == [5]
    assert isinstance(rule, FrontMatter)
    assert (rule.fields, rule.body) == ({"name": "x"}, "---\nHello: you\n---\nbody")


def test_aliases_cannot_blow_up_memory():
    bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{key}: &{key} [{','.join(['*' + chr(ord(key) - 1)] * 10)}]\n" for key in "bcdefg"
    )

    assert "too many values, or values nested too deep" in problem(f"---\n{bomb}---\nbody")


def test_a_text_without_front_matter_is_all_body():
    assert read_front_matter("Hello\r\n---\nid: x\n---\n", "vp.md") == FrontMatter(
        fields={}, lines={}, body="Hello\n---\nid: x\n---\n"
    )


@given(st.text())
def test_reading_never_raises(text):
    assert isinstance(read_front_matter(f"---\n{text}\n---\nbody", "vp.md"), FrontMatter | Problem)


@given(st.text(alphabet="ab:#-[]{},'\"\\ \n\t|>&*!", max_size=60))
def test_reading_never_raises_on_yaml_like_text(text):
    assert isinstance(read_front_matter(f"---\n{text}\n---\nbody", "vp.md"), FrontMatter | Problem)


@given(
    st.lists(st.sampled_from(["a: ", "- ", "  ", "x", "|", ">", "'", '"', "[", "]", "{", "}", "#", "\n", "\t", ":"]))
)
def test_reading_never_raises_on_lines_of_front_matter(parts):
    text = "".join(parts)

    assert isinstance(read_front_matter(f"---\n{text}\n---\nbody", "vp.md"), FrontMatter | Problem)
    assert isinstance(read_front_matter(f"---\n{text}", "vp.md"), FrontMatter | Problem)


@given(st.text(st.characters(blacklist_categories=["Cc", "Cs", "Zl", "Zp"])))
def test_a_quoted_text_is_read_back_as_it_was(text):
    assert read_value("'" + text.replace("'", "''") + "'") == text
