"""Notebooks are changed cell by cell, and nothing in their files but what was asked for."""

import asyncio
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.tools.folder_given import Folder, Vp
from yeaft.tools.files.file_bytes import sha256_of
from yeaft.tools.notebook_edit import notebook_edit

FORMATS: dict[str, dict[str, Any]] = {
    "jupyter": {"indent": 1, "ensure_ascii": False, "separators": (",", ": ")},
    "colab": {"indent": 2, "ensure_ascii": False},
    "tabs": {"indent": "\t", "ensure_ascii": True},
    "one line": {"ensure_ascii": False},
    "compact": {"ensure_ascii": True, "separators": (",", ":")},
}


def a_notebook() -> dict[str, Any]:
    """A notebook with what tools leave in them: ids, outputs, metadata of every level, keys in an odd order."""
    code = new_code_cell(
        "print(1)\nprint('第二')",
        id="code-1",
        execution_count=3,
        metadata={"tags": ["x"], "collapsed": False},
        outputs=[
            new_output("stream", text="1\n第二\n"),
            new_output("execute_result", data={"text/plain": "42", "image/png": "AAAA"}, execution_count=3),
            new_output("error", ename="E", evalue="v", traceback=["\x1b[31mTrace\x1b[0m", "E: v"]),
        ],
    )
    made = new_notebook(
        cells=[new_markdown_cell("# Title\ntext", id="md-0"), code, new_code_cell("x = 1", id="code-2")],
        metadata={"kernelspec": {"name": "python3", "display_name": "P"}, "colab": {"z": 1, "a": [1.50, None]}},
    )
    return {"nbformat": 4, "nbformat_minor": 5, **json.loads(nbformat.writes(made))}


def written(form: str, end: str = "\n", newline: str = "\n") -> str:
    return (json.dumps(a_notebook(), **FORMATS[form]) + end).replace("\n", newline)


class Desk:
    """A VP with NotebookEdit and one notebook."""

    def __init__(self, tmp: Path, text: str = "", name: str = "n.ipynb") -> None:
        self.folder = Folder(tmp)
        self.vp: Vp = self.folder.vp()
        self.vp.tools["NotebookEdit"] = notebook_edit(self.folder.paths, self.vp.reads, self.folder.locks)
        self.name = name
        self.file = self.folder.file(name, text) if text else self.folder.root / name

    async def told(self, **args: object) -> str:
        return await self.vp.told("NotebookEdit", notebook_path=self.name, **args)

    async def refusal(self, **args: object) -> str:
        return await self.vp.refusal("NotebookEdit", notebook_path=self.name, **args)

    @property
    def cells(self) -> list[dict[str, Any]]:
        found = nbformat.reads(self.file.read_text(), as_version=4)
        nbformat.validate(found)
        return json.loads(self.file.read_text())["cells"]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("form", FORMATS)
async def test_every_edit_leaves_the_other_bytes_as_they_are(tmp_path: Path, form: str, newline: str) -> None:
    text = written(form, newline=newline)
    desk = Desk(tmp_path, text)

    await desk.told(action="replace", cell_id="code-2", source="y = 2\nz = '三'\n")
    expected = a_notebook()
    expected["cells"][2]["source"] = ["y = 2\n", "z = '三'\n"]
    assert desk.file.read_bytes().decode() == (json.dumps(expected, **FORMATS[form]) + "\n").replace("\n", newline)

    await desk.told(action="replace", cell_index=2, source="x = 1")
    assert desk.file.read_bytes().decode() == text

    for place in (-1, 0, 2):
        await desk.told(action="insert", cell_index=place, source="new\nlines", cell_type="markdown")
        new = desk.cells[place + 1]
        expected = a_notebook()
        expected["cells"].insert(place + 1, new)
        assert new == {"cell_type": "markdown", "id": new["id"], "metadata": {}, "source": ["new\n", "lines"]}
        assert desk.file.read_bytes().decode() == (json.dumps(expected, **FORMATS[form]) + "\n").replace("\n", newline)
        await desk.told(action="delete", cell_index=place + 1)
        assert desk.file.read_bytes().decode() == text


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text(max_size=12), min_size=1, max_size=4),
    st.sampled_from(sorted(FORMATS)),
    st.booleans(),
    st.data(),
)
def test_deleting_undoes_inserting_whatever_the_notebook(
    sources: list[str], form: str, as_lines: bool, data: st.DataObject
) -> None:
    cells = [
        {"cell_type": "raw", "metadata": {}, "source": text.splitlines(keepends=True) if as_lines else text}
        for text in sources
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}, **FORMATS[form])
    place = data.draw(st.integers(-1, len(cells) - 1))
    source = data.draw(st.text(max_size=20))
    with TemporaryDirectory() as tmp:
        desk = Desk(Path(tmp), text)

        asyncio.run(desk.told(action="insert", cell_index=place, source=source))
        found = json.loads(desk.file.read_bytes())["cells"]
        asyncio.run(desk.told(action="delete", cell_index=place + 1))

        assert "".join(found[place + 1]["source"]) == source
        assert found[: place + 1] + found[place + 2 :] == cells
        assert desk.file.read_bytes().decode() == text


async def test_a_replaced_cell_keeps_its_outputs_and_the_model_is_told_so(tmp_path: Path) -> None:
    desk = Desk(tmp_path, written("jupyter"))
    before = desk.cells[1]

    told = await desk.told(cell_index=1, source="print(2)")

    assert told == "Replaced the source of cell 1 of n.ipynb. Its outputs are still those of the old source."
    assert desk.cells[1] == {**before, "source": ["print(2)"]}


async def test_a_cell_that_changes_its_type_has_what_its_new_type_needs(tmp_path: Path) -> None:
    desk = Desk(tmp_path, written("jupyter"))

    told = await desk.told(cell_id="code-1", cell_type="markdown", source="*said*")
    markdown = desk.cells[1]
    await desk.told(cell_id="code-1", cell_type="code")

    assert told == "Replaced cell 1 of n.ipynb; it is now a markdown cell."
    kept = {"id": "code-1", "metadata": {"collapsed": False, "tags": ["x"]}, "source": ["*said*"]}
    assert markdown == {"cell_type": "markdown", **kept}
    assert desk.cells[1] == {"cell_type": "code", "execution_count": None, "outputs": [], **kept}


async def test_a_missing_notebook_is_made_as_jupyter_makes_them(tmp_path: Path) -> None:
    desk = Desk(tmp_path, name="sub/new.ipynb")

    told = await desk.told(action="insert", source="import math\nmath.pi")
    await desk.told(action="insert", source="# Pi", cell_type="markdown", cell_index=-1)

    assert told == "Created sub/new.ipynb, a Python 3 notebook with this one cell."
    read = nbformat.read(desk.file, as_version=4)
    nbformat.validate(read)
    assert [(cell.cell_type, cell.source) for cell in read.cells] == [
        ("markdown", "# Pi"),
        ("code", "import math\nmath.pi"),
    ]
    assert (read.nbformat, read.nbformat_minor, read.metadata.kernelspec.name) == (4, 5, "python3")
    assert desk.file.read_text() == nbformat.writes(read) + "\n"


async def test_the_first_cell_of_an_empty_notebook_and_the_last_one_of_any(tmp_path: Path) -> None:
    text = nbformat.writes(new_notebook()) + "\n"
    desk = Desk(tmp_path, text)

    await desk.told(action="insert", source="1")
    one = nbformat.writes(nbformat.read(desk.file, as_version=4)) + "\n"
    inserted = desk.file.read_text()
    await desk.told(action="delete", cell_index=0)

    assert inserted == one
    assert desk.file.read_text() == text


async def test_older_notebooks_get_no_ids_and_strings_stay_strings(tmp_path: Path) -> None:
    cells = [{"cell_type": "markdown", "metadata": {}, "source": "one\ntwo"}]
    desk = Desk(tmp_path, json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 2}, indent=1))

    await desk.told(action="insert", cell_index=0, cell_type="markdown", source="a\nb")
    await desk.told(cell_index=0, source="three\nfour")

    assert desk.cells == [{**cells[0], "source": "three\nfour"}, {**cells[0], "source": "a\nb"}]
    assert not desk.file.read_text().endswith("\n")


async def test_reading_shows_cells_with_their_outputs_as_text(tmp_path: Path) -> None:
    desk = Desk(tmp_path, written("jupyter"))

    told = await desk.told(action="read")

    assert told == (
        "[0] markdown id=md-0\n# Title\ntext\n\n"
        "[1] code id=code-1 ran=3\nprint(1)\nprint('第二')\n--- stdout\n1\n第二\n"
        "--- output\n42\n[image/png]\n--- error\nTrace\nE: v\n\n"
        "[2] code id=code-2\nx = 1"
    )
    assert await desk.told(action="read", cell_id="code-2") == "[2] code id=code-2\nx = 1"


async def test_long_notebooks_are_read_in_portions(tmp_path: Path) -> None:
    cells = [new_code_cell(f"n = {number}\n" + "x" * 4000) for number in range(20)]
    desk = Desk(tmp_path, nbformat.writes(new_notebook(cells=cells)))

    seen, at = [], 0
    while at is not None:
        told = await desk.told(action="read", cell_index=at)
        assert len(told.encode()) < 31 * 1024
        seen += [line for line in told.splitlines() if line.startswith("n = ")]
        at = int(told.rsplit("cell_index=", 1)[1][:-1]) if "read on with" in told else None

    assert seen == [f"n = {number}" for number in range(20)]


async def test_a_cell_that_is_too_long_shows_its_beginning_and_end(tmp_path: Path) -> None:
    desk = Desk(tmp_path, nbformat.writes(new_notebook(cells=[new_code_cell("begin" + "é" * 50_000 + "end")])))

    told = await desk.told(action="read")

    assert len(told.encode()) < 31 * 1024
    assert "begin" in told
    assert told.endswith("end")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{not json", "n.ipynb is broken: it is not valid JSON"),
        ("[1]", "n.ipynb is no notebook as Jupyter writes them: Expected `object`, got `array`."),
        ('{"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "code"}]}', "missing required field `source`"),
        ('{"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "code", "source": 1}]}', "at `$.cells[0].source`"),
        ('{"nbformat": 3, "worksheets": []}', "`jupyter nbconvert --to notebook --inplace n.ipynb`"),
        ('{"nbformat": 5, "cells": []}', "format 5; only 4 is known"),
        ("[" * 100_000, "n.ipynb is broken"),
    ],
)
async def test_what_is_no_notebook_is_refused_and_stays(tmp_path: Path, text: str, why: str) -> None:
    desk = Desk(tmp_path, text)

    refusals = [
        await desk.refusal(action=action, cell_index=0, source="x")
        for action in ("read", "replace", "insert", "delete")
    ]

    assert all(why in refusal for refusal in refusals), refusals
    assert desk.file.read_text() == text


async def test_an_old_notebook_of_jupyter_itself_is_refused_with_the_remedy(tmp_path: Path) -> None:
    old = nbformat.v3.new_notebook(worksheets=[nbformat.v3.new_worksheet(cells=[nbformat.v3.new_code_cell("1")])])
    desk = Desk(tmp_path, nbformat.writes(old, version=3))

    assert "is in notebook format 3" in await desk.refusal(cell_index=0, source="2")


async def test_wrong_places_are_named(tmp_path: Path) -> None:
    desk = Desk(tmp_path, written("jupyter"))
    before = desk.file.read_bytes()

    refusals = [
        await desk.refusal(**args)
        for args in (
            {"source": "x"},
            {"cell_index": 3, "source": "x"},
            {"cell_id": "nope", "source": "x"},
            {"cell_id": "code-1", "cell_index": 0, "source": "x"},
            {"cell_index": 1},
            {"action": "insert"},
            {"cell_index": 2, "source": "x = 1"},
        )
    ]

    assert refusals == [
        "Say which cell to replace, by cell_index or cell_id; n.ipynb has 3 cells.",
        "cell_index 3 is out of range: n.ipynb has 3 cells, 0 to 2.",
        "n.ipynb has no cell with the id 'nope'; action read lists them.",
        "Cell 'code-1' has the index 1, not 0; give one.",
        "Give the new source (or cell_type) of the cell; action delete removes it.",
        "Give the source of the new cell.",
        "n.ipynb already reads like that; nothing was written.",
    ]
    assert desk.file.read_bytes() == before


async def test_nothing_is_made_from_a_wrong_call_on_a_missing_file(tmp_path: Path) -> None:
    desk, other = Desk(tmp_path / "a"), Desk(tmp_path / "b", name="n.txt")

    refusals = [
        await desk.refusal(action="read"),
        await desk.refusal(action="delete", cell_index=0),
        await desk.refusal(cell_index=3, source="x"),
        await other.refusal(source="x"),
    ]

    assert [refusal.split(".")[0] for refusal in refusals] == ["No file n"] * 2 + ["No notebook n"] + ["No file n"]
    assert (desk.folder.all_files(), other.folder.all_files()) == ({}, {})


async def test_the_intent_names_the_very_bytes_that_are_written(tmp_path: Path) -> None:
    desk = Desk(tmp_path, written("jupyter"))
    before = desk.file.read_bytes()
    args = {"notebook_path": "n.ipynb", "action": "insert", "source": "x"}

    intents = desk.vp.intents("NotebookEdit", **args)
    untouched = desk.file.read_bytes()
    result = await desk.vp.call("NotebookEdit", **args)

    assert untouched == before
    assert [(one.pre, one.post) for one in intents] == [(sha256_of(before), sha256_of(desk.file.read_bytes()))]
    assert [(fact.sha256, fact.written) for fact in result.facts.files] == [(intents[0].post, True)]
    assert desk.vp.intents("NotebookEdit", notebook_path="n.ipynb", action="read") == ()


async def test_a_notebook_that_jupyter_saved_meanwhile_is_read_again_first(tmp_path: Path) -> None:
    desk = Desk(tmp_path, written("jupyter"))
    await desk.told(action="read")
    saved = nbformat.read(desk.file, as_version=4)
    saved.cells[0].source = "# Other"
    nbformat.write(saved, desk.file)

    refusal = await desk.refusal(cell_index=1, source="x")

    assert refusal == "n.ipynb changed since you read it; read it again. Nothing was written."
    await desk.told(action="read")
    await desk.told(cell_index=1, source="x")


async def test_the_policy_hears_of_reading_and_writing(tmp_path: Path) -> None:
    vp = Desk(tmp_path).vp

    reading = vp.bind("NotebookEdit", notebook_path="n.ipynb", action="read").touches
    writing = vp.bind("NotebookEdit", notebook_path="n.ipynb", action="delete").touches

    assert (reading.reads, reading.writes) == (("n.ipynb",), ())
    assert (writing.reads, writing.writes) == ((), ("n.ipynb",))
