"""Front matter as people write it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.prompts.front_matter import FrontMatter, Problem, read_front_matter
from yeaft.prompts.scalars import read_value


def fields(text):
    found = read_front_matter(f"---\n{text}\n---\nbody", "vp.md")
    assert isinstance(found, FrontMatter), found
    return found.fields


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
        ("---\nid: x\nname: 'open\n---\n", "vp.md:4: found unexpected end of stream"),
        ("---\nid: x\nid: y\n---\n", "vp.md:3: found duplicate key"),
        ("---\nid: x\n  y: z\n- q\n---\n", "vp.md:3: mapping values are not allowed here"),
        ("---\njust words\n---\n", "vp.md:2: must be `key: value` lines"),
        ("---\nid: x\n", "vp.md:1: the front matter has no closing --- line"),
        ("---\na: !!python/object:os.system x\nb: [\n---\n", "vp.md:4: "),
        ("x" * 300_000, "vp.md:1: longer than 256 Ki characters"),
    ],
)
def test_a_mistake_is_named_with_its_file_and_line(text, said):
    assert problem(text).startswith(said)


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


@given(st.text(st.characters(blacklist_categories=["Cc", "Cs", "Zl", "Zp"])))
def test_a_quoted_text_is_read_back_as_it_was(text):
    assert read_value("'" + text.replace("'", "''") + "'") == text
