"""Servers that others have written, as their users start them."""

import asyncio
import sys
from pathlib import Path

import pytest
from msgspec import Raw, json

from tests.mcp.mcp_given import LONG_S, McpGiven
from tests.session.session_given import calls, says, tools_of
from yeaft.events.tools import ToolsChanged
from yeaft.mcp.server import McpServer


def published(name: str, module: str, *words: str) -> McpServer:
    return McpServer(name=name, command=sys.executable, args=("-m", module, *words), connect_timeout_s=LONG_S)


@pytest.fixture
async def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    for words in (("init", "-q", "-b", "main"), ("commit", "-q", "--allow-empty", "-m", "Begin")):
        identity = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")
        process = await asyncio.create_subprocess_exec("git", *identity, *words, cwd=folder)
        assert await process.wait() == 0
    return folder


async def test_the_git_server_tells_the_log(given: McpGiven, repository: Path) -> None:
    git = published("git", "mcp_server_git", "--repository", str(repository))
    script = [says("Hi."), calls("mcp__git__git_log", "c1", repo_path=str(repository)), says("One commit.")]
    talk = await given.talk(*script, servers=(git,), allow=("mcp__git",))
    talk.say("hello")
    await talk.outcome()
    await talk.heard_of(ToolsChanged)

    talk.say("What happened?")

    assert await talk.outcome() == "answered"
    assert {"mcp__git__git_status", "mcp__git__git_diff"} <= set(tools_of(talk.server.requests[1]))
    assert "Begin" in talk.told_model("c1")


async def test_the_time_server_converts_times(given: McpGiven) -> None:
    servers = given.servers(published("time", "mcp_server_time"))
    asked = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Shanghai"}

    result = await servers.call("time", "convert_time", Raw(json.encode(asked)))

    assert result.failed is False
    assert "20:00:00+08:00" in result.parts[0].text
