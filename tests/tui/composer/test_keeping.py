"""What was written is there again; queued messages go one by one; pasted paths become files."""

import os
import stat
from pathlib import Path

import pytest

from yeaft.interfaces.tui.composer.kept_draft import Draft, Kept, beside, draft_path, read_kept, write_kept
from yeaft.interfaces.tui.composer.pasted_files import files_in
from yeaft.interfaces.tui.composer.queueing import Queue, Queued
from yeaft.interfaces.tui.composer.writing import Writing
from yeaft.prompts.ui import Ui

LONG = "\n".join(f"line {number}" for number in range(300))


def test_a_draft_comes_back_with_its_pastes_its_files_and_what_waits(tmp_path: Path):
    path = draft_path(tmp_path, "", tmp_path / "work")
    writing, again = Writing(Ui("en")), Writing(Ui("en"))
    writing.draft.insert("first ")
    writing.draft.paste(LONG)
    writing.swap_stash()
    writing.draft.insert("second 你好")
    writing.attach((tmp_path / "a.png",))
    writing.queue.add(Queued(text="later", to=("docs",)))

    write_kept(path, writing.kept())
    again.restore(read_kept(path))

    assert again.draft.whole == "second 你好"
    assert again.files == (tmp_path / "a.png",)
    assert again.queue.items == (Queued(text="later", to=("docs",)),)
    assert again.queue.next() is None
    again.clear()
    again.swap_stash()
    assert again.draft.whole == f"first {LONG}"
    assert len(again.draft.text) == len("first ") + 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_draft_that_was_said_leaves_no_file(tmp_path: Path):
    path = draft_path(tmp_path, "s1", tmp_path)
    write_kept(path, Kept(draft=Draft(pieces=("x",))))

    write_kept(path, Kept())

    assert not path.exists()


def test_the_draft_of_another_living_process_is_left_to_it(tmp_path: Path):
    path = draft_path(tmp_path, "s1", tmp_path)
    write_kept(path, Kept(draft=Draft(pieces=("x",))))
    path.write_bytes(path.read_bytes().replace(b'"pid":%d' % os.getpid(), b'"pid":1'))

    assert read_kept(path) == Kept()
    write_kept(path, Kept(draft=Draft(pieces=("mine",))))
    assert b'"x"' in path.read_bytes()


@pytest.mark.parametrize("content", [b"", b"{", b'{"draft":{"pieces":[7.5]}}', b"\xff"])
def test_a_damaged_file_is_no_draft(tmp_path: Path, content):
    (tmp_path / "x.json").write_bytes(content)

    assert read_kept(tmp_path / "x.json") == Kept()


def test_what_is_written_before_the_old_draft_is_read_stays():
    writing = Writing(Ui("en"))
    writing.draft.insert("new")

    assert not writing.restore(Kept(draft=Draft(pieces=("old",))))
    assert writing.draft.whole == "new"


def test_queued_messages_go_in_order_unless_the_user_changes_it():
    queue = Queue()
    for text in ("a", "b", "c"):
        queue.add(Queued(text=text))

    queue.move_last(-1)
    assert [one.text for one in queue.items] == ["a", "c", "b"]
    queue.move_last(1)
    assert [one.text for one in queue.items] == ["c", "b", "a"]
    assert queue.take_last() == Queued(text="a")
    assert queue.next() == Queued(text="c")
    queue.return_first(Queued(text="c"))

    assert queue.next() is None
    assert [one.text for one in queue.items] == ["c", "b"]


@pytest.mark.parametrize(
    "pasted",
    ["{0}", "'{0}'", '"{0}"', "{1}", "file://{2}", "{1} ", "{1} '{0}'\n", "{0}\n{0}", "~/my file.png"],
)
def test_a_path_that_is_dragged_or_copied_becomes_a_file(tmp_path: Path, pasted):
    file = tmp_path / "my file.png"
    file.write_bytes(b"x")
    written = (str(file), str(file).replace(" ", "\\ "), str(file).replace(" ", "%20"))

    assert set(files_in(pasted.format(*written), tmp_path, {"HOME": str(tmp_path)})) == {file}


@pytest.mark.parametrize("pasted", ["see {0}", "/no/such/file", "", "file://elsewhere{0}", "{0} is broken", "/", "'"])
def test_other_text_stays_text(tmp_path: Path, pasted):
    file = tmp_path / "a.png"
    file.write_bytes(b"x")

    assert files_in(pasted.format(file), tmp_path, {}) == ()


def test_a_draft_that_is_read_after_another_was_begun_is_put_aside():
    writing = Writing(Ui("en"))
    writing.draft.insert("new")

    writing.restore(Kept(draft=Draft(pieces=("old",)), stash=(Draft(pieces=("older",)),)))

    assert [draft.text for draft in writing.stash] == ["older", "old"]
    writing.clear()
    writing.swap_stash()
    assert writing.draft.whole == "old"


@pytest.mark.parametrize(("now", "before", "draft", "put_aside"), [
    ("new", "", "new", []),
    ("", "old", "old", []),
    ("new", "old", "new", ["old"]),
])  # fmt: skip
def test_what_is_kept_beside_what_was_there_loses_neither(now: str, before: str, draft: str, put_aside: list[str]):
    def kept(text: str) -> Kept:
        return Kept(draft=Draft(pieces=(text,) if text else ()), queue=(Queued(text=f"later {text}"),))

    both = beside(kept(now), kept(before))

    assert both.draft.text == draft
    assert [one.text for one in both.stash] == put_aside
    assert [one.text for one in both.queue] == [f"later {before}", f"later {now}"]
