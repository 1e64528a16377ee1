"""What was said before: walked through, searched, and kept in a file that line mode reads as well."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from yeaft.interfaces.line.kept_history import KeptHistory
from yeaft.interfaces.tui.composer.history import History, searched
from yeaft.interfaces.typed_lines import MOST_BYTES, TypedLines


def test_going_back_and_forth_ends_with_the_draft_that_was_begun():
    history = History(["one", "two"])

    shown = [history.older("begun"), history.older("two"), history.older("one"), history.newer(), history.newer()]

    assert shown == ["two", "one", None, "two", "begun"]
    assert history.newer() is None


def test_an_entry_like_the_draft_is_passed_over():
    assert History(["one", "two"]).older("two") == "one"


def test_words_in_any_order_find_an_entry_before_mere_letters_do():
    entries = ["fix the parser test", "run all tests", "a test for the fox parser"]

    assert searched(entries, "parser fix") == ["fix the parser test"]
    assert searched(entries, "rat") == ["run all tests"]
    assert searched(entries, "") == list(reversed(entries))


def test_entries_are_kept_by_folder_each_once_and_secrets_are_not(tmp_path: Path):
    here, there = TypedLines(tmp_path / "history", tmp_path / "a"), TypedLines(tmp_path / "history", tmp_path / "b")

    here.add("one")
    here.add("two\nlines +\n\n# no comment")
    here.add(" export KEY=secret")
    here.add("one")
    there.add("elsewhere")

    assert here.read() == ["two\nlines +\n\n# no comment", "one"]
    assert there.read() == ["elsewhere"]
    assert "secret" not in (tmp_path / "history").read_text()
    assert (tmp_path / "history").stat().st_mode & 0o077 == 0


def test_line_mode_reads_and_writes_the_same_entries(tmp_path: Path):
    TypedLines(tmp_path / "history", tmp_path).add("from the screen\nwith two lines")
    line_mode = KeptHistory(tmp_path / "history", tmp_path)

    line_mode.store_string("from a line")

    assert list(line_mode.load_history_strings()) == ["from a line", "from the screen\nwith two lines"]
    assert TypedLines(tmp_path / "history", tmp_path).read()[-1] == "from a line"


def test_entries_from_before_there_were_folders_belong_to_all(tmp_path: Path):
    (tmp_path / "history").write_text("\n# 2026-01-01 10:00:00\n+old\n+lines\n")

    assert TypedLines(tmp_path / "history", tmp_path).read() == ["old\nlines"]


def test_a_file_that_cannot_be_written_loses_nothing_else(tmp_path: Path):
    (tmp_path / "history").mkdir()
    lines = TypedLines(tmp_path / "history", tmp_path)

    lines.add("one")

    assert lines.read() == []


def test_the_file_does_not_grow_for_ever(tmp_path: Path):
    lines = TypedLines(tmp_path / "history", tmp_path)
    (tmp_path / "history").write_text("\n# old\n+x\n" + "\n# old\n+y\n" * (MOST_BYTES // 10))

    lines.add("new")

    assert (tmp_path / "history").stat().st_size < MOST_BYTES
    assert lines.read() == ["y", "new"]


@given(st.text().filter(lambda text: text.strip() and not text[0].isspace() and "\r" not in text))
def test_any_text_comes_back_as_it_was(tmp_path_factory, text):
    lines = TypedLines(tmp_path_factory.mktemp("home") / "history", Path("/work"))

    lines.add(text)

    assert lines.read() == [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")]
