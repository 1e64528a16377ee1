"""Keys reach the provider they belong to, and nobody else."""

import asyncio
import os
import sys
from pathlib import Path

import msgspec
import pytest

from yeaft.config.settings import Config
from yeaft.kernel.errors import NoCredentials
from yeaft.llm.catalogue import read_catalogue
from yeaft.llm.credentials import Credentials, scrubbed, secret_names
from yeaft.llm.router import Route, resolve
from yeaft.prompts.find import templates_dir

CATALOGUE = read_catalogue(templates_dir())


def route(ref: str = "claude-opus", environ: dict | None = None, **provider) -> Route:
    table = {"providers": {"anthropic": provider}} if provider else {}
    return resolve(msgspec.convert(table, Config), environ or {}, CATALOGUE, ref)


class Command:
    """A command for a key that counts its runs in a file."""

    def __init__(self, folder: Path, body: str) -> None:
        self.runs = folder / "runs"
        self.script = folder / "key.py"
        self.script.write_text(
            f"import sys, time\nruns = open({str(self.runs)!r}, 'a+'); runs.write('x'); runs.seek(0)\n"
            f"count = len(runs.read())\n{body}\n"
        )

    def route(self) -> Route:
        return route(api_key_cmd=[sys.executable, str(self.script)])

    @property
    def count(self) -> int:
        return len(self.runs.read_text())


async def test_each_kind_of_key_goes_into_its_header() -> None:
    environ = {"ANTHROPIC_API_KEY": " sk-a\n", "ANTHROPIC_AUTH_TOKEN": "t", "OPENAI_API_KEY": "sk-o"}
    credentials = Credentials(environ)

    assert await credentials.headers(route(environ=environ)) == {"x-api-key": "sk-a"}
    assert await credentials.headers(route("gpt-5", environ)) == {"authorization": "Bearer sk-o"}
    token_only = route(environ={"ANTHROPIC_AUTH_TOKEN": "t"})
    assert await credentials.headers(token_only) == {"authorization": "Bearer t"}
    given = route(api_key="k", auth="bearer", headers={"x-team": "blue"})
    assert await credentials.headers(given) == {"x-team": "blue", "authorization": "Bearer k"}
    assert await credentials.headers(route("local")) == {}


async def test_a_missing_variable_is_named_with_the_way_out() -> None:
    with pytest.raises(NoCredentials, match="ANTHROPIC_API_KEY, which is not set"):
        await Credentials({}).headers(route())


async def test_a_key_that_no_header_can_carry_is_refused_without_being_shown() -> None:
    for value in ("sk\nx-evil: 1", "ключ"):
        environ = {"ANTHROPIC_API_KEY": value}
        with pytest.raises(NoCredentials) as caught:
            await Credentials(environ).headers(route(environ=environ))
        assert value not in str(caught.value)


async def test_a_command_runs_once_for_all_who_ask(tmp_path: Path) -> None:
    command = Command(tmp_path, "print('sk-1')")
    credentials = Credentials({})

    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(credentials.headers(command.route())) for _ in range(5)]

    assert [task.result() for task in asked] == [{"x-api-key": "sk-1"}] * 5
    assert command.count == 1


async def test_a_refused_key_is_renewed_once_however_many_were_refused(tmp_path: Path) -> None:
    command = Command(tmp_path, "print(f'sk-{count}')")
    credentials = Credentials({})
    old = await credentials.headers(command.route())

    async with asyncio.TaskGroup() as group:
        renewals = [group.create_task(credentials.renewed(command.route(), old)) for _ in range(4)]

    assert [task.result() for task in renewals] == [{"x-api-key": "sk-2"}] * 4
    assert command.count == 2


async def test_there_is_nothing_to_renew_when_the_key_stays_the_same(tmp_path: Path) -> None:
    command = Command(tmp_path, "print('sk-1')")
    credentials = Credentials({"ANTHROPIC_API_KEY": "k"})
    old = await credentials.headers(command.route())

    assert await credentials.renewed(command.route(), old) is None
    assert await credentials.renewed(route(), {"x-api-key": "k"}) is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("print('sk-secret'); sys.exit(3)", "failed with exit code 3"),
        ("pass", "it is empty"),
        ("print('sk-secret'); print('more')", "line breaks"),
        ("print('sk-secret' * 10000)", "which is no key"),
    ],
)
async def test_a_command_that_gives_no_key_is_named_and_its_output_is_not(tmp_path: Path, body: str, said: str) -> None:
    command = Command(tmp_path, body)

    with pytest.raises(NoCredentials) as caught:
        await Credentials({}).headers(command.route())

    assert said in str(caught.value)
    assert "providers.anthropic.api_key_cmd" in str(caught.value)
    assert "secret" not in str(caught.value)


async def test_a_command_that_hangs_is_named(tmp_path: Path) -> None:
    command = Command(tmp_path, "time.sleep(600)")

    with pytest.raises(NoCredentials, match=r"printed no key within 0\.05 s"):
        await Credentials({}, command_timeout_s=0.05).headers(command.route())


async def test_nothing_a_command_started_outlives_the_turn_that_wanted_its_key(tmp_path: Path) -> None:
    pipe = tmp_path / "held-open-while-it-lives"
    os.mkfifo(pipe)
    command = Command(tmp_path, f"import subprocess; subprocess.run(['sh', '-c', 'echo up; sleep 600 > {pipe}'])")
    asking = asyncio.create_task(Credentials({}).headers(command.route()))
    reader = await asyncio.to_thread(pipe.open, "rb")

    asking.cancel()

    async with asyncio.timeout(30):
        assert await asyncio.to_thread(reader.read) == b""
    reader.close()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_a_command_that_does_not_exist_is_named() -> None:
    with pytest.raises(NoCredentials, match=r"api_key_cmd \(no-such-command\) cannot be run: No such file"):
        await Credentials({}).headers(route(api_key_cmd=["no-such-command"]))


def test_children_get_the_environment_without_the_providers_keys() -> None:
    config = msgspec.convert(
        {"providers": {"box": {"api_key_env": "BOX_KEY"}, "gate": {"api_key": "given-secret"}}}, Config
    )
    environ = {
        "PATH": "/bin",
        "ANTHROPIC_API_KEY": "sk-anthropic",
        "OPENAI_API_KEY": "sk-openai",
        "YEAFT_API_KEY": "sk-yeaft",
        "BOX_KEY": "sk-box-box",
        "COPY_OF_KEY": "sk-anthropic",
        "GATE": "given-secret",
        "GITHUB_TOKEN": "the user's own",
        "SHORT": "",
    }

    assert scrubbed(environ, config) == {"PATH": "/bin", "GITHUB_TOKEN": "the user's own", "SHORT": ""}
    assert {"BOX_KEY", "COPY_OF_KEY", "ANTHROPIC_AUTH_TOKEN"} <= secret_names(config, environ)
