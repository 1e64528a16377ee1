"""Summing up earlier turns: what a model is asked, what the VP is given afterwards, and how that is taken back."""

import pytest

from tests.session.session_given import Given, Talk, calls, cast, for_vp, held, lines_of, says, system_of
from yeaft.events.history import HistoryCompacted
from yeaft.events.ops import Compact, Redo, Rewind
from yeaft.kernel.errors import BadData, NotFound, SessionBusy
from yeaft.llm.scripted.script import Fails, Says
from yeaft.llm.scripted.server import Received
from yeaft.session.history import units_next
from yeaft.session.offline import fork_offline
from yeaft.session.past import COMPACT_STREAMS
from yeaft.session.replay import replay_all
from yeaft.session.spending import spending
from yeaft.store.blobs import FileBlobs
from yeaft.store.directory import SessionPaths, session_paths
from yeaft.store.sqlite import SqliteJournal

SUMMARY = "They agreed on blue paint."
FIVE = ("Paint it blue.", "Two.", "Three.", "Four.", "Five.")


def answers(count: int) -> list[Says]:
    return [says(f"Answer {number}.") for number in range(1, count + 1)]


async def told(talk: Talk, *texts: str) -> None:
    """Say these, each once the one before is answered."""
    for text in texts:
        talk.say(text)
        await talk.idle()


async def compacted(talk: Talk, vp_id: str = "", *, undo: bool = False) -> None:
    """Send the op and wait until it is done."""
    talk.send(Compact(vp_id=vp_id, undo=undo))
    await talk.idle()


def texts_of(received: Received) -> list[str]:
    return [text for _, text in lines_of(received)]


def summing(talk: Talk) -> list[Received]:
    """The requests in which a model was asked to sum up."""
    return [received for received in talk.server.requests if "You sum up" in system_of(received)]


def codes(talk: Talk) -> list[str]:
    """What was told of compactions, once they were over."""
    return [code for code, _ in talk.notices() if code.startswith("compact.") and code != "compact.began"]


def compact_streams(paths: SessionPaths) -> list[str]:
    journal = SqliteJournal.for_reading(paths.db, FileBlobs(paths.blobs))
    return [stream for stream in journal.streams() if stream.startswith(COMPACT_STREAMS)]


async def test_a_summary_stands_for_all_turns_but_the_newest(given: Given) -> None:
    talk = await given.session(*answers(5), says(SUMMARY), says("Blue, of course."))
    await told(talk, *FIVE)

    await compacted(talk)
    await told(talk, "Which colour?")

    summary, *rest = texts_of(talk.server.requests[-1])
    assert "first 2 turns" in summary
    assert "HistorySearch finds" in summary
    assert SUMMARY in summary
    assert summary.endswith("- Paint it blue.\n- Two.")
    assert rest == ["Three.", "Answer 3.", "Four.", "Answer 4.", "Five.", "Answer 5.", "Which colour?"]


async def test_what_sums_up_is_given_what_was_said_and_how_calls_went_and_no_tools(given: Given) -> None:
    given.file("notes.txt", "milk\n" + "x" * 4000)
    talk = await given.session(
        calls("FileRead", "r1", file_path="notes.txt"), says("Read."), *answers(3), says(SUMMARY)
    )
    await told(talk, "Read my notes.", "Two.", "Three.", "Four.")

    await compacted(talk)

    (asked,) = summing(talk)
    (text,) = texts_of(asked)
    assert "tools" not in asked.body
    assert "Read my notes." in text
    assert "Read." in text
    assert "[FileRead {" in text
    assert "-> ok: " in text
    assert "milk" in text
    assert "x" * 200 not in text
    assert "Two." not in text


async def test_it_is_in_the_journal_with_its_cost_and_can_be_replayed_and_counted(given: Given) -> None:
    talk = await given.session(*answers(5), says(SUMMARY))
    await told(talk, *FIVE)

    await compacted(talk)

    (event,) = talk.all_of(HistoryCompacted)
    assert (event.vp_id, event.text, len(event.turn_ids)) == ("omni", SUMMARY, 2)
    (_, (code, params)) = [one for one in talk.notices() if one[0].startswith("compact.")]
    assert (code, params["turns"], params["requests"]) == ("compact.done", "2", "1")
    await talk.close()
    journal = SqliteJournal.for_reading(talk.paths.db, FileBlobs(talk.paths.blobs))
    rebuilt = list(replay_all(journal, FileBlobs(talk.paths.blobs), talk.state.session_id))
    assert {one.verdict for one in rebuilt} == {"equal"}
    assert [one.request.request_id for one in rebuilt if one.stream.startswith(COMPACT_STREAMS)] == [event.request_id]
    replies = spending(given.home).replies
    assert [reply.vp for reply in replies] == ["omni"] * 6
    assert f"{replies[-1].cost_usd:.4f}" == params["usd"]


async def test_undoing_gives_the_turns_back_and_the_summary_before_the_last_holds_again(given: Given) -> None:
    talk = await given.session(*answers(5), says("First summary."), says("6"), says("7"), says("Second summary."))
    await told(talk, *FIVE)
    await compacted(talk)
    await told(talk, "Six.", "Seven.")
    await compacted(talk)
    assert "First summary." in texts_of(summing(talk)[-1])[0]
    assert "Paint it blue." not in texts_of(summing(talk)[-1])[0]
    assert [len(event.turn_ids) for event in talk.all_of(HistoryCompacted)] == [2, 4]

    seen = [str(units_next(talk.state, "omni"))]
    await compacted(talk, undo=True)
    seen.append(str(units_next(talk.state, "omni")))
    await compacted(talk, undo=True)
    seen.append(str(units_next(talk.state, "omni")))

    assert ["Second summary." in one for one in seen] == [True, False, False]
    assert ["First summary." in one for one in seen] == [False, True, False]
    assert ["Answer 1." in one for one in seen] == [False, False, True]
    with pytest.raises(BadData, match="nothing to take back"):
        talk.send(Compact(undo=True))


async def test_going_back_to_before_it_makes_it_void_and_forward_makes_it_hold_again(given: Given) -> None:
    talk = await given.session(*answers(5), says(SUMMARY), *answers(2))
    await told(talk, *FIVE)
    await compacted(talk)

    talk.send(Rewind(to="5", scope="conversation"))
    await talk.idle()
    void = str(units_next(talk.state, "omni"))
    talk.send(Redo())
    await talk.idle()
    again = str(units_next(talk.state, "omni"))

    assert (SUMMARY in void, "Paint it blue." in void) == (False, True)
    assert (SUMMARY in again, "Answer 1." in again) == (True, False)


async def test_a_summary_that_does_not_come_leaves_everything_as_it_was(given: Given) -> None:
    talk = await given.session(
        *answers(5), Fails(status=400, type="invalid_request_error", message="No."), says("Six.")
    )
    await told(talk, *FIVE)
    before = units_next(talk.state, "omni")

    await compacted(talk)

    assert codes(talk) == ["compact.failed"]
    assert units_next(talk.state, "omni") == before
    await told(talk, "Six?")
    assert talk.said_by("omni")[-1] == "Six."


async def test_stopping_it_leaves_everything_as_it_was_and_what_was_said_meanwhile_is_answered(given: Given) -> None:
    talk = await given.session(*answers(5), held(says(SUMMARY), "never"), says("Here I am."))
    await told(talk, *FIVE)
    talk.send(Compact())
    await talk.server.reached("never")

    talk.interrupt()
    await talk.idle()
    await told(talk, "Hello?")

    assert codes(talk) == ["compact.stopped"]
    assert talk.said_by("omni")[-1] == "Here I am."


async def test_a_message_said_while_it_is_at_work_is_answered_with_the_summary(given: Given) -> None:
    talk = await given.session(*answers(5), held(says(SUMMARY), "gate"), says("Blue."))
    await told(talk, *FIVE)
    talk.send(Compact())
    await talk.server.reached("gate")

    talk.say("Which colour?")
    with pytest.raises(SessionBusy, match="still at work"):
        talk.send(Compact())
    talk.server.release("gate")
    await talk.idle()

    assert SUMMARY in texts_of(talk.server.requests[-1])[0]
    assert talk.said_by("omni")[-1] == "Blue."


async def test_where_nothing_is_old_enough_that_is_said_and_no_model_is_asked(given: Given) -> None:
    talk = await given.session(*answers(3))
    with pytest.raises(BadData, match="Nothing has been said"):
        talk.send(Compact())
    await told(talk, "One.", "Two.", "Three.")

    await compacted(talk)

    assert codes(talk) == ["compact.nothing"]
    assert len(talk.server.requests) == 3
    with pytest.raises(NotFound, match="takes no part"):
        talk.send(Compact(vp_id="nobody"))


async def test_one_vps_summary_is_not_told_to_its_peers(given: Given) -> None:
    given.vp("left")
    given.vp("right")
    script = cast(
        for_vp("left", *answers(4), says("L5")), for_vp("right", *answers(4), says("R5")), for_vp("", says(SUMMARY))
    )
    talk = await given.session(script, roster=("left", "right"))
    await told(talk, *(f"@left @right {text}" for text in FIVE))

    await compacted(talk, "left")
    await told(talk, "@left @right and now?")

    (left,) = talk.requests_of("left")[-1:]
    (right,) = talk.requests_of("right")[-1:]
    assert SUMMARY in str(left)
    assert SUMMARY not in str(right)
    assert "Paint it blue." in str(right)


async def test_a_long_conversation_is_summed_up_in_pieces_that_fit(given: Given) -> None:
    talk = await given.session(*answers(40), *(says(f"Summary {number}.") for number in range(1, 20)))
    given.config(primary="primary")
    await told(talk, *(f"Message {number}: " + "word " * 4000 for number in range(1, 13)))

    await compacted(talk)

    asked = [texts_of(received)[0] for received in summing(talk)]
    assert len(asked) > 1
    assert all(f"part {number} of {len(asked)}" in text for number, text in enumerate(asked, start=1))
    assert all("Summary" in text or "Answer" in text for text in asked[1:])
    assert "Message 1:" in asked[0]
    assert "Message 9:" in asked[-1]
    (event,) = talk.all_of(HistoryCompacted)
    assert len(event.turn_ids) == 9


async def test_the_fast_model_sums_up_where_there_is_one(given: Given) -> None:
    await given.model(cast(for_vp("", says("Fine."))))
    given.config(**{'primary = "box/scripted"': 'primary = "box/scripted"\nfast = "claude/scripted"'})
    talk = await given.session()
    await told(talk, *FIVE)

    await compacted(talk)

    assert [received.protocol for received in summing(talk)] == ["anthropic"]
    assert codes(talk) == ["compact.done_unpriced"]


async def test_it_stops_at_the_cost_limit(given: Given) -> None:
    talk = await given.session(*answers(5), says(SUMMARY), max_cost_usd=0.02)
    await told(talk, *FIVE)
    spent = talk.cost.usd

    again = await given.again(talk, max_cost_usd=spent / 1000)
    await compacted(again)
    assert codes(again) == ["compact.done"]
    await told(again, "Six.", "Seven.")
    await compacted(again)

    assert codes(again) == ["compact.done", "compact.failed"]


async def test_a_copy_cut_later_keeps_the_requests_that_summed_up(given: Given) -> None:
    talk = await given.session(*answers(5), says(SUMMARY), *answers(2))
    await told(talk, *FIVE)
    await compacted(talk)
    await told(talk, "Six.")
    await talk.close()

    later, _ = await fork_offline(given.home, talk.state.session_id, "", "6")
    earlier, _ = await fork_offline(given.home, talk.state.session_id, "", "5")

    assert len(compact_streams(session_paths(given.home, later))) == 1
    assert compact_streams(session_paths(given.home, earlier)) == []


async def test_switched_on_it_follows_a_turn_that_had_no_room_for_earlier_ones(given: Given) -> None:
    await given.model(cast(for_vp("", says("Fine."))))
    given.config(more='\n[window]\nturns = 4\ncompact = "on"\n')
    talk = await given.session()

    await told(talk, *FIVE)
    assert summing(talk) == []
    await told(talk, "Six.")

    assert len(summing(talk)) == 1
    assert codes(talk) == ["compact.done"]
    await told(talk, "Seven.")
    assert "first 3 turns" in texts_of(talk.server.requests[-1])[0]


async def test_a_summary_stays_where_newer_turns_are_left_out(given: Given) -> None:
    await given.model(cast(for_vp("", *answers(5), says(SUMMARY), says("Blue."))))
    given.config(more="\n[window]\nturns = 1\n")
    talk = await given.session()
    await told(talk, *FIVE)

    await compacted(talk)
    await told(talk, "Which colour?")

    before, *rest = texts_of(talk.server.requests[-1])
    summary, left_out = before.split("\n\n")
    assert SUMMARY in summary
    assert "2 earlier turns" in left_out
    assert left_out.endswith("- Three.\n- Four.")
    assert rest == ["Five.", "Answer 5.", "Which colour?"]
