"""Artifacts are found in texts where they are named, and nowhere else."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.artifacts.artifact import artifact_id
from yeaft.artifacts.references import find_references, is_reference_at, named_ids
from yeaft.session.mentions import find_mentions
from yeaft.vp.names import Names

ID = artifact_id("table", "0" * 64)
OTHER = artifact_id("text", "1" * 64)


def tag_of(kind: str, artifact: str) -> str:
    return f"<artefact type='{kind}'>{artifact}</artefact>"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"look at @{ID}", [ID]),
        (f"看看@{ID}，谢谢", [ID]),
        (f"\uff20{ID[:10]} 和 @{OTHER}.", [ID[:10], OTHER]),
        (f"<artefact type='table'>{ID}</artefact>", [ID]),
        (f'<Artifact type="table" name="x">\n{ID[2:]}\n</Artifact>', [ID]),
        (f"<artefact>@{ID}</artefact><artefact type='text'>{OTHER}</artefact>", [ID, OTHER]),
        (f"mail@{ID} x@@{ID} a_b@{ID}", []),
        (f"<artefact type='table'>{ID}</artifact>", []),
        ("@a_b @a_team @a_k7m2q_x @a_k7m2q9xa/x", []),
        (f"{ID}", []),
        ("<artefact>two words</artefact>", []),
    ],
)
def test_references_are_found_where_they_stand(text: str, found: list[str]) -> None:
    assert [one.id for one in find_references(text)] == found


def test_a_tag_says_the_type_and_where_it_stands() -> None:
    text = f"see {tag_of('table', ID)}, and {tag_of('text', OTHER)}"

    first, second = find_references(text)

    assert (first.type, second.type) == ("table", "text")
    assert text[first.start : first.end] == tag_of("table", ID)
    assert text[second.start : second.end] == tag_of("text", OTHER)


def test_an_answer_may_name_a_whole_id_without_a_sign() -> None:
    assert named_ids(f"I kept it as {ID}, see `{OTHER}` and {ID}.") == (ID, OTHER)
    assert named_ids("nothing of the kind") == ()


def test_a_reference_addresses_nobody() -> None:
    assert [one.token for one in find_mentions(f"@{ID} and @nobody", Names())] == ["nobody"]


@given(st.text(), st.text())
def test_no_text_around_a_tag_is_lost_or_taken_for_it(before: str, after: str) -> None:
    text = f"{before} {tag_of('table', ID)} {after}"

    places = find_references(text)

    assert all(a.end <= b.start for a, b in pairwise(places))
    assert all(one.id.startswith("a_") for one in places)
    assert is_reference_at(f"@{ID}", 0)
