"""Which mount a path lies on decides how the journal is written."""

from pathlib import Path

import pytest

from yeaft.store.filesystem import NETWORK_TYPES, is_network, mount_type

MOUNTS = [
    "/dev/vda / ext4 rw,relatime 0 0",
    "server:/home /home nfs4 rw,vers=4.2 0 0",
    "tmpfs /home/ada/fast tmpfs rw 0 0",
    r"//box/share /mnt/my\040share cifs rw 0 0",
    "ada@box:/ /mnt/box fuse.sshfs rw 0 0",
    "tmpfs /mnt/again tmpfs rw 0 0",
    "host /mnt/again 9p rw 0 0",
    "",
]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/homestead", "ext4"),
        ("/home", "nfs4"),
        ("/home/ada/.yeaft/sessions/k7m2q9xa", "nfs4"),
        ("/home/ada/fast/x", "tmpfs"),
        ("/mnt/my share/x", "cifs"),
        ("/mnt/box/x", "fuse.sshfs"),
        ("/mnt/again", "9p"),
    ],
)
def test_the_innermost_and_latest_mount_counts(path: str, kind: str) -> None:
    assert mount_type(path, MOUNTS) == kind


def test_network_mounts_are_known_and_local_ones_are_not() -> None:
    assert {"nfs", "nfs4", "cifs", "fuse.sshfs", "9p"} <= NETWORK_TYPES
    assert not {"ext4", "xfs", "btrfs", "tmpfs", "overlay", "apfs"} & NETWORK_TYPES


def test_memory_is_no_network() -> None:
    assert not is_network(Path("/proc"))


def test_a_path_without_a_mount_has_no_type() -> None:
    assert mount_type("/x", []) == ""
