"""The scripted model as a process: `python -m yeaft.llm.scripted SCRIPT.json [--port N] [--log FILE]`.

Prints one JSON line with its `url` once it listens, and ends on SIGTERM, SIGINT, or when its stdin, if that
is a pipe or terminal, ends. `--log` gets one JSON line per exchange.
"""

import argparse
import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import msgspec

from yeaft.kernel.errors import YeaftError
from yeaft.llm.scripted.script import Script, read_script
from yeaft.llm.scripted.server import Exchange, ScriptedServer


def main() -> int:
    """Serve until told to stop; return the exit code."""
    options = _options()
    try:
        script = read_script(options.script)
        asyncio.run(_serve(script, options.port, options.log, strict=not options.lenient))
    except YeaftError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m yeaft.llm.scripted", description=__doc__)
    parser.add_argument("script", type=Path, help="JSON file with the script")
    parser.add_argument("--port", type=int, default=0, help="loopback port; 0 takes a free one")
    parser.add_argument("--log", type=Path, help="file that gets one JSON line per exchange")
    parser.add_argument("--lenient", action="store_true", help="answer requests that a real service would refuse")
    return parser.parse_args()


async def _serve(script: Script, port: int, log: Path | None, *, strict: bool) -> None:
    lines = log.open("ab", buffering=0) if log else None

    def note(exchange: Exchange) -> None:
        if lines is not None:
            lines.write(msgspec.json.encode(exchange) + b"\n")

    async with ScriptedServer(script, port=port, strict=strict, on_exchange=note) as server:
        sys.stdout.write(msgspec.json.encode({"url": server.base_url}).decode() + "\n")
        sys.stdout.flush()
        await _until_told_to_stop()


async def _until_told_to_stop() -> None:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)

    def read_stdin() -> None:
        if not os.read(sys.stdin.fileno(), 4096):
            stop.set()

    with suppress(PermissionError):  # a file or /dev/null cannot be watched, and its end would mean nothing
        loop.add_reader(sys.stdin.fileno(), read_stdin)
    await stop.wait()


if __name__ == "__main__":
    sys.exit(main())
