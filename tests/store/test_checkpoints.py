"""States of a folder are kept and brought back: what is covered, what is left alone, what happens when it goes wrong."""

import contextlib
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import pytest

from tests.store.checkpoints_given import Given, look, times
from yeaft.store.checkpoints.diffstat import stat_of
from yeaft.store.checkpoints.restoring import restore
from yeaft.store.checkpoints.scanner import Scanner
from yeaft.store.checkpoints.states import Left
from yeaft.tools.search.ignores import Ignores, ignores_above

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture
def given(tmp_path: Path):
    stories: list[Given] = []

    def make(**limits: int) -> Given:
        stories.append(Given(tmp_path, **limits))
        return stories[-1]

    yield make
    for story in stories:
        story.store.close()


def size_of(place: Path) -> int:
    """How many bytes the checkpoints take, once the log has been worked into the file."""
    with contextlib.closing(sqlite3.connect(place / "objects.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return (place / "objects.db").stat().st_size


def test_names_that_are_no_text_and_odd_links_come_back_exactly(given) -> None:
    story = given()
    bad = story.root / os.fsdecode(b"bad\xff\xfe")
    bad.write_bytes(b"1\r\n\x00")
    (story.root / "link").symlink_to("./a//b/../c")
    (story.root / "dangling").symlink_to("/nowhere")
    (story.root / "empty").mkdir(0o750)
    before = look(story.root)
    first = story.scan()

    for path in (bad, story.root / "link", story.root / "dangling"):
        path.unlink()
    (story.root / "empty").rmdir()

    assert story.go_back(first) == ()
    assert look(story.root) == before


def test_what_is_not_covered_is_named_and_never_touched(given) -> None:
    story = given(max_file_bytes=100)
    (story.root / ".gitignore").write_text("*.log\nbuild/\n")
    (story.root / "a.log").write_text("log")
    (story.root / "build").mkdir()
    (story.root / "build/out").write_text("out")
    (story.root / "node_modules").mkdir()
    (story.root / "node_modules/lib.js").write_text("lib")
    (story.root / ".git").mkdir()
    (story.root / ".git/config").write_text("[core]")
    (story.root / "huge.bin").write_bytes(b"x" * 101)
    os.mkfifo(story.root / "pipe")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(story.root / "socket"))
    listener.close()
    first = story.scan()

    assert first.skipped == {
        ".git": "git",
        "a.log": "ignored",
        "build": "ignored",
        "huge.bin": "too large",
        "node_modules": "cache",
        "pipe": "special",
        "socket": "special",
    }

    (story.root / "new.txt").write_text("new")
    (story.root / "build/more").write_text("more")
    (story.root / "huge.bin").write_bytes(b"y" * 101)
    changed = look(story.root)
    assert story.go_back(first) == ()

    del changed[b"new.txt"]
    assert look(story.root) == changed


def test_a_second_look_reads_nothing_again(given) -> None:
    story = given()
    for number in range(50):
        (story.root / f"f{number}").write_text("x" * number)
    old = time.time() - 100
    for path in story.root.iterdir():
        os.utime(path, (old, old))
    story.scan()
    story.again()
    before = size_of(story.place)

    taken = story.scan()

    assert (taken.changed, taken.is_new) == (0, False)
    assert taken.manifest == story.taken[0].manifest
    assert size_of(story.place) == before


def test_a_change_that_bears_the_same_size_and_time_is_seen(given) -> None:
    story = given()
    path = story.root / "a"
    path.write_text("one")
    status = path.stat()
    story.scan()
    path.write_text("two")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    assert story.scan().changed == 1


def test_what_was_read_ahead_in_vain_is_read_again(given) -> None:
    story = given()
    for number in range(5):
        (story.root / f"f{number}").write_text(str(number))
    answers = iter([True, True, False])

    story.store.read_ahead(lambda: next(answers))
    story.scan()

    assert [story.store.content(sha256(b"%d" % number).digest()) for number in range(5)] == [
        b"0",
        b"1",
        b"2",
        b"3",
        b"4",
    ]


def test_what_changes_after_it_was_read_ahead_is_seen(given) -> None:
    story = given()
    (story.root / "a").write_text("first")
    story.store.read_ahead(lambda: True)
    (story.root / "a").write_text("other")

    story.scan()

    assert story.store.content(sha256(b"other").digest()) == b"other"


def test_the_same_content_is_kept_once(given) -> None:
    story = given()
    content = os.urandom(200_000)
    for number in range(10):
        (story.root / f"f{number}").write_bytes(content)
    story.scan()
    story.store.close()

    assert size_of(story.place) < 500_000


def test_beyond_the_limit_nothing_more_is_kept_but_what_was_kept_comes_back(given) -> None:
    story = given(max_total_bytes=300_000)
    (story.root / "small").write_text("small")
    first = story.scan()
    (story.root / "large").write_bytes(os.urandom(400_000))
    (story.root / "small").write_text("changed")
    second = story.scan()
    assert second.skipped == {"large": "no space left"}
    (story.root / "large").write_bytes(b"other")

    left = story.go_back(first)

    assert (story.root / "small").read_text() == "small"
    assert left == ()
    assert not (story.root / "large").exists()


def test_a_file_whose_state_cannot_be_kept_is_never_taken_away(given) -> None:
    story = given(max_file_bytes=1000)
    first = story.scan()
    (story.root / "precious").write_bytes(b"x" * 1001)

    left = story.go_back(first)

    assert (story.root / "precious").stat().st_size == 1001
    assert left == ()  # nobody has ever known of it


def test_a_file_that_grew_too_large_since_stays_and_is_named(given) -> None:
    story = given(max_file_bytes=1000)
    (story.root / "log").write_text("short")
    first = story.scan()
    (story.root / "log").write_bytes(b"x" * 1001)

    assert story.go_back(first) == (Left("log", "too large"),)
    assert (story.root / "log").stat().st_size == 1001


def test_a_folder_with_too_many_files_is_not_looked_through_twice(given) -> None:
    story = given(max_files=3)
    for number in range(4):
        (story.root / f"f{number}").write_text("x")

    assert story.store.scan() is None
    assert story.store.scan() is None
    (story.root / "f0").write_text("x")
    first = story.record("f0")
    (story.root / "f0").write_text("y")
    last = story.record("f0")
    plan = story.store.plan([first.manifest.sha256, last.manifest.sha256])

    assert plan is not None
    assert story.store.restore(plan.changes) == ()
    assert (story.root / "f0").read_text() == "x"


def test_a_file_in_the_way_of_a_folder_and_a_folder_in_the_way_of_a_file_give_way(given) -> None:
    story = given()
    (story.root / "a").mkdir()
    (story.root / "a/b").write_text("b")
    (story.root / "c").write_text("c")
    before = look(story.root)
    first = story.scan()

    (story.root / "a/b").unlink()
    (story.root / "a").rmdir()
    (story.root / "a").write_text("a file now")
    (story.root / "c").unlink()
    (story.root / "c/d").mkdir(parents=True)
    (story.root / "c/d/e").write_text("e")

    assert story.go_back(first) == ()
    assert look(story.root) == before


def test_nothing_is_written_through_a_link_that_came_since(given, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("not ours")
    story = given()
    (story.root / "folder").mkdir()
    (story.root / "folder/file").write_text("ours")
    before = look(story.root)
    first = story.scan()
    (story.root / "folder/file").unlink()
    (story.root / "folder").rmdir()
    (story.root / "folder").symlink_to(outside)

    assert story.go_back(first) == ()

    assert look(story.root) == before
    assert (outside / "file").read_text() == "not ours"


def test_a_folder_with_files_that_are_not_covered_stays(given) -> None:
    story = given()
    (story.root / ".gitignore").write_text("*.log\n")
    first = story.scan()
    (story.root / "new").mkdir()
    (story.root / "new/a.txt").write_text("a")
    (story.root / "new/a.log").write_text("log")

    assert story.go_back(first) == (Left("new", "not empty"),)
    assert [path.name for path in (story.root / "new").iterdir()] == ["a.log"]


def test_a_file_changed_between_the_last_look_and_its_turn_is_left_alone(given) -> None:
    story = given()
    (story.root / "a").write_text("one")
    first = story.scan()
    (story.root / "a").write_text("two")
    plan = story.plan(first)
    (story.root / "a").write_text("just now")

    assert story.store.restore(plan.changes) == (Left("a", "changing"),)
    assert (story.root / "a").read_text() == "just now"


@pytest.mark.parametrize("late", ["a write", "a new file", "a removal"])
def test_what_a_program_does_while_files_come_back_is_not_lost(given, late: str) -> None:
    story = given()
    (story.root / "a").write_text("one")
    (story.root / "b").write_text("one")
    first = story.scan()
    (story.root / "a").write_text("two")
    (story.root / "b").write_text("two")
    if late == "a new file":
        (story.root / "b").unlink()
    changes = story.plan(first).changes
    asked: list[bytes] = []

    def content_while_a_program_is_at_work(digest: bytes) -> bytes | None:
        asked.append(digest)
        if len(asked) == len(changes) + 1:  # all have been looked at, and the first is being written
            if late == "a removal":
                (story.root / "b").unlink()
            else:
                (story.root / "b").write_text("the user's")
        return story.store.content(digest)

    scanner = Scanner(str(story.root), Ignores(), frozenset(), story.limits)
    left = restore(
        str(story.root),
        changes,
        content_while_a_program_is_at_work,
        lambda path: scanner.look_at(path, lambda *_: True),
    )

    assert left == (Left("b", "changing"),)
    assert (story.root / "a").read_text() == "one"
    assert [path.read_text() for path in [story.root / "b"] if path.exists()] == ["the user's"] * (late != "a removal")


def test_a_folder_that_is_gone_itself_comes_back_with_all_that_was_in_it(given) -> None:
    story = given()
    (story.root / "deep").mkdir()
    (story.root / "deep/a").write_text("one")
    before = look(story.root)
    first = story.scan()
    shutil.rmtree(story.root)
    nothing = story.scan()

    assert story.go_back(first) == ()
    assert look(story.root) == before
    assert story.go_back(nothing) == ()
    assert look(story.root) == {}


def test_untouched_files_keep_their_times(given) -> None:
    story = given()
    (story.root / "same").write_text("same")
    (story.root / "other").write_text("1")
    before = times(story.root)
    first = story.scan()
    (story.root / "other").write_text("2")

    story.go_back(first)

    assert times(story.root)[b"same"] == before[b"same"]


def test_a_mode_comes_back_without_the_content_being_written(given) -> None:
    story = given()
    script = story.root / "run"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    changed_ns = script.stat().st_mtime_ns
    first = story.scan()
    script.chmod(0o600)

    story.go_back(first)

    assert (script.stat().st_mode & 0o7777, script.stat().st_mtime_ns) == (0o755, changed_ns)


def test_files_come_back_into_a_folder_that_was_closed(given) -> None:
    story = given()
    (story.root / "closed").mkdir()
    (story.root / "closed/a").write_text("a")
    (story.root / "closed").chmod(0o555)
    before = look(story.root)
    first = story.scan()
    (story.root / "closed").chmod(0o755)
    (story.root / "closed/a").unlink()
    (story.root / "closed").chmod(0o500)

    assert story.go_back(first) == ()
    assert look(story.root) == before
    (story.root / "closed").chmod(0o755)


def test_many_small_changes_cost_little_and_all_come_back(given) -> None:
    story = given()
    for number in range(200):
        (story.root / f"f{number}").write_text(f"{number}")
    story.scan()
    story.store.close()
    size = size_of(story.place)
    states = [look(story.root)]
    for step in range(150):
        (story.root / "f7").write_text(f"step {step}")
        story.scan()
        states.append(look(story.root))
    story.again()
    assert size_of(story.place) - size < 200_000

    for number in (0, 63, 64, 65, 149):
        assert story.go_back(story.taken[number]) == ()
        assert look(story.root) == states[number]


def test_without_its_objects_a_checkpoint_says_that_it_cannot_be_brought_back(given) -> None:
    story = given()
    (story.root / "a").write_text("a")
    first = story.scan()
    story.store.close()
    for path in story.place.iterdir():
        path.unlink()
    (story.root / "a").write_text("b")
    story.again()
    last = story.scan()

    assert story.store.plan([first.manifest.sha256, last.manifest.sha256]) is None
    assert story.store.plan([last.manifest.sha256]) is not None


def test_ignore_rules_that_change_are_heeded(given) -> None:
    story = given()
    (story.root / "sub").mkdir()
    (story.root / "sub/a.tmp").write_text("a")
    story.scan()
    (story.root / ".gitignore").write_text("*.tmp\n")
    (story.root / "sub/b.tmp").write_text("b")

    assert story.scan().skipped == {"sub/b.tmp": "ignored"}

    (story.root / ".gitignore").unlink()
    assert story.scan().skipped == {}


def test_rules_above_the_folder_hold_in_it(tmp_path: Path, given) -> None:
    story = given()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*.tmp\n")
    story.store.close()
    story.store = type(story.store)(
        story.place, str(story.root), lambda: ignores_above(story.root), (), story.limits
    )  # fmt: skip
    (story.root / "a.tmp").write_text("a")

    assert story.scan().skipped == {"a.tmp": "ignored"}


def test_a_diffstat_counts_lines_of_text(given) -> None:
    story = given()
    (story.root / "text").write_text("one\ntwo\nthree\n")
    (story.root / "binary").write_bytes(b"\0\1")
    (story.root / "gone").write_text("x\n")
    first = story.scan()
    (story.root / "text").write_text("one\n2\nthree\nfour\n")
    (story.root / "binary").write_bytes(b"\0\2")
    (story.root / "gone").unlink()
    (story.root / "new").write_text("n\n")

    stats = [stat_of(change, story.store.content) for change in story.plan(first).changes]

    assert [(one.path, one.what, one.added, one.removed) for one in stats] == [
        ("binary", "write", None, None),
        ("gone", "create", 1, 0),
        ("new", "remove", 0, 1),
        ("text", "write", 1, 2),
    ]


KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.store.checkpoints_given import Given
from yeaft.store.checkpoints.restoring import restore
from yeaft.store.checkpoints.store import CheckpointStore

story = Given(Path(sys.argv[2]))
manifests, steps = sys.argv[4].split(","), int(sys.argv[3])
story.store.begin_with(manifests[-1])
plan = story.store.plan(manifests)
done = 0

def counted(name):
    real = getattr(os, name)
    def step(*words, **more):
        global done
        done += 1
        if done > steps:
            os.kill(os.getpid(), 9)
        return real(*words, **more)
    return step

for name in ("rename", "unlink", "rmdir", "mkdir", "symlink", "chmod"):
    setattr(os, name, counted(name))
story.store.restore(plan.changes)
"""


@pytest.mark.parametrize("steps", range(14))
def test_a_restore_that_was_killed_is_finished_or_undone_by_another(given, tmp_path: Path, steps: int) -> None:
    story = given()
    for name in ("a", "b", "c/d", "c/e"):
        (story.root / name).parent.mkdir(exist_ok=True)
        (story.root / name).write_text(name)
    (story.root / "link").symlink_to("a")
    before = look(story.root)
    first = story.scan()
    for name in ("a", "c/d", "c/e", "link"):
        (story.root / name).unlink()
    (story.root / "c").rmdir()
    (story.root / "b").write_text("B")
    (story.root / "c").write_text("a file")
    (story.root / "new/deep").mkdir(parents=True)
    (story.root / "new/deep/f").write_text("f")
    changed = look(story.root)
    safety = story.scan()
    story.store.close()
    argv = [sys.executable, "-c", KILLED, str(CHECKOUT), str(tmp_path), str(steps)]
    done = subprocess.run([*argv, f"{first.manifest.sha256},{safety.manifest.sha256}"], check=False)
    assert done.returncode in (-9, 0)
    assert [name for name in look(story.root) if b".yeaft-" in name] == [] or done.returncode == -9

    assert story.go_back(first) == ()
    assert {name: thing for name, thing in look(story.root).items() if b".yeaft-" not in name} == before
    assert story.go_back(safety) == ()
    assert {name: thing for name, thing in look(story.root).items() if b".yeaft-" not in name} == changed
