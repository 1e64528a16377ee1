"""The search for garbage is put off while yeaft starts, and never for longer."""

import asyncio
import gc
from collections.abc import Iterator

import pytest

from yeaft.interfaces import garbage


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    gc.enable()
    gc.unfreeze()


def test_what_was_loaded_is_never_searched_again_but_what_comes_later_is() -> None:
    garbage.put_off()
    while_starting = gc.isenabled()
    garbage.search()
    frozen = gc.get_freeze_count()
    garbage.search()

    assert not while_starting
    assert gc.isenabled()
    assert gc.get_freeze_count() == frozen > 0


async def test_it_begins_by_itself_when_a_session_has_been_open_for_a_while() -> None:
    garbage.put_off()

    garbage.search_soon(after_s=0)
    later = asyncio.Event()
    asyncio.get_running_loop().call_later(0, later.set)
    await later.wait()

    assert gc.isenabled()


def test_where_nobody_has_put_it_off_nothing_changes() -> None:
    before = gc.get_freeze_count()

    garbage.search()

    assert (gc.isenabled(), gc.get_freeze_count()) == (True, before)
