"""Keys: where they come from, the header that carries them, and keeping them away from child processes."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping
from typing import assert_never

from yeaft.config.settings import Config
from yeaft.kernel.errors import NoCredentials
from yeaft.llm.providers import KEY_VARIABLES, CommandKey, GivenKey, NoKey, VariableKey
from yeaft.llm.router import Route

COMMAND_TIMEOUT_S = 10.0
SHORTEST_SECRET_CHARS = 8
LONGEST_KEY_BYTES = 16_384
ALWAYS_SECRET = (
    "YEAFT_API_KEY",
    "TAVILY_API_KEY",
    "BRAVE_API_KEY",
    *(name for names in KEY_VARIABLES.values() for name in names),
)


class Credentials:
    """The keys of one process. A command for a key runs once, however many VPs ask, until its key is refused."""

    def __init__(self, environ: Mapping[str, str], *, command_timeout_s: float = COMMAND_TIMEOUT_S) -> None:
        self._environ = environ
        self._command_timeout_s = command_timeout_s
        self._printed: dict[tuple[str, ...], str] = {}
        self._running = asyncio.Lock()

    async def headers(self, route: Route) -> dict[str, str]:
        """All headers that a request on `route` needs besides the protocol's own.

        Raises `NoCredentials`, which names the variable or command and never what it held or printed.
        """
        key = await self._key(route)
        headers = dict(route.headers)
        if key:
            headers |= {"x-api-key": key} if route.auth == "x-api-key" else {"authorization": f"Bearer {key}"}
        return headers

    async def renewed(self, route: Route, refused: Mapping[str, str]) -> dict[str, str] | None:
        """New headers after the server refused those in `refused` (401), or None if there is no other key to try.

        Only a command can have another key. Several requests that are refused together run it once.
        """
        if not isinstance(route.key, CommandKey):
            return None
        argv = route.key.argv
        async with self._running:
            before = self._printed.pop(argv, "")
            used = next(
                (value for name, value in refused.items() if name.lower() in ("x-api-key", "authorization")), ""
            )
            if before and not used.endswith(before):
                self._printed[argv] = before  # somebody else has renewed it meanwhile
        fresh = await self.headers(route)
        return None if fresh == dict(refused) else fresh

    async def _key(self, route: Route) -> str:
        key = route.key
        provider = route.entry.provider
        match key:
            case NoKey():
                return ""
            case GivenKey(value=value):
                return _sendable(value, f"providers.{provider}.api_key")
            case VariableKey(name=name):
                value = self._environ.get(name, "")
                if not value.strip():
                    raise NoCredentials(
                        f"The provider {provider} needs a key in the variable {name}, which is not set. Set it, "
                        "or choose another model with -m; `yeaft model ls` lists them."
                    )
                return _sendable(value, f"the variable {name}")
            case CommandKey(argv=argv):
                return await self._from_command(argv, f"providers.{provider}.api_key_cmd ({argv[0]})")
            case _:
                assert_never(key)

    async def _from_command(self, argv: tuple[str, ...], place: str) -> str:
        async with self._running:
            if argv not in self._printed:
                printed = await _output(argv, self._environ, place, self._command_timeout_s)
                self._printed[argv] = _sendable(printed, f"what {place} printed")
            return self._printed[argv]


def secret_names(config: Config, environ: Mapping[str, str]) -> frozenset[str]:
    """The variables that hold a provider's key, and any others that hold the same text."""
    names = {*ALWAYS_SECRET, *(provider.api_key_env for provider in config.providers.values())}
    names |= {config.search.api_key_env, config.images.api_key_env}
    values = {environ[name] for name in names if name in environ}
    values |= {config.search.api_key, *(provider.api_key for provider in config.providers.values())}
    long_enough = {value for value in values if len(value) >= SHORTEST_SECRET_CHARS}
    return frozenset(names - {""}) | {name for name, value in environ.items() if value in long_enough}


def scrubbed(environ: Mapping[str, str], config: Config) -> dict[str, str]:
    """The environment for child processes: everything but the providers' keys."""
    secret = secret_names(config, environ)
    return {name: value for name, value in environ.items() if name not in secret}


def _sendable(key: str, place: str) -> str:
    """The key without surrounding white space. Raises `NoCredentials` if no header can carry it."""
    stripped = key.strip()
    if not stripped:
        raise NoCredentials(f"There is no key in {place}: it is empty.")
    if not (stripped.isascii() and stripped.isprintable()):
        raise NoCredentials(f"The key in {place} has line breaks or characters that a header cannot carry.")
    return stripped


async def _output(argv: tuple[str, ...], environ: Mapping[str, str], place: str, timeout_s: float) -> str:
    """What the command prints. It gets no input, and it is gone when this returns."""
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=dict(environ),
            start_new_session=True,
        )
    except OSError as error:
        raise NoCredentials(f"{place} cannot be run: {error.strerror}. Check that the command exists.") from error
    try:
        async with asyncio.timeout(timeout_s):
            printed = await _read(process, place)
            exit_code = await process.wait()
    except TimeoutError as error:
        remedy = "Run it by hand to see what it waits for."
        raise NoCredentials(f"{place} printed no key within {timeout_s:g} s. {remedy}") from error
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if exit_code != 0:
        raise NoCredentials(f"{place} failed with exit code {exit_code}. Run it by hand to see why.")
    return printed


async def _read(process: asyncio.subprocess.Process, place: str) -> str:
    assert process.stdout is not None
    try:
        await process.stdout.readexactly(LONGEST_KEY_BYTES)
    except asyncio.IncompleteReadError as end:
        return end.partial.decode("utf-8", "replace")
    raise NoCredentials(f"{place} printed {LONGEST_KEY_BYTES} bytes or more, which is no key.")
