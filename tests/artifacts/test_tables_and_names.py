"""Tables and names survive whatever is in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.store.event_strategies import structs
from yeaft.artifacts.artifact import PREFIX, Artifact, artifact_id, sha256_of
from yeaft.artifacts.index import read_index, write_index
from yeaft.artifacts.places import checked_path, numbered, plain_name, schema_name
from yeaft.artifacts.tables import Table, is_of, read_table, write_table
from yeaft.events.artifact import Column, ColumnType
from yeaft.kernel.errors import BadData
from yeaft.kernel.ids import CROCKFORD

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), max_size=12)
NAMES = WORDS.filter(str.strip)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    rows = draw(st.lists(st.tuples(*[WORDS] * len(names)), max_size=6))
    return Table(columns=tuple(Column(name=name) for name in names), rows=tuple(rows))


@given(tables())
def test_a_table_that_is_written_reads_back_cell_by_cell(table: Table) -> None:
    again = read_table(write_table(table))

    assert again.rows == table.rows
    assert [column.name for column in again.columns] == [column.name for column in table.columns]
    assert read_table(write_table(table), columns=table.columns) == table


@given(tables())
def test_the_type_of_a_column_fits_each_of_its_cells(table: Table) -> None:
    again = read_table(write_table(table))

    for place, column in enumerate(again.columns):
        assert all(is_of(row[place], column.type) for row in again.rows)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "", "-20"], "integer"),
        (["1", "2.5e3"], "number"),
        (["true", "False"], "boolean"),
        (["2026-12-01", ""], "date"),
        (["2026-02-30"], "text"),
        (["", ""], "text"),
        (["007x"], "text"),
        (["１２"], "integer"),
    ],
)
def test_columns_have_the_narrowest_type(cells: list[str], kind: ColumnType) -> None:
    table = Table(columns=(Column(name="x"), Column(name="y")), rows=tuple((cell, "z") for cell in cells))

    assert read_table(write_table(table)).columns[0].type == kind


@given(st.text())
def test_any_text_is_a_table_or_is_refused_with_a_reason(text: str) -> None:
    try:
        columns = read_table(text.encode("utf-8", "replace").decode()).columns
    except BadData:
        columns = ()

    assert all(column.name.strip() for column in columns)


@given(st.text(max_size=200), st.integers(min_value=1, max_value=999))
def test_any_name_becomes_one_that_leads_nowhere_else(name: str, number: int) -> None:
    plain = plain_name(name)

    assert plain_name(plain) == plain
    assert checked_path(f"{plain}/{numbered(plain, number)}")
    assert schema_name(plain).endswith(".schema.json")
    assert len(plain.encode()) <= 200


@given(st.lists(structs(Artifact), max_size=4), st.lists(st.text(max_size=20), min_size=4, max_size=4))
def test_a_list_that_is_written_reads_back_whole(
    tmp_path_factory: pytest.TempPathFactory, entries: list[Artifact], names: list[str]
) -> None:
    out = tmp_path_factory.mktemp("out")
    kept = {
        path: replace(one, path=path)
        for one, name in zip(entries, names, strict=False)
        if (path := f"{plain_name(name)}/{plain_name(one.name)}")
    }

    write_index(out, kept)

    assert read_index(out) == kept
    assert [path.name for path in out.iterdir()] == ["index.json"]


@given(st.binary(max_size=50), st.binary(max_size=50))
def test_an_id_says_what_the_content_is(one: bytes, other: bytes) -> None:
    first, second = (artifact_id("text", sha256_of(content)) for content in (one, other))

    assert (first == second) == (one == other)
    assert first != artifact_id("file", sha256_of(one))
    assert first.startswith(PREFIX)
    assert set(first.removeprefix(PREFIX)) <= set(CROCKFORD)
