"""Going back in a Session: what was said, the files of the work folder, and both; and forward again."""

import asyncio
import contextlib
import sqlite3
import stat
from hashlib import sha256
from pathlib import Path

import pytest

from tests.session.agents_given import spawns, waits
from tests.session.session_given import PATIENCE_S, Given, Talk, a_call, calls, cast, for_vp, held, lines_of, says
from yeaft.events.codec import Event, Recorded
from yeaft.events.history import CheckpointTaken, Rewound
from yeaft.events.ops import Checkpoint, Redo, Rewind, Say
from yeaft.events.session import NoticePosted
from yeaft.events.turn import ProgressShown
from yeaft.kernel.errors import BadData, NotFound, SessionBusy
from yeaft.llm.scripted.script import Calls
from yeaft.session.past import INCOMPLETE, RESTORED, Past, Unfinished

AUTO = {"mode": "auto"}


async def gone_back(talk: Talk, op: Rewind | Redo) -> Rewound:
    """Send the op and wait until all of it is done."""
    number = len(talk.all_of(Rewound))
    talk.send(op)
    await talk.idle()
    failures = [params for code, params in talk.notices() if code == "rewind.failed"]
    assert failures == []
    return talk.all_of(Rewound)[number]


async def test_files_come_back_to_before_a_message_whatever_tools_and_commands_did(given: Given) -> None:
    given.file("kept.txt", "kept\n")
    given.file("edited.txt", "one\r\ntwo\r\n")
    given.file("removed.txt", "old\n")
    script = given.file("run.sh", "#!/bin/sh\n")
    script.chmod(0o755)
    (given.folder / "link").symlink_to("kept.txt")
    same = given.file("same.txt", "same\n").stat().st_mtime_ns
    talk = await given.session(
        calls("FileRead", "r1", file_path="edited.txt"),
        calls("FileEdit", "e1", file_path="edited.txt", old_string="two", new_string="TWO"),
        calls("FileWrite", "w1", file_path="new/deep/new.txt", content="new\n"),
        calls("Bash", "b1", command="sed -i s/one/ONE/ edited.txt; rm removed.txt link; chmod 600 run.sh; mkdir empty"),
        calls("Bash", "b2", command="mv kept.txt moved.txt; echo more > other.txt; ln -s moved.txt link"),
        says("Done."),
        **AUTO,
    )
    message = talk.say("Change everything.")
    assert await talk.outcome() == "answered"

    await gone_back(talk, Rewind(to=message, scope="files"))

    assert listing(given.folder) == ["edited.txt", "kept.txt", "link", "removed.txt", "run.sh", "same.txt"]
    assert (given.folder / "edited.txt").read_bytes() == b"one\r\ntwo\r\n"
    assert (given.folder / "removed.txt").read_text() == "old\n"
    assert stat.S_IMODE(script.stat().st_mode) == 0o755
    assert (given.folder / "link").readlink() == Path("kept.txt")
    assert (given.folder / "same.txt").stat().st_mtime_ns == same

    await gone_back(talk, Redo())

    assert listing(given.folder) == ["edited.txt", "empty", "link", "moved.txt", "new", "new/deep", "new/deep/new.txt", "other.txt", "run.sh", "same.txt"]  # fmt: skip
    assert (given.folder / "edited.txt").read_bytes() == b"ONE\r\nTWO\r\n"
    assert stat.S_IMODE(script.stat().st_mode) == 0o600


async def test_the_model_sees_the_conversation_as_it_was(given: Given) -> None:
    talk = await given.session(says("First answer."), says("Second answer."), says("Third answer."), says("Fourth."))
    talk.say("First.")
    await talk.idle()
    second = talk.say("Second.")
    await talk.idle()

    await gone_back(talk, Rewind(to=second, scope="conversation"))
    talk.say("Another second.")
    await talk.idle()

    assert lines_of(talk.server.requests[-1]) == [
        ("user", "First."),
        ("assistant", "First answer."),
        ("user", "Another second."),
    ]


async def test_redo_brings_the_conversation_back(given: Given) -> None:
    talk = await given.session(says("One."), says("Two."), says("Three."))
    talk.say("First.")
    await talk.idle()
    talk.say("Second.")
    await talk.idle()

    await gone_back(talk, Rewind(to="2", scope="conversation"))
    await gone_back(talk, Rewind(to="1", scope="conversation"))
    await gone_back(talk, Redo())
    await gone_back(talk, Redo())
    talk.say("Third.")
    await talk.idle()

    texts = [text for role, text in lines_of(talk.server.requests[-1]) if role == "user"]
    assert texts == ["First.", "Second.", "Third."]


async def test_a_new_message_ends_what_could_be_redone_but_the_safety_checkpoint_stays(given: Given) -> None:
    talk = await given.session(
        calls("Bash", "b1", command="echo one > a.txt"), says("One."), says("Two."), says("Three."), **AUTO
    )
    talk.say("First.")
    await talk.idle()
    rewound = await gone_back(talk, Rewind(to="1"))
    talk.say("Something else.")
    await talk.idle()

    with pytest.raises(BadData) as refused:
        talk.send(Redo())
    assert "something was said since" in str(refused.value)
    assert not (given.folder / "a.txt").exists()

    await gone_back(talk, Rewind(to=rewound.safety_id))
    talk.say("And now?")
    await talk.idle()

    assert (given.folder / "a.txt").read_text() == "one\n"
    texts = [text for role, text in lines_of(talk.server.requests[-1]) if role == "user"]
    assert texts == ["First.", "And now?"]


async def test_a_named_checkpoint_is_gone_back_to_by_its_name(given: Given) -> None:
    notes = given.file("notes.txt", "first\n")
    talk = await given.session(calls("Bash", "b1", command="echo second > notes.txt"), says("Done."), **AUTO)

    talk.send(Checkpoint(name="before it all"))
    await talk.heard_of(CheckpointTaken, lambda one: one.name == "before it all")
    talk.say("Go on.")
    await talk.idle()
    await gone_back(talk, Rewind(to="before it all", scope="files"))

    assert notes.read_text() == "first\n"


async def test_only_commands_that_may_change_something_are_preceded_by_a_checkpoint(given: Given) -> None:
    given.file("notes.txt", "milk\n")
    talk = await given.session(
        calls("Bash", "b1", command="cat notes.txt | wc -l"),
        calls("FileRead", "r1", file_path="notes.txt"),
        calls("Bash", "b2", command="touch new.txt"),
        calls("Bash", "b3", command="true; python3 -c 1"),
        says("Done."),
        **AUTO,
    )
    talk.say("Look.")
    await talk.idle()

    taken = talk.all_of(CheckpointTaken)
    assert [(one.reason, one.changed) for one in taken] == [("start", 1), ("call", 1)]


async def test_a_checkpoint_stands_in_the_journal_before_the_call_has_ended(given: Given) -> None:
    talk = await given.session(calls("FileWrite", "w1", file_path="a.txt", content="a"), says("Done."), **AUTO)
    talk.say("Write.")
    await talk.idle()

    names = [one.type for one in talk.heard]
    assert names.index("call.started") < names.index("checkpoint.taken") < names.index("call.finished")


async def test_going_back_is_refused_while_a_turn_runs(given: Given) -> None:
    talk = await given.session(held(says("Slow."), "gate"))
    talk.say("Take your time.")
    await talk.server.reached("gate")

    for op in (Rewind(to="1"), Checkpoint(name="x")):
        with pytest.raises(SessionBusy) as refused:
            talk.send(op)
        assert "A turn is running" in str(refused.value)
    talk.server.release("gate")
    await talk.idle()


async def test_what_cannot_be_gone_back_to_is_refused_with_a_remedy(given: Given) -> None:
    talk = await given.session(says("Hi."))
    talk.say("Hi.")
    await talk.idle()

    for to, words in (("7", "There is no message 7"), ("m_nothing", "no message, turn or checkpoint")):
        with pytest.raises(NotFound) as refused:
            talk.send(Rewind(to=to))
        assert words in str(refused.value)


async def test_what_a_user_changed_meanwhile_is_in_the_safety_checkpoint(given: Given) -> None:
    notes = given.file("notes.txt", "first\n")
    talk = await given.session(calls("Bash", "b1", command="echo second > notes.txt"), says("Done."), **AUTO)
    talk.say("Go.")
    await talk.idle()
    notes.write_text("mine\n")

    await gone_back(talk, Rewind(to="1", scope="files"))
    assert notes.read_text() == "first\n"
    await gone_back(talk, Redo())

    assert notes.read_text() == "mine\n"


async def test_what_a_user_changes_while_being_asked_is_in_the_checkpoint(given: Given) -> None:
    notes = given.file("notes.txt", "first\n")
    talk = await given.session(calls("Bash", "b1", command="echo second > notes.txt"), says("Done."))
    talk.say("Go.")
    ask = await talk.asked()
    await until_kept(talk, b"first\n")
    notes.write_text("mine\n")

    talk.answer(ask, decision="once")
    assert await talk.outcome() == "answered"
    assert notes.read_text() == "second\n"
    await gone_back(talk, Rewind(to="1", scope="files"))

    assert notes.read_text() == "mine\n"


async def until_kept(talk: Talk, content: bytes) -> None:
    """Wait until the folder was read ahead of the checkpoint, which is not taken yet."""
    question = "SELECT 1 FROM object WHERE digest=?", (sha256(content).digest(),)
    place = talk.paths.checkpoints / "objects.db"
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(place)) as kept:
                if kept.execute(*question).fetchone():
                    break
            await asyncio.sleep(0)
    assert talk.all_of(CheckpointTaken) == []


async def test_a_repository_keeps_its_index_and_its_ignored_files(given: Given) -> None:
    given.file(".gitignore", "build/\n")
    given.file("a.txt", "a\n")
    given.file("build/out.o", "object\n")
    for words in (("init", "-q", "."), ("add", "a.txt")):
        git = await asyncio.create_subprocess_exec("git", *words, cwd=given.folder)
        assert await git.wait() == 0
    given.file("a.txt", "a\nchanged\n")
    index = (given.folder / ".git/index").read_bytes()
    talk = await given.session(
        calls("Bash", "b1", command="echo new > b.txt; rm a.txt; echo x >> build/out.o"), says("Done."), **AUTO
    )
    talk.say("Go.")
    await talk.idle()

    await gone_back(talk, Rewind(to="1"))

    assert (given.folder / "a.txt").read_text() == "a\nchanged\n"
    assert not (given.folder / "b.txt").exists()
    assert (given.folder / "build/out.o").read_text() == "object\nx\n"
    assert (given.folder / ".git/index").read_bytes() == index
    assert "build" in talk.all_of(CheckpointTaken)[0].skipped


async def test_an_ignored_file_that_a_tool_wrote_comes_back_too(given: Given) -> None:
    given.file(".gitignore", "*.log\n")
    log = given.file("a.log", "one\n")
    talk = await given.session(
        calls("FileWrite", "w1", file_path="a.log", content="two\n"),
        calls("FileWrite", "w2", file_path="b.log", content="two\n"),
        calls("Bash", "b1", command="echo three > a.log"),
        says("Done."),
        **AUTO,
    )
    talk.say("Go.")
    await talk.idle()

    await gone_back(talk, Rewind(to="1"))

    assert log.read_text() == "one\n"
    assert not (given.folder / "b.log").exists()


async def test_a_session_goes_on_with_its_checkpoints_in_another_process(given: Given) -> None:
    notes = given.file("notes.txt", "first\n")
    talk = await given.session(
        calls("Bash", "b1", command="echo second > notes.txt"),
        says("One."),
        calls("Bash", "b2", command="echo third > notes.txt"),
        says("Two."),
        **AUTO,
    )
    talk.say("Go.")
    await talk.idle()
    talk = await given.again(talk, **AUTO)
    talk.say("Go on.")
    await talk.idle()
    assert notes.read_text() == "third\n"

    await gone_back(talk, Rewind(to="2"))
    assert notes.read_text() == "second\n"
    await gone_back(talk, Rewind(to="1"))

    assert notes.read_text() == "first\n"


async def test_without_checkpoints_only_the_conversation_goes_back(given: Given) -> None:
    notes = given.file("notes.txt", "first\n")
    talk = await given.session(
        calls("Bash", "b1", command="echo second > notes.txt"), says("One."), **AUTO, settings=("checkpoints.enabled=false",)
    )  # fmt: skip
    talk.say("Go.")
    await talk.idle()

    with pytest.raises(BadData) as refused:
        talk.send(Rewind(to="1", scope="files"))
    assert "Checkpoints are switched off" in str(refused.value)

    rewound = await gone_back(talk, Rewind(to="1"))

    assert (rewound.scope, talk.all_of(CheckpointTaken)) == ("conversation", [])
    assert notes.read_text() == "second\n"


async def test_in_a_folder_with_too_many_files_what_tools_write_comes_back(given: Given) -> None:
    for number in range(12):
        given.file(f"f{number}.txt", "x")
    notes = given.file("notes.txt", "first\n")
    talk = await given.session(
        calls("Bash", "b1", command="touch other.txt"),
        calls("FileWrite", "w1", file_path="notes.txt", content="second\n"),
        calls("Bash", "b2", command="touch more.txt"),
        says("Done."),
        **AUTO,
        settings=("checkpoints.max_files=10",),
    )
    talk.say("Go.")
    await talk.idle()

    assert [code for code, _ in talk.notices()] == ["checkpoint.too_many"]
    await gone_back(talk, Rewind(to="1"))

    assert notes.read_text() == "first\n"
    assert (given.folder / "other.txt").exists()


async def test_a_vp_that_a_void_mention_brought_in_does_not_take_part_any_more(given: Given) -> None:
    talk = await given.session(says("One."), says("Two."), says("Three."))
    talk.say("Hello.")
    await talk.idle()
    roster = talk.state.roster
    second = talk.say("@skeptic and you?")
    await talk.idle()
    assert talk.state.roster == (*roster, "skeptic")

    await gone_back(talk, Rewind(to=second, scope="conversation"))
    assert talk.state.roster == roster
    await gone_back(talk, Redo())

    assert talk.state.roster == (*roster, "skeptic")


async def test_a_message_said_while_going_back_is_refused_so_that_it_is_never_void(given: Given) -> None:
    talk = await given.session(says("One."), says("Two."))
    talk.say("First.")
    await talk.idle()
    talk.send(Rewind(to="1"))

    with pytest.raises(SessionBusy) as refused:
        talk.send(Say(text="Too early."))
    assert "try again" in str(refused.value)
    await talk.heard_of(Rewound)
    await talk.idle()
    talk.say("Now.")
    await talk.idle()
    assert [text for role, text in lines_of(talk.server.requests[-1]) if role == "user"] == ["Now."]


async def test_all_that_was_done_is_said_when_files_are_back(given: Given) -> None:
    talk = await given.session(calls("Bash", "b1", command="echo a > a; echo b > b"), says("Done."), **AUTO)
    talk.say("Go.")
    await talk.idle()

    await gone_back(talk, Rewind(to="1"))

    assert (RESTORED, {"files": "2", "left": "0"}) in talk.notices()
    assert talk.state.past.unfinished is None


async def test_two_calls_in_one_reply_each_have_their_state(given: Given) -> None:
    notes = given.file("notes.txt", "0\n")
    both = (a_call("Bash", "b1", command="echo 1 > notes.txt"), a_call("Bash", "b2", command="echo 2 > notes.txt"))
    talk = await given.session(Calls(calls=both), says("Done."), **AUTO)
    talk.say("Go.")
    await talk.idle()
    first, second = talk.all_of(CheckpointTaken)

    await gone_back(talk, Rewind(to=second.checkpoint_id, scope="files"))
    assert notes.read_text() == "1\n"
    await gone_back(talk, Rewind(to=first.checkpoint_id, scope="files"))

    assert notes.read_text() == "0\n"


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


async def test_what_a_sub_agent_changed_comes_back_too(given: Given) -> None:
    notes = given.file("notes.txt", "first\n")
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann"), waits("ann"), says("Done.")),
            for_vp("omni/ann", calls("Bash", "b1", command="echo second > notes.txt; touch new.txt"), says("Done.")),
        ),
        **AUTO,
    )
    talk.say("Let somebody do it.")
    assert await talk.outcome() == "answered"
    assert notes.read_text() == "second\n"

    await gone_back(talk, Rewind(to="1"))

    assert (notes.read_text(), listing(given.folder)) == ("first\n", ["notes.txt"])


async def test_vps_at_work_at_once_leave_one_state_to_go_back_to(given: Given) -> None:
    given.vp("bea")
    talk = await given.session(
        cast(
            for_vp("omni", calls("Bash", "b1", command="echo o > omni.txt"), says("Done.")),
            for_vp("bea", calls("Bash", "b2", command="echo s > bea.txt"), says("Done.")),
        ),
        roster=("omni", "bea"),
        **AUTO,
    )
    talk.say("@omni @bea both of you")
    await talk.outcomes()
    assert listing(given.folder) == ["bea.txt", "omni.txt"]

    await gone_back(talk, Rewind(to="1"))

    assert listing(given.folder) == []


async def test_going_to_where_one_is_says_so_and_leaves_nothing_to_take_back(given: Given) -> None:
    talk = await given.session(calls("Bash", "b1", command="echo one > a.txt"), says("One."), **AUTO)
    talk.say("First.")
    await talk.idle()
    talk.send(Checkpoint(name="here"))
    await talk.idle()

    talk.send(Rewind(to="here"))
    await talk.idle()

    assert [code for code, _ in talk.notices()] == ["rewind.nothing"]
    with pytest.raises(BadData):
        talk.send(Redo())


async def test_whoever_waits_for_files_to_be_kept_is_told_what_for(given: Given) -> None:
    write = [calls("Bash", f"b{number}", command=f"echo {number} > a.txt") for number in (1, 2)]
    talk = await given.session(write[0], says("One."), write[1], says("Two."), **AUTO)
    talk.say("First.")
    await talk.idle()
    place = talk.paths.checkpoints / "objects.db"

    with contextlib.closing(sqlite3.connect(place, isolation_level=None)) as another:
        another.execute("BEGIN IMMEDIATE")  # it takes until this ends
        talk.say("Second.")
        told = await talk.until(lambda: next((one for one in talk.shown if isinstance(one, ProgressShown)), None))
        another.execute("COMMIT")
    await talk.idle()

    assert told == ProgressShown(code="checkpoint.scanning", params={"folder": str(given.folder)})
    assert (given.folder / "a.txt").read_text() == "2\n"


def test_what_was_cut_off_stays_told_until_files_are_seen_to_with_the_state_before_the_first_cut() -> None:
    def after(past: Past, seq: int, event: Event) -> Past:
        recorded = Recorded(
            id="e", stream="session", seq=seq, ts=0, src="user", cause="", corr="", epoch=1, event=event
        )
        return past.after(event, recorded)

    past = after(Past(), 5, Rewound(to_seq=0, scope="both", checkpoint_id="x_first", safety_id="x_whole"))
    past = after(past, 6, Rewound(to_seq=0, scope="files", checkpoint_id="x_first", safety_id="x_half"))
    past = after(past, 7, Rewound(to_seq=1, scope="conversation"))

    assert past.unfinished == Unfinished(checkpoint_id="x_first", safety_id="x_whole")
    past = after(past, 8, NoticePosted(code=INCOMPLETE))
    assert past.unfinished is None
    past = after(past, 9, Rewound(to_seq=0, scope="files", checkpoint_id="x_next", safety_id="x_other"))
    assert past.unfinished == Unfinished(checkpoint_id="x_next", safety_id="x_other")
