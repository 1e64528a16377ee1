"""Logging in at a server over HTTP: the user is told where, the tokens are kept to themselves and used from then on."""

import asyncio
import json
import os
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Raw

from tests.mcp.mcp_given import LONG_S, McpGiven, serving
from yeaft.kernel.errors import NoCredentials, ToolFailed, UsageError
from yeaft.mcp.login import login, logout
from yeaft.mcp.places import tokens_path
from yeaft.mcp.server import McpServer

VAULT = Path(__file__).with_name("login_server.py")
ADD = Raw(b'{"a":1,"b":2}')


@pytest.fixture(scope="module")
def vault() -> Iterator[McpServer]:
    """A server that wants a login; each story comes to it as somebody new."""
    with serving(VAULT) as url:
        yield McpServer(name="vault", kind="http", url=url, connect_timeout_s=LONG_S)


def visit(url: str) -> str:
    """What a browser shows in the end."""
    with urllib.request.urlopen(url) as page:
        return page.read().decode()


class Browser:
    """The user's browser: it opens each address that it is shown, perhaps after `change`."""

    def __init__(self, change: str = "") -> None:
        self.pages: list[str] = []
        self.opened: list[asyncio.Task[str]] = []
        self._change = change

    def show(self, url: str) -> None:
        self.opened.append(asyncio.create_task(asyncio.to_thread(visit, url + self._change)))


async def test_after_a_login_the_server_is_used_with_its_tokens(given: McpGiven, vault: McpServer) -> None:
    before = given.servers(vault)
    with pytest.raises(ToolFailed, match="wants a login"):
        await before.call("vault", "add", ADD)
    assert given.notices() == ["mcp.login"]
    assert before.statuses()[0].state == "login"

    browser = Browser()
    listing = await login(vault, home=given.home, folder=given.folder, environ=os.environ, show=browser.show)

    after = given.servers(vault)
    assert [tool.name for tool in listing.tools] == ["add"]
    assert "You are logged in" in await browser.opened[0]
    assert (await after.call("vault", "add", ADD)).parts[0].text == "3"
    tokens = tokens_path(given.home, vault)
    assert tokens.stat().st_mode & 0o077 == 0
    assert tokens.parent.stat().st_mode & 0o077 == 0
    assert logout(vault, given.home) is True
    assert logout(vault, given.home) is False


async def test_a_login_that_the_user_refuses_leaves_nothing(given: McpGiven, vault: McpServer) -> None:
    refused = Browser()

    def refuse(url: str) -> None:
        back = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["redirect_uri"][0]
        refused.show(f"{back}?error=access_denied&error_description=No+thanks")

    with pytest.raises(NoCredentials, match="the login was refused: No thanks"):
        await login(vault, home=given.home, folder=given.folder, environ=os.environ, show=refuse)

    assert "The login was refused: No thanks" in await refused.opened[0]
    with pytest.raises(ToolFailed, match="wants a login"):
        await given.servers(vault).call("vault", "add", ADD)


async def test_two_that_renew_tokens_at_once_log_each_other_out(given: McpGiven, vault: McpServer) -> None:
    browser = Browser()
    await login(vault, home=given.home, folder=given.folder, environ=os.environ, show=browser.show)
    path = tokens_path(given.home, vault)
    path.write_text(json.dumps({**json.loads(path.read_text()), "expires_at": 1.0}))
    several = [given.servers(vault) for _ in range(2)]

    async with asyncio.TaskGroup() as group:
        answers = [group.create_task(one.call("vault", "add", ADD)) for one in several]

    assert [one.result().parts[0].text for one in answers] == ["3"] * len(several)
    renewed = json.loads(path.read_text())
    assert (await several[0].call("vault", "add", ADD)).parts[0].text == "3"
    assert json.loads(path.read_text()) == renewed


async def test_tokens_that_have_run_out_are_renewed_without_the_user_for_all_who_use_them(
    given: McpGiven, vault: McpServer
) -> None:
    browser = Browser()
    await login(vault, home=given.home, folder=given.folder, environ=os.environ, show=browser.show)
    path = tokens_path(given.home, vault)
    first, other = given.servers(vault), given.servers(vault)
    await first.call("vault", "add", ADD)
    kept = json.loads(path.read_text())
    path.write_text(json.dumps({**kept, "expires_at": 1.0}))
    result = await other.call("vault", "add", ADD)
    renewed = json.loads(path.read_text())
    expired = json.dumps({**renewed, "expires_at": 1.0})
    path.write_text(expired)

    await first.call("vault", "add", ADD)

    assert result.parts[0].text == "3"
    assert renewed["tokens"] != kept["tokens"]
    assert renewed["client"] == kept["client"]
    assert len(browser.opened) == 1
    assert path.read_text() != expired, "with what the other one was given, and not with its own"
    assert (await other.call("vault", "add", ADD)).parts[0].text == "3"


async def test_nobody_logs_in_at_a_command(given: McpGiven) -> None:
    with pytest.raises(UsageError, match="is a command"):
        await login(given.stdio(), home=given.home, folder=given.folder, environ=os.environ, show=print)
