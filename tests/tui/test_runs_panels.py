"""The runs of graphs of a Session and what it keeps as artifacts, as lists and one by one."""

from pathlib import Path

from PIL import Image

from tests.tui.panels_given import Desk, room_with
from yeaft.events.ops import Answer
from yeaft.interfaces.artifacts import keep_file
from yeaft.interfaces.orders import ChangeRun, Choose, RunGraph
from yeaft.llm.scripted.script import Holds, Line, Says

CHAIN = """
graph:
  name: report
  steps:
    - {id: gather, agent: omni, prompt: "Gather: {{ input }}", retries: 1}
    - {id: write, agent: omni, prompt: "Write [all] from {{ input }}", out: table}
"""
GATHERS = Line(when="Gather:", steps=(Says(text="three facts"),), repeat=True)
TABLE = '{"content": "name,amount\\ntea,3\\nmilk,2\\n", "name": "list.csv"}'
WRITES = Line(when="Write [all]", steps=(Says(text=TABLE),), repeat=True)
JUDGED = CHAIN.replace("out: table", "out: json")
FAILS = (
    Line(when="Write [all]", steps=(Says(text="no JSON at all"),)),
    Line(when="FinishStep", steps=(Says(text="still none"),) * 2),
)
PLAIN = Line(steps=(Says(text="Done."),), repeat=True)


async def runs(desk: Desk, folder: Path, text: str = CHAIN) -> None:
    """Begin a run of a graph, and wait until it is over."""
    (folder / "g.yaml").write_text(text)
    desk.dialogue.graphs.hear = lambda visit: desk.host.panels.hear_run()
    desk.dialogue.graphs.start(RunGraph("g.yaml", "tea"))
    await desk.dialogue.graphs.ended()


async def test_where_no_graph_was_run_and_nothing_kept_it_is_said_how_to(tmp_path: Path) -> None:
    async with room_with(tmp_path, PLAIN) as room, room.desk(size=(40, 20)) as desk:
        await desk.orders("/runs")
        await desk.shows("No graph has been run here.")
        await desk.presses("escape")
        await desk.orders("/artifacts")

        await desk.shows("Nothing is kept here.")


async def test_a_run_is_found_in_the_list_and_beside_the_conversation_with_its_steps(tmp_path: Path) -> None:
    async with room_with(tmp_path, GATHERS, WRITES, PLAIN) as room, room.desk() as desk:
        await runs(desk, room.folder)
        await desk.presses("f2")
        await desk.shows("Runs", "- report  completed", "2 steps done")
        await desk.presses("f2")
        await desk.orders("/runs")
        await desk.shows("report  completed")

        await desk.presses("enter")
        await desk.shows("report  2 steps done", "├─ ✓ gather  @omni", "└─ ✓ write   @omni", "completed")
        await desk.presses("down", "enter")
        await desk.shows("report · write", "> Write [all] from three facts", "gave:", "@a_")


async def test_what_a_step_kept_is_opened_whole_from_the_run_and_by_its_id(tmp_path: Path) -> None:
    async with room_with(tmp_path, GATHERS, WRITES, PLAIN) as room, room.desk() as desk:
        await runs(desk, room.folder)
        (one,) = desk.here.state.artifacts.values()

        await desk.orders("/artifacts")
        await desk.shows(one.name, f"@{one.artifact_id}", "table")
        await desk.presses("enter")
        await desk.shows("tea", "milk", "amount", "step: write", "run: r_")
        await desk.presses("q", "escape")
        await desk.orders(f"/artifact @{one.artifact_id}")
        await desk.shows("tea", "milk", "amount")


async def test_a_run_opened_beside_the_conversation_does_what_it_offers(tmp_path: Path) -> None:
    async with room_with(tmp_path, GATHERS, WRITES, PLAIN) as room, room.desk(size=(120, 30)) as desk:
        await runs(desk, room.folder)
        await desk.presses("f2")
        await desk.shows("- report  completed")
        await desk.presses("f2", "enter")
        await desk.shows("└─ ✓ write   @omni")

        await desk.presses("down", "o")

        (one,) = desk.here.state.artifacts.values()
        await desk.until(lambda: desk.host.deeds == [Choose("artifacts", text=one.artifact_id)])


async def test_what_a_step_has_no_room_for_is_left_out_whole_rather_than_cut(tmp_path: Path) -> None:
    async with room_with(tmp_path, GATHERS, WRITES, PLAIN) as room, room.desk(size=(40, 24)) as desk:
        await runs(desk, room.folder, CHAIN.replace("id: write,", "id: write_all_of_it,"))
        await desk.orders("/runs")
        await desk.shows("report  completed")
        await desk.presses("enter")

        assert "…" not in await desk.shows("└─ ✓ write_all_of_it  @omni")


async def test_a_failed_step_is_tried_again_from_its_run(tmp_path: Path) -> None:
    async with room_with(tmp_path, GATHERS, *FAILS, WRITES, PLAIN) as room, room.desk(size=(40, 24)) as desk:
        await runs(desk, room.folder, JUDGED)
        await desk.orders("/runs")
        await desk.shows("report  failed")
        await desk.presses("enter")
        await desk.shows("✗ write")
        await desk.presses("down", "r")
        await desk.until(lambda: not desk.dialogue.graphs.are_running)

        await desk.orders("/runs")
        await desk.shows("report  completed", "report  failed")


async def test_a_run_in_chinese_says_all_of_it_in_chinese(tmp_path: Path) -> None:
    async with room_with(tmp_path, GATHERS, *FAILS, PLAIN) as room, room.desk(lang="zh") as desk:
        await runs(desk, room.folder, JUDGED)
        await desk.orders("/runs")
        await desk.shows("图的运行", "report  失败", "已完成 2 步")
        await desk.presses("enter")

        await desk.shows("步骤“write”失败")


async def test_a_run_that_stands_still_is_cancelled_by_order(tmp_path: Path) -> None:
    waits = Line(when="Gather:", steps=(Holds(of=Says(text="late"), after_events=0, gate="never"),), repeat=True)
    async with room_with(tmp_path, waits, PLAIN) as room, room.desk() as desk:
        (room.folder / "g.yaml").write_text(CHAIN)
        desk.dialogue.graphs.start(RunGraph("g.yaml", "tea"))
        await desk.until(lambda: any(view.passed == (0, 2) and view.own for view in desk.dialogue.graphs.views))
        run_id = desk.dialogue.graphs.views[0].run_id
        assert desk.dialogue.interrupt()
        await desk.dialogue.graphs.ended()
        await desk.orders("/runs")
        await desk.shows("report  stands still")

        desk.dialogue.graphs.change(ChangeRun("cancel", run_id[:10]))
        await desk.dialogue.graphs.ended()
        await desk.presses("escape")
        await desk.orders("/runs")

        await desk.shows("report  cancelled")


ASKING = """
graph:
  name: offer
  steps:
    - {id: ok, approve: "Send {{ input }}?"}
    - {id: look, tool: Bash, args: {command: "touch done"}, out: text}
"""


async def test_what_was_asked_when_a_run_was_left_is_asked_anew_in_the_same_process(tmp_path: Path) -> None:
    async with room_with(tmp_path, PLAIN) as room, room.desk(mode="ask") as desk:
        graphs, asks = desk.dialogue.graphs, desk.here.state.open_asks
        (room.folder / "g.yaml").write_text(ASKING)
        graphs.start(RunGraph("g.yaml", "tea"))
        run_id = ""
        for _ in range(2):
            await desk.until(lambda: [graphs.of_ask(one) for one in asks.values()] == ["offer · ok"])
            (run_id,) = [view.run_id for view in graphs.views]
            await desk.orders("/stop")
            await graphs.ended()
            assert not asks
            graphs.change(ChangeRun("resume", run_id))
        await desk.until(lambda: bool(asks))
        desk.dialogue.ask_for(Answer(ask_id=next(iter(asks)), decision="once"))

        await desk.until(lambda: [graphs.of_ask(one) for one in asks.values()] == ["offer · look"])
        assert desk.dialogue.interrupt()
        await graphs.ended()
        graphs.change(ChangeRun("resume", run_id))
        await desk.until(lambda: [graphs.of_ask(one) for one in asks.values()] == ["offer · look"])
        desk.dialogue.ask_for(Answer(ask_id=next(iter(asks)), decision="once"))
        await graphs.ended()

        assert (room.folder / "done").exists()


async def test_a_run_that_asks_says_so_and_which_of_its_steps_it_is(tmp_path: Path) -> None:
    async with room_with(tmp_path, PLAIN) as room, room.desk(mode="ask") as desk:
        graphs, asks = desk.dialogue.graphs, desk.here.state.open_asks
        (room.folder / "g.yaml").write_text(ASKING)
        graphs.start(RunGraph("g.yaml", "tea"))
        await desk.until(lambda: [graphs.of_ask(one) for one in asks.values()] == ["offer · ok"])
        await desk.orders("/runs")
        await desk.shows("offer  asks you")
        await desk.presses("enter")

        await desk.until(lambda: desk.text.count("asks you") == len(("the run", "its step")))

        assert ["asks you" in line for line in desk.text.splitlines() if " ok" in line or " look" in line] == [
            True,
            False,
        ]
        await desk.presses("q", "escape")
        await desk.orders("/stop")
        await graphs.ended()


async def test_pictures_diffs_and_texts_that_are_kept_are_shown_whole(tmp_path: Path) -> None:
    async with room_with(tmp_path, PLAIN) as room, room.desk() as desk:
        Image.new("RGB", (20, 10), "red").save(room.folder / "red.png")
        (room.folder / "change.diff").write_text("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old words\n+new words\n")
        (room.folder / "long.txt").write_text("\n".join(f"line {number}" for number in range(3000)))
        for name in ("red.png", "change.diff", "long.txt"):
            desk.dialogue.ask_for(await keep_file(desk.here, name))
        await desk.here.session.idle()

        await desk.orders("/artifact")
        await desk.shows("red.png", "change.diff", "long.txt")
        await desk.types("red")
        await desk.hides("long.txt")
        await desk.presses("enter")
        await desk.shows("image/png", "20 x 10")
        await desk.presses("escape")
        await desk.hides("image/png")
        await desk.presses(*["backspace"] * 3, *"change")
        await desk.hides("red.png")
        await desk.presses("enter")
        await desk.shows("-old words", "+new words")
        await desk.presses("q")
        await desk.hides("+new words")
        await desk.presses(*["backspace"] * 6, *"long")
        await desk.hides("change.diff")
        await desk.presses("enter")
        await desk.shows("line 0")
        await desk.presses("G")
        await desk.shows("line 2999")
