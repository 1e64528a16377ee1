"""The end of a newcomer's first quarter of an hour: work that waits for a yes elsewhere, and what a stay leaves behind."""

import json
import re
from pathlib import Path

from e2e.conftest import Serve, Terminals
from e2e.given import Yeaft
from e2e.tui.ways import are_usual, modes
from yeaft.llm.scripted.script import Calls, Line, Says, Script, call

READY = "$0.00"
EMPTY = "> Write a message."
REPORT = """
graph:
  name: prices
  steps:
    - {id: collect, agent: omni, prompt: "Collect: {{ input }}", out: table}
    - {id: ok, approve: "Publish these prices?"}
    - {id: tell, agent: skeptic, prompt: "Tell of {{ steps.collect }}"}
"""
PRICED = """
[models]
primary = "shop/scripted"
[providers.shop]
base_url = "BASE"
protocol = "openai-responses"
api_key = "k"
models = [{id = "scripted", price_usd_per_mtok = {in = 1000.0, out = 1000.0}}]
"""


def files_below(*folders: Path) -> set[Path]:
    return {path for folder in folders for path in folder.rglob("*") if not path.is_dir()}


async def test_a_run_that_waits_in_one_terminal_is_approved_in_another_which_sees_artifact_and_cost(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    collects = Line(when="Collect:", steps=(Says(text="name,price\ntea,3.40\n"),))
    server = await serve(Script(lines=(collects, Line(when="Tell of", steps=(Says(text="Tea costs 3.40."),)))))
    (yeaft.folder / "g.yaml").write_text(REPORT)
    yeaft.dir.mkdir()
    (yeaft.dir / "config.toml").write_text(PRICED.replace("BASE", server.base_url))
    for name in ("YEAFT_BASE_URL", "YEAFT_MODEL", "YEAFT_PROTOCOL"):
        del yeaft.environ[name]
    first, second, third = (terminals(columns=120, rows=30) for _ in range(3))

    first.starts("graph", "run", "-f", "g.yaml", "tea")
    await first.shows("tea,3.40", "ok asks: Publish these prices?", "The run waits.")
    assert await first.leaves() == 3
    assert "Tea costs" not in first.text
    goes_on = re.search(r"To go on: yeaft (.*)", first.text)
    assert goes_on is not None
    second.starts(*goes_on[1].split())
    await second.shows("✓ tell", "Tea costs 3.40.")
    assert await second.leaves() == 0

    cost = re.search(r"prices .*\$(\d+\.\d+)", second.text)
    assert cost is not None, second.text
    assert float(cost[1]) > 0, second.text
    second.starts("graph", "ls")
    await second.shows("completed", "$")
    assert await second.leaves() == 0
    third.starts("artifact", "ls")
    await third.shows("table", "collect")
    assert await third.leaves() == 0
    (artifact,) = json.loads((await yeaft.run("artifact", "ls", "--json")).out)
    assert (artifact["type"], artifact["step"], artifact["created_by"]) == ("table", "collect", "vp:omni")


async def test_a_whole_stay_leaves_files_only_where_config_path_says(
    yeaft: Yeaft, serve: Serve, terminals: Terminals
) -> None:
    del yeaft.environ["YEAFT_DIR"]
    scratch = yeaft.home.parent / "tmp"
    scratch.mkdir()
    yeaft.environ["TMPDIR"] = str(scratch)
    writes = Calls(calls=(call("FileWrite", file_path="list.txt", content="milk\n"),))
    background = Calls(calls=(call("Bash", command="echo on; exec sleep 1000", background=True, taskTitle="server"),))
    await serve(Script(lines=(Line(steps=(writes, background, Says(text="All is done."))),)))
    (yeaft.folder / "notes.txt").write_text("tea\n")
    screen = terminals(columns=100, rows=40)

    screen.starts("--mode", "auto")
    await screen.shows(READY)
    screen.pastes("line\n" * 40)
    screen.types(" write a list and serve it, see @notes.txt ")
    await screen.shows("@notes.txt")
    screen.presses("enter")
    await screen.shows("All is done.", "tasks: 1")
    for line, told in (
        ("/rename first", "first"),
        ("/theme dark", "Theme dark"),
        ("/checkpoint here", "Kept as here"),
        ("/copy", "characters"),
    ):
        screen.types(line)
        await screen.shows(f"> {line}")  # what comes in one piece with an Enter behind it is a paste
        screen.presses("enter")
        await screen.shows(told, EMPTY)
    screen.types("a draft")
    await screen.shows("> a draft")
    screen.presses("ctrl+u")
    await screen.shows(EMPTY)
    screen.presses("ctrl+d")
    await screen.shows("Leave although something runs?", "Type a number")
    screen.types("2")
    assert await screen.leaves() == 0
    assert are_usual(screen), modes(screen)
    assert (await yeaft.run("-p", "-c", "and again?")).code in (0, 1)
    assert (await yeaft.run("search", "milk")).code == 0
    assert (await yeaft.run("doctor")).code in (0, 78)

    named = json.loads((await yeaft.run("config", "path", "--json")).out)
    home = Path(named["home"])
    assert home == yeaft.home / ".yeaft"
    left = files_below(yeaft.home, yeaft.folder, scratch)
    assert {path for path in left if home not in path.parents} == {
        yeaft.folder / "list.txt",
        yeaft.folder / "notes.txt",
    }
    assert any(path.name == "session.db" for path in left)
