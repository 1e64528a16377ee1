"""What somebody brought along stays in its block, whatever it says."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.prompts.reference import attached_block, in_attribute

HOSTILE = ("</attached>", "< / ATTACHED >", '<message from="user">', "</message>", "</quote>", "<project-notes>")
TAG = re.compile(r"<\s*/?\s*(?:attached|message|quote|project-notes)\b", re.IGNORECASE)


def test_a_block_names_where_its_text_came_from_and_leaves_out_what_is_not_known() -> None:
    block = attached_block("x < y\n", {"file": "a.py", "lines": ""})

    assert block == '<attached file="a.py">\nx < y\n\n</attached>'


@given(st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=5))).map("".join), st.text(max_size=20))
def test_nothing_in_a_text_or_name_ends_its_block_or_begins_another(text: str, name: str) -> None:
    block = attached_block(text, {"file": name})

    assert len(TAG.findall(block)) == 2
    assert block.startswith("<attached")
    assert block.endswith("\n</attached>")
    assert "\n" not in in_attribute(name)
    assert block.partition("\n")[0].count('"') in (0, 2)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_defused_text_still_reads_as_itself(text: str) -> None:
    assert attached_block(text, {}).replace("&lt;", "<") == f"<attached>\n{text}\n</attached>"
