"""What the steps of one run share saves time, and no step is told or offered what belongs to another."""

from collections.abc import Mapping
from typing import Any

from e2e.conftest import Serve
from e2e.given import Yeaft
from yeaft.llm.scripted.script import Calls, Line, Says, Script, call

STEPS = """
graph:
  steps:
    - {id: one, agent: ann, prompt: "One"}
    - {id: reader, agent: ann, workspace: read, prompt: "Reader"}
    - {id: typed, agent: ann, out: list, prompt: "Typed"}
    - {id: other, agent: ben, prompt: "Other"}
    - {id: again, agent: ann, prompt: "Again"}
"""


def said(body: Mapping[str, Any]) -> str:
    return next(text for text in ("Reader", "Typed", "Other", "Again", "One") if text in str(body["input"]))


async def test_each_step_is_told_who_it_is_and_offered_what_is_its_own(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(Script(lines=(Line(when="", steps=(Says(text='["typed"]'),), repeat=True),)))
    (yeaft.folder / "g.yaml").write_text(STEPS)
    for name in ("ann", "ben"):
        path = yeaft.dir / "vps" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\nname: {name.title()}\n---\nYou always speak as {name}.\n")

    ran = await yeaft.run("graph", "run", "g.yaml", "go", "-q", "--mode", "auto")

    assert ran.code == 0, ran
    told = {said(one.body): one.body for one in server.requests}
    tools = {step: {tool["name"] for tool in body["tools"]} for step, body in told.items()}
    assert tools["One"] == tools["Again"] == tools["Other"]
    assert tools["Typed"] == tools["One"] | {"FinishStep"}
    assert tools["Reader"] < tools["One"] - {"Bash", "FileWrite"}
    assert told["One"]["instructions"] == told["Again"]["instructions"]
    assert {step for step, body in told.items() if "You always speak as ben." in body["instructions"]} == {"Other"}


async def test_what_a_step_has_read_another_has_not(yeaft: Yeaft, serve: Serve) -> None:
    read = Calls(calls=(call("FileRead", file_path="notes.txt"),))
    write = Calls(calls=(call("FileWrite", file_path="notes.txt", content="eggs\n"),))
    lines = (
        Line(when="Look", steps=(read, Says(text="milk")), order="round"),
        Line(when="Change", steps=(write, Says(text="changed")), order="round"),
    )
    server = await serve(Script(lines=lines))
    (yeaft.folder / "notes.txt").write_text("milk\n")
    (yeaft.folder / "g.yaml").write_text(
        """
        graph:
          steps:
            - {id: look, agent: omni, prompt: Look}
            - {id: meanwhile, tool: Bash, args: {command: echo bread > notes.txt}}
            - {id: change, agent: omni, prompt: Change}
        """
    )

    ran = await yeaft.run("graph", "run", "g.yaml", "go", "-q", "--mode", "auto")

    assert (ran.code, ran.out) == (0, b"changed\n"), ran
    assert (yeaft.folder / "notes.txt").read_text() == "eggs\n"
    assert "Overwrote notes.txt" in str(server.requests[-1].body["input"])
