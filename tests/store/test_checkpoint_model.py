"""Whatever happens in a folder between checkpoints, it can be brought back to each of them byte for byte."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.store.checkpoints_given import Given, Thing, look, times

NAMES = st.sampled_from([b"a", b"b", b"c.txt", "\u540d".encode(), b"bad\xff", b" x"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(b"/".join)
CONTENTS = st.sampled_from([b"", b"one\n", b"one\r\ntwo\r\n", b"\x00\xff" * 40, b"long " * 400])
MODES = st.sampled_from([0o644, 0o755, 0o600, 0o444])
STEPS = st.one_of(
    st.tuples(st.just("write"), PATHS, CONTENTS),
    st.tuples(st.just("append"), PATHS, CONTENTS),
    st.tuples(st.just("chmod"), PATHS, MODES),
    st.tuples(st.just("link"), PATHS, PATHS),
    st.tuples(st.just("folder"), PATHS, st.just(b"")),
    st.tuples(st.just("remove"), PATHS, st.just(b"")),
    st.tuples(st.just("move"), PATHS, PATHS),
    st.tuples(st.just("take"), st.just(b""), st.just(b"")),
    st.tuples(st.just("tool"), PATHS, CONTENTS),
    st.tuples(st.just("restart"), st.just(b""), st.just(b"")),
)


def do(story: Given, what: str, path: bytes, value: bytes | int) -> None:
    """One thing a command may do; what cannot be done does nothing."""
    place = story.root / os.fsdecode(path)
    with contextlib.suppress(OSError):
        match what, value:
            case "write" | "append", bytes():
                place.parent.mkdir(parents=True, exist_ok=True)
                with place.open("wb" if what == "write" else "ab") as file:
                    file.write(value)
            case "chmod", int():
                if not place.is_symlink():
                    place.chmod(value | (0o700 if place.is_dir() else 0))
            case "link", bytes():
                place.symlink_to(os.fsdecode(value))
            case "folder", _:
                place.mkdir(parents=True)
            case "remove", _:
                if place.is_dir() and not place.is_symlink():
                    shutil.rmtree(place)
                else:
                    place.unlink()
            case "move", bytes():
                place.rename(story.root / os.fsdecode(value))
            case _:
                raise AssertionError(what)


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@example(steps=[("take", b"", b""), ("write", b"a", b"one\n"), ("take", b"", b""), ("remove", b"a", b"")], choice=0)
@example(steps=[("tool", b"a/b", b"one\n"), ("tool", b"a/b", b""), ("write", b"c.txt", b"one\n")], choice=1)
@given(steps=st.lists(STEPS, max_size=30), choice=st.integers(0, 30))
def test_a_folder_comes_back_to_any_checkpoint_and_forward_again(steps: list[tuple], choice: int) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        story = Given(folder)
        states = [look(story.root)]
        story.scan()
        was_tool = False
        for what, path, value in steps:
            if what == "take":
                states.append(look(story.root))
                story.scan()
            elif what == "restart":
                story.again()
            elif what == "tool":
                target = Path(os.path.realpath(story.root / os.fsdecode(path)))
                if target != story.root and target.is_relative_to(story.root):
                    name = str(target.relative_to(story.root))
                    story.scan()
                    states += [look(story.root)] * 2
                    story.record(name)
                    do(story, "write", os.fsencode(name), value)
            else:
                if was_tool:  # no command runs before the folder is looked through
                    states.append(look(story.root))
                    story.scan()
                do(story, what, path, value)
            was_tool = what == "tool" or (was_tool and what == "restart")
        number = choice % len(states)
        before, last_changes = look(story.root), times(story.root)

        left = story.go_back(story.taken[number])

        assert left == ()
        assert look(story.root) == states[number]
        assert untouched(last_changes, times(story.root), before, states[number])

        assert story.go_back(story.taken[len(states)]) == ()
        assert look(story.root) == before
    finally:
        story.store.close()
        shutil.rmtree(folder)


def untouched(
    was: dict[bytes, int], now: dict[bytes, int], before: dict[bytes, Thing], after: dict[bytes, Thing]
) -> bool:
    """Whether files whose content did not have to change have kept their times."""
    same = [path for path in was if path in now and before[path].content == after[path].content]
    return all(was[path] == now[path] for path in same if before[path].kind == after[path].kind)
