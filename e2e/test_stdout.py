"""What goes to standard output, what goes to standard error, and what happens when nobody takes it."""

import asyncio
import contextlib
import os
import pty
import shlex
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process

import pytest

from e2e.conftest import Serve
from e2e.given import PATIENCE_S, Yeaft
from yeaft.llm.scripted.script import Calls, Holds, Line, Says, Script, ScriptedCall, call, says, script

HELLO = says("Hello there.")
LONG = says("A line of a long answer.\n" * 20_000)
NEVER_WHOLE = script(Holds(of=Says(text="Never whole.", chunk=6), after_events=5, gate="never"))
STOPPED = [
    ("text", signal.SIGINT, 130),
    ("json", signal.SIGTERM, 143),
    ("stream-json", signal.SIGHUP, 129),
    ("stream-json", signal.SIGINT, 130),
]


@pytest.mark.parametrize("output_format", ["text", "stream-json"])
async def test_a_reader_who_leaves_ends_it_quietly(output_format: str, yeaft: Yeaft, serve: Serve) -> None:
    await serve(LONG)

    ran = await yeaft.shell(
        f"set -o pipefail; yeaft -q -p hi --output-format {output_format} | head -1; echo ${{PIPESTATUS[0]}} >&2"
    )

    assert (ran.out.count(b"\n"), ran.err) == (1, "141\n")


@pytest.mark.parametrize("output_format", ["text", "json"])
async def test_a_reader_who_left_before_the_first_word_ends_it_quietly(
    output_format: str, yeaft: Yeaft, serve: Serve
) -> None:
    await serve(HELLO)

    ran = await yeaft.shell(f"yeaft -q -p hi --output-format {output_format} | true; echo ${{PIPESTATUS[0]}}")

    assert (ran.out, ran.err) == (b"141\n", "")


@pytest.mark.parametrize(("output_format", "number", "code"), STOPPED)
async def test_a_signal_stops_it_in_good_order(
    output_format: str, number: signal.Signals, code: int, yeaft: Yeaft, serve: Serve
) -> None:
    server = await serve(NEVER_WHOLE)
    process = await yeaft.start("-p", "hi", "--output-format", output_format)
    await server.reached("never")
    before = await seen(process, b"Never ") if output_format != "json" else b""

    process.send_signal(number)
    ran = await yeaft.ended(process)

    whole = ran._replace(out=before + ran.out)
    assert whole.code == code
    assert "Traceback" not in whole.err
    if output_format == "text":
        assert whole.out == b"Never \n"
        return
    assert (whole.result["exit_code"], whole.result["outcome"]) == (code, "aborted")
    assert [vp["outcome"] for vp in whole.result["vps"]] == ["aborted"]
    if output_format == "stream-json":
        assert whole.result["text"] == "Never"
        assert [line["seq"] for line in whole.lines] == list(range(len(whole.lines)))


async def test_the_same_signal_from_a_wrapper_and_its_group_is_one(yeaft: Yeaft, serve: Serve) -> None:
    """`timeout` signals its child and then its whole group, so the child is told twice."""
    await serve(NEVER_WHOLE)

    argv = ("timeout", "2", *yeaft.command("-p", "hi", "--output-format", "stream-json"))
    ran = await yeaft.ended(await yeaft.start_program(*argv))

    assert (ran.code, ran.result["exit_code"]) == (124, 143)


async def test_a_reader_who_never_reads_does_not_keep_it_from_stopping(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(LONG)
    read_end, write_end = os.pipe()
    process = await yeaft.start("-p", "hi", stdout=write_end)
    os.close(write_end)
    await server.ended(1)

    process.send_signal(signal.SIGINT)
    ran = await yeaft.ended(process)
    os.close(read_end)

    assert ran.code == 130


async def test_a_second_signal_ends_what_the_first_did_not(yeaft: Yeaft) -> None:
    never_ends = (
        "import asyncio\n"
        "from yeaft.interfaces.cli.signals import Signals\n"
        "async def main():\n"
        "    signals = Signals()\n"
        "    signals.also(lambda: print('stopping', flush=True))\n"
        "    signals.install()\n"
        "    print('ready', flush=True)\n"
        "    await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    process = await yeaft.start_program(sys.executable, "-c", never_ends)
    await seen(process, b"ready\n")

    process.send_signal(signal.SIGINT)
    await seen(process, b"stopping\n")
    while process.returncode is None:  # the second key press counts only when it cannot be an echo of the first
        process.send_signal(signal.SIGINT)
        await asyncio.wait({asyncio.ensure_future(process.wait())}, timeout=0.1)

    assert process.returncode == 130


@pytest.mark.parametrize(
    ("output_format", "where", "said"),
    [
        ("text", ">/dev/full", "No space left on device"),
        ("json", ">&-", "Bad file descriptor"),
        ("stream-json", ">/dev/full", "No space left on device"),
    ],
)
async def test_an_answer_that_cannot_be_written_is_a_failure(
    output_format: str, where: str, said: str, yeaft: Yeaft, serve: Serve
) -> None:
    await serve(HELLO)

    ran = await yeaft.shell(f"yeaft -p hi --output-format {output_format} {where}")

    assert ran.code == 1
    assert f"could not be written to standard output: {said}. It is kept in Session" in ran.err


@pytest.mark.parametrize("words", ["--help", "--version", "help", "-q --help"])
@pytest.mark.parametrize(("where", "code"), [("| true", 141), (">/dev/full", 1)])
async def test_texts_that_nobody_takes_end_it_too(where: str, code: int, words: str, yeaft: Yeaft) -> None:
    ran = await yeaft.shell(f"yeaft {words} {where}; echo ${{PIPESTATUS[0]}}")

    assert ran.out == f"{code}\n".encode()
    assert ("could not be written" in ran.err, "Exception" in ran.err) == (code == 1, False)


async def test_a_closed_standard_output_is_fine_when_a_file_takes_the_answer(yeaft: Yeaft, serve: Serve) -> None:
    await serve(HELLO)

    ran = await yeaft.shell("yeaft -q -p hi -o answer >&-")

    assert (ran.code, ran.err, (yeaft.folder / "answer").read_text()) == (0, "", "Hello there.\n")


@pytest.mark.parametrize(
    ("words", "where"),
    [("-v", "2>&-"), ("-v", "2> >(true)"), ("--max-rounds 1", "2>/dev/full"), ("--max-rounds 1", "2>&-")],
)
async def test_nobody_has_to_read_standard_error(where: str, words: str, yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Calls(calls=(call("ListDir", path="nowhere"),), text="Looking."), Says(text="Nothing.")))

    ran = await yeaft.shell(f"yeaft -p hi {words} {where}")

    expected = (0, b"Looking.\n\nNothing.\n") if words == "-v" else (4, b"Looking.\n")
    assert (ran.code, ran.out) == expected


@pytest.mark.parametrize("variables", [{"TERM": "xterm-256color"}, {"TERM": "dumb", "NO_COLOR": "1"}])
async def test_a_terminal_gets_plain_text_without_control_characters(
    variables: dict[str, str], yeaft: Yeaft, serve: Serve
) -> None:
    await serve(says("\x1b[31mred\x1b[0m \x07and\x9b2J 中文"))
    yeaft.environ |= variables
    terminal, other = pty.openpty()
    process = await yeaft.start("-p", "hi", stdout=other, stderr=other)
    os.close(other)

    ran = await yeaft.ended(process)
    shown = whole(terminal).decode()

    assert ran.code == 0
    assert "⟨U+001B⟩[31mred⟨U+001B⟩[0m ⟨U+0007⟩and⟨U+009B⟩2J 中文\r\n" in shown
    assert not set("\x1b\x07\x9b") & set(shown)
    assert "Go on with: yeaft -r " in shown


async def test_a_pipe_gets_the_answer_byte_for_byte_in_any_locale(yeaft: Yeaft, serve: Serve) -> None:
    answer = "\x1b[31mred\x1b[0m 中文 \U0001f600\ttab\r\nend"
    await serve(says(answer))
    yeaft.environ |= {"LANG": "C", "LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii"}

    ran = await yeaft.run("-p", "多少?")

    assert (ran.code, ran.out) == (0, f"{answer}\n".encode())
    assert "Go on with" not in ran.err


async def test_an_error_can_be_told_in_any_locale(yeaft: Yeaft) -> None:
    yeaft.environ |= {"LANG": "C", "LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii"}

    ran = await yeaft.run("-r", "会话", "-p", "hi", "--output-format", "json")

    assert (ran.code, ran.result["exit_code"]) == (66, 66)
    assert "会话" in ran.result["error"]
    assert "会话" in ran.err


async def test_every_vp_speaks_whole_and_under_its_name(yeaft: Yeaft, serve: Serve) -> None:
    text = "line\n" * 300 + "the end"
    await serve(
        Script(lines=(Line(vp="skeptic", steps=(Says(text=f"skeptic {text}"),)),), fallback=Says(text=f"omni {text}"))
    )

    ran = await yeaft.run("-p", "@omni @skeptic hi")

    blocks = {f"── @{vp}\n{vp} {text}\n" for vp in ("omni", "skeptic")}
    first, second = sorted(blocks)
    assert ran.out.decode() in (f"{first}\n{second}", f"{second}\n{first}")


async def test_a_file_takes_the_answer_as_well(yeaft: Yeaft, serve: Serve) -> None:
    await serve(HELLO)

    ran = await yeaft.run("-p", "hi", "-o", "answer.txt", "--output-format", "json")

    assert (ran.code, ran.result["text"]) == (0, "Hello there.")
    assert (yeaft.folder / "answer.txt").read_text() == "Hello there.\n"


@pytest.mark.parametrize("output_format", ["text", "json"])
async def test_a_file_that_cannot_be_written_is_noticed_before_anything_is_asked(
    output_format: str, yeaft: Yeaft, serve: Serve
) -> None:
    server = await serve(HELLO)

    ran = await yeaft.run("-p", "hi", "-o", "none/answer.txt", "--output-format", output_format)

    assert (ran.code, server.requests) == (2, [])
    assert "there is no folder" in ran.err
    assert output_format == "text" or ran.result["exit_code"] == 2


@pytest.mark.parametrize("output_format", ["text", "stream-json"])
async def test_a_file_that_fails_at_the_end_fails_the_run_but_not_the_answer(
    output_format: str, yeaft: Yeaft, serve: Serve
) -> None:
    await serve(HELLO)

    ran = await yeaft.run("-p", "hi", "-o", "/dev/full", "--output-format", output_format)

    assert ran.code == 1
    assert "could not be written to /dev/full: No space left on device" in ran.err
    if output_format == "text":
        assert ran.out == b"Hello there.\n"
    else:
        assert (ran.result["exit_code"], ran.result["text"]) == (1, "Hello there.")


async def test_quiet_leaves_only_failures_and_verbose_shows_calls(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Calls(calls=(call("ListDir"),)), Says(text="Empty."), Calls(calls=(call("ListDir"),))))

    quiet = await yeaft.run("-q", "-p", "hi")
    verbose = await yeaft.run("-v", "-p", "hi", "--max-rounds", "1")
    failing = await yeaft.run("-q", "-p", "hi", "--max-rounds", "1")

    assert (quiet.code, quiet.out, quiet.err) == (0, b"Empty.\n", "")
    assert "  · ListDir\n" in verbose.err
    assert (failing.code, failing.err.count("\n")) == (4, 1)


async def test_a_full_disk_is_told_and_reported(yeaft: Yeaft, serve: Serve) -> None:
    await serve(HELLO)

    ran = await yeaft.shell("ulimit -f 8; yeaft -p hi --output-format stream-json")

    assert (ran.code, ran.result["exit_code"], ran.result["outcome"]) == (1, 1, "failed")
    assert "Check the disk and its free space" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ('yeaft -- "-x marks the spot"', 0, ""),
        ("yeaft -p session", 0, ""),
        ("yeaft -qp session", 0, ""),
        ("yeaft sesion ls", 2, "If you meant the command: yeaft session ls."),
        ("yeaft --verion", 2, "Did you mean --version?"),
        ("YEAFT_DIR=/dev/null/x yeaft -p hi", 1, "/dev/null/x"),
        ('mkdir gone; cd gone; rmdir "$PWD"; yeaft -p hi', 66, "The current folder is gone"),
        ("yeaft -C nowhere -p hi", 2, "nowhere"),
        (r"d=$(printf 'd\377'); mkdir $d; cd $d; yeaft -p hi", 2, "is no UTF-8, so no Session can be kept for it"),
    ],
)
async def test_words_mean_what_they_should(line: str, code: int, said: str, yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HELLO)

    ran = await yeaft.shell(line)

    assert (ran.code, len(server.requests), ran.out) == (code, int(code == 0), b"" if code else b"Hello there.\n")
    assert said in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "step",
    [
        call("Bash", command="touch 'a, b' && touch made"),
        call("FileWrite", file_path="made", content="x"),
    ],
)
async def test_the_flag_that_is_offered_allows_what_was_asked(step: ScriptedCall, yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Calls(calls=(step,)), Calls(calls=(step,)), Says(text="Made.")))
    refused = await yeaft.run("-p", "Make it", "--output-format", "json")
    (question,) = refused.result["questions"]
    assert question["flag"] in refused.err
    assert not (yeaft.folder / "made").exists()

    ran = await yeaft.run("-p", "Make it", *shlex.split(question["flag"]))

    assert (refused.code, ran.code, ran.out) == (3, 0, b"Made.\n")
    assert (yeaft.folder / "made").exists()


async def test_a_question_can_be_answered_by_going_on(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(script(Calls(calls=(call("AskUser", question="Which colour?"),)), Says(text="Red it is.")))
    asked = await yeaft.run("-p", "Paint it", "--output-format", "json")

    ran = await yeaft.run("-r", asked.result["session"], "-p", "red")

    assert f"yeaft -r {asked.result['session']} " in asked.err
    assert (asked.code, ran.code, ran.out, len(server.requests)) == (3, 0, b"Red it is.\n", 2)


async def test_a_busy_session_says_who_has_it(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(NEVER_WHOLE)
    owner = await yeaft.start("-p", "hi", "--output-format", "stream-json", stdin=DEVNULL, stdout=PIPE)
    await server.reached("never")
    (session,) = (path.name for path in (yeaft.dir / "sessions").iterdir())

    ran = await yeaft.run("-r", session, "-p", "hi", "--output-format", "stream-json")
    owner.send_signal(signal.SIGINT)
    await yeaft.ended(owner)

    assert (ran.code, ran.result["exit_code"]) == (75, 75)
    assert f"process {owner.pid} on host" in ran.err


async def test_an_answer_that_the_provider_cut_short_looks_whole(yeaft: Yeaft, serve: Serve) -> None:
    await serve(script(Says(text="So far.", stop="solar_flare")))

    ran = await yeaft.run("-p", "hi")

    assert (ran.code, ran.out) == (0, b"So far.\n")
    assert "the provider cut the answer short; it may not be complete" in ran.err


async def test_what_to_expect_of_a_model_is_told_once_in_a_session(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HELLO)
    (yeaft.dir).mkdir()
    (yeaft.dir / "config.toml").write_text(
        f'[providers.box]\nprotocol = "openai-responses"\nbase_url = "{server.base_url}"\n'
        '[[providers.box.models]]\nid = "tiny"\ntools = false\n'
    )
    words = ("-m", "box/tiny", "-p")

    first = await yeaft.run(*words, "@omni @skeptic hi")
    again = await yeaft.run("-c", *words, "@omni @skeptic hi")

    assert "is not in the catalogue" not in first.err, "what was guessed does not matter yet"
    assert first.err.count("box/tiny cannot use tools") == 1
    assert (again.code, again.err.count("box/tiny")) == (0, 0)


async def seen(process: Process, wanted: bytes) -> bytes:
    """Read standard output up to and including `wanted`."""
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        return await process.stdout.readuntil(wanted)


def whole(terminal: int) -> bytes:
    """All that a terminal has shown, once the program behind it has ended."""
    with open(terminal, "rb", buffering=0) as screen:
        shown = b""
        with contextlib.suppress(OSError):  # how Linux says that the other end is gone
            while chunk := screen.read(65536):
                shown += chunk
        return shown
