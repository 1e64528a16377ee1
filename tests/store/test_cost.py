"""What a Session has cost is known at once, and is right whoever wrote its journal and however that ended."""

from pathlib import Path

import pytest
from msgspec import Struct

from tests.store.store_given import STREAM, AnyJournal, journal_of, recorded, said, sqlite_journal
from yeaft.events.turn import ReplyCompleted
from yeaft.kernel.errors import Fenced
from yeaft.kernel.usage import Usage
from yeaft.store.cost import NOTHING, PROJECTOR, Cost, cost_of, keep_cost, read_cost
from yeaft.store.journal import Snapshot

KINDS = ("memory", "sqlite", "sqlite on a network")


class Owner(Struct):
    """Whoever writes a journal: appends replies and keeps the sum, unless it `knows_none` as an older yeaft does."""

    journal: AnyJournal
    epoch: int
    cost: Cost = NOTHING
    knows_none: bool = False

    async def gets(self, name: str, cost_usd: float | None, stream: str = STREAM) -> None:
        reply = ReplyCompleted(
            request_id=name, turn_id="t", model="box/x", stop="end", usage=Usage(output=1), cost_usd=cost_usd
        )
        written = self.journal.append(stream, self.journal.head(stream), self.epoch, [recorded(reply, f"e_{name}")])
        self.cost += cost_of((reply,))
        if not self.knows_none:
            keep_cost(self.journal, self.epoch, self.cost)
        await written


@pytest.mark.parametrize("kind", KINDS)
async def test_the_sum_is_that_of_all_streams_and_says_what_has_no_price(kind: str, tmp_path: Path) -> None:
    journal = journal_of(kind, tmp_path)
    assert read_cost(journal) == NOTHING

    owner = Owner(journal, 1)
    await owner.gets("a", 0.25)
    await owner.gets("b", 0.5, "agent/a_1")
    await owner.gets("c", None, "step/s_1")
    await owner.gets("d", 1.0, "compact/c_1")

    assert read_cost(journal) == Cost(usd=1.75, unpriced=1)
    await journal.close()


async def test_who_looks_on_is_told_the_sum_without_reading_what_it_is_of(tmp_path: Path) -> None:
    journal = sqlite_journal(tmp_path)
    owner = Owner(journal, 1)
    await owner.gets("a", 0.25, "step/s_1")
    await owner.gets("b", 0.5)
    unread = Cost(usd=9.0)
    keep_cost(journal, 1, unread)
    await journal.append(STREAM, 1, 1, [said("more")])

    assert read_cost(sqlite_journal(tmp_path)) == unread
    await journal.close()


async def test_after_an_owner_that_keeps_no_sum_all_is_counted_once_and_then_kept_again(tmp_path: Path) -> None:
    journal = sqlite_journal(tmp_path)
    first = Owner(journal, 1)
    await first.gets("a", 0.25, "step/s_1")
    await first.gets("b", 0.25)
    older = Owner(journal, 2, knows_none=True)
    await older.gets("c", 0.5)
    await older.gets("d", None, "agent/a_1")
    counted = read_cost(journal)
    assert counted == Cost(usd=1.0, unpriced=1)

    newer = Owner(journal, 3, counted)
    await newer.gets("e", 1.0)

    assert read_cost(journal) == Cost(usd=2.0, unpriced=1)
    await journal.close()


async def test_an_owner_that_was_put_out_spoils_nothing(tmp_path: Path) -> None:
    journal, other = sqlite_journal(tmp_path), sqlite_journal(tmp_path)
    old = Owner(journal, 1)
    await old.gets("a", 0.25)
    new = Owner(other, 2, read_cost(other))
    await new.gets("b", 0.5)

    with pytest.raises(Fenced):
        await old.gets("c", 4.0, "step/s_1")

    assert read_cost(other) == Cost(usd=0.75)
    await new.gets("d", 1.0, "step/s_2")
    assert read_cost(other) == Cost(usd=1.75)
    await journal.close()
    await other.close()


@pytest.mark.parametrize(("version", "state"), [(1, b""), (1, b'{"epoch":1}'), (2, b'{"epoch":1,"cost":{"usd":9}}')])
async def test_a_sum_that_cannot_be_read_is_made_anew(tmp_path: Path, version: int, state: bytes) -> None:
    journal = sqlite_journal(tmp_path)
    owner = Owner(journal, 1)
    await owner.gets("a", 0.25)
    await owner.gets("b", 0.5, "step/s_1")

    journal.put_snapshot(STREAM, Snapshot(projector=PROJECTOR, version=version, seq=0, state=state))
    await journal.append(STREAM, 1, 1, [said("more")])

    assert read_cost(sqlite_journal(tmp_path)) == Cost(usd=0.75)
    await journal.close()
