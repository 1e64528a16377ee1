"""What goes on beside the conversation: todo lists, tasks with their logs, sub-agents."""

from pathlib import Path

from tests.tui.panels_given import room_with
from yeaft.llm.scripted.script import Calls, Holds, Line, Says, ScriptedCall

TODOS = [
    {"content": "Read the parser", "status": "completed", "activeForm": "Reading the parser"},
    {"content": "修复测试", "status": "in_progress", "activeForm": "正在修复测试"},
    {"content": "Ship [it]", "status": "pending", "activeForm": "Shipping"},
]
PLANS = Calls(calls=(ScriptedCall(tool="TodoWrite", id="t1", args={"todos": TODOS}),))
COMMAND = "echo '[red]one[/red]'; until [ -e go ]; do sleep 0.02; done; echo two; until [ -e end ]; do sleep 0.02; done"
STARTS = Calls(calls=(ScriptedCall(tool="Bash", id="b1", args={"command": COMMAND, "background": True}),))
SPAWNS = Calls(
    calls=(ScriptedCall(tool="SpawnAgent", id="a1", args={"name": "scout", "mission": "look at [all] files"}),)
)
PLAIN = Line(steps=(Says(text="Done."),), repeat=True)


async def test_todo_lists_stand_beside_the_conversation_and_follow_it(tmp_path: Path) -> None:
    plan = Line(when="plan", steps=(PLANS, Says(text="Planned.")))
    async with room_with(tmp_path, plan, PLAIN) as room, room.desk() as desk:
        await desk.presses("f2")
        await desk.shows("No todo list, no tasks, no agents.", "the conversation", "F2 go to it; again closes it")

        await desk.says("make a plan")
        await desk.shows("Todo of @omni (1 of 3)", "[x] Read the parser", "[>] 正在修复测试", "[ ] Ship [it]")
        await desk.presses("f2")
        await desk.shows("l log  c end a task or agent  Esc leave")
        await desk.presses("f2")
        await desk.hides("Todo of @omni")
        await desk.presses("f2", "f2", "escape")
        await desk.hides("Todo of @omni")


async def test_the_log_of_a_task_is_followed_and_the_task_can_be_ended(tmp_path: Path) -> None:
    start = Line(when="start", steps=(STARTS, Says(text="Started.")))
    async with room_with(tmp_path, start, PLAIN) as room, room.desk(size=(60, 24)) as desk:
        await desk.says("start it")
        await desk.orders("/tasks")
        await desk.shows("> echo", "running", "| [red]one[/red]")

        await desk.presses("l")
        await desk.shows("Task j_")
        (room.folder / "go").touch()
        await desk.shows("two")
        await desk.presses("q")
        await desk.shows("Todo, tasks, agents")
        await desk.presses("c")
        await desk.shows("End this task?", "Type a number")
        await desk.types("2")

        await desk.shows("cancelled")


async def test_a_sub_agent_is_shown_with_what_it_has_used_and_its_log(tmp_path: Path) -> None:
    lines = (Line(when="send", steps=(SPAWNS, Says(text="Sent."))), PLAIN)
    async with room_with(tmp_path, *lines) as room, room.desk() as desk:
        await desk.says("send somebody")
        await desk.until(lambda: any(agent.ended for agent in desk.here.state.agents.values()))
        await desk.here.session.idle()

        await desk.orders("/agents")
        await desk.shows("@omni/scout", "look at [all] files", "tokens")
        await desk.presses("enter")

        await desk.shows("agent.ended")


async def test_the_user_stops_a_sub_agent_and_its_vp_hears_of_it(tmp_path: Path) -> None:
    lines = (
        Line(when="send", steps=(SPAWNS, Says(text="Sent."))),
        Line(when="look at", steps=(Holds(of=Says(text="I have looked."), after_events=0, gate="never"),)),
        PLAIN,
    )
    async with room_with(tmp_path, *lines) as room, room.desk() as desk:
        await desk.dialogue.say("send somebody")
        await desk.until(lambda: any(agent.is_running for agent in desk.here.state.agents.values()))
        await desk.orders("/agents")
        await desk.shows("@omni/scout", "running")

        await desk.presses("c")
        await desk.shows("Stop this sub-agent?", "look at [all] files", "Type a number")
        await desk.types("1")
        await desk.shows("running")
        await desk.presses("c")
        await desk.shows("Stop this sub-agent?", "Type a number")
        await desk.types("2")

        await desk.shows("closed")
        await desk.here.session.idle()
        [agent] = desk.here.state.agents.values()
        assert agent.ended is not None
        assert agent.ended.error.startswith("The user stopped it")
