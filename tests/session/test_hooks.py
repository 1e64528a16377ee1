"""Hooks: the user's own commands hear of everything, may object, and can neither loosen a rule nor stop a Session."""

import asyncio
from pathlib import Path

import pytest

from tests.session.agents_given import spawns
from tests.session.hooks_given import NOTES_DOWN, answers, decides, hook, listen, runs, told
from tests.session.session_given import Given, a_call, calls, cast, for_vp, hands_on, held, lines_of, says
from tests.tools.shell_given import wait_until_gone
from yeaft.events.agent import AgentEnded
from yeaft.events.call import AskOpened, CallFinished, CallStarted
from yeaft.events.session import MessagePosted
from yeaft.events.tools import HookRan
from yeaft.events.turn import ReplyCompleted, TurnEnded
from yeaft.kernel.errors import Denied
from yeaft.llm.scripted.script import Calls
from yeaft.store.blobs import FileBlobs
from yeaft.store.journal import SESSION_STREAM
from yeaft.store.sqlite import SqliteJournal

EVERY = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Notification", "Stop", "SessionEnd")
DENIED = "Not run: a hook of the user does not allow this call. Do not try to reach the same effect another way. "


def writes(name: str, wire_id: str = "c1", content: str = "x") -> Calls:
    return calls("FileWrite", wire_id, file_path=name, content=content)


async def test_every_event_is_heard_in_its_order_with_what_it_is_about(given: Given) -> None:
    listen(given, *(hook(event, NOTES_DOWN) for event in EVERY))
    talk = await given.session(writes("a.txt"), says("Done."))
    await talk.types("write it")
    ask = await talk.asked()
    await talk.heard_of(HookRan, lambda one: one.hook_event == "Notification")  # nothing waits for it
    talk.answer(ask)
    assert await talk.outcome() == "answered"
    session = talk.state.session_id
    await talk.close()

    heard = told(given)
    assert [one["hook_event_name"] for one in heard] == [*EVERY[:3], "Notification", "PostToolUse", *EVERY[5:]]
    common = {"session_id": session, "transcript_path": str(talk.paths.root), "cwd": str(given.folder)}
    assert all(common.items() <= one.items() for one in heard)
    start, prompt, before, notice, after, stop, end = heard
    assert start["source"] == "startup"
    assert prompt["prompt"] == "write it"
    assert (before["tool_name"], before["tool_known_as"], before["vp"]) == ("FileWrite", ["Write"], "omni")
    assert before["tool_input"] == {"file_path": "a.txt", "content": "x"}
    assert before["permission_mode"] == "ask"
    assert notice["notification_type"] == "permission_prompt"
    assert "a.txt" in notice["message"]
    assert after["tool_response"]["files"] == [str(given.folder / "a.txt")]
    assert after["tool_use_id"] == before["tool_use_id"] == talk.result("c1").call_id
    assert (stop["stop_hook_active"], stop["last_assistant_message"]) == (False, "Done.")
    assert end["reason"] == "exit"
    journal = SqliteJournal.for_reading(talk.paths.db, FileBlobs(talk.paths.blobs)).read(SESSION_STREAM)
    kept = [one.event for one in journal if isinstance(one.event, HookRan)]
    assert sorted(one.hook_event for one in kept) == sorted(EVERY)


async def test_what_led_to_a_hook_is_kept_before_it_runs(given: Given) -> None:
    listen(given, hook("PreToolUse", 'cat > /dev/null; mkdir copy; cp "$YEAFT_DIR"/sessions/*/session.db* copy'))
    talk = await given.session(writes("a.txt"), says("Done."), mode="auto")
    talk.say("write it")
    assert await talk.outcome() == "answered"

    copy = given.folder / "copy/session.db"
    *_, newest = SqliteJournal.for_reading(copy, FileBlobs(talk.paths.blobs)).read(SESSION_STREAM)
    assert isinstance(newest.event, ReplyCompleted)


async def test_without_hooks_nothing_is_different(given: Given) -> None:
    talk = await given.session(writes("a.txt"), says("Done."), mode="edits")
    await talk.types("write it")

    assert await talk.outcome() == "answered"
    assert runs(talk) == []


@pytest.mark.parametrize(
    "command",
    [
        "echo 'not that file' >&2; exit 2",
        decides("deny", "not that file"),
        answers(decision="block", reason="not that file"),
    ],
)
async def test_a_hook_that_says_no_is_obeyed_and_the_model_is_told_why(given: Given, command: str) -> None:
    listen(given, hook("PreToolUse", command, "Write"))
    talk = await given.session(writes("a.txt"), says("Then not."), mode="auto")
    await talk.types("write it")

    assert await talk.outcome() == "answered"
    assert talk.result("c1").status == "denied"
    assert talk.told_model("c1") == DENIED + "Its reason: not that file"
    assert not (given.folder / "a.txt").exists()
    assert runs(talk) == [("PreToolUse", "blocked")]
    assert talk.all_of(CallStarted) == []


async def test_a_hook_hears_only_of_what_its_matcher_means(given: Given) -> None:
    given.file("b.txt", "b")
    listen(given, hook("PreToolUse", "exit 2", "Bash|Edit"), hook("PreToolUse", NOTES_DOWN, "File.*"))
    read, edit = a_call("FileRead", "c1", file_path="b.txt"), a_call("Bash", "c2", command="true")
    talk = await given.session(Calls(calls=(read, edit)), says("Done."), mode="auto")
    await talk.types("go")

    assert await talk.outcome() == "answered"
    assert [talk.result(one).status for one in ("c1", "c2")] == ["ok", "denied"]
    assert [one["tool_name"] for one in told(given)] == ["FileRead"]


async def test_a_hook_can_have_the_human_asked_about_what_is_allowed(given: Given) -> None:
    listen(given, hook("PreToolUse", decides("ask", "is that wise?"), "Write"))
    talk = await given.session(writes("a.txt", "c1"), writes("b.txt", "c2"), says("Done."), mode="auto")
    await talk.types("write both")

    first = await talk.asked(1)
    assert "is that wise?" in first.text
    assert (first.rule, first.flag) == ("", "")
    talk.answer(first)
    talk.answer(await talk.asked(2), decision="deny")

    assert await talk.outcome() == "answered"
    assert [talk.result(one).status for one in ("c1", "c2")] == ["ok", "denied"]
    assert [path.name for path in given.folder.iterdir()] == ["a.txt"]


async def test_where_nobody_is_there_to_be_asked_the_turn_ends(given: Given) -> None:
    listen(given, hook("PreToolUse", decides("ask", "is that wise?")), hook("Notification", NOTES_DOWN))
    talk = await given.session(writes("a.txt"), says("never said"), mode="auto", has_human=False)
    await talk.types("write")

    assert await talk.outcome() == "needs_human"
    await talk.close()
    assert [one["notification_type"] for one in told(given)] == ["needs_human"]


async def test_the_users_own_hook_answers_for_the_mode_but_for_no_rule(given: Given) -> None:
    listen(given, hook("PreToolUse", decides("allow")))
    talk = await given.session(
        writes("a.txt", "c1"),
        calls("Bash", "c2", command="touch b.txt"),
        calls("Bash", "c3", command="touch c.txt"),
        says("Done."),
        has_human=False,
        deny=("Bash(touch b.txt)",),
    )
    given.config('[permissions]\nask = ["Bash(touch c.txt)"]\n')
    talk = await given.session(has_human=False, deny=("Bash(touch b.txt)",))
    await talk.types("go")

    assert await talk.outcome() == "needs_human"
    assert [talk.result(one).status for one in ("c1", "c2", "c3")] == ["ok", "denied", "not_run"]
    assert runs(talk) == [("PreToolUse", "ok"), ("PreToolUse", "ok")]  # what a rule denies is not even put to hooks


async def test_no_hook_answers_for_what_even_mode_auto_asks_about(given: Given, tmp_path: Path) -> None:
    listen(given, hook("PreToolUse", decides("allow")))
    talk = await given.session(writes(str(tmp_path / "outside.txt")), says("never said"), has_human=False)
    await talk.types("go")

    assert await talk.outcome() == "needs_human"
    assert not (tmp_path / "outside.txt").exists()


async def test_plan_mode_holds_against_every_hook(given: Given) -> None:
    listen(given, hook("PreToolUse", decides("allow")))
    talk = await given.session(writes("a.txt"), says("A plan."), mode="plan")
    await talk.types("go")

    assert await talk.outcome() == "answered"
    assert talk.result("c1").status == "denied"
    assert not (given.folder / "a.txt").exists()


async def test_a_hook_of_the_folder_is_used_once_it_is_trusted_and_allows_nothing(given: Given) -> None:
    listen(given, hook("PreToolUse", f"{NOTES_DOWN}; {decides('allow')}"), project=True)
    talk = await given.session(writes("a.txt"), writes("a.txt"), says("never said"), has_human=False)
    await talk.types("go")
    assert await talk.outcome() == "needs_human"
    assert not (given.folder / "told.jsonl").exists()

    trusting = await given.session(trust=True, has_human=False)
    await trusting.types("go on")

    assert await trusting.outcome() == "needs_human"
    assert len(told(given)) == 1
    assert [code for code, _ in trusting.notices()] == ["hook.may_not_allow"]


async def test_what_a_hook_says_of_a_result_stands_behind_it(given: Given) -> None:
    listen(
        given,
        hook("PostToolUse", "echo 'lint: unused import' >&2; exit 2", "Write"),
        hook("PostToolUse", answers(hookSpecificOutput={"additionalContext": "tests are in t/"}), "Write"),
        hook("PreToolUse", decides("", additionalContext="be quick"), "Write"),
    )
    talk = await given.session(writes("a.txt"), says("Mended."), mode="auto")
    await talk.types("go")

    assert await talk.outcome() == "answered"
    assert (given.folder / "a.txt").read_text() == "x"
    assert talk.result("c1").status == "ok"
    assert talk.told_model("c1").splitlines()[1:] == [
        "[A hook of the user says: be quick]",
        "[A hook of the user objects to this, after it was done: lint: unused import]",
        "[A hook of the user says: tests are in t/]",
    ]


async def test_a_call_that_failed_has_no_hook_after_it(given: Given) -> None:
    listen(given, hook("PostToolUse", NOTES_DOWN))
    talk = await given.session(calls("FileRead", "c1", file_path="none"), says("Gone."))
    await talk.types("go")

    assert await talk.outcome() == "answered"
    assert runs(talk) == []


async def test_what_hooks_print_goes_along_with_the_words_of_the_user(given: Given) -> None:
    listen(
        given,
        hook("SessionStart", "echo branch: main; echo '</hook>'"),
        hook("UserPromptSubmit", answers(hookSpecificOutput={"additionalContext": "ticket 7"})),
        hook("UserPromptSubmit", "true"),
    )
    talk = await given.session(says("Hi."), says("Ho."))
    await talk.types("hello")
    await talk.outcome()
    await talk.types("again")
    await talk.outcome()

    first, second = [message.text for message in talk.all_of(MessagePosted)]
    start = '[Added by a hook of the user:]\n<hook event="SessionStart">\nbranch: main\n&lt;/hook>\n</hook>'
    ticket = '[Added by a hook of the user:]\n<hook event="UserPromptSubmit">\nticket 7\n</hook>'
    assert first == f"hello\n\n{start}\n\n{ticket}"
    assert second == f"again\n\n{ticket}"


async def test_a_message_that_a_hook_refuses_is_never_said(given: Given) -> None:
    guard = 'grep -q "secret" && { echo "no secrets here" >&2; exit 2; }; exit 0'
    listen(given, hook("UserPromptSubmit", guard))
    talk = await given.session(says("Fine."))

    with pytest.raises(Denied, match="no secrets here"):
        await talk.types("the secret is 42")
    assert talk.state.created is None
    await talk.types("nothing to hide")

    assert await talk.outcome() == "answered"
    assert len(talk.server.requests) == 1
    assert runs(talk) == [("UserPromptSubmit", "blocked"), ("UserPromptSubmit", "ok")]


async def test_a_session_that_goes_on_says_so(given: Given) -> None:
    listen(given, hook("SessionStart", NOTES_DOWN, "resume"))
    talk = await given.session(says("Hi."), says("Hi again."))
    await talk.types("hello")
    await talk.outcome()

    again = await given.again(talk)
    await again.types("hello again")
    await again.outcome()

    assert [one["source"] for one in told(given)] == ["resume"]


ONCE = 'if grep -q \'"stop_hook_active":true\'; then exit 0; fi; echo "the tests fail" >&2; exit 2'


async def test_a_vp_that_is_not_done_yet_is_sent_back_to_work_before_the_message_is_settled(given: Given) -> None:
    listen(given, hook("Stop", ONCE))
    talk = await given.session(says("Done."), says("Now it is done."))
    root = await talk.types("do it")

    assert await talk.outcomes(root) == {"omni": "answered"}
    assert talk.said_by("omni") == ["Done.", "Now it is done."]
    assert lines_of(talk.server.requests[1])[-1][1].endswith(
        "[You are not done yet, says a hook of the user: the tests fail]"
    )
    assert runs(talk) == [("Stop", "blocked"), ("Stop", "ok")]


async def test_a_hook_that_is_never_content_is_not_heard_a_fourth_time(given: Given) -> None:
    listen(given, hook("Stop", "echo more >&2; exit 2"))
    talk = await given.session(*(says(str(number)) for number in range(9)))
    root = await talk.types("do it")
    await talk.outcomes(root)

    assert talk.said_by("omni") == ["0", "1", "2", "3"]
    assert [code for code, _ in talk.notices()] == ["hook.stop_ignored"]


async def test_what_comes_back_from_a_peer_is_what_it_said_last(given: Given) -> None:
    given.vp("ann")
    only_ann = (
        'told=$(cat); case "$told" in *\'"vp":"ann"\'*) ;; *) exit 0;; esac; '
        'case "$told" in *\'"stop_hook_active":true\'*) exit 0;; esac; echo "not yet" >&2; exit 2'
    )
    listen(given, hook("Stop", only_ann))
    talk = await given.session(
        cast(
            for_vp("omni", hands_on("ann", "look"), says("ann is done.")),
            for_vp("ann", says("I think so."), says("I am sure.")),
        ),
        roster=("omni", "ann"),
    )
    root = await talk.types("@omni ask ann")

    await talk.outcomes(root)
    assert talk.said_by("ann") == ["I think so.", "I am sure."]
    returned = [message.text for message in talk.all_of(MessagePosted) if message.kind == "return"]
    assert len(returned) == 1
    assert "I am sure." in returned[0]


async def test_an_abort_while_a_hook_decides_ends_it_and_the_turn(given: Given) -> None:
    pid = given.pipe("pid")
    listen(given, hook("PreToolUse", "sleep 300 & echo $! > pid; setsid sleep 301 & wait"))
    talk = await given.session(writes("a.txt"), says("never said"), mode="auto")
    await talk.types("go")
    child = int(await asyncio.to_thread(pid.read_text))

    talk.interrupt()

    assert await talk.outcome() == "aborted"
    await asyncio.to_thread(wait_until_gone, child)
    assert talk.result("c1").status == "not_run"
    assert runs(talk) == [("PreToolUse", "failed")]
    assert talk.notices() == [], "nothing is wrong with a hook that the user ends"
    assert not (given.folder / "a.txt").exists()


async def test_an_abort_while_a_hook_holds_an_answer_up_lets_the_answer_stand(given: Given) -> None:
    pid = given.pipe("pid")
    listen(given, hook("Stop", "sleep 300 & echo $! > pid; wait"))
    talk = await given.session(says("Done."))
    await talk.types("go")
    child = int(await asyncio.to_thread(pid.read_text))

    talk.interrupt()

    assert await talk.outcome() == "answered"
    await asyncio.to_thread(wait_until_gone, child)


async def test_an_interrupt_while_hooks_look_at_a_message_means_that_it_is_not_said(given: Given) -> None:
    pid = given.pipe("pid")
    listen(given, hook("UserPromptSubmit", "sleep 300 & echo $! > pid; wait"))
    talk = await given.session(says("never said"))
    typing = asyncio.create_task(talk.types("go"))
    child = int(await asyncio.to_thread(pid.read_text))

    talk.interrupt()

    with pytest.raises(Denied, match="interrupted"):
        await typing
    await asyncio.to_thread(wait_until_gone, child)
    assert talk.state.created is None


async def test_a_hook_that_takes_too_long_is_ended_and_decides_nothing(given: Given) -> None:
    listen(given, hook("PreToolUse", "echo $$ > pid; trap '' TERM; sleep 300 & wait; sleep 300", timeout=2))
    talk = await given.session(writes("a.txt"), says("Done."), mode="auto")
    await talk.types("go")

    assert await talk.outcome() == "answered"
    assert talk.result("c1").status == "ok"
    assert runs(talk) == [("PreToolUse", "timed_out")]
    assert [code for code, _ in talk.notices()] == ["hook.faulty"]
    await asyncio.to_thread(wait_until_gone, int((given.folder / "pid").read_text()))


@pytest.mark.parametrize(
    ("command", "outcome", "reason"),
    [
        ("echo oh no >&2; exit 1", "warned", "exit code 1: oh no"),
        ("kill -KILL $$", "warned", "exit code -9"),
        ("no-such-program", "warned", "exit code 127"),
        ("printf x; head -c 200000 /dev/urandom", "ok", ""),
        ("printf '{\"decision\": 7}'", "warned", "looks like JSON"),
        ("printf '{broken'", "warned", "looks like JSON"),
        ("printf '[1, 2]'", "ok", ""),
        (answers(decision="perhaps"), "warned", "'perhaps' is no decision"),
        (decides("allow", updatedInput={"file_path": "b.txt"}), "warned", "updatedInput is not supported"),
        ("yes | head -c 3000000; exit 0", "ok", ""),
        ("exec <&-; exec >&-; exec 2>&-; exit 0", "ok", ""),
        ("sleep 300 & exit 0", "ok", ""),
    ],
)
async def test_a_hook_that_is_out_of_order_is_named_and_changes_nothing(
    given: Given, command: str, outcome: str, reason: str
) -> None:
    listen(given, hook("PreToolUse", command))
    talk = await given.session(writes("a.txt", "c1"), writes("b.txt", "c2"), says("Done."), mode="edits")
    await talk.types("go")

    assert await talk.outcome() == "answered"
    assert [path.name for path in sorted(given.folder.glob("*.txt"))] == ["a.txt", "b.txt"]
    assert runs(talk) == [("PreToolUse", outcome)] * 2
    told_user = [params["reason"] for code, params in talk.notices() if code == "hook.faulty"]
    assert len(told_user) == (1 if reason else 0)
    assert all(reason in text for text in told_user)


async def test_a_hook_is_told_no_secrets_and_stands_outside_every_mark(given: Given) -> None:
    given.environ["BOX_API_KEY"] = "sk-secret"
    listen(given, hook("UserPromptSubmit", "env > env.txt; pwd >> env.txt"))
    talk = await given.session(says("Hi."))
    given.config(**{"[providers.box]": '[providers.box]\napi_key_env = "BOX_API_KEY"'})
    talk = await given.session()
    await talk.types("hello")
    await talk.outcome()

    seen = (given.folder / "env.txt").read_text()
    assert "sk-secret" not in seen
    assert f"YEAFT_SESSION_ID={talk.state.session_id}\n" in seen
    assert f"YEAFT_PROJECT_DIR={given.folder}\n" in seen
    assert seen.endswith(f"{given.folder}\n")


async def test_a_yeaft_that_a_hook_starts_has_no_hooks(given: Given) -> None:
    listen(given, hook("UserPromptSubmit", NOTES_DOWN))
    given.environ["YEAFT_HOOK"] = "Stop"
    talk = await given.session(says("Hi."))
    await talk.types("hello")
    await talk.outcome()

    assert runs(talk) == []


async def test_the_same_command_runs_once_for_an_event_and_others_side_by_side(given: Given) -> None:
    given.pipe("one")
    meet = ("cat one; echo a >> met", "echo > one; echo b >> met")
    listen(
        given, *(hook("UserPromptSubmit", command) for command in (*meet, meet[0], "echo c >> met", "echo c >> met"))
    )
    talk = await given.session(says("Hi."))
    await talk.types("hello")
    await talk.outcome()

    assert sorted((given.folder / "met").read_text().split()) == ["a", "b", "c"]
    assert len(runs(talk)) == 3


async def test_a_trusted_folder_cannot_shorten_the_time_of_the_users_own_hook(given: Given) -> None:
    guard = f"sleep 1; {decides('deny', 'no writing')}"
    listen(given, hook("PreToolUse", guard))
    listen(given, hook("PreToolUse", guard, timeout=0.1), project=True)
    talk = await given.session(writes("a.txt"), says("Done."), mode="auto", trust=True)
    await talk.types("go")

    assert await talk.outcome() == "answered"
    assert (talk.result("c1").status, runs(talk)) == ("denied", [("PreToolUse", "blocked")])


async def test_a_hook_can_have_the_work_stop_where_it_is(given: Given) -> None:
    listen(given, hook("PreToolUse", answers(**{"continue": False, "stopReason": "budget is gone"})))
    talk = await given.session(writes("a.txt"), says("never said"), mode="auto")
    await talk.types("go")

    assert await talk.outcome() == "needs_human"
    assert "budget is gone" in talk.result("c1").text
    assert "budget is gone" in talk.all_of(AskOpened)[0].text
    assert len(talk.server.requests) == 1


async def test_sub_agents_are_covered(given: Given) -> None:
    guard = 'grep -q "b.txt" && { echo "not b" >&2; exit 2; }; exit 0'
    listen(
        given, hook("PreToolUse", guard, "Write"), hook("SubagentStop", ONCE), hook("PostToolUse", NOTES_DOWN, "Write")
    )
    talk = await given.session(
        cast(
            for_vp("omni", spawns("ann"), says("On it."), says("All done.")),
            for_vp("omni/ann", writes("a.txt", "w1"), writes("b.txt", "w2"), says("Done."), says("Really done.")),
        ),
        mode="auto",
    )
    root = await talk.types("go")
    await talk.outcomes(root)

    assert [path.name for path in given.folder.glob("*.txt")] == ["a.txt"]
    assert [one.result for one in talk.all_of(AgentEnded)] == ["Really done."]
    assert [event for event, outcome in runs(talk) if outcome == "blocked"] == ["PreToolUse", "SubagentStop"]
    assert [one["vp"] for one in told(given)] == ["omni/ann"]


async def test_stop_hooks_wait_until_the_agents_of_a_vp_are_done(given: Given) -> None:
    listen(given, hook("Stop", NOTES_DOWN))
    talk = await given.session(
        cast(for_vp("omni", spawns("ann"), says("On it."), says("All done.")), for_vp("omni/ann", held(says("A"), "g")))
    )
    root = await talk.types("go")
    await talk.heard_of(TurnEnded)
    talk.server.release("g")
    await talk.outcomes(root)

    assert [one["last_assistant_message"] for one in told(given)] == ["All done."]


async def test_questions_of_vps_and_reads_go_through_hooks_too(given: Given) -> None:
    given.file("a.txt", "a")
    listen(given, hook("PreToolUse", NOTES_DOWN))
    reads = Calls(calls=tuple(a_call("FileRead", f"r{number}", file_path="a.txt") for number in range(3)))
    talk = await given.session(reads, calls("AskUser", "q1", question="Which?"), says("That one."))
    await talk.types("go")
    talk.answer(await talk.heard_of(AskOpened), text="this")

    assert await talk.outcome() == "answered"
    assert [one["tool_name"] for one in told(given)] == ["FileRead"] * 3 + ["AskUser"]
    assert [one.status for one in talk.all_of(CallFinished)] == ["ok"] * 4


async def test_a_session_that_crashed_while_a_hook_decided_asks_it_again(given: Given) -> None:
    listen(given, hook("PreToolUse", NOTES_DOWN))
    talk = await given.session(writes("a.txt"), says("Done."), mode="auto")
    await talk.types("go")
    await talk.outcome()

    crashed = await given.crashed(talk, lambda one: isinstance(one.event, HookRan))
    again = await given.session(ref=crashed, mode="auto")
    await again.types("and now?")

    assert await again.outcome() == "answered"
