"""Models that say what no model should: the turn ends in a defined way, a line says so, and the next turn works."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from e2e.drill.checks import journal_problems, request_problems
from e2e.drill.place import JSON_LINES, Place
from e2e.drill.reopened import resume, wish_for
from e2e.drill.stories import NEXT, START
from yeaft.events.ops import Say
from yeaft.interfaces.assemble import Opened, opened
from yeaft.interfaces.cli.findings import Findings
from yeaft.interfaces.cli.stderr_screen import StderrScreen
from yeaft.llm.model import WireProtocol
from yeaft.llm.scripted.script import Breaks, Calls, Fails, Line, Says, Script, ScriptedCall, Step, call
from yeaft.llm.scripted.server import ScriptedServer
from yeaft.session.opening import Wanted

BOTH: tuple[WireProtocol, ...] = ("anthropic", "openai-responses")
ANSWERED, FAILED, LIMIT, AGAIN = 0, 1, 4, 75
WORDS = Says(text="done")
BIG_FILE = "big.txt"
BIG_FILE_BYTES = 3_000_000
LARGE_TEXT_BYTES = 5_000_000


class Oddity(Struct, frozen=True, kw_only=True):
    """What a model does, and how the process must end; `said` is a part of the line that explains it on stderr.

    What `is_heavy` keeps the engine and the tools busy, and does not look different to the other adapter.
    """

    name: str
    steps: tuple[Step, ...]
    exit_code: int = ANSWERED
    said: str = ""
    protocols: tuple[WireProtocol, ...] = BOTH
    context_tokens: int = 200_000
    is_heavy: bool = False


def _todo(ident: str | None = None, raw: str | None = None) -> ScriptedCall:
    args = {"todos": [{"content": "a", "status": "pending", "activeForm": "b"}]}
    return ScriptedCall(tool="TodoWrite", args=args, args_raw=raw, id=ident)


def _calls(*calls: ScriptedCall, text: str = "", stop: str = "calls") -> Calls:
    return Calls(calls=calls, text=text, stop=stop)


LOOK = call("ListDir")
SURROGATE = '{"file_path": "\\ud800.txt", "\\udfff": 1}'
ODDITIES = (
    Oddity(name="empty call ids", steps=(_calls(_todo(""), _todo("")), WORDS)),
    Oddity(name="duplicate call ids", steps=(_calls(_todo("same"), _todo("same")), WORDS)),
    Oddity(name="a call id used before", steps=(_calls(_todo("same")), _calls(_todo("same")), WORDS)),
    Oddity(name="impossible call ids", steps=(_calls(_todo("a b/ü\n"), _todo("x" * 300)), WORDS)),
    Oddity(name="array arguments", steps=(_calls(_todo(raw='["not", "an", "object"]')), WORDS)),
    Oddity(name="arguments that are a string", steps=(_calls(_todo(raw='"text"')), WORDS)),
    Oddity(name="unparsable arguments", steps=(_calls(_todo(raw='{"todos": [}')), WORDS)),
    Oddity(name="half of the arguments", steps=(_calls(_todo(raw='{"todos": [{"cont')), WORDS)),
    Oddity(name="no arguments", steps=(_calls(_todo(raw="")), WORDS)),
    Oddity(name="deeply nested arguments", steps=(_calls(_todo(raw="[" * 5000 + "]" * 5000)), WORDS)),
    Oddity(name="surrogates in arguments", steps=(_calls(ScriptedCall(tool="FileRead", args_raw=SURROGATE)), WORDS)),
    Oddity(name="surrogates in a text", steps=(Says(text="broken \ud83d heart \udc94 here"),)),
    Oddity(name="control characters", steps=(Says(text="a\x00b\x1b[31mc\x7f\u2028d"),)),
    Oddity(name="an unknown tool", steps=(_calls(call("Teleport", to="Mars")), WORDS)),
    Oddity(name="an impossible tool name", steps=(_calls(call("no such tool!", x=1), call("")), WORDS)),
    Oddity(name="a thought and no words", steps=(Says(text="", thinking="Hm."), WORDS)),
    Oddity(
        name="two thoughts and no words", steps=(Says(text="", thinking="Hm."),) * 2, exit_code=FAILED, said="answer"
    ),
    Oddity(name="an empty reply", steps=(Says(text=""), WORDS)),
    Oddity(name="empty replies", steps=(Says(text=""),) * 2, exit_code=FAILED, said="answer"),
    Oddity(name="only white space", steps=(Says(text=" \n "), WORDS)),
    Oddity(
        name="a stop nobody has seen",
        steps=(Says(text="stopped", stop="moonrise"),),
        said="moonrise",
        protocols=BOTH[:1],
    ),
    Oddity(
        name="an end nobody has seen",
        steps=(Says(text="stopped", stop="moonrise"),),
        said="cut the answer short",
        protocols=BOTH[1:],
    ),
    Oddity(name="calls with a stop nobody has seen", steps=(_calls(LOOK, stop="moonrise"), WORDS)),
    Oddity(name="a refusal", steps=(Says(text="I will not.", stop="refusal"),), exit_code=FAILED, said="refused"),
    Oddity(
        name="a refusal with calls",
        steps=(_calls(_todo(), text="No.", stop="refusal"), WORDS),
        exit_code=FAILED,
        said="refused",
    ),
    Oddity(name="a pause", steps=(Says(text="I pause. ", stop="pause"), WORDS)),
    Oddity(name="a pause with calls", steps=(_calls(LOOK, stop="pause"), WORDS)),
    Oddity(name="max_tokens once", steps=(Says(text="half of ", stop="max_tokens"), Says(text="it"))),
    Oddity(
        name="max_tokens for ever", steps=(Says(text="more ", stop="max_tokens"),) * 5, exit_code=LIMIT, said="output"
    ),
    Oddity(name="max_tokens in a call", steps=(_calls(_todo(raw='{"todos": ['), stop="max_tokens"), WORDS)),
    Oddity(name="max_tokens in a thought", steps=(Says(text="", thinking="so much", stop="max_tokens"), WORDS)),
    Oddity(
        name="context exceeded, then less",
        steps=(
            Fails(
                status=400, type="context_length_exceeded", message="prompt is too long: 300000 tokens > 200000 maximum"
            ),
            WORDS,
        ),
    ),
    Oddity(
        name="context exceeded for ever",
        steps=(
            Fails(
                status=400, type="context_length_exceeded", message="prompt is too long: 300000 tokens > 200000 maximum"
            ),
        )
        * 4,
        exit_code=LIMIT,
        said="context",
    ),
    Oddity(
        name="context exceeded as a stop",
        steps=(Says(text="up to here", stop="context"),),
        exit_code=LIMIT,
        said="context",
        protocols=BOTH[:1],
    ),
    Oddity(name="an error in a text", steps=(Breaks(of=Says(text="one two three " * 9), after_events=12), WORDS)),
    Oddity(
        name="errors in every text",
        steps=(Breaks(of=Says(text="one two three " * 9), after_events=12),) * 9,
        exit_code=AGAIN,
        said="failed",
    ),
    Oddity(
        name="an error in a call",
        steps=(Breaks(of=Calls(calls=(_todo(),), chunk=4), after_events=9), WORDS),
        exit_code=AGAIN,
        said="failed",
    ),
    Oddity(
        name="200 calls in one reply",
        steps=(_calls(*(call("Grep", pattern=f"p{n}") for n in range(200))), WORDS),
        is_heavy=True,
    ),
    Oddity(name="a reply of 5 MB", steps=(Says(text="word " * (LARGE_TEXT_BYTES // 5), chunk=4096),)),
    Oddity(name="a result of 3 MB", steps=(_calls(call("Bash", command=f"cat {BIG_FILE}")), WORDS), is_heavy=True),
    Oddity(
        name="more than the window holds",
        steps=(_calls(*(call("FileRead", file_path=BIG_FILE, offset=n * 400) for n in range(40))), WORDS),
        context_tokens=24_000,
        is_heavy=True,
    ),
)


async def meet(root: Path, oddity: Oddity, protocol: str, *, here: bool = False) -> list[str]:
    """Let the model do its odd thing, then ask it something else; returns what is wrong with either.

    `here` plays the first turn in this process, which says the same as a process of its own.
    """
    lines = (Line(when=NEXT, order="round", steps=(Says(text="next is done"),)), Line(when="", steps=oddity.steps))
    async with ScriptedServer(Script(lines=lines)) as server:
        place = Place(root, server.base_url, protocol, context_tokens=oddity.context_tokens)
        (place.work / BIG_FILE).write_text("0123456789" * 9 + "012345678\n" * (BIG_FILE_BYTES // 10))
        problems = await (_met_here if here else _met)(place, oddity)
        (session_id,) = place.sessions()
        problems += journal_problems(place, session_id)
        again = await resume(place, session_id, Say(text=NEXT))
        problems += [f"after the next turn: {problem}" for problem in again]
        return [*problems, *request_problems(server.requests)]


async def _met(place: Place, oddity: Oddity) -> list[str]:
    run = await place.run(*JSON_LINES, "--mode", "auto", START)
    code = run.exit_code
    problems = [] if code == run.result["exit_code"] else [f"the result says {run.result['exit_code']}, not {code}"]
    return [*problems, *_ends(oddity, code, [end["data"]["outcome"] for end in run.of_type("turn.ended")], run.stderr)]


async def _met_here(place: Place, oddity: Oddity) -> list[str]:
    said: list[str] = []
    async with opened(wish_for(place, Wanted())) as opening:
        findings = Findings(said.append)
        opening.listen(findings.hear)
        opening.listen(_stderr(opening, said.append).hear)
        opening.session.send(Say(text=START))
        await opening.session.idle()
        result = findings.result(opening.state, stdin="none", is_asked=True)
    return _ends(oddity, result.exit_code, [vp.outcome for vp in result.vps], "\n".join(said))


def _stderr(opening: Opened, write: Callable[[str], None]) -> StderrScreen:
    session_id = opening.state.session_id
    return StderrScreen(write, opening.ui, session_id, (), {}, quiet=False, with_calls=False, columns=None)


def _ends(oddity: Oddity, code: int | None, outcomes: list[str], said: str) -> list[str]:
    problems = [] if len(outcomes) == 1 else [f"{len(outcomes)} ends"]
    if code != oddity.exit_code:
        problems.append(f"exit code {code} ({outcomes}), not {oddity.exit_code}: {said}")
    if oddity.said not in said or (oddity.exit_code and not said.strip()):
        problems.append(f"no line says why ({oddity.said!r}): {said!r}")
    return problems
