"""What a Session has cost is one number, with its sub-agents and summaries, live, after a crash and in a copy."""

from pathlib import Path

import pytest

from tests.session.agents_given import ended, spawns, waits
from tests.session.session_given import Given, Talk, a_call, cast, for_vp, says
from yeaft.events.history import HistoryCompacted
from yeaft.events.ops import Compact, Rewind
from yeaft.events.session import NoticePosted
from yeaft.events.turn import ReplyCompleted
from yeaft.kernel.usage import Usage
from yeaft.llm.scripted.script import Calls
from yeaft.session.ledger import Ledger, Purse
from yeaft.session.spending import spending
from yeaft.session.state import SessionState
from yeaft.store.blobs import FileBlobs
from yeaft.store.cost import Cost, read_cost
from yeaft.store.index import Index
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.sqlite import SqliteJournal

AGENTS = 8
"""At work at once."""


def used(given: Given, session_id: str) -> float:
    """What `yeaft usage` says."""
    return sum(one.cost_usd or 0.0 for one in spending(given.home).replies if one.session_id == session_id)


def listed(given: Given, session_id: str) -> Cost | None:
    return next(meta.cost for meta in Index(given.home).rows() if meta.session_id == session_id)


async def with_agents(given: Given) -> Talk:
    names = [f"ann{number}" for number in range(AGENTS)]
    many = Calls(calls=tuple(a_call("SpawnAgent", f"s-{name}", name=name, task="Do it.") for name in names))
    lines = [for_vp(f"omni/{name}", says(f"Done by {name}.")) for name in names]
    talk = await given.session(cast(for_vp("omni", many, *(waits(n, f"w-{n}") for n in names), says("All.")), *lines))
    talk.say("go")
    assert await talk.outcome() == "answered"
    for name in names:
        await ended(talk, name)
    await talk.idle()
    return talk


async def test_sub_agents_at_once_are_in_the_number_that_is_told_while_they_work_and_later(given: Given) -> None:
    talk = await with_agents(given)
    session_id = talk.state.session_id
    own = sum(reply.cost_usd or 0.0 for reply in talk.all_of(ReplyCompleted))

    assert talk.cost.usd > own > 0
    assert talk.cost.usd == pytest.approx(used(given, session_id))
    assert talk.cost.unpriced == 0
    while_open = listed(given, session_id)
    await talk.close()

    assert while_open is not None
    assert while_open == listed(given, session_id) == talk.cost


async def test_who_opens_a_session_again_goes_on_from_what_it_has_cost_and_limits_begin_anew(given: Given) -> None:
    talk = await with_agents(given)
    before = talk.cost.usd

    again = await given.again(talk, max_cost_usd=before / 2)
    assert again.cost == talk.cost
    again.say("and now?")

    assert await again.outcome() == "answered"
    assert again.cost.usd > before
    assert again.cost.usd == pytest.approx(used(given, again.state.session_id))


async def test_a_limit_ends_a_turn_whose_sub_agent_has_spent_it(given: Given) -> None:
    dear = says("Done.", usage=Usage(input=1_000_000))
    lines = (for_vp("omni", spawns("ann"), waits("ann"), says("Never.")), for_vp("omni/ann", dear))
    talk = await given.session(cast(*lines), max_cost_usd=0.5)

    talk.say("go")

    assert await talk.outcome() == "limit"
    assert talk.cost.usd > 1.0


async def test_what_is_taken_back_has_been_paid_and_a_copy_has_what_it_is_a_copy_of(given: Given) -> None:
    talk = await given.session(*(says(text) for text in ("One.", "Two.", "Three.")))
    first = talk.say("First.")
    await talk.idle()
    after_first = talk.cost
    talk.say("Second.")
    await talk.idle()
    paid = talk.cost

    talk.send(Rewind(to=first, scope="conversation"))
    await talk.idle()
    assert talk.cost == paid
    whole = await given.session(ref=talk.state.session_id, fork=True)
    whole.say("Third.")
    await whole.idle()

    assert whole.cost.usd > paid.usd > after_first.usd
    assert talk.cost == paid
    assert used(given, talk.state.session_id) == pytest.approx(paid.usd)


async def test_a_copy_cut_at_a_message_has_the_cost_of_what_is_in_it(given: Given) -> None:
    talk = await given.session(*(says(text) for text in ("One.", "Two.", "Three.")))
    talk.say("First.")
    await talk.idle()
    after_first = talk.cost
    second = talk.say("Second.")
    await talk.idle()

    cut = await given.session(ref=talk.state.session_id, fork=True, at=second)

    assert cut.cost == after_first
    cut.say("Another second.")
    await cut.idle()
    assert cut.cost.usd > after_first.usd


async def test_what_another_owner_has_spent_until_it_was_put_out_is_in_it(tmp_path: Path) -> None:
    other, journal = (SqliteJournal(tmp_path / "session.db", FileBlobs(tmp_path / "blobs")) for _ in "12")
    owner = Ledger(other, SessionState("k7m2q9xa"), lambda: 0, 1, purse=Purse(read_cost(other)))
    await owner.post((NoticePosted(code="a"),), src="engine")
    step = Ledger(other, SessionState("r_1"), lambda: 0, 1, stream="step/s_1", purse=owner.purse)
    state = SessionState("k7m2q9xa")
    for recorded in journal.read(SESSION_STREAM):
        state.apply(recorded)
    next_owner = Ledger(journal, state, lambda: 0, 2, purse=Purse(read_cost(journal)))

    reply = ReplyCompleted(request_id="q", turn_id="t", model="box/x", stop="end", usage=Usage(), cost_usd=0.5)
    await step.post((reply,), src="engine")
    await next_owner.post((NoticePosted(code="b"),), src="engine")

    assert next_owner.purse.cost == read_cost(journal) == Cost(usd=0.5)
    await other.close()
    await journal.close()


async def test_summing_up_is_in_it_too(given: Given) -> None:
    talk = await given.session(*(says(f"Answer {number}. " + "a word " * 400) for number in range(5)), says("Short."))
    for number in range(5):
        talk.say(f"Message {number}.")
        await talk.idle()
    before = talk.cost.usd

    talk.send(Compact())
    await talk.heard_of(HistoryCompacted)
    await talk.idle()

    assert talk.cost.usd > before
    assert talk.cost.usd == pytest.approx(used(given, talk.state.session_id))
