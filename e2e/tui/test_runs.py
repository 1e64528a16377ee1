"""Graphs on the whole screen: watched while they go on, asked by, looked into, stopped, and gone on with."""

import os
import signal

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.graphs_given import ANSWERS, CHAIN, put
from e2e.tui.runs_given import FORKED, HELD, PLAIN, READY, SURE, answer, begun, goes_back, rows
from yeaft.llm.scripted.script import Calls, Holds, Line, Says, Script, ScriptedCall


async def test_a_fork_is_watched_an_approval_is_given_and_each_step_can_be_read(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    server = await serve(
        Script(
            lines=(
                answer("Left:", "from the left", gate="left"),
                answer("Right:", "from the right"),
                answer("Write from", "All is written."),
                PLAIN,
            )
        )
    )
    put(yeaft, FORKED)
    screen = await begun(terminals, columns=100, rows=30)

    await screen.shows("◇ offer  1/4 steps", "left @omni")
    server.release("left")
    await screen.shows("offer · ok asks", "Send", "offer  2/4 steps  asks you", "1 yes, once")
    screen.types("1")
    await screen.shows("graph offer completed: 4 steps done", "All is written.", "/runs shows its steps")
    await screen.hides("4/4 steps")
    screen.types("/runs")
    screen.presses("enter")
    await screen.shows("Runs of graphs", "offer  completed")
    screen.presses("enter")
    await screen.shows("├─ ✓ left   @omni", "├─ ✓ right  @skeptic", "└─ ✓ write  @omni")
    screen.presses("enter")
    await screen.shows("offer · left", "> Left: tea", "from the left")
    screen.types("q")
    await screen.shows("└─ ✓ write")
    await goes_back(screen)
    screen.types("/quit")
    screen.presses("enter")

    assert await screen.leaves() == 0
    assert rows(yeaft) == [("offer", "completed", 4)]


async def test_escape_and_ctrl_c_let_a_run_stand_still_it_is_gone_on_with_and_who_leaves_can_wait_for_it(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    server = await serve(HELD)
    put(yeaft, CHAIN)
    screen = await begun(terminals, columns=100, rows=30)
    await screen.shows("report  1/2 steps", "write @skeptic")
    await server.reached("write")

    screen.presses("escape")
    await screen.shows("graph report stands still: 1 steps done", "/runs resume")
    await screen.hides("1/2 steps")
    screen.types("/runs")
    screen.presses("enter")
    await screen.shows("report  stands still")
    screen.presses("enter")
    await screen.shows("└─", "write", "try again, go on")
    screen.types("r")
    await screen.shows("└─ ▸ write")
    await goes_back(screen)
    await screen.shows("report  1/2 steps")

    screen.presses("ctrl+c")
    await screen.hides("1/2 steps")
    await screen.shows(lambda text: text.count("graph report stands still") == 2)
    screen.types("/runs resume last")
    screen.presses("enter")
    await screen.shows("report  1/2 steps")

    screen.presses("ctrl+d")
    await screen.shows("Graph report runs", SURE)
    screen.types("3")
    await screen.shows("Leaving as soon as nothing runs.")
    server.release("write")

    assert await screen.leaves() == 0
    assert rows(yeaft) == [("report", "completed", 2)]
    assert sum("Gather:" in str(one.body) for one in server.requests) == 1


async def test_a_run_whose_process_was_killed_is_told_and_gone_on_with(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    server = await serve(
        Script(
            lines=(
                answer("Left:", "from the left"),
                answer("Right:", "from the right"),
                answer("Write from", "All is written."),
                PLAIN,
            )
        )
    )
    put(yeaft, FORKED)
    first = terminals()
    first.starts()
    await first.shows(READY)
    first.types("/graph g.yaml tea")
    first.presses("enter")
    await first.shows("offer · ok asks")
    os.kill(first.pid, signal.SIGKILL)
    await first.leaves()

    second = terminals()
    second.starts("-c")
    await second.shows("of graph offer has not ended", "/runs resume r_", "offer · ok asks")
    second.sends(b"\x1ba")
    await second.shows("1 yes, once")
    second.types("1")

    await second.shows("graph offer completed", "All is written.")
    assert rows(yeaft) == [("offer", "completed", 4)]
    assert len(server.requests) == 3


async def test_who_leaves_while_a_run_goes_on_is_asked_and_goes_on_with_it_later(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    server = await serve(HELD)
    put(yeaft, CHAIN)
    screen = await begun(terminals)
    await server.reached("write")

    screen.presses("ctrl+d")
    await screen.shows("Leave although something runs?", "Graph report runs; it stands still then", SURE)
    screen.types("2")
    assert await screen.leaves() == 0
    server.release("write")
    resumed = await yeaft.run("graph", "resume", "last")

    assert (resumed.code, resumed.out.decode()) == (0, "A report.\n")


async def test_what_a_vp_of_a_step_may_not_do_is_asked_with_the_steps_name_and_answered_in_the_next_process(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    writes = Calls(calls=(ScriptedCall(tool="FileWrite", id="w1", args={"file_path": "a.txt", "content": "x\n"}),))
    await serve(Script(lines=(Line(when="Gather:", steps=(writes, Says(text="three facts"))), PLAIN)))
    put(yeaft, CHAIN)
    first = terminals()
    first.starts()
    await first.shows(READY)
    first.types("/graph g.yaml tea")
    first.presses("enter")
    await first.shows("@omni asks  report · gather", "a.txt", "report  0/2 steps  asks you", "1 yes, once")
    os.kill(first.pid, signal.SIGKILL)
    await first.leaves()

    second = terminals()
    second.starts("-c")
    await second.shows("report · gather", "a.txt")
    second.sends(b"\x1ba")
    await second.shows("1 yes, once")
    second.types("1")

    await second.shows("graph report completed")
    assert (yeaft.folder / "a.txt").read_text() == "x\n"


async def test_a_vote_is_watched_at_forty_columns_in_chinese(yeaft: Yeaft, serve: Serve, terminals: Terminals) -> None:
    server = await serve(
        Script(
            lines=(
                Line(
                    steps=(Holds(of=Says(text='{"answer": "42", "reason": "6*7"}'), after_events=0, gate="go"),),
                    repeat=True,
                ),
            )
        )
    )
    screen = await begun(
        terminals,
        "/flow vote @omni @skeptic 6*7?",
        columns=40,
        rows=24,
        LANG="zh_CN.UTF-8",
        YEAFT_LANG="zh",
        NO_COLOR="1",
    )

    await screen.shows("◇ vote  0/", "步")
    server.release("go")
    await screen.shows("图 vote 已完成", "42")


async def test_a_flow_that_a_vp_asks_for_is_watched_like_any_other(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    asks = Calls(calls=(ScriptedCall(tool="RunFlow", args={"flow": 'chain @builder @skeptic "a pot of tea"'}),))
    server = await serve(
        Script(
            lines=(
                Line(vp="omni", when="brew", steps=(asks, Says(text="Tea is ready."))),
                Line(vp="builder", steps=(Says(text="hot water"),)),
                Line(vp="skeptic", steps=(Holds(of=Says(text="green tea"), after_events=0, gate="leaves"),)),
            )
        )
    )
    yeaft.dir.mkdir()
    (yeaft.dir / "config.toml").write_text("[graphs]\nvps_may_start = true\n", encoding="utf-8")
    screen = await begun(terminals, "brew some", columns=100, rows=30)

    await screen.shows("RunFlow", 'chain @builder @skeptic "a pot of tea"', "1 yes, once")
    screen.types("1")
    await screen.shows("◇ chain  1/2 steps", "@skeptic")
    server.release("leaves")
    await screen.shows("Tea is ready.")
    await screen.hides("◇ chain")
    screen.types("/quit")
    screen.presses("enter")

    assert await screen.leaves() == 0
    assert rows(yeaft) == [("chain", "completed", 2)]


async def test_a_session_that_holds_runs_alone_says_so_and_how_they_are_shown(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    await serve(ANSWERS)
    put(yeaft, CHAIN)
    ran = await yeaft.run("graph", "run", "g.yaml", "tea", "-q")
    assert ran.code == 0, ran.err
    screen = terminals(columns=100, rows=30)
    screen.starts("-c")

    await screen.shows(READY, "graphs were run, the newest first: report (completed). /runs")
    screen.types("/runs")
    screen.presses("enter")
    await screen.shows("Runs of graphs", "report  completed")
    screen.presses("escape")
    await screen.hides("Runs of graphs")
    screen.presses("ctrl+d")

    assert await screen.leaves() == 0
