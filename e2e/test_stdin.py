"""What standard input does and does not do to a run."""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE

import pytest

from e2e.conftest import Serve
from e2e.given import PATIENCE_S, Yeaft
from e2e.inputs import WAITING
from yeaft.interfaces.cli.standard_input import LIMIT_BYTES
from yeaft.llm.scripted.script import Calls, Says, call, says, script
from yeaft.llm.scripted.server import Received

LABEL = '\n\n<attached from="standard input">\n'
END = "\n</attached>"
HELLO = says("Hello there.")


def told(request: Received) -> str:
    """All that a request says in the user's place."""
    parts = [part for item in request.body["input"] if item.get("role") == "user" for part in item["content"]]
    return "\n".join(part["text"] for part in parts)


async def test_data_alone_is_the_prompt(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HELLO)

    ran = await yeaft.run(given="多少钱？\n".encode())

    assert (ran.code, ran.out) == (0, b"Hello there.\n")
    assert "多少钱？" in told(server.requests[0])


async def test_data_beside_a_prompt_is_a_labelled_block_that_addresses_nobody(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HELLO)

    ran = await yeaft.run("-p", "Sum this up", given=b"@skeptic wrote: nothing is certain\n")

    assert (ran.code, ran.out, len(server.requests)) == (0, b"Hello there.\n", 1)
    assert told(server.requests[0]).endswith(f"Sum this up{LABEL}@skeptic wrote: nothing is certain\n{END}")


@pytest.mark.parametrize("words", [("-",), ("--stdin", "-p", "Sum this up")])
async def test_who_asks_for_standard_input_waits_for_it(words: tuple[str, ...], yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HELLO)
    process = await yeaft.start(*words, stdin=PIPE)
    assert process.stderr is not None

    async with asyncio.timeout(PATIENCE_S):
        await process.stderr.readuntil(WAITING)
    ran = await yeaft.ended(process, b"late words")

    assert (ran.code, ran.out) == (0, b"Hello there.\n")
    assert "late words" in told(server.requests[0])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
async def test_a_signal_ends_the_waiting(number: signal.Signals, code: int, yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HELLO)
    process = await yeaft.start("-", "--output-format", "stream-json", stdin=PIPE)
    assert process.stderr is not None

    async with asyncio.timeout(PATIENCE_S):
        await process.stderr.readuntil(WAITING)
    process.send_signal(number)
    async with asyncio.timeout(PATIENCE_S):
        await process.wait()
    ran = await yeaft.ended(process)

    assert (ran.code, ran.result["exit_code"], ran.result["outcome"]) == (code, code, "aborted")
    assert server.requests == []


async def test_the_time_limit_holds_for_standard_input_too(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HELLO)
    read_end, write_end = os.pipe()

    ran = await yeaft.run("--timeout", "1.2s", "-", "--output-format", "json", stdin=read_end)
    os.close(read_end)
    os.close(write_end)

    assert (ran.code, ran.result["exit_code"], ran.result["outcome"]) == (4, 4, "limit")
    assert server.requests == []


async def test_too_much_is_cut_between_two_characters_with_a_notice(yeaft: Yeaft, serve: Serve) -> None:
    await serve(HELLO)
    words = ("-p", "Sum this up", "--output-format", "stream-json")

    ran = await yeaft.run(*words, given=b"x" + "中".encode() * (5 * 2**20 // 3))

    (said,) = (line["data"]["text"] for line in ran.lines if line["type"] == "message.posted")
    assert (ran.code, ran.result["text"]) == (0, "Hello there.")
    assert "larger than 4 MiB" in ran.err
    assert said.endswith(f"中{END}")
    assert "\ufffd" not in said
    assert LIMIT_BYTES - 3 < len(said.partition(LABEL)[2].removesuffix(END).encode()) <= LIMIT_BYTES


@pytest.mark.parametrize("where", [0, 100_000])
async def test_binary_data_is_refused_wherever_it_shows(where: int, yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HELLO)

    ran = await yeaft.run("-p", "Sum this up", given=b"a" * where + b"\0\x01\x02")

    assert (ran.code, ran.out) == (65, b"")
    assert "Standard input is binary" in ran.err
    assert server.requests == []


async def test_bytes_that_are_no_utf8_are_replaced_with_a_notice(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HELLO)

    ran = await yeaft.run("-p", "Sum this up", given=b"caf\xe9 cr\xe8me")

    assert ran.code == 0
    assert "not UTF-8 were replaced" in ran.err
    assert "caf\ufffd cr\ufffdme" in told(server.requests[0])


@pytest.mark.parametrize(
    ("shell", "loop"),
    [
        ("bash", 'printf "one\\ntwo\\n" | while read l; do yeaft -p "$l"; done'),
        ("dash", 'printf "one\\ntwo\\n" | while read l; do yeaft -p "$l"; done'),
        ("dash", 'while read l; do yeaft -p "$l"; done <lines'),
        ("bash", 'while read l; do yeaft -p "$l" </dev/null; done <lines'),
    ],
)
async def test_a_shell_loop_keeps_its_lines(loop: str, shell: str, yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HELLO)
    (yeaft.folder / "lines").write_text("one\ntwo\n")

    ran = await yeaft.shell(loop, program=shell)

    assert (ran.code, ran.out) == (0, b"Hello there.\n" * 2)
    assert [told(request).rpartition("\n")[2] for request in server.requests] == ["one", "two"]


async def test_a_loop_can_hand_on_the_rest_on_purpose(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HELLO)

    ran = await yeaft.shell('printf "one\\ntwo\\nthree\\n" | while read l; do yeaft --stdin -p "$l"; done')

    assert (ran.code, ran.out) == (0, b"Hello there.\n")
    assert told(server.requests[0]).endswith(f"one{LABEL}two\nthree\n{END}")


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("bash", "echo piped | yeaft -p hello"),
        ("dash", "echo piped | yeaft -p hello"),
        ("bash", "echo piped | { yeaft -p hello; }"),
        ("dash", "echo piped | (cd .. && yeaft -p hello)"),
        ("bash", 'echo piped | timeout 60 "$PYTHON" -P -m yeaft -p hello'),
        ("dash", "echo piped | sh review.sh"),
        ("bash", "yeaft -p hello <piped"),
        ("dash", "yeaft -p hello <<END\npiped\nEND"),
        ("bash", "{ sleep 0.3; echo piped; } | yeaft -p hello"),
    ],
)
async def test_what_a_pipeline_brings_arrives(line: str, shell: str, yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HELLO)
    python = Yeaft.command()[0]
    yeaft.environ["PYTHON"] = python
    (yeaft.folder / "piped").write_text("piped\n")
    (yeaft.folder / "review.sh").write_text('"$PYTHON" -P -m yeaft -p hello\ntrue\n')

    ran = await yeaft.shell(line, program=shell)

    assert (ran.code, ran.out) == (0, b"Hello there.\n")
    assert told(server.requests[0]).endswith(f"hello{LABEL}piped\n{END}")


async def test_a_silent_pipe_is_left_alone_with_a_note(yeaft: Yeaft, serve: Serve) -> None:
    await serve(HELLO)
    read_end, write_end = os.pipe()

    ran = await yeaft.run("-p", "hello", "--output-format", "json", stdin=read_end)
    os.close(read_end)
    os.close(write_end)

    assert (ran.code, ran.result["stdin"]) == (0, "silent")
    assert "silent, so it was ignored" in ran.err


async def test_children_get_no_standard_input_of_ours(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(script(Calls(calls=(call("Bash", command="cat; echo done"),)), Says(text="It is done.")))

    ran = await yeaft.run("-y", "-p", "hello", given=b"secret words")

    assert (ran.code, ran.out) == (0, b"It is done.\n")
    (result,) = [item for item in server.requests[1].body["input"] if item["type"] == "function_call_output"]
    assert "done" in str(result["output"])
    assert "secret words" not in str(result["output"])
