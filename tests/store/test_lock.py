"""One process writes a Session, and everybody else is told which."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from yeaft.kernel.errors import SessionBusy, StoreFailed
from yeaft.store.lock import Owner, SessionLock, read_owner

NOON_MS = 1_700_000_000_000


def test_locking_a_new_session_makes_its_directory_and_names_the_owner(tmp_path: Path) -> None:
    folder = tmp_path / "sessions" / "k7m2q9xa"
    assert read_owner(folder) is None

    lock = SessionLock.take(folder, now_ms=lambda: NOON_MS)

    owner = read_owner(folder)
    assert owner == lock.owner
    assert (owner.pid, owner.host, owner.start_time) == (os.getpid(), os.uname().nodename, NOON_MS / 1000)
    assert folder.stat().st_mode & 0o077 == 0
    lock.release()


def test_a_held_lock_is_refused_with_the_owners_name_until_it_is_released(tmp_path: Path) -> None:
    lock = SessionLock.take(tmp_path)

    with pytest.raises(SessionBusy, match=f"process {os.getpid()} on host .*since 20.*start a new Session"):
        SessionLock.take(tmp_path)
    with pytest.raises(SessionBusy):
        SessionLock.take(tmp_path, take_over=True)
    assert read_owner(tmp_path) == lock.owner
    lock.release()
    lock.release()

    assert read_owner(tmp_path) is None
    SessionLock.take(tmp_path).release()


def test_a_session_of_another_host_is_taken_over_only_on_request(tmp_path: Path) -> None:
    elsewhere = Owner(pid=12, host="elsewhere", start_time=NOON_MS / 1000, tty="/dev/pts/3")
    (tmp_path / "lock").write_bytes(msgspec.json.encode(elsewhere))

    with pytest.raises(SessionBusy, match=r"process 12 on host elsewhere on /dev/pts/3, since .*--take-over"):
        SessionLock.take(tmp_path)
    assert read_owner(tmp_path) == elsewhere

    with SessionLock.take(tmp_path, take_over=True) as lock:
        assert read_owner(tmp_path) == lock.owner


def test_an_owner_that_has_expired_is_put_out_once_and_only_that_one(tmp_path: Path) -> None:
    first = SessionLock.take(tmp_path, now_ms=lambda: NOON_MS)

    second = SessionLock.take(tmp_path, expired=first.owner)

    assert read_owner(tmp_path) == second.owner
    assert (first.is_current, second.is_current) == (False, True)
    with pytest.raises(SessionBusy):
        SessionLock.take(tmp_path, expired=first.owner)
    first.release()
    assert read_owner(tmp_path) == second.owner
    second.release()
    with SessionLock.take(tmp_path) as third:
        assert third.is_current


@pytest.mark.parametrize("body", [b"", b"{", b'{"pid":1}', b"\xff", b'{"x":' + b"[" * 4000])
def test_a_lock_file_with_any_content_can_be_taken(tmp_path: Path, body: bytes) -> None:
    (tmp_path / "lock").write_bytes(body)

    with SessionLock.take(tmp_path) as lock:
        assert read_owner(tmp_path) == lock.owner


def test_children_do_not_inherit_the_lock(tmp_path: Path) -> None:
    lock = SessionLock.take(tmp_path)
    waits = "import sys; print('up', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", waits], stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"up\n"
        lock.release()

        SessionLock.take(tmp_path).release()


def test_a_place_that_cannot_be_locked_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")

    with pytest.raises(StoreFailed, match=f"The folder {tmp_path}/file/k7m2q9xa cannot be made: Not a dir"):
        SessionLock.take(tmp_path / "file" / "k7m2q9xa")


def test_a_lock_that_is_no_file_or_cannot_be_written_is_told_and_never_waited_for(tmp_path: Path) -> None:
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    (folder / "lock").mkdir(parents=True)
    pipe.mkdir()
    os.mkfifo(pipe / "lock")

    for odd in (pipe, folder):
        with pytest.raises(StoreFailed, match="lock"):
            SessionLock.take(odd)
        assert read_owner(odd) is None


def test_a_full_disk_is_told_and_leaves_nobody_as_the_owner(tmp_path: Path) -> None:
    program = (
        "import resource, sys; from pathlib import Path; from yeaft.kernel.errors import StoreFailed\n"
        "from yeaft.store.lock import SessionLock\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "try: SessionLock.take(Path(sys.argv[1]))\n"
        "except StoreFailed as error: print(error)"
    )

    ran = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)

    assert f"{tmp_path / 'lock'} cannot be written: File too large." in ran.stdout
    SessionLock.take(tmp_path).release()
