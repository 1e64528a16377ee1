"""A private folder is there for everybody who wants it at the same moment."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from yeaft.store.filesystem import make_private

THREADS, FOLDERS = 8, 150


def test_threads_that_make_the_same_folder_at_once_all_have_it(tmp_path: Path) -> None:
    barrier = Barrier(THREADS, timeout=60)

    def make(number: int) -> bool:
        folder = tmp_path / str(number) / "out"
        barrier.wait()
        make_private(folder)
        return folder.is_dir()

    with ThreadPoolExecutor(THREADS) as pool:
        made = [one for number in range(FOLDERS) for one in pool.map(make, [number] * THREADS)]

    assert all(made)
    assert {stat.S_IMODE((tmp_path / str(number) / "out").stat().st_mode) for number in range(FOLDERS)} == {0o700}
