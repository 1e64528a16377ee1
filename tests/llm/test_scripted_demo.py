"""The demo keeps its word: what its script claims about its files is true, and each of its questions has its answer."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.llm import sdks
from yeaft.llm.scripted.demo import Demo, lay_out, read_demo
from yeaft.llm.scripted.script import Calls, Says, ScriptedCall
from yeaft.llm.scripted.server import ScriptedServer

LANGS = ("en", "zh")
TOOLS = {"FileRead", "FileEdit", "ListDir", "Grep", "FileWrite", "Bash", "TodoWrite", "RouteForward"}


def calls_of(demo: Demo) -> Iterator[ScriptedCall]:
    for line in demo.script.lines:
        for step in line.steps:
            if isinstance(step, Calls):
                yield from step.calls


async def converse(server: ScriptedServer, vp: str, text: str) -> str:
    """Answer every call with a made-up result until the model only speaks; return what it says last."""
    heard = [{"role": "user", "content": text}]
    async with sdks.openai.AsyncOpenAI(base_url=server.base_url, api_key="k", max_retries=0) as client:
        while True:
            reply = await client.responses.create(model="scripted", instructions=f"# X (@{vp})", input=heard)
            heard += [item.model_dump(exclude_none=True) for item in reply.output]
            calls = [item for item in reply.output if item.type == "function_call"]
            if not calls:
                return reply.output_text
            heard += [{"type": "function_call_output", "call_id": call.call_id, "output": "ok"} for call in calls]


@pytest.mark.parametrize("lang", LANGS)
def test_the_edit_of_the_demo_fits_its_file_and_mends_the_total(lang: str, tmp_path: Path) -> None:
    demo = read_demo(lang)
    lay_out(demo, tmp_path)
    (edit,) = [call.args for call in calls_of(demo) if call.tool == "FileEdit"]
    (run,) = [call.args["command"] for call in calls_of(demo) if call.tool == "Bash" and "background" not in call.args]
    file = tmp_path / edit["file_path"]

    assert file.read_text("utf-8").count(edit["old_string"]) == 1
    file.write_text(file.read_text("utf-8").replace(edit["old_string"], edit["new_string"]), "utf-8")
    done = subprocess.run(
        [sys.executable, *run.split()[1:]], cwd=tmp_path, capture_output=True, encoding="utf-8", check=True
    )

    said = [step.text for line in demo.script.lines for step in line.steps if isinstance(step, Says)]
    assert any(done.stdout.strip() in text for text in said), done.stdout


@pytest.mark.parametrize("lang", LANGS)
def test_the_demo_reads_only_files_it_laid_out_and_calls_only_everyday_tools(lang: str) -> None:
    demo = read_demo(lang)

    assert {call.tool for call in calls_of(demo)} <= TOOLS
    read = {call.args["file_path"] for call in calls_of(demo) if call.tool in ("FileRead", "FileEdit")}
    assert read <= demo.files.keys()


@pytest.mark.parametrize("lang", LANGS)
async def test_each_question_gets_its_own_answer_from_each_vp_it_names(lang: str) -> None:
    demo = read_demo(lang)
    first, second, third = demo.prompts
    (handed_over,) = [call.args["text"] for call in calls_of(demo) if call.tool == "RouteForward"]
    async with ScriptedServer(demo.script) as server:
        answers = [
            await converse(server, "omni", first),
            await converse(server, "skeptic", first),
            await converse(server, "builder", second),
            await converse(
                server, "skeptic", f'<message from="omni" name="Omni" to="@skeptic">{handed_over}</message>'
            ),
        ]
        returned = await converse(server, "omni", answers[-1])
        other = await converse(server, "omni", "What is the meaning of life?")

    assert len({*answers, returned, other}) == 6
    assert "yeaft local setup" in other
    assert third.startswith("@omni ")
    assert "@skeptic" not in third


@pytest.mark.parametrize("lang", LANGS)
def test_the_table_that_is_kept_was_written_before_and_has_the_prices_of_the_notes(lang: str) -> None:
    demo = read_demo(lang)
    (written,) = [call.args for call in calls_of(demo) if call.tool == "FileWrite"]
    *said, order = demo.on_screen

    assert order == f"/artifact {written['file_path']}"
    assert [text for text in said if text in demo.prompts] == list(demo.prompts)
    rows = [line.split(",") for line in written["content"].splitlines()[1:]]
    assert all(f"- {name} {price}" in demo.files["notes.md"] for name, price in rows), rows


def test_an_unknown_language_falls_back_to_english() -> None:
    assert read_demo("tlh") == read_demo("en")


@pytest.mark.parametrize("lang", LANGS)
def test_both_languages_play_the_same_plot(lang: str) -> None:
    def plot(demo: Demo) -> str:
        steps = [[type(step).__name__ for step in line.steps] for line in demo.script.lines]
        return json.dumps([[line.vp for line in demo.script.lines], steps, sorted(demo.files)])

    assert plot(read_demo(lang)) == plot(read_demo("en"))
