"""What the stories about the store begin with: events, journals of every kind, one sample of every event."""

import asyncio
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import get_args

from msgspec import Raw

from yeaft.events import agent, artifact, call, codec, graph, history, policy, session, task, tools, turn, work
from yeaft.events.codec import Event, Recorded
from yeaft.events.fact import BlobRef
from yeaft.kernel.messages import Call, CallItem, OpaqueItem, TextItem, ThinkingItem
from yeaft.kernel.usage import Usage
from yeaft.store.blobs import FileBlobs
from yeaft.store.memory import MemoryJournal
from yeaft.store.sqlite import SqliteJournal

STREAM = "session"
KINDS = ("memory", "sqlite", "sqlite on a network")
AnyJournal = MemoryJournal | SqliteJournal


def sqlite_journal(folder: Path, *, on_network: bool | None = None) -> SqliteJournal:
    return SqliteJournal(folder / "session.db", FileBlobs(folder / "blobs"), on_network=on_network)


def journal_of(kind: str, folder: Path) -> AnyJournal:
    return MemoryJournal() if kind == "memory" else sqlite_journal(folder, on_network=kind == "sqlite on a network")


def said(word: str, *, event_id: str = "", ts: int = 1_700_000_000_000) -> Recorded:
    """A notice called `word`; its id follows from the beginning of the word unless it is given."""
    return recorded(session.NoticePosted(code=word), event_id or f"e_{word[:26]}", ts=ts)


def recorded(event: Event | codec.UnknownEvent, event_id: str, *, ts: int = 1_700_000_000_000) -> Recorded:
    return Recorded(
        id=event_id, stream="", seq=0, ts=ts, src="engine", cause="m_cause", corr="m_root", epoch=0, event=event
    )


def words(records: Sequence[Recorded]) -> list[str]:
    return [record.event.code for record in records if isinstance(record.event, session.NoticePosted)]


def seqs(records: Sequence[Recorded]) -> list[int]:
    return [record.seq for record in records]


async def outcomes(appends: Sequence[Awaitable[int]]) -> list[int | str]:
    """The new head, or the name of the error, of each append."""
    found = await asyncio.gather(*appends, return_exceptions=True)
    return [type(one).__name__ if isinstance(one, BaseException) else one for one in found]


BLOB = BlobRef(sha256="ab" * 32, size_bytes=3, mime="text/plain")
FAILURE = turn.Failure(kind="overloaded", message="Busy.", status=529, wire_type="overloaded_error", retry_after_s=2.5)
SAMPLES: tuple[Event, ...] = (
    session.SessionCreated(
        session_id="k7m2q9xa",
        name="list",
        folder="/home/ada/work",
        roster=("omni", "skeptic"),
        default_vp="omni",
        lang="zh",
        app_version="0.1.0",
    ),
    session.SessionRenamed(name="购物清单"),
    session.SessionForked(from_session="k7m2q9xb", from_seq=12),
    session.SessionTagged(archived=True, labels=("home",)),
    session.RosterChanged(roster=("omni",), default_vp="omni", reason="mention"),
    session.FolderAdded(path="/srv", reason="flag"),
    session.OwnerClaimed(pid=4711, host="box", started_at=1_700_000_000.25),
    session.OwnerReleased(),
    session.VpFrozen(vp_id="omni", digest="d1", blob=BLOB),
    session.SettingsFrozen(vp_id="omni", digest="d2", blob=BLOB, builder=1),
    session.MessagePosted(
        message_id="m_1",
        sender="user",
        to=("omni",),
        kind="user",
        text="@omni 牛奶？\u2028\x07",
        root_id="m_1",
        unknown_mentions=("nobody",),
    ),
    session.MessageSettled(
        message_id="m_1", turns=(session.SettledTurn(turn_id="t_1", vp_id="omni", outcome="answered"),)
    ),
    session.NoticePosted(code="vp.added", params={"vp": "skeptic"}, level="warn", vp_id="omni", op_id="o_1"),
    turn.TurnStarted(
        turn_id="t_1", message_id="m_1", vp_id="omni", mode="ask", limits=turn.Limits(rounds=50, cost_usd=0.5)
    ),
    turn.TurnContinued(turn_id="t_1"),
    turn.RequestSent(
        request_id="q_1",
        turn_id="t_1",
        round=0,
        attempt=0,
        model="anthropic/claude-sonnet",
        protocol="anthropic",
        digest="d3",
        settings="d2",
        vp="d1",
        how="continue",
        window=turn.WindowCut(units=3, dropped=1, tokens_est=900),
    ),
    turn.ReplyCheckpointed(request_id="q_1", turn_id="t_1", text="Let me"),
    turn.ReplyCompleted(
        request_id="q_1",
        turn_id="t_1",
        model="anthropic/claude-sonnet",
        items=(
            ThinkingItem(text="hm", raw=Raw(b'{"type":"thinking","signature":"x"}')),
            TextItem(text="Let me look."),
            CallItem(index=0),
            OpaqueItem(wire_type="server_tool_use", raw=Raw(b'{"type":"server_tool_use"}')),
        ),
        calls=(Call(call_id="c_1", wire_id="toolu_1", tool="FileRead", args_raw='{"file_path":"notes.txt"}'),),
        stop="calls",
        usage=Usage(input=10, output=20, cache_read=5),
        cost_usd=0.001,
    ),
    turn.RequestFailed(request_id="q_2", turn_id="t_1", error=FAILURE, text_so_far="Let"),
    turn.RetryScheduled(
        turn_id="t_1", round=1, attempt=1, due_ms=1_700_000_002_500, reason="overloaded", how="restart"
    ),
    turn.ModelSwitched(turn_id="t_1", from_model="a/b", to_model="c/d", reason="overloaded"),
    turn.TurnEnded(turn_id="t_1", vp_id="omni", outcome="limit", limit="rounds", usage=Usage(input=10), rounds=2),
    call.CallStarted(
        call_id="c_1",
        turn_id="t_1",
        tool="FileWrite",
        args=Raw(b'{"file_path":"notes.txt"}'),
        guard="verify",
        intents=(call.Intent(path="notes.txt", pre="a", post="b"),),
    ),
    call.CallFinished(
        call_id="c_1",
        turn_id="t_1",
        tool="FileWrite",
        status="ok",
        text="Written.",
        facts=call.Facts(files=(call.FileFact(path="notes.txt", sha256="b", written=True),), exit_code=0, pid=12),
        duration_ms=3,
    ),
    call.TodoChanged(
        vp_id="omni", items=(call.TodoItem(content="Buy milk", status="pending", active_form="Buying milk"),)
    ),
    call.AskOpened(
        ask_id="k_1",
        turn_id="t_1",
        call_id="c_1",
        vp_id="omni",
        kind="approval",
        text="Run it?",
        options=("yes", "no"),
        rule="Bash(ls:*)",
        flag="--mode auto",
    ),
    call.AskAnswered(
        ask_id="k_1",
        decision="always",
        choice=("yes",),
        text="fine",
        rule="Bash(ls:*)",
        by="user",
        changed='{"file_path":"notes.txt"}',
    ),
    call.AskWithdrawn(ask_id="k_1", reason="headless"),
    task.TaskStarted(
        task_id="j_1",
        call_id="c_1",
        vp_id="omni",
        title="dev server",
        command="npm run dev",
        cwd="/home/ada/work",
        pid=4712,
        start_time=123456,
        survives=True,
        adopted=True,
    ),
    task.TaskEnded(task_id="j_1", state="cancelled", exit_code=143, signal="TERM", error="Stopped by the user."),
    task.TaskOrphaned(task_id="j_2", error="Nobody saw how it ended."),
    agent.AgentSpawned(
        agent_id="a_1",
        call_id="c_2",
        vp_id="omni",
        name="lookup",
        persona="explorer",
        mission="Find where the list is kept.",
        stream="agent/a_1",
        folder="/home/ada/work",
        root_id="m_1",
        budget=agent.Budget(max_tokens=20_000, max_turns=8, wall_time_ms=60_000, max_cost_usd=0.1),
        stay=True,
    ),
    agent.AgentPrompted(agent_id="a_1", call_id="c_3", text="And who reads it?"),
    agent.AgentReported(agent_id="a_1", number=1, result="In notes.txt."),
    agent.AgentEnded(
        agent_id="a_1",
        state="budget_exceeded",
        result="In notes.txt.",
        error="max_turns",
        usage=Usage(input=10, output=20),
        cost_usd=0.001,
        rounds=8,
    ),
    agent.DeliveryTaken(message_id="m_2", vp_id="omni", call_id="c_4"),
    work.WorkDrafted(
        work_item_id="w_1",
        vp_id="omni",
        title="A list for the week",
        goal="Nobody goes shopping twice.",
        acceptance_criteria=("Seven dinners", "Sorted by aisle"),
        item_type="plan",
        work_dir="/home/ada/work",
        call_id="c_5",
    ),
    policy.RuleSaved(rule="Bash(npm test)", scope="always", ask_id="k_1", path="/home/ada/.yeaft/config.toml"),
    policy.TrustGranted(folder="/home/ada/work", digest="a" * 64, how="saved"),
    tools.ToolsChanged(server="files", digest="b" * 64, tools=("mcp__files__list",), reason="connected"),
    tools.HookRan(
        hook_event="PreToolUse",
        command="./check.sh",
        outcome="blocked",
        exit_code=2,
        duration_ms=12,
        text="Not on Fridays.",
        call_id="c_1",
        turn_id="t_1",
    ),
    history.AttachmentAdded(
        attachment_id="f_1",
        name="plan.png",
        file="plan-0a1b2c3d.png",
        mime="image/png",
        size_bytes=2048,
        sha256="c" * 64,
        source="/home/ada/plan.png",
        note="page 1 of 3",
    ),
    history.CheckpointTaken(
        checkpoint_id="p_2",
        manifest=BLOB,
        reason="call",
        parent="p_1",
        name="before the move",
        files=12,
        changed=1,
        skipped=("big.iso",),
        skipped_count=1,
        call_id="c_1",
    ),
    history.Rewound(to_seq=7, scope="both", checkpoint_id="p_1", safety_id="p_3", undoes=9),
    history.HistoryCompacted(
        compaction_id="h_1", vp_id="omni", turn_ids=("t_1",), text="They chose pasta.", request_id="q_1", undone=True
    ),
    artifact.ArtifactStored(
        artifact_id="a_1",
        artifact_type="table",
        path="omni/prices-2.csv",
        name="prices.csv",
        sha256="d" * 64,
        size_bytes=120,
        mime="text/csv",
        provenance=artifact.Provenance(
            created_by="vp:omni",
            session_id="k7m2q9xa",
            step="collect",
            run="t_1",
            tool="FileWrite",
            call_id="c_1",
            source="/home/ada/work/prices.csv",
            supersedes="a_0",
        ),
        revision=2,
        description="What a week costs",
        columns=(artifact.Column(name="item"), artifact.Column(name="price", type="number")),
        rows=7,
    ),
    graph.GraphStarted(
        run_id="r_1",
        name="report",
        graph=BLOB,
        input=Raw(b'"tea"'),
        source="/home/ada/work/report.yaml",
        parent_run="r_0",
        parent_act="x_0",
        forked_from="r_2",
        deadline_ms=1_700_000_600_000,
    ),
    graph.StepReady(act_id="x_1", node="write", visit=1, scope=(graph.Frame(edge=3, visit=0, index=2, count=5),)),
    graph.StepStarted(act_id="x_1", attempt=1, child_stream="step/x_1/1"),
    graph.StepFinished(
        act_id="x_1",
        status="failed",
        value=Raw(b'{"facts":3}'),
        error="it took longer than 5 s",
        artifacts=("a_1",),
        usage=Usage(input=10, output=2),
        cost_usd=0.25,
        duration_ms=5000,
    ),
    graph.EdgeClosed(run_id="r_1", edge=4, source="write", target="review"),
    graph.TimerSet(timer_id="w_1", due_ms=1_700_000_060_000),
    graph.TimerFired(timer_id="w_1", due_ms=1_700_000_060_000),
    graph.GraphCancelled(run_id="r_1", by="user", reason="not needed"),
    graph.GraphEnded(
        run_id="r_1",
        outcome="limit",
        value=Raw(b'"three facts"'),
        error="nothing reached the end",
        limit="steps",
        usage=Usage(input=10, output=2),
        cost_usd=0.25,
        steps=7,
    ),
    graph.GraphClaimed(run_id="r_1", progress=3),
    graph.GraphSuspended(run_id="r_1", asked="Send it?"),
)
"""One event of every type of 0.1.0, with as many fields filled in as it has."""


def known_types() -> set[str]:
    """The types of all durable events that this yeaft knows."""
    return {str(cls.__struct_config__.tag) for cls in get_args(Event)}
