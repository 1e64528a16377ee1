"""Patches go where their lines say, for all files or for none."""

import difflib
import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.folder_given import Folder
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.apply_patch import ApplyPatch, touches
from yeaft.tools.files.file_bytes import sha256_of
from yeaft.tools.patches.patch import FilePatch, Hunk, HunkLine
from yeaft.tools.patches.patch_place import created, patched
from yeaft.tools.patches.patch_plan import parse_patch
from yeaft.tools.tool import Touches

TEN = "".join(f"line {n}\n" for n in range(1, 11))


def unified(*lines: str) -> str:
    return "\n".join(["--- a/f.txt", "+++ b/f.txt", *lines, ""])


def envelope(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", "*** Update File: f.txt", *lines, "*** End Patch", ""])


async def test_one_patch_creates_changes_moves_and_deletes(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.file("src/old.py", "a = 1\nb = 2\n").chmod(0o751)
    folder.file("gone.txt", "bye\n")
    folder.file("f.txt", TEN)
    patch = """diff --git a/src/old.py b/src/new.py
similarity index 60%
rename from src/old.py
rename to src/new.py
--- a/src/old.py
+++ b/src/new.py
@@ -1,2 +1,2 @@
 a = 1
-b = 2
+b = 3
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/run.sh b/run.sh
new file mode 100755
--- /dev/null
+++ b/run.sh\t2024-01-01 00:00:00
@@ -0,0 +1,2 @@
+#!/bin/sh
+echo hi
\\ No newline at end of file
--- a/f.txt
+++ b/f.txt
@@ -1,3 +1,2 @@
 line 1
-line 2
 line 3
@@ -9,2 +8,3 @@
 line 9
 line 10
+line 11
"""
    vp = folder.vp()

    intents = {Path(i.path).name: (i.pre, i.post) for i in vp.intents("ApplyPatch", patch=patch)}
    told = json.loads(await vp.told("ApplyPatch", patch=patch))

    assert folder.all_files() == {
        "src/new.py": b"a = 1\nb = 3\n",
        "run.sh": b"#!/bin/sh\necho hi",
        "f.txt": TEN.replace("line 2\n", "").encode() + b"line 11\n",
    }
    assert (folder.root / "src/new.py").stat().st_mode & 0o777 == 0o751
    assert (folder.root / "run.sh").stat().st_mode & 0o100
    assert told["summary"] == "Applied patch to 4/4 files"
    assert told["results"][3] == {"file": "f.txt", "success": True, "hunks": 2}
    assert intents["old.py"] == (sha256_of(b"a = 1\nb = 2\n"), "")
    assert intents["new.py"] == ("", sha256_of(b"a = 1\nb = 3\n"))


async def test_the_other_format_does_the_same(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.file("old.py", "class A:\n    def f(self):\n        pass\n\nclass B:\n    def f(self):\n        pass\n")
    folder.file("gone.txt", "bye\n")
    patch = """*** Begin Patch
*** Add File: new/a.txt
+one
+
+two
*** Delete File: gone.txt
*** Update File: old.py
*** Move to: new/b.py
@@ class B:
@@     def f(self):
-        pass
+        return 1

*** End Patch"""

    await folder.vp().call("ApplyPatch", patch=patch)

    assert folder.all_files() == {
        "new/a.txt": b"one\n\ntwo\n",
        "new/b.py": b"class A:\n    def f(self):\n        pass\n\nclass B:\n    def f(self):\n        return 1\n",
    }


def test_the_policy_learns_every_file_a_patch_writes() -> None:
    patch = (
        "diff --git a/x b/y\nrename from x\nrename to y\n"
        'diff --git "a/\\344\\275\\240.txt" "b/\\344\\275\\240.txt"\nnew file mode 100644\n'
        '--- /dev/null\n+++ "b/\\344\\275\\240.txt"\n@@ -0,0 +1 @@\n+a\n'
    )

    assert touches(ApplyPatch(patch=patch)) == Touches(writes=("x", "y", "你.txt"))
    assert touches(ApplyPatch(patch="nonsense")) == Touches()


@pytest.mark.parametrize(
    ("headers", "kind", "path"),
    [
        ("--- a/x.py\t2024-01-01\r\n+++ b/x.py\t2024-01-02\r\n", "update", "x.py"),
        ("--- x.py.orig\n+++ x.py\n", "update", "x.py"),
        ("--- b/x.py\n+++ b/x.py\n", "update", "b/x.py"),
        ("--- a/b/x.py\n+++ b/b/x.py\n", "update", "b/x.py"),
        ("--- a/with space.py\n+++ b/with space.py\n", "update", "with space.py"),
        ("--- /dev/null\n+++ b/x.py\n", "add", "x.py"),
        ("--- a/x.py\n+++ /dev/null\n", "delete", "x.py"),
    ],
)
def test_file_names_are_read_from_every_kind_of_header(headers: str, kind: str, path: str) -> None:
    (file,) = parse_patch(headers + "@@ -1 +1 @@\n-a\n+b\n")

    assert (file.kind, file.path, file.target) == (kind, path, None)


@pytest.mark.parametrize("wrong", ["@@ -40,3 +40,3 @@", "@@ -1,9 +1,1 @@", "@@ -1 +1 @@", "@@", "@@ def something():"])
async def test_wrong_numbers_and_counts_do_not_matter(tmp_path: Path, wrong: str) -> None:
    folder = Folder(tmp_path)
    file = folder.file("f.txt", "a\n\nb\nc\n")

    await folder.vp().call("ApplyPatch", patch=unified(wrong, " a", "", "-b", "+B", " c", ""))

    assert file.read_text() == "a\n\nB\nc\n"


async def test_a_hunk_that_fits_several_places_goes_to_its_number_or_nowhere(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    file = folder.file("f.txt", "x\ny\nx\ny\nx\ny\n")
    vp = folder.vp()

    refusals = [
        await vp.refusal("ApplyPatch", patch=patch)
        for patch in (
            unified("@@ -2 +2 @@", "-x", "+z"),
            envelope("@@", "-x", "+z"),
            envelope("@@ y", "+z"),
        )
    ]
    assert file.read_text() == "x\ny\nx\ny\nx\ny\n"
    await vp.call("ApplyPatch", patch=unified("@@ -3 +3 @@", "-x", "+z"))

    assert refusals == [
        "Hunk 1 of f.txt: its old lines are at lines 1, 3, 5; add lines around it. Nothing was written.",
        "Hunk 1 of f.txt: its old lines are at lines 1, 3, 5; add lines around it. Nothing was written.",
        "Hunk 1 of f.txt: 'y' is at lines 2, 4, 6; add lines around it. Nothing was written.",
    ]
    assert file.read_text() == "x\ny\nz\ny\nx\ny\n"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("@@ line 3", "+new"), TEN.replace("line 3\n", "line 3\nnew\n")),
        (("@@", "+new", "*** End of File"), TEN + "new\n"),
        (("@@ line 2", " line 3", "+new"), TEN.replace("line 3\n", "line 3\nnew\n")),
        (("-line 10", "+new", "*** End of File"), TEN.replace("line 10\n", "new\n")),
    ],
)
async def test_additions_go_behind_their_anchor(tmp_path: Path, lines: tuple[str, ...], expected: str) -> None:
    folder = Folder(tmp_path)
    file = folder.file("f.txt", TEN)

    await folder.vp().call("ApplyPatch", patch=envelope(*lines))

    assert file.read_text() == expected


async def test_a_failing_file_leaves_all_others_as_they_were(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.file("f.txt", TEN)
    folder.file("g.txt", "g\n")
    before = folder.all_files()
    good = unified("@@ -1 +1 @@", "-line 1", "+LINE 1")
    vp = folder.vp()

    refusals = [
        await vp.refusal("ApplyPatch", patch=good + bad)
        for bad in (
            "--- a/g.txt\n+++ b/g.txt\n@@ -1 +1 @@\n-h\n+i\n",
            "--- a/none.txt\n+++ b/none.txt\n@@ -1 +1 @@\n-h\n+i\n",
            "--- /dev/null\n+++ b/g.txt\n@@ -0,0 +1 @@\n+i\n",
            "--- /dev/null\n+++ b/new/\0x\n@@ -0,0 +1 @@\n+i\n",
            "--- /dev/null\n+++ b/new/deep/ok\n@@ -0,0 +1 @@\n+i\n--- /dev/null\n+++ /proc/yeaft-none\n@@ -0,0 +1 @@\n+i\n",
        )
    ]

    assert [refusal.split(":")[0].split(".")[0] for refusal in refusals] == [
        "Hunk 1 of g",
        "none",
        "g",
        "The path 'new/\\x00x' contains the control character '\\x00'; write it without",
        "Cannot write /proc/yeaft-none",
    ]
    assert folder.all_files() == before
    assert sorted(path.name for path in folder.root.iterdir()) == ["f.txt", "g.txt"]


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        ("", "No file to patch was found"),
        ("*** Begin Patch\n*** Update File: f.txt\n-line 1\n+x\n", "may be cut off"),
        ("*** Begin Patch\n*** Update File: f.txt\n@@\nline 1\n*** End Patch", "must start with a blank, + or -"),
        ("*** Begin Patch\nhello\n*** End Patch", "expected '*** Add File: '"),
        (unified("@@ -1,2 +1,2 @@", " line 1", "line 2"), "must start with a blank, + or -"),
        (unified("@@ -1 +1 @@", "-line 1", "+x", "line 2", "+y"), "a change outside of a hunk"),
        (unified("@@ -1 +1 @@", " line 1"), "changes nothing"),
        ("@@ -1 +1 @@\n-a\n+b\n", "a hunk without '--- a/FILE'"),
        ("diff --git a/p b/p\nBinary files a/p and b/p differ\n", "only text files"),
        (unified("@@ -0,0 +99,1 @@", "+x").replace("-0,0", "-99,0"), "adds after line 99, but the file has 10"),
        (envelope("+x"), "does not say where"),
        (envelope("@@ nowhere", "+x"), "'nowhere' is not in the file"),
        (unified("@@ -1,2 +1,1 @@", "-line 1", "-lime 2"), "looking for 'lime 2'. The nearest line is 2: 'line 2'"),
        ("--- a/f.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-line 1\n", "more lines than the patch"),
    ],
)
async def test_patches_that_cannot_be_right_are_refused_with_the_reason(
    tmp_path: Path, patch: str, reason: str
) -> None:
    folder = Folder(tmp_path)
    folder.file("f.txt", TEN)

    assert reason in await folder.vp().refusal("ApplyPatch", patch=patch)

    assert folder.all_files() == {"f.txt": TEN.encode()}


@pytest.mark.parametrize("final", [True, False])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
async def test_line_ends_mark_and_final_newline_stay(tmp_path: Path, end: str, bom: bytes, final: bool) -> None:
    folder = Folder(tmp_path)
    tail = end if final else ""
    file = folder.file("f.txt", bom + f"one  {end}two{end}thrée{tail}".encode())

    await folder.vp().call(
        "ApplyPatch", patch=unified("@@ -1,3 +1,5 @@", " one", "-two", "+2", "+2b", " thrée", "+four")
    )

    assert file.read_bytes() == bom + f"one  {end}2{end}2b{end}thrée{end}four{tail}".encode()


LINES = st.lists(st.sampled_from(["a", "b", "", " c", "-- d", "++ e", "行"]), max_size=14)


@settings(max_examples=150, deadline=None)
@given(LINES, LINES, st.integers(0, 3))
def test_a_diff_of_two_texts_turns_the_one_into_the_other(old: list[str], new: list[str], context: int) -> None:
    before, after = ["".join(f"{line}\n" for line in lines) for lines in (old, new)]
    diff = difflib.unified_diff(before.splitlines(True), after.splitlines(True), "a/f", "b/f", n=context)
    patch = "".join(diff)
    if not patch:
        assert before == after
        return

    (file,) = parse_patch(patch)

    assert patched(before, file.hunks, "f") == after


def git_diff(folder: Path, old: str, new: str) -> str:
    (folder / "old").write_text(old)
    (folder / "new").write_text(new)
    command = ["git", "diff", "--no-index", "old", "new"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.replace("b/new", "b/old")


async def test_what_git_writes_is_applied_as_git_does(tmp_path: Path) -> None:
    texts = ["", "a\n", "a", "a\nb\nc\n", "a\nb\nc", "x\nb\nc\nd", "a\n" * 9 + "z", "b\n" + "a\n" * 9 + "y\n"]
    (tmp_path / "diffs").mkdir()
    for number, (old, new) in enumerate((old, new) for old in texts for new in texts if old != new and old and new):
        diff = git_diff(tmp_path / "diffs", old, new)
        tmp = tmp_path / str(number)
        tmp.mkdir()
        folder = Folder(tmp)
        file = folder.file("old", old)

        await folder.vp().call("ApplyPatch", patch=diff)

        assert file.read_text() == new, diff


def test_a_hunk_is_never_put_before_one_already_applied() -> None:
    one = Hunk(lines=(HunkLine("-", "b"), HunkLine("+", "B")))
    two = Hunk(lines=(HunkLine("-", "a"), HunkLine("+", "A")))

    with pytest.raises(ToolFailed, match="not in the file"):
        patched("a\nb\n", (one, two), "f")


def test_a_new_file_has_the_lines_of_its_hunks() -> None:
    (file,) = parse_patch("--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n")

    assert isinstance(file, FilePatch)
    assert created(file.hunks) == "a\nb"
