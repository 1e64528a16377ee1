"""An effort before a message, in all ways in: as a word, on standard input, as a line of JSON, and in line mode."""

from typing import Any

import msgspec
import pytest

from e2e.conftest import Serve
from e2e.given import Ran, Yeaft
from e2e.graphs_given import put
from e2e.typist import Typist
from yeaft.llm.scripted.script import says
from yeaft.llm.scripted.server import Received, ScriptedServer


def told(request: Received) -> str:
    """All that a request says in the user's place."""
    parts = [part for item in request.body["input"] if item.get("role") == "user" for part in item["content"]]
    return "\n".join(part["text"] for part in parts)


async def served(yeaft: Yeaft, serve: Serve, *texts: str) -> ScriptedServer:
    """A model that knows all levels from low to xhigh."""
    server = await serve(says(*texts))
    yeaft.environ["YEAFT_MODEL"] = "gpt-5.4"
    return server


def efforts(server: ScriptedServer) -> list[str | None]:
    return [(received.body.get("reasoning") or {}).get("effort") for received in server.requests]


JSON_INPUT = ("--input-format", "stream-json", "--output-format", "stream-json")


def lines(*given: dict[str, Any]) -> bytes:
    return b"".join(msgspec.json.encode(one) + b"\n" for one in given)


@pytest.mark.parametrize(
    ("words", "given", "rest"),
    [
        (("/high explain {}",), None, "explain {}"),
        (("-p", "@omni /high explain"), None, "explain"),
        ((), b"/high explain\n", "explain\n"),
        (
            ("-p", "/high sum up"),
            b"/low notes\n",
            'sum up\n\n<attached from="standard input">\n/low notes\n\n</attached>',
        ),
        (JSON_INPUT, lines({"type": "user", "text": "/high explain"}), "explain"),
    ],
)
async def test_a_message_has_its_effort_however_it_comes_in(
    yeaft: Yeaft, serve: Serve, words: tuple[str, ...], given: bytes | None, rest: str
) -> None:
    server = await served(yeaft, serve, "Explained.")

    ran = await yeaft.run(*words, given=given)

    assert ran.code == 0, ran
    assert efforts(server) == ["high"]
    assert told(server.requests[0]).endswith(rest)
    assert "/high" not in told(server.requests[0])


async def test_going_on_searching_and_forking_know_what_was_said_with_an_effort(yeaft: Yeaft, serve: Serve) -> None:
    server = await served(yeaft, serve, "It reads words.", "It cuts them.", "Nothing more.")
    await yeaft.run("/high explain the parser")

    went_on = await yeaft.run("-c", "and the lexer")
    forked = await yeaft.run("-c", "--fork", "/low and now?")
    listed = await yeaft.run("session", "ls")
    found = yeaft.here("search", "parser")
    ids = [one["id"] for one in msgspec.json.decode(yeaft.here("session", "ls", "--json").out)]
    shown = yeaft.here("session", "show", ids[0])

    assert [ran.code for ran in (went_on, forked, listed, found, shown)] == [0] * 5
    assert efforts(server) == ["high", None, "low"]
    assert "explain the parser" in listed.out.decode()
    assert "/high" not in listed.out.decode()
    assert "explain the parser" in found.out.decode()
    assert "/high explain the parser" in shown.out.decode()


@pytest.mark.parametrize("lang", ["C.UTF-8", "zh_CN.UTF-8"])
@pytest.mark.parametrize(("words", "given"), [(("/high",), None), ((), b"/high\n")])
async def test_an_effort_before_nothing_says_how_it_is_meant(
    yeaft: Yeaft, serve: Serve, words: tuple[str, ...], given: bytes | None, lang: str
) -> None:
    server = await served(yeaft, serve, "Never.")
    yeaft.environ["LANG"] = lang

    ran = await yeaft.run(*words, given=given)

    assert (ran.code, ran.out, server.requests) == (2, b"", [])
    assert "--effort high" in ran.err
    assert ("none follows" if lang == "C.UTF-8" else "只对它后面的消息有效") in ran.err


@pytest.mark.parametrize("kind", ["user", "steer"])
async def test_a_line_with_an_effort_alone_is_refused_by_its_number(yeaft: Yeaft, serve: Serve, kind: str) -> None:
    await served(yeaft, serve, "Never.")

    ran: Ran = await yeaft.run(*JSON_INPUT, given=lines({"type": kind, "text": "/max"}))

    assert (ran.code, ran.result["exit_code"]) == (2, 2)
    assert "Line 1 of standard input: /max holds for the message" in ran.out.decode()


async def test_the_callers_effort_counts_and_says_so(yeaft: Yeaft, serve: Serve) -> None:
    server = await served(yeaft, serve, "Low.")

    ran = await yeaft.run("--effort", "low", "/high explain")

    assert (ran.code, efforts(server)) == (0, ["low"])
    assert "The effort low, given with --effort, counts and not /high." in ran.err


async def test_line_mode_takes_it_lists_it_and_refuses_it_alone(yeaft: Yeaft, serve: Serve) -> None:
    server = await served(yeaft, serve, "Explained.", "Well.")
    user = Typist(yeaft, "--line", term="dumb")

    await user.sees("yeaft>")
    user.types("/high explain")
    await user.sees("Explained.")
    user.types("/xhigh")
    await user.sees("none follows")
    user.types("/help")
    await user.sees("/low|medium|high|xhigh|max|ultra MESSAGE")
    user.types("and so?")
    await user.sees("Well.")
    user.types("/quit")

    await user.leaves()
    assert efforts(server) == ["high", None]


async def test_what_one_step_hands_to_the_next_asks_for_nothing_and_loses_no_word(yeaft: Yeaft, serve: Serve) -> None:
    server = await served(yeaft, serve, "/max 3 is the limit.", "Well.")
    put(yeaft, "graph: {steps: [{id: ask, agent: omni, prompt: 'Ask: {{ input }}'}, {id: use, agent: omni}]}")

    ran = await yeaft.run("graph", "run", "g.yaml", "/high tea", "-q")

    assert (ran.code, efforts(server)) == (0, [None, None]), ran.err
    assert told(server.requests[0]) == "Ask: /high tea"
    assert told(server.requests[1]) == "/max 3 is the limit."
