"""Artifacts are kept once, in versions, with where they came from, and served only as they were kept."""

import json
import os
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.artifacts.artifacts_given import PRICES, a_store, draft
from tests.session.attachments_given import picture
from yeaft.artifacts.artifact import Artifact, from_stored, stored
from yeaft.artifacts.keeping import keep, restore
from yeaft.artifacts.store import ArtifactStore
from yeaft.events.artifact import Column, Provenance
from yeaft.kernel.errors import BadData, NotFound, StoreFailed

CHECKOUT = Path(__file__).resolve().parents[2]
WORKER = Path(__file__).with_name("keeping_worker.py")


def test_a_kept_table_is_found_by_id_path_and_name_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    store = a_store(tmp_path)

    kept = keep(store, draft("prices.csv", PRICES, description="What a week costs"))

    assert [store.find(word) for word in (kept.artifact_id, f"@{kept.artifact_id[:8]}", "omni/prices.csv")] == [
        kept
    ] * 3
    assert store.find("prices.csv") == kept
    assert store.read(kept) == PRICES
    assert kept == Artifact(
        artifact_id=kept.artifact_id,
        type="table",
        name="prices.csv",
        sha256=kept.sha256,
        size_bytes=len(PRICES),
        mime="text/csv",
        created_by="vp:omni",
        created_at="2023-11-14T22:13:20.000+00:00",
        description="What a week costs",
        session_id="k7m2q9xa",
        columns=(Column(name="item"), Column(name="price", type="number"), Column(name="since", type="date")),
        rows=2,
        path="omni/prices.csv",
    )
    index = json.loads((store.out / "index.json").read_text())
    assert (index["omni/prices.csv"]["description"], index["omni/prices.csv"]["created_by"]) == (
        "What a week costs",
        "vp:omni",
    )
    schema = json.loads((store.out / "omni" / "prices.schema.json").read_text())
    assert schema["rows"] == 2
    assert {path.stat().st_mode & 0o077 for path in store.out.rglob("*")} == {0}


def test_other_content_under_a_name_is_a_new_revision_and_the_old_one_stays(tmp_path: Path) -> None:
    store = a_store(tmp_path)

    first = keep(store, draft("plan.md", "one\n"))
    second = keep(store, draft("plan.md", "two\n"))
    third = keep(store, draft("plan.md", "one\n"))
    other = keep(store, draft("plan.md", "mine\n", by="user"))

    assert [one.path for one in store.all()] == ["omni/plan.md", "omni/plan-2.md", "omni/plan-3.md", "user/plan.md"]
    assert [one.revision for one in (first, second, third, other)] == [1, 2, 3, 1]
    assert (second.supersedes, third.supersedes, other.supersedes) == (first.artifact_id, second.artifact_id, "")
    assert third.artifact_id == first.artifact_id, "an id says what it is, not where"
    assert store.current() == [third, other]
    assert [store.read(one) for one in store.all()] == [b"one\n", b"two\n", b"one\n", b"mine\n"]
    with pytest.raises(NotFound, match="fits 2 artifacts"):
        store.find("plan.md")


def test_the_same_again_is_kept_once_and_a_better_description_is_taken(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    keep(store, draft("plan.md", "one\n", description="A plan"))

    same = keep(store, draft("plan.md", "one\n"))
    again = keep(store, draft("plan.md", "one\n", description="The plan"))

    assert (same.description, again.description) == ("A plan", "The plan")
    assert store.all() == [again]


def test_the_same_content_is_the_same_artifact_in_every_process(tmp_path: Path) -> None:
    kept = keep(a_store(tmp_path), draft("note-7.txt", "note 7\n"))

    subprocess.run(
        [sys.executable, str(WORKER), str(tmp_path / "other"), "7", "1", "0"],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), "PYTHONHASHSEED": "5"},
        check=True,
    )

    (other,) = ArtifactStore(tmp_path / "other").all()
    assert (other.artifact_id, len(other.artifact_id)) == (kept.artifact_id, 28)


@pytest.mark.parametrize(
    ("name", "content", "kind", "mime", "kept_as"),
    [
        ("notes", "牛奶\n", "text", "text/plain", "notes.txt"),
        ("报告.md", "# 一\n", "text", "text/markdown", "报告.md"),
        ("a.svg", "<svg/>", "text", "image/svg+xml", "a.svg"),
        ("x.json", '{"a": [1]}', "json", "application/json", "x.json"),
        ("x.tsv", "a\tb\n1\t2\n", "table", "text/csv", "x.csv"),
        ("shot", picture(), "image", "image/png", "shot.png"),
        ("shot.png", picture(form="GIF"), "image", "image/gif", "shot.png"),
        ("fix.patch", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n", "diff", "text/x-diff", "fix.patch"),
        ("home.url", "[InternetShortcut]\nURL=https://example.org/x\n", "url", "text/uri-list", "home.url"),
        ("net.pkl", b"\x80\x04cos\nsystem\n", "model", "application/octet-stream", "net.pkl"),
        ("core", b"\0\1", "file", "application/octet-stream", "core"),
        ("../../etc/pass wd", "x", "text", "text/plain", "pass_wd.txt"),
    ],
)
def test_the_type_follows_from_name_and_content(
    tmp_path: Path, name: str, content: str | bytes, *, kind: str, mime: str, kept_as: str
) -> None:
    kept = keep(a_store(tmp_path), draft(name, content))

    assert (kept.type, kept.mime, kept.path) == (kind, mime, f"omni/{kept_as}")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("x.json", "{", "cannot be kept as json: It is no JSON"),
        ("x.csv", "a,b\n1\n", "Line 2 of the table has 1 cells; its first line names 2"),
        ("x.csv", "a,a\n", "Two columns of the table are called 'a'"),
        ("x.csv", "", "needs a first line"),
        ("x.csv", "a," + "b" * 201 + "\n", "The name of column 2 of the table has more than 200 characters"),
        ("x.png", picture()[:40], "The picture is broken"),
        ("x.diff", "nothing\n", "no line of a diff"),
        ("x.url", "javascript:alert(1)", "must be one address"),
        ("x.url", "https://a.example https://b.example", "must be one address"),
    ],
)
def test_what_is_not_of_its_type_is_refused_and_nothing_is_written(
    tmp_path: Path, name: str, content: str | bytes, reason: str
) -> None:
    with pytest.raises(BadData, match=reason):
        keep(a_store(tmp_path), draft(name, content))

    assert not (tmp_path / "out").exists()


def test_a_step_can_demand_a_type_and_the_columns_of_a_table(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    columns = (Column(name="item"), Column(name="count", type="integer"))
    wanted = replace(
        draft("result", "item,count\nmilk,2\n"),
        type="table",
        columns=columns,
        provenance=Provenance(created_by="vp:omni", step="count things", run="r_1", tool="finish_step"),
    )

    kept = keep(store, wanted)

    assert (kept.path, kept.columns, kept.step, kept.run) == ("count_things/result.csv", columns, "count things", "r_1")
    with pytest.raises(BadData, match="Line 2 of the table has 'many' in the column count, which is no integer"):
        keep(store, replace(wanted, content=b"item,count\nmilk,many\n"))
    with pytest.raises(BadData, match="its schema says item, count"):
        keep(store, replace(wanted, content=b"item,number\nmilk,2\n"))
    with pytest.raises(BadData, match="no UTF-8 text"):
        keep(store, replace(wanted, content=b"\xff\xfe"))
    assert store.all() == [kept]


def test_what_is_too_large_or_said_at_too_great_length_is_refused(tmp_path: Path) -> None:
    store = a_store(tmp_path)

    with pytest.raises(
        BadData, match=r"big\.txt has 16,777,217 bytes; an artifact of the type text may have 16,777,216"
    ):
        keep(store, draft("big.txt", b"x" * (16 * 1024 * 1024 + 1)))
    with pytest.raises(BadData, match="at most 2,000 are kept"):
        keep(store, draft("plan.md", "one\n", description="x" * 2001))

    assert not store.out.exists()


def test_what_is_taken_away_takes_nothing_of_its_neighbours_along(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    table = keep(store, draft("notes.csv", PRICES))
    keep(store, draft("notes.txt", "one\n"))
    other = keep(store, draft("other.csv", PRICES + b"tea,2,\n"))

    store.keep_only([table.path])

    assert store.all() == [table]
    assert sorted(path.name for path in (store.out / "omni").iterdir()) == ["notes.csv", "notes.schema.json"]
    assert store.strays() == []
    assert keep(store, draft("other.csv", PRICES + b"tea,2,\n")).path == other.path


def test_a_place_that_takes_nothing_is_named(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    store.out.write_text("no folder")

    with pytest.raises(StoreFailed, match=f"Artifacts cannot be kept in {store.out}: Not a directory"):
        keep(store, draft("plan.md", "one\n"))

    assert store.all() == []


def test_a_model_is_never_looked_into(tmp_path: Path) -> None:
    bomb = b"cposix\nsystem\n(S'touch " + os.fsencode(tmp_path / "owned") + b"'\ntR."
    store = a_store(tmp_path)

    kept = keep(store, draft("net.pkl", bomb))

    assert store.read(kept) == bomb
    assert not (tmp_path / "owned").exists()


def test_a_file_that_was_changed_is_named_and_not_served(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    kept = keep(store, draft("plan.md", "one\n"))
    path = store.out / kept.path

    path.write_text("won\n")

    with pytest.raises(BadData, match=rf"{kept.artifact_id} \(plan.md\) was changed after it was kept: {path}"):
        store.read(kept)
    path.unlink()
    with pytest.raises(NotFound, match=f"is gone: {path}"):
        store.read(kept)
    path.symlink_to("/etc/passwd")
    with pytest.raises(BadData, match=f"cannot be read: {path}: it is a link"):
        store.read(kept)
    path.unlink()
    keep(store, draft("plan.md", "one\n"))
    assert store.read(kept) == b"one\n", "keeping it again mends it"


@pytest.mark.parametrize("place", ["../secret", "/etc/passwd", "a/b/c", "omni/../x", "omni\\x/y", "x", ".hidden/x", ""])
def test_a_list_that_leads_elsewhere_is_refused(tmp_path: Path, place: str) -> None:
    store = a_store(tmp_path)
    keep(store, draft("plan.md", "one\n"))
    path = store.out / "index.json"
    index = json.loads(path.read_text())

    path.write_text(json.dumps({place: index["omni/plan.md"]}))

    with pytest.raises(StoreFailed, match=r"no list of artifacts: .* cannot be the place of an artifact.*out\. The"):
        store.all()


def test_a_damaged_list_says_where_it_is_and_what_to_do(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    keep(store, draft("plan.md", "one\n"))
    (store.out / "index.json").write_text('{"omni/plan.md": {"id"')

    with pytest.raises(StoreFailed, match="restore it from a copy, or delete it"):
        keep(store, draft("plan.md", "two\n"))

    (store.out / "index.json").unlink()
    assert keep(store, draft("plan.md", "one\n")).path == "omni/plan.md", "its file is found again"


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_list_that_is_no_file_is_never_waited_for(tmp_path: Path, kind: str) -> None:
    store = a_store(tmp_path)
    keep(store, draft("plan.md", "one\n"))
    path = store.out / "index.json"
    path.unlink()

    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")

    with pytest.raises(StoreFailed, match=rf"{path} cannot be read: it is no regular file"):
        store.all()
    with pytest.raises(StoreFailed, match="it is no regular file"):
        keep(store, draft("plan.md", "two\n"))


def test_the_journal_has_all_that_the_list_has(tmp_path: Path) -> None:
    store, copy = a_store(tmp_path), ArtifactStore(tmp_path / "copy")
    keep(store, draft("prices.csv", PRICES, description="What a week costs"))
    keep(store, draft("prices.csv", PRICES + b"tea,2,\n"))
    facts = [stored(one) for one in store.all()]

    again = [from_stored(fact, 1_700_000_000_000 + 1000 * place) for place, fact in enumerate(facts)]
    restore(copy, {one: store.read(one) for one in again})

    assert copy.all() == again == store.all()
    assert [copy.read(one) for one in copy.all()] == [PRICES, PRICES + b"tea,2,\n"]
    with pytest.raises(BadData, match="is not the one that was kept"):
        restore(copy, {again[0]: b"other"})


def test_a_process_that_dies_between_file_and_list_leaves_a_readable_state(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    keep(store, draft("plan.md", "one\n", by="user"))
    keep(store, draft("prices.csv", PRICES, by="user"))
    before = store.all()

    died = subprocess.run(
        [sys.executable, "-B", str(WORKER), str(store.out), "1", "1", str((store.out / "index.json").stat().st_size)],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        check=False,
    )

    assert (died.returncode, died.stdout) == (-signal.SIGXFSZ, b"")
    assert store.all() == before
    left = store.strays()
    assert "user/note-1.txt" in left, "the file is there, and no entry of it"
    assert [one for one in left if one.startswith(".new-")], "and the list that was never finished"
    kept = keep(store, draft("note-1.txt", "note 1\n", by="user"))
    assert (kept.path, store.strays()) == ("user/note-1.txt", [])
    assert store.all() == [*before, kept]


def test_a_killed_process_never_costs_what_had_been_kept(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    done = 0
    for round_ in range(5):
        with subprocess.Popen(
            [sys.executable, str(WORKER), str(store.out), str(done), "1000", "0"],
            env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
            stdout=subprocess.PIPE,
            encoding="utf-8",
        ) as worker:
            assert worker.stdout is not None
            for _ in range(2 + round_):
                done = int(worker.stdout.readline()) + 1
            worker.kill()
            done += len(worker.stdout.read().splitlines())

        kept = store.all()
        names = {f"note-{number}.txt" for number in range(done)}
        assert {one.name for one in kept} >= names
        assert [store.read(one) for one in kept] == [f"note {one.name[5:-4]}\n".encode() for one in kept]


def test_two_processes_that_keep_at_once_lose_nothing(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    workers = [
        subprocess.Popen(
            [sys.executable, str(WORKER), str(store.out), str(first), "10", "0"],
            env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
            stdout=subprocess.DEVNULL,
        )
        for first in (0, 100)
    ]

    codes = [worker.wait() for worker in workers]

    assert codes == [0, 0]
    assert {one.name for one in store.all()} == {
        f"note-{number}.txt" for first in (0, 100) for number in range(first, first + 10)
    }
    assert store.strays() == []


def test_eight_processes_that_are_killed_at_random_leave_a_list_that_equals_the_files(tmp_path: Path) -> None:
    store, chance = a_store(tmp_path), random.Random(7)
    reported: set[int] = set()

    def keep_some(first: int, kills: int) -> None:
        done = first
        while done < first + 12:
            with subprocess.Popen(
                [sys.executable, str(WORKER), str(store.out), str(done), str(first + 12 - done), "0"],
                env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
                stdout=subprocess.PIPE,
                encoding="utf-8",
            ) as worker:
                assert worker.stdout is not None
                lines = chance.randint(0, 4) if kills else 12
                for line in islice(worker.stdout, lines):
                    done = int(line) + 1
                if kills:
                    kills -= 1
                    worker.kill()
                for line in worker.stdout:
                    done = int(line) + 1
            reported.update(range(first, done))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(keep_some, range(0, 800, 100), [2] * 8))

    kept = store.all()
    files = {str(path.relative_to(store.out)) for path in store.out.glob("*/*")}
    assert {one.name for one in kept} == {f"note-{number}.txt" for number in reported}
    assert len(reported) == len(kept) == 96
    assert files == {one.path for one in kept}
    assert [store.read(one) for one in kept] == [f"note {one.name[5:-4]}\n".encode() for one in kept]
    assert store.strays() == []
