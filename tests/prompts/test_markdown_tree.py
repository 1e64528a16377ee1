"""The Markdown files of a folder are found however it is built, and the search always ends."""

from pathlib import Path

from yeaft.prompts.markdown_tree import MOST_FILES, markdown_files


def test_more_files_than_anybody_has_end_the_search_with_a_word(tmp_path: Path) -> None:
    for number in range(MOST_FILES + 2):
        (tmp_path / f"{number:04}.md").touch()

    found = markdown_files(tmp_path)

    assert [path.name for path in found.files] == [f"{number:04}.md" for number in range(MOST_FILES)]
    assert [problem.reason for problem in found.problems] == [
        "holds more than 500 files or 2000 folders; the rest is left out"
    ]


def test_hidden_and_generated_folders_and_other_files_are_left_out(tmp_path: Path) -> None:
    for path in (".git/a.md", "node_modules/b.md", "c.txt", ".d.md", "e/f.md", "g.md"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).touch()

    assert markdown_files(tmp_path).files == (tmp_path / "g.md", tmp_path / "e" / "f.md")
    assert markdown_files(tmp_path / "none").files == ()
