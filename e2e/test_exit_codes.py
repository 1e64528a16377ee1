"""The table of exit codes: what a run must end with, written down first, then run cell by cell."""

from collections.abc import Mapping
from typing import NamedTuple

import pytest

from e2e.conftest import Serve
from e2e.given import Ran, Yeaft
from e2e.inputs import KINDS, PIPED, WITH_DATA, run_with
from yeaft.llm.scripted.script import Calls, Cuts, Fails, Line, Says, Script, Stalls, Step, call, script
from yeaft.llm.scripted.server import Received

FORMATS = ("text", "json", "stream-json")
QUICK = ("--set", "retry.base_delay_s=0.01", "--set", "retry.max_delay_s=0.02", "--set", "retry.max_retries=2")
PRICED = (
    "--set",
    'providers.env.models=[{id="scripted", price_usd_per_mtok={in=1000.0, out=1000.0}}]',
    "--set",
    "providers.env.protocol=openai-responses",
)
SCHEMA = '{"type": "object", "required": ["city"]}'
LOOKS = call("ListDir")
HELLO = Says(text="Hello there.")


class Case(NamedTuple):
    """One way a run can go. `said` must stand on stderr; `answer` is all of a text run's stdout but the line end.

    `steps` is what the model does; None means that there is none, and `environ` says what there is instead.
    """

    code: int
    outcome: str
    steps: tuple[Step, ...] | Script | None = (HELLO,)
    words: tuple[str, ...] = ("-p", "Say hello")
    answer: str = ""
    said: str = ""
    environ: Mapping[str, str] = {}
    config: str = ""


def asks(*words: str) -> tuple[str, ...]:
    return ("-p", "Say hello", *words)


TWO_VPS = Script(lines=(Line(vp="skeptic", steps=(Fails(status=401),)),), fallback=HELLO)
REFUSED_PORT = {"YEAFT_BASE_URL": "http://127.0.0.1:1", "YEAFT_MODEL": "scripted"}

EVERYWHERE: Mapping[str, Case] = {
    "success": Case(0, "answered", answer="Hello there."),
    "provider down": Case(69, "failed", None, asks(*QUICK), said="http://127.0.0.1:1", environ=REFUSED_PORT),
    "bad key": Case(77, "failed", (Fails(status=401),), said="does not accept the API key"),
    "429 storm": Case(75, "failed", (Fails(status=429),), asks(*QUICK), said="@omni failed"),
    "refusal": Case(1, "refused", (Says(text="I will not.", stop="refusal"),), answer="I will not.", said="refused"),
    "approval": Case(3, "needs_human", (Calls(calls=(call("Bash", command="touch made"),)),), said="To allow it, add:"),
    "question": Case(
        3, "needs_human", (Calls(calls=(call("AskUser", question="Which colour?"),)),), said="Which colour?"
    ),
    "budget": Case(
        4, "limit", (Calls(calls=(LOOKS,), text="Looking."),), asks("--max-cost", "0.5", *PRICED), "Looking.", "0.5"
    ),
}
"""The outcomes that are run in every format, and the formats with every kind of standard input."""

ONCE: Mapping[str, Case] = {
    "no such host": Case(
        69,
        "failed",
        None,
        asks(*QUICK),
        said="http://nowhere.invalid",
        environ={**REFUSED_PORT, "YEAFT_BASE_URL": "http://nowhere.invalid"},
    ),
    "forbidden": Case(
        77, "failed", (Fails(status=403, type="permission_error"),), asks("--set", "retry.forbidden_delays_s=[]")
    ),
    "told to wait too long": Case(75, "failed", (Fails(status=429, retry_after="3600"),), asks(*QUICK)),
    "overloaded": Case(75, "failed", (Fails(status=529),), asks(*QUICK)),
    "server error": Case(75, "failed", (Fails(status=500),), asks(*QUICK)),
    "bad request": Case(1, "failed", (Fails(status=400, message="No such thing."),), said="No such thing."),
    "unknown model there": Case(1, "failed", (Fails(status=404, message="No such model."),), said="No such model."),
    "stall": Case(
        75,
        "failed",
        (Stalls(of=HELLO, after_events=0),),
        asks(*QUICK, "--set", "retry.max_retries=0", "--set", "retry.first_byte_timeout_s=0.3"),
        said="sent nothing for 0.3 s",
    ),
    "truncated stream": Case(
        75,
        "failed",
        (Cuts(of=Says(text="Hello there.", chunk=6), after_events=5),),
        asks(*QUICK, "--set", "retry.max_retries=0"),
        answer="Hello ",
    ),
    "saved by a retry": Case(
        0,
        "answered",
        (Cuts(of=Says(text="Hello there.", chunk=6), after_events=5), Says(text="there.")),
        asks(*QUICK),
        answer="Hello there.",
    ),
    "nothing said": Case(1, "failed", (Says(text=""),), said="answered with nothing"),
    "too long for the output": Case(
        4, "limit", (Says(text="More. ", stop="max_tokens"),), answer="More. More. More. More. ", said="output limit"
    ),
    "rounds": Case(
        4, "limit", (Calls(calls=(LOOKS,), text="Looking."),), asks("--max-rounds", "1"), "Looking.", "limit of 1 round"
    ),
    "time": Case(
        4,
        "limit",
        (Stalls(of=Says(text="Hello there.", chunk=6), after_events=5),),
        asks("--timeout", "1.5s"),
        "Hello ",
        "--timeout",
    ),
    "schema met": Case(
        0,
        "answered",
        (Says(text='```json\n{"city": "Oslo"}\n```'),),
        asks("--schema", SCHEMA),
        answer='{"city": "Oslo"}',
    ),
    "schema not met": Case(
        65, "failed", (Says(text='{"town": 1}'),), asks("--schema", SCHEMA), '{"town": 1}', "'city' is a required"
    ),
    "answer not JSON": Case(65, "failed", (HELLO,), asks("--schema", SCHEMA), "Hello there.", "is not JSON"),
    "schema file missing": Case(66, "failed", words=asks("--schema", "none.json"), said="none.json"),
    "schema that is none": Case(65, "failed", words=asks("--schema", '{"type": 3}'), said="not a JSON Schema"),
    "unknown VP": Case(66, "failed", words=asks("--vp", "skeptik"), said="Did you mean skeptic?"),
    "unknown provider": Case(66, "failed", None, asks("-m", "nobody/nothing"), said="no provider named 'nobody'"),
    "unknown model": Case(66, "failed", None, asks("-m", "nothing-9"), said="no model named 'nothing-9'"),
    "unknown Session": Case(66, "failed", words=asks("-r", "zzzzzzzz"), said="zzzzzzzz"),
    "nothing to continue": Case(66, "failed", words=asks("-c"), said="No Session in"),
    "broken config": Case(78, "failed", words=asks(), said="not valid TOML", config="[models\n"),
    "unknown setting": Case(78, "failed", words=asks(), said="max_round", config="[limits]\nmax_round = 3\n"),
    "unknown price": Case(78, "failed", words=asks("--max-cost", "1"), said="price_usd_per_mtok"),
    "no credentials": Case(77, "failed", None, said="yeaft demo"),
    "one of two VPs fails": Case(
        77, "failed", TWO_VPS, ("-p", "@omni @skeptic hello"), answer="── @omni\nHello there.", said="@skeptic failed"
    ),
    "empty prompt": Case(2, "failed", words=("-p", "  "), said="the prompt is empty"),
    "no prompt": Case(2, "failed", words=(), said="There is no prompt"),
    "two prompts": Case(2, "failed", words=("say", "hello"), said="Quote the prompt"),
    "unknown option": Case(2, "failed", words=asks("--max-round", "3"), said="--max-rounds"),
    "bad value": Case(2, "failed", words=asks("--timeout", "soon"), said="is not a duration"),
    "bad setting": Case(2, "failed", words=asks("--set", "limits"), said="--set KEY=VALUE"),
}

SILENT = ("nothing said", "unknown Session", "unknown setting", "no prompt", "unknown option")
"""Ends without an answer, at each place where there can be such an end."""


async def arranged(case: Case, yeaft: Yeaft, serve: Serve) -> list[Received]:
    """Prepare the place for a case; return the list that requests are added to as they come."""
    requests: list[Received] = []
    if case.steps is not None:
        requests = (await serve(case.steps if isinstance(case.steps, Script) else script(*case.steps))).requests
    yeaft.environ |= case.environ
    if case.config:
        yeaft.dir.mkdir()
        (yeaft.dir / "config.toml").write_text(case.config)
    return requests


def check(case: Case, output_format: str, ran: Ran) -> None:
    """Exit code, answer, protocol and the words on stderr."""
    assert ran.code == case.code, ran
    assert case.said in ran.err, ran
    assert "Traceback" not in ran.err, ran
    assert b"\x1b" not in ran.out
    if output_format == "text":
        assert ran.out.decode() == (f"{case.answer}\n" if case.answer else "")
        return
    result = ran.result
    assert result["exit_code"] == case.code
    assert result["outcome"] == case.outcome
    assert result["text"] == case.answer.strip()
    if output_format == "json":
        assert len(ran.lines) == 1
    else:
        assert [(line["v"], line["seq"]) for line in ran.lines] == [(1, number) for number in range(len(ran.lines))]


def everywhere() -> list[tuple[str, str, str]]:
    """Every outcome in every format; what standard input is goes round, so that each format meets each kind of it."""
    pairs = [(name, output_format) for name in EVERYWHERE for output_format in FORMATS]
    return [(KINDS[number % len(KINDS)], output_format, name) for number, (name, output_format) in enumerate(pairs)]


def once() -> list[tuple[str, str]]:
    """Every other outcome as JSON of either kind, and as text if it has an answer or ends before there can be one."""
    found = [(FORMATS[1 + number % 2], name) for number, name in enumerate(ONCE)]
    return found + [("text", name) for name, case in ONCE.items() if case.answer or name in SILENT]


@pytest.mark.parametrize(("kind", "output_format", "name"), everywhere())
async def test_every_outcome_has_its_code_whatever_standard_input_is(
    kind: str, output_format: str, name: str, yeaft: Yeaft, serve: Serve
) -> None:
    case = EVERYWHERE[name]
    requests = await arranged(case, yeaft, serve)

    ran = await run_with(yeaft, kind, *case.words, "--output-format", output_format)

    check(case, output_format, ran)
    assert all((PIPED.strip() in request.raw) == (kind in WITH_DATA) for request in requests)


@pytest.mark.parametrize(("output_format", "name"), once())
async def test_every_other_outcome_has_its_code(output_format: str, name: str, yeaft: Yeaft, serve: Serve) -> None:
    case = ONCE[name]
    await arranged(case, yeaft, serve)

    ran = await yeaft.run(*case.words, "--output-format", output_format)

    check(case, output_format, ran)
