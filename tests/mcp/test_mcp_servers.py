"""Real servers, over both ways to them: what they are asked arrives, what they answer comes back, and they can die."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio
from msgspec import Raw, json
from msgspec.structs import replace

from tests.mcp.mcp_given import McpGiven, gone
from yeaft.events.tools import ToolsChanged
from yeaft.kernel.errors import NotFound, ToolFailed
from yeaft.mcp.host_protocol import Elicited, Result
from yeaft.mcp.job import Filled
from yeaft.mcp.server import McpServer

BOTH = pytest.mark.parametrize("way", ["stdio", "http"])
together = pytest.mark.asyncio(loop_scope="module")


def args(**named: object) -> Raw:
    return Raw(json.encode(named))


def texts(result: Result) -> list[str]:
    return [part.text for part in result.parts if part.kind == "text"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[McpGiven]:
    """The sample server over both ways, connected once for all stories that leave it as it was."""
    async with AsyncExitStack() as stack:
        stories = McpGiven(tmp_path_factory.mktemp("shared"), stack)
        await stories.diary.open()
        over_http, _ = await stories.http("http")
        impatient = (replace(over_http, name=f"within {s} s", call_timeout_s=s) for s in (0.3, 1.5, 2.0))
        stories.common = stories.servers(stories.stdio("stdio"), over_http, *impatient)
        stories.over_http = over_http
        yield stories
        await stories.close()


@BOTH
@together
async def test_a_tool_is_called_and_its_result_comes_back(shared: McpGiven, way: str) -> None:
    result = await shared.common.call(way, "add", args(a=1, b=2))

    assert result.failed is False
    assert texts(result) == ["3"]
    assert result.structured == '{"result":3}'


@BOTH
@together
async def test_resources_and_prompts_are_read(shared: McpGiven, way: str) -> None:
    (listed,) = (await shared.common.read(way)).parts
    (note,) = (await shared.common.read(way, "note://today")).parts
    (greeting,) = (await shared.common.prompt(way, "greet", {"who": "Bo"})).parts

    assert (listed.uri, listed.name) == ("note://today", "today")
    assert note.text == "Buy milk."
    assert greeting.text == "Say hello to Bo."
    assert (way, "greet") in [(server, prompt.name) for server, prompt in shared.common.prompts()]
    assert way in shared.common.resource_servers()


@BOTH
@together
async def test_cancelling_a_call_cancels_it_at_the_server(shared: McpGiven, way: str) -> None:
    shared.diary.lines.clear()
    calling = asyncio.create_task(shared.common.call(way, "wait", args()))
    await shared.diary.has("wait began")

    calling.cancel()

    with pytest.raises(asyncio.CancelledError):
        await calling
    await shared.diary.has("wait cancelled")
    assert texts(await shared.common.call(way, "add", args(a=2, b=2))) == ["4"]


@BOTH
@together
async def test_a_question_of_the_server_is_put_to_the_human(shared: McpGiven, way: str) -> None:
    asked: list[Elicited] = []

    async def fill(question: Elicited) -> Filled:
        asked.append(question)
        return Filled(fields={"name": "tea", "count": 2, "wrapped": True})

    result = await shared.common.call(way, "order", args(), elicit=fill)

    assert [question.message for question in asked] == ["What shall it be?"]
    assert texts(result) == ['accept: {"name":"tea","count":2,"wrapped":true}']


@together
async def test_a_question_that_nobody_can_be_asked_is_declined(shared: McpGiven) -> None:
    async def nobody_there(question: Elicited) -> None:
        raise ToolFailed("Nobody is here.")

    unasked = await shared.common.call("stdio", "order", args())
    unheard = await shared.common.call("stdio", "order", args(), elicit=nobody_there)

    assert (texts(unasked), texts(unheard)) == (["decline: -"], ["decline: -"])


@together
async def test_a_server_sees_its_own_variables_and_the_others_it_was_given(shared: McpGiven) -> None:
    names = ("SAMPLE_DIARY", "PATH")

    values = [texts(await shared.common.call("stdio", "environment", args(name=name))) for name in names]

    assert values == [[str(shared.diary.port)], [os.environ["PATH"]]]


@together
async def test_a_large_result_comes_whole(shared: McpGiven) -> None:
    (text,) = texts(await shared.common.call("stdio", "huge", args(megabytes=3)))

    assert len(text) == 3 * 1024 * 1024


@together
async def test_a_name_that_is_no_server_is_said(shared: McpGiven) -> None:
    with pytest.raises(NotFound, match="There is no MCP server 'samples'"):
        await shared.common.call("samples", "add", args())


@together
async def test_progress_is_shown_and_gives_the_server_its_time_again(shared: McpGiven) -> None:
    await shared.common.connect("within 2.0 s")
    shown: list[str] = []

    result = await shared.common.call("within 2.0 s", "march", args(steps=6, pause_s=0.4), show=shown.append)

    assert texts(result) == ["arrived"]
    assert shown == [f"{step}/6 step {step}\n" for step in range(1, 7)]


@together
async def test_a_server_that_says_nothing_is_too_slow_and_is_told_so(shared: McpGiven) -> None:
    await shared.common.connect("within 0.3 s")
    shared.diary.lines.clear()

    with pytest.raises(ToolFailed, match=r"did not answer within 0\.3 s"):
        await shared.common.call("within 0.3 s", "wait", args())

    await shared.diary.has("wait cancelled")


@together
async def test_a_question_does_not_use_up_the_time_of_the_call(shared: McpGiven) -> None:
    await shared.common.connect("within 1.5 s")
    lunch = asyncio.Event()

    async def fill(question: Elicited) -> None:
        asyncio.get_running_loop().call_later(1.8, lunch.set)
        await lunch.wait()

    assert texts(await shared.common.call("within 1.5 s", "order", args(), elicit=fill)) == ["decline: -"]


@BOTH
async def test_a_server_that_is_killed_fails_the_call_and_the_next_one_works(given: McpGiven, way: str) -> None:
    if way == "stdio":
        servers, sample = given.servers(given.odd("sample", "able")), None
        await servers.connect("sample")
    else:
        server, sample = await given.http()
        servers = given.servers(server)
        await servers.call("sample", "add", args(a=1, b=1))
        await sample.kill()
        await sample.start()
        assert texts(await servers.call("sample", "add", args(a=20, b=3))) == ["23"], "by the one started meanwhile"
        await given.diary.has("add 20 3")
        assert given.diary.lines.count("add 20 3") == 1
        given.told.clear()
    calling = asyncio.create_task(servers.call("sample", "wait", args()))
    await given.diary.has("wait began")

    os.kill(given.diary.pids[-1], signal.SIGKILL)

    with pytest.raises(ToolFailed, match="was lost") as lost:
        await calling
    assert "what it has done is unknown" in str(lost.value)
    if sample is not None:
        await sample.kill()
        await sample.start()
    assert texts(await servers.call("sample", "add", args(a=1, b=1))) == ["2"]
    assert given.notices() == ["mcp.failed"]


async def test_when_the_host_is_killed_its_servers_go_and_both_come_back(given: McpGiven) -> None:
    servers = given.servers(given.odd("sample", "able"))
    await servers.connect("sample")
    calling = asyncio.create_task(servers.call("sample", "wait", args()))
    await given.diary.has("wait began")

    os.kill(host_of(given), signal.SIGKILL)

    with pytest.raises(ToolFailed, match="the process that talks to it has ended"):
        await calling
    await gone(given.diary.pids[0])
    assert texts(await servers.call("sample", "add", args(a=1, b=1))) == ["2"]


async def test_closing_ends_the_servers_and_whoever_waits(given: McpGiven) -> None:
    servers = given.servers(given.odd("sample", "able"))
    await servers.connect("sample")
    calling = asyncio.create_task(servers.call("sample", "wait", args()))
    await given.diary.has("wait began")

    await servers.aclose()

    with pytest.raises(ToolFailed, match="the session ends"):
        await calling
    await gone(*given.diary.pids)


@pytest.mark.parametrize(
    ("command", "said"),
    [(("/nowhere/at-all",), "not found|No such file"), (("/bin/sh", "-c", "exit 3"), "exit code 3")],
)
async def test_a_server_that_cannot_be_started_says_why(given: McpGiven, command: tuple[str, ...], said: str) -> None:
    server = McpServer(name="broken", command=command[0], args=command[1:])
    servers = given.servers(server)

    with pytest.raises(ToolFailed, match=said):
        await servers.connect("broken")

    (status,) = servers.statuses()
    assert status.state == "failed"
    assert given.notices() == ["mcp.failed"]


async def test_what_a_server_says_beside_the_protocol_is_in_its_log(given: McpGiven) -> None:
    servers = given.servers(given.odd("odd", "dies"))

    with pytest.raises(ToolFailed, match="exit code 3"):
        await servers.connect("odd")

    log = given.home / "logs" / "mcp" / "odd.log"
    assert "err no, I do not want to" in log.read_text()
    assert log.stat().st_mode & 0o077 == 0


async def test_what_is_offered_is_told_as_an_event(given: McpGiven, shared: McpGiven) -> None:
    some = replace(shared.over_http, name="sample", include=("add", "f*"), exclude=("fai?",))
    servers = given.servers(some)
    assert servers.offered() == ()
    await servers.connect("sample")

    (event,) = given.told
    (tool,) = servers.offered()

    assert given.told == [event]
    assert isinstance(event, ToolsChanged)
    assert (tool.name, tool.description) == ("mcp__sample__add", "Add two numbers.")
    assert (event.server, event.tools, event.reason) == ("sample", ("mcp__sample__add",), "connected")


def host_of(given: McpGiven) -> int:
    """The process between us and the servers."""
    import psutil

    return psutil.Process(given.diary.pids[-1]).ppid()
