"""Taking part of a change: any of its hunks, or a text of one's own, and nothing else is written."""

import difflib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Raw

from yeaft.config.language import Language
from yeaft.events.call import AskOpened
from yeaft.interfaces.change_preview import change_preview
from yeaft.interfaces.proposals.changed_call import IMPOSSIBLE
from yeaft.interfaces.proposals.hunks import hunks, lines_of, mixed
from yeaft.interfaces.proposals.proposal import WRITERS, planned_change, proposal
from yeaft.interfaces.proposals.taking import Taking
from yeaft.kernel.errors import ToolFailed
from yeaft.prompts.ui import Ui
from yeaft.tools.files.commit import commit
from yeaft.tools.paths import Paths

ASK = AskOpened(ask_id="k_1", turn_id="t_1", call_id="c_1", vp_id="omni", kind="approval", text="")
LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "d\n", "\n", "e\r"]), max_size=12)
OLD = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
NEW = "ONE\ntwo\nthree\nfour\nFIVE\nsix\nSEVEN\n"


def taking(folder: Path, tool: str, **args: Any) -> Taking:
    found = proposal(tool, Raw(json.dumps(args).encode()), Paths(folder))
    assert found is not None
    return Taking(found)


def does(folder: Path, taken: Taking) -> dict[str, Any]:
    """Do what is taken, as the tool would; the changed arguments."""
    paths = Paths(folder)
    answer = taken.answer(ASK, "once", paths)
    assert answer.decision == "once"
    args = answer.changed.encode() or bytes(taken.proposal.args)
    commit(planned_change(WRITERS[taken.proposal.tool], args, paths).changes)
    return json.loads(args)


def left(*numbers: int) -> frozenset[int]:
    return frozenset(numbers)


@given(before=LINES, after=LINES, data=st.data())
def test_any_subset_of_hunks_is_what_one_gets_by_patching_by_hand(
    before: list[str], after: list[str], data: st.DataObject
) -> None:
    found = hunks(before, after)
    taken = data.draw(st.sets(st.sampled_from(range(len(found))))) if found else set()

    by_hand = list(before)
    for number in sorted(taken, reverse=True):
        one = found[number]
        by_hand[one.old_start : one.old_end] = after[one.new_start : one.new_end]

    assert mixed(before, after, found, taken) == by_hand
    assert mixed(before, after, found, range(len(found))) == after
    assert mixed(before, after, found, ()) == before


@given(text=st.text(alphabet="ab\r\n\x0b\u2028"))
def test_lines_put_together_are_the_text(text: str) -> None:
    assert "".join(lines_of(text)) == text
    assert all(line.rstrip("\r\n") + line[len(line.rstrip("\r\n")) :] == line for line in lines_of(text))


@settings(deadline=None, max_examples=60)
@given(
    texts=st.tuples(*[st.lists(st.sampled_from([*"abcd", ""]), max_size=10)] * 2),
    end=st.sampled_from(["\n", "\r\n"]),
    tool=st.sampled_from(["FileWrite", "FileEdit", "ApplyPatch"]),
    data=st.data(),
)
def test_a_file_holds_just_the_hunks_that_were_taken_whichever_tool_proposed_them(
    tmp_path_factory: pytest.TempPathFactory,
    texts: tuple[list[str], list[str]],
    end: str,
    tool: str,
    data: st.DataObject,
) -> None:
    folder = tmp_path_factory.mktemp("work")
    before, after = texts
    old, new = ("".join(line + end for line in lines) for lines in texts)
    if old == new or (tool != "FileWrite" and not old):
        return
    (folder / "a.txt").write_bytes(old.encode())
    patch = "\n".join(difflib.unified_diff(before, after, "a/a.txt", "b/a.txt", lineterm=""))
    args = {
        "FileWrite": {"file_path": "a.txt", "content": new},
        "FileEdit": {"file_path": "a.txt", "old_string": old, "new_string": new},
        "ApplyPatch": {"patch": patch + "\n"},
    }[tool]
    whole = taking(folder, tool, **args)
    if not whole.proposal.is_divisible:
        return  # the tool itself says that it cannot do this
    numbers = range(len(whole.hunks))
    chosen = data.draw(st.sets(st.sampled_from(numbers), min_size=1))
    wanted = "".join(mixed(lines_of(old), lines_of(new), [one for _, one in whole.hunks], chosen))

    does(folder, whole.without(frozenset(numbers) - chosen))

    assert (folder / "a.txt").read_bytes() == wanted.encode()


def test_hunks_of_a_patch_that_touch_one_another_are_taken_apart(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("c\na\n")
    lines = ["--- a/a.txt", "+++ b/a.txt", "@@ -1,2 +1,5 @@", "+a", " c", "+b", " a", "+b"]

    does(tmp_path, taking(tmp_path, "ApplyPatch", patch="\n".join(lines) + "\n").without(left(1)))

    assert (tmp_path / "a.txt").read_text() == "a\nc\na\nb\n"


def test_taking_nothing_is_a_no(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(OLD)
    whole = taking(tmp_path, "FileWrite", file_path="a.txt", content=NEW)

    answer = whole.without(left(0, 1, 2)).answer(ASK, "session", Paths(tmp_path))

    assert (answer.decision, answer.changed) == ("deny", "")


def test_taking_all_is_a_plain_yes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(OLD)

    answer = taking(tmp_path, "FileWrite", file_path="a.txt", content=NEW).answer(ASK, "session", Paths(tmp_path))

    assert (answer.decision, answer.changed) == ("session", "")


def test_an_edit_keeps_what_the_model_wanted_to_replace(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"head\n{OLD}tail\n")
    whole = taking(tmp_path, "FileEdit", file_path="a.txt", old_string=OLD, new_string=NEW)

    args = does(tmp_path, whole.without(left(1, 2)))

    assert args == {"file_path": "a.txt", "old_string": OLD, "new_string": f"ONE{OLD[3:]}", "replace_all": False}
    assert (tmp_path / "a.txt").read_text() == f"head\nONE{OLD[3:]}tail\n"


def test_one_of_many_replacements_can_be_taken(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x = 1\n\n\nx = 1\n\n\nx = 1\n")
    whole = taking(tmp_path, "FileEdit", file_path="a.txt", old_string="x", new_string="y", replace_all=True)

    does(tmp_path, whole.without(left(0, 2)))

    assert (tmp_path / "a.txt").read_text() == "x = 1\n\n\ny = 1\n\n\nx = 1\n"


def test_a_file_with_bom_and_crlf_differs_in_the_changed_line_alone_and_keeps_both(tmp_path: Path) -> None:
    raw = "\ufeffone\r\ntwo\r\nthree\r\nfour\r\nfive\r\n".encode()
    (tmp_path / "a.txt").write_bytes(raw)
    whole = taking(
        tmp_path, "FileEdit", file_path="a.txt", old_string="two\nthree\nfour\nfive", new_string="2\nthree\nfour\n5"
    )

    signs = [line for line in change_preview(whole) if line[0] in "-+" and line[:3] not in ("---", "+++")]
    does(tmp_path, whole.without(left(1)))

    assert signs == ["-two", "+2", "-five", "+5"]
    assert (tmp_path / "a.txt").read_bytes() == raw.replace(b"two", b"2")


def test_a_text_of_the_users_own_is_written_instead(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    whole = taking(tmp_path, "FileEdit", file_path="a.txt", old_string="two", new_string="2")

    edited = whole.edited(0, "zero\r\none\r\n二\r\n")
    does(tmp_path, edited)

    assert [line for line in change_preview(edited) if line.startswith("+")] == ["+++ a.txt", "+zero", "+二"]
    assert (tmp_path / "a.txt").read_bytes() == b"\xef\xbb\xbf" + "zero\r\none\r\n二\r\n".encode()


def test_of_a_patch_to_many_files_any_can_be_left(tmp_path: Path) -> None:
    for name in ("a.txt", "gone.txt", "old name.txt"):
        (tmp_path / name).write_text(OLD)
    patch = (
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n@@ -6,2 +6,2 @@\n six\n-seven\n+SEVEN\n"
        "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+hello\n"
        "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n"
        "diff --git a/old name.txt b/sub/ü.txt\nrename from old name.txt\nrename to sub/ü.txt\n"
    )
    whole = taking(tmp_path, "ApplyPatch", patch=patch)
    names = [whole.part(of).name for of, _ in whole.hunks]
    assert sorted(names) == ["a.txt", "a.txt", "gone.txt", "new.txt", "old name.txt → sub/ü.txt"]

    does(tmp_path, whole.without(frozenset({names.index("a.txt"), names.index("gone.txt")})))

    found = {str(path.relative_to(tmp_path)): path.read_text() for path in tmp_path.rglob("*.txt")}
    assert found == {
        "a.txt": OLD.replace("seven", "SEVEN"),
        "gone.txt": OLD,
        "new.txt": "hello\n",
        "sub/ü.txt": OLD,
    }


def test_the_source_of_a_notebook_cell_can_be_taken_in_part(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "id": "c1", "source": OLD.splitlines(keepends=True), "metadata": {}, "outputs": []}
    path = tmp_path / "n.ipynb"
    path.write_text(
        json.dumps({"cells": [{**cell, "execution_count": None}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    )
    whole = taking(tmp_path, "NotebookEdit", notebook_path="n.ipynb", cell_index=0, source=NEW)

    does(tmp_path, whole.without(left(0)))

    assert "".join(json.loads(path.read_text())["cells"][0]["source"]) == NEW.replace("ONE", "one")


def test_what_is_no_text_is_only_told_of_and_taken_whole(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\0\1\2")

    whole = taking(tmp_path, "FileWrite", file_path="a.bin", content="text")

    assert not whole.proposal.is_divisible
    assert change_preview(whole) == ["a.bin: 3 → 4 bytes"]


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "It would fail as things are: old_string"), ("zh", "照现在的样子会失败：old_string")]
)
def test_who_is_asked_for_a_change_that_cannot_be_made_is_told_that_it_would_fail(
    tmp_path: Path, lang: Language, said: str
) -> None:
    (tmp_path / "a.txt").write_text(OLD)

    whole = taking(tmp_path, "FileEdit", file_path="a.txt", old_string="eight", new_string="nine")
    (line,) = change_preview(whole, Ui(lang).retold)

    assert line.startswith(said)
    assert "Nothing was written" not in line


def test_a_file_that_changed_meanwhile_is_not_patched_blindly(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(OLD)
    whole = taking(tmp_path, "FileEdit", file_path="a.txt", old_string=OLD, new_string=NEW)

    (tmp_path / "a.txt").write_text("other\n")

    with pytest.raises(ToolFailed, match=IMPOSSIBLE[:30]):
        whole.without(left(0)).answer(ASK, "once", Paths(tmp_path))
