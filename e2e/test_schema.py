"""The published JSON Schema of stream-json says what the structs say, and what is really printed."""

import json
from typing import Any

from jsonschema import Draft202012Validator

from e2e.conftest import Serve
from e2e.given import ROOT, Yeaft
from yeaft.interfaces.cli.stream_schema import PUBLISHED, stream_schema
from yeaft.llm.scripted.script import Calls, Cuts, Says, call, script

WORK = Calls(calls=(call("TodoWrite", todos=[]), call("ListDir"), call("Bash", command="echo hi")), thinking="Hm.")
NEEDS_TOUCH = Calls(calls=(call("Bash", command="touch made"),))
BROKEN = Cuts(of=Says(text="Hello there.", chunk=6), after_events=5)


def published() -> dict[str, Any]:
    return json.loads((ROOT / "templates" / PUBLISHED).read_text("utf-8"))


def test_the_published_schema_is_the_one_of_the_structs() -> None:
    assert published() == stream_schema(), "run scripts/schema"


def test_it_is_a_schema_that_knows_every_type_and_forgives_new_ones() -> None:
    schema = published()
    line = {"v": 1, "seq": 0, "type": "some.news", "ts": 0, "session": "s", "data": {"type": "some.news"}, "new": 1}

    Draft202012Validator.check_schema(schema)
    judge = Draft202012Validator(schema)

    assert judge.is_valid(line)
    assert not judge.is_valid({**line, "type": "turn.ended"})
    assert not judge.is_valid({**line, "v": 2})


async def test_what_is_printed_fits_it(yeaft: Yeaft, serve: Serve) -> None:
    lines = Draft202012Validator(published())
    result = Draft202012Validator({"$ref": "#/$defs/Result", "$defs": published()["$defs"]})
    await serve(script(WORK, Says(text="Well."), NEEDS_TOUCH, BROKEN, Says(text="there."), Says(text="Hello.")))
    words = ("-p", "hi", "--set", "retry.base_delay_s=0.01", "--output-format")

    answered = await yeaft.run("-y", *words, "stream-json")
    refused = await yeaft.run("-c", *words, "stream-json")
    mended = await yeaft.run(*words, "stream-json")
    short = await yeaft.run(*words, "json")
    missing = await yeaft.run("-r", "zzzzzzzz", *words, "stream-json")

    assert [ran.code for ran in (answered, refused, mended, short, missing)] == [0, 3, 0, 0, 66]
    for line in (line for ran in (answered, refused, mended, missing) for line in ran.lines):
        lines.validate(line)
    result.validate(short.result)
    assert {"text.streamed", "thinking.streamed", "call.output", "retry.waiting"} <= {
        line["type"] for ran in (answered, mended) for line in ran.lines
    }
