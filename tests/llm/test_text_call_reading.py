"""What a model without tool calling writes is understood, however it was cut on its way and with the usual slips."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.llm.text_call_arguments import read, written
from yeaft.llm.text_call_reading import TextReading

FENCED_FILE = """Thought: the file is missing
Action: FileWrite
Action Input: {"file_path": "x.md"}
content:
````
# hi
```python
print('a')
```
````
That wrote the file.
"""
REPLIES = (
    'Thought: I look.\nAction: FileRead\nAction Input: {"file_path": "a.py"}\nObservation: made up\nFinal Answer: x',
    "hello **bold** world\n\n```py\nx = 1\n```\nbye\n",
    "Thought: no tool needed\nFinal Answer: The answer\nis **4**.\n",
    "Let me look.\n\n```\nAction: Bash\nAction Input: {'command': 'ls'}\n```\nThat lists.",
    FENCED_FILE,
    "Thought: only thinking here.",
    '**Thought:** x\n**Action:** `Grep`\n**Action Input:** {"pattern": "\\d+", "case_insensitive": true,}',
    "Action: ListDir",
    "The plan:\nAction: none needed here\nAction: Foo\nis a word",
    "Thought: a\nAction: None\nFinal Answer: ok",
    'Action: Bash({"command":"ls"})',
    "Thought: a\nAction: Bash\nAction Input: ls -la\nObservation: k",
    '思考一下。\nAction：FileRead\nAction Input： {"file_path": "说明.txt"}',
    "* one\n* two\n\nFinal words\n",
)  # fmt: skip
Told = tuple[tuple[tuple[str, str, str], ...], str, str, str, str]


def understood(*pieces: str) -> Told:
    """What is shown, run together by kind; then tool, arguments, thought and text."""
    reading = TextReading()
    shown: list[tuple[str, str, str]] = []
    for piece in [*(one for text in pieces for one in reading.feed(text)), *reading.end()]:
        text = "".join(piece.pieces)
        if shown and shown[-1][0] == piece.kind:
            shown[-1] = (piece.kind, piece.tool, shown[-1][2] + text)
        else:
            shown.append((piece.kind, piece.tool, text))
    return tuple(shown), reading.tool, reading.arguments.raw, reading.thought, reading.text


def cut(text: str, places: list[int]) -> list[str]:
    ends = sorted({place % (len(text) + 1) for place in places} | {len(text)})
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


LABELS = (
    "Thought:",
    "Action:",
    "Action Input:",
    "Final Answer:",
    "Observation:",
    "**",
    "```",
    "```py\n",
    "Bash",
    "None",
)
CHARACTERS = ("\n", " ", "{", "}", "*", "_", "#", "#\n\n", ":", "：", "\t", "'")
scraps = st.sampled_from(
    (
        *LABELS,
        *CHARACTERS,
        '{"a": 1}',
        "{'a': 'b'}",
        "name:\n",
        "word",
        "Act",
        " " * 30,
        "<tool_call>",
        "<tool",
        '{"name": "A"}',
    )
)


@pytest.mark.parametrize("reply", REPLIES)
def test_a_reply_means_the_same_cut_into_single_characters(reply: str) -> None:
    assert understood(*reply) == understood(reply)


@given(
    st.lists(scraps, max_size=24).map("".join) | st.sampled_from(REPLIES), st.lists(st.integers(0, 400), max_size=12)
)
def test_a_reply_means_the_same_however_it_is_cut(reply: str, places: list[int]) -> None:
    assert understood(*cut(reply, places)) == understood(reply)


@given(st.lists(scraps, max_size=24).map("".join))
def test_nothing_that_is_shown_as_text_is_missing_from_the_reply(reply: str) -> None:
    shown, tool, _, thought, text = understood(reply)

    said = "".join(part for kind, _, part in shown if kind == "text")
    assert (said.rstrip() if tool else said) == text
    thoughts = "".join(part for kind, _, part in shown if kind == "thinking").strip()
    assert thought in (thoughts, "")


def test_the_first_action_is_the_call_and_what_the_model_invents_after_it_is_dropped() -> None:
    assert understood(REPLIES[0]) == (
        (("thinking", "", "I look.\n"), ("call", "FileRead", '{"file_path":"a.py"}')),
        "FileRead",
        '{"file_path":"a.py"}',
        "I look.",
        "",
    )


def test_a_reply_without_the_form_is_the_answer_to_the_letter() -> None:
    for reply in (REPLIES[1], REPLIES[8], REPLIES[13]):
        assert understood(reply) == ((("text", "", reply),), "", "{}", "", reply)


def test_a_thought_without_anything_after_it_is_the_answer() -> None:
    shown, tool, _, thought, text = understood(REPLIES[5])

    assert (tool, thought, text) == ("", "", "only thinking here.")
    assert shown[-1] == ("text", "", "only thinking here.")


def test_fences_bold_labels_and_loose_json_are_understood() -> None:
    calls = [understood(reply)[1:3] for reply in (REPLIES[3], REPLIES[6], REPLIES[10], REPLIES[12])]

    assert [(tool, json.loads(raw)) for tool, raw in calls] == [
        ("Bash", {"command": "ls"}),
        ("Grep", {"pattern": "\\d+", "case_insensitive": True}),
        ("Bash", {"command": "ls"}),
        ("FileRead", {"file_path": "说明.txt"}),
    ]


def test_a_text_of_many_lines_comes_as_it_is_out_of_its_block() -> None:
    _, tool, raw, _, _ = understood(FENCED_FILE)

    assert tool == "FileWrite"
    assert json.loads(raw) == {"file_path": "x.md", "content": "# hi\n```python\nprint('a')\n```\n"}


@pytest.mark.parametrize(
    ("written", "tool", "raw"),
    [
        ('{"name": "Bash", "arguments": {"command": "ls"}}\n</tool_call>', "Bash", '{"command":"ls"}'),
        ('\n{"name": "ListDir"}\n</tool_call>\nThen', "ListDir", "{}"),
        ("{'tool': 'Bash', 'parameters': {'command': 'ls'}}", "Bash", '{"command":"ls"}'),
        ("Bash ls</tool_call>", "tool_call", "{}"),
        ('{"name": "Bash", "argu', "tool_call", "{}"),
    ],
)
def test_a_call_in_a_tag_is_understood(written: str, tool: str, raw: str) -> None:
    shown, called, arguments, _, text = understood(f"I look.\n<tool_call>{written}")

    assert (called, arguments, text) == (tool, raw, "I look.")
    assert shown == (("text", "", "I look.\n"), ("call", tool, raw))


@pytest.mark.parametrize(
    ("text", "raw", "is_whole"),
    [
        ("", "{}", True),
        ("None\n", "{}", True),
        ("ls -la\nObservation: x", "ls -la", True),
        ('{"command": "echo \\"', '{"command": "echo \\"', False),
        ('```json\n{"a": 1}\n```\nbye', '{"a":1}', True),
        ('{"a": "one\ntwo"}', '{"a":"one\\ntwo"}', True),
        ('{"a": "say "hi" now"}', '{"a": "say "hi" now"}', True),
        ('{"a": 1}\nb:\n```\nx', '{"a":1,"b":"x\\n"}', False),
        ("content: ```py\nx = 1\n```", '{"content":"x = 1\\n"}', True),
    ],
)
def test_arguments_are_read_as_far_as_they_can_be(text: str, raw: str, is_whole: bool) -> None:
    found = read(text)

    assert (found.raw, found.is_whole) == (raw, is_whole)


@pytest.mark.parametrize(
    ("written", "raw"),
    [
        ("ls -la\nObservation: x", '{"command":"ls -la"}'),
        ('"ls -la"', '{"command":"ls -la"}'),
        ("42", '{"command":"42"}'),
        ('{"command": "ls"}', '{"command":"ls"}'),
        ('{"command": "ls"', '{"command": "ls"'),
        ("", "{}"),
    ],
)
def test_a_text_in_the_place_of_arguments_is_the_first_of_them(written: str, raw: str) -> None:
    reading = TextReading({"Bash": "command"})
    reading.feed(f"Action: Bash\nAction Input: {written}")
    reading.end()

    assert reading.arguments.raw == raw


lines = st.lists(
    st.sampled_from(
        ["x = 1", "```", "```python", "````", "~~~", "Observation: no", "Action: Bash", "name:", "", "  '", "{"]
    )
    | st.text(max_size=8)
).map("\n".join)
values = st.one_of(lines, lines.map(lambda text: text + "\n"), st.integers(-9, 9), st.booleans(), st.none())
names = st.sampled_from(["content", "old_string", "action", "thought", "a-b", "x y", "名"]) | st.text(max_size=5)


@given(
    st.dictionaries(names, values | st.lists(values, max_size=3), max_size=5), st.sampled_from(["", "\nObservation: x"])
)
def test_arguments_that_are_written_out_are_read_back_the_same(arguments: dict[str, Any], rest: str) -> None:
    call = f"Thought: t\nAction: Some-Tool\nAction Input: {written(json.dumps(arguments))}{rest}"

    _, tool, raw, thought, _ = understood(call)

    assert (tool, json.loads(raw), thought) == ("Some-Tool", arguments, "t")
