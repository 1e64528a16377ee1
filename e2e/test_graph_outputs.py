"""What steps give is what their type says, and is whole: a VP hears what is wrong, and its user what was left out."""

import asyncio
from pathlib import Path

from e2e.conftest import Serve
from e2e.given import Yeaft
from e2e.graphs_given import put, visits
from yeaft.llm.scripted.script import Calls, Line, Says, Script, ScriptedCall

TABLE = "graph: {name: prices, steps: [{id: collect, agent: omni, prompt: Collect, out: table}]}"
PROSE = "I could not find any prices."


async def test_words_in_place_of_a_table_are_sent_back_until_there_is_one(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(Script(lines=(Line(steps=(Says(text=PROSE), Says(text="item,price\nmilk,2\n"))),)))
    put(yeaft, TABLE)

    ran = await yeaft.run("graph", "run", "g.yaml", "--json")

    assert (ran.code, ran.result["value"]) == (0, [{"item": "milk", "price": 2}]), ran.err
    assert "One line of one cell is no table." in str(server.requests[1].body)
    assert len(server.requests) == 2


async def test_a_step_that_only_ever_gives_words_for_its_table_fails_and_says_why(yeaft: Yeaft, serve: Serve) -> None:
    await serve(Script(lines=(Line(steps=(Says(text=PROSE),), repeat=True),)))
    put(yeaft, TABLE)

    ran = await yeaft.run("graph", "run", "g.yaml", "--json")
    told = await yeaft.run("graph", "run", "g.yaml", "--lang", "zh")

    assert (ran.code, told.code) == (1, 1)
    assert "cannot be kept as table: One line of one cell is no table." in ran.result["error"]
    assert "只有一行一格的不是表格。" in told.err
    assert yeaft.here("artifact", "ls", "--json").out == b"[]\n"


async def test_a_table_without_rows_is_one_if_its_columns_have_names(yeaft: Yeaft, serve: Serve) -> None:
    await serve(Script(lines=(Line(steps=(Says(text="item,price"),), repeat=True),)))
    put(yeaft, TABLE)

    ran = await yeaft.run("graph", "run", "g.yaml", "--json")

    assert (ran.code, ran.result["value"]) == (0, []), ran.err


FLOOD = """
graph:
  name: flood
  steps:
    - {id: print, tool: Bash, args: {command: "seq 1 200000"}}
    - {id: look, agent: omni, prompt: "{{ input[-200:] }}"}
"""


async def test_what_was_left_out_of_what_a_command_printed_is_told_once_with_the_place_of_all(
    yeaft: Yeaft, serve: Serve
) -> None:
    server = await serve(Script(lines=(Line(steps=(Says(text="many"),), repeat=True),)))
    put(yeaft, FLOOD)

    ran = await yeaft.run("graph", "run", "g.yaml", "--allow", "Bash(seq:*)")
    (step, _) = visits(yeaft)
    logged = yeaft.here("graph", "logs", "last", "--lang", "zh").out.decode()

    assert ran.code == 0, ran.err
    assert step["left_out_bytes"] == 1_288_895 - 256 * 1024
    assert (await asyncio.to_thread(Path.read_text, Path(step["log"]))).endswith("\n199999\n200000\n")
    told = f"step print: 1.0 MB of what it printed were left out of what it gave; all of it: {step['log']}"
    assert ran.err.splitlines().count(told) == 1
    assert logged.count(step["log"]) == 1
    assert told in yeaft.here("graph", "logs", "last", "--step", "print").out.decode()
    assert f"[all output: {step['log']}]" in str(server.requests[0].body)


async def test_a_conversation_hears_what_was_left_out_too(yeaft: Yeaft, serve: Serve) -> None:
    await serve(Script(lines=(Line(steps=(Says(text="many"),), repeat=True),)))
    put(yeaft, FLOOD)

    ran = await yeaft.run("--line", "--allow", "Bash(seq:*)", given=b"/graph g.yaml\n/quit\n")

    shown = ran.out.decode() + ran.err
    assert shown.count("step print: 1.0 MB of what it printed were left out") == 1, shown


async def test_a_typed_output_that_was_cut_fails_rather_than_goes_on_in_part(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(Script(lines=(Line(steps=(Says(text="many"),), repeat=True),)))
    for out in ("json", "list", "table", "diff"):
        put(yeaft, FLOOD.replace('200000"}', f'200000"}}, out: {out}'))

        ran = await yeaft.run("graph", "run", "g.yaml", "--allow", "Bash(seq:*)", "--json")

        assert ran.code == 1, ran.err
        assert f"1,026,751 bytes of what it printed were left out, so it is no whole {out}." in ran.result["error"]
    assert server.requests == []


READ = """
graph:
  name: reads
  steps:
    - {id: look, tool: FileRead, args: {file_path: shop/prices.txt}}
    - {id: judge, agent: omni, prompt: "Judge {{ input }}"}
"""


async def test_instructions_for_vps_are_no_part_of_what_a_tool_gives(yeaft: Yeaft, serve: Serve) -> None:
    read = ScriptedCall(tool="FileRead", args={"file_path": "shop/prices.txt"})
    server = await serve(Script(lines=(Line(steps=(Calls(calls=(read,)), Says(text="cheap"))),)))
    (yeaft.folder / "shop").mkdir()
    (yeaft.folder / "shop" / "prices.txt").write_text("milk 2\n")
    (yeaft.folder / "shop" / "AGENTS.md").write_text("Prices are in euros.\n")
    put(yeaft, READ)

    ran = await yeaft.run("--trust", "graph", "run", "g.yaml", "--json")

    assert (ran.code, ran.result["value"]) == (0, "cheap"), ran.err
    assert visits(yeaft)[0]["value"] == "1\tmilk 2"
    assert ["Prices are in euros." in str(request.body) for request in server.requests] == [False, True]
