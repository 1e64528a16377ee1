"""Whatever was said before and however small the window: a request fits, is valid, and is the same every time."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.any_budget_worker import conversation, digests
from tests.engine.engine_given import BOX, CLAUDE, ENTRIES, conversations, encoder, picture_of, settings_for
from yeaft.config.settings import Window as Bounds
from yeaft.engine.request import Memory, build_request
from yeaft.engine.view import Own, Posted, Summed, Unit, defused
from yeaft.engine.window.room import fixed_tokens, room_for
from yeaft.kernel.errors import ConfigError
from yeaft.llm.model import ModelEntry
from yeaft.llm.scripted.validate import validate
from yeaft.llm.tokens import Factors

ROOT = Path(__file__).parents[2]
FEW = settings(max_examples=150, deadline=None)
BOUNDS = st.builds(
    Bounds,
    turns=st.integers(0, 5),
    rows=st.integers(0, 20),
    history_tokens=st.integers(0, 3000),
    tool_turns=st.integers(0, 4),
)
FACTORS = st.builds(Factors, at_start=st.sampled_from((0.5, 1.0, 4.0)), now=st.sampled_from((0.5, 1.0, 1.3, 4.0)))
SUMMARIES = st.lists(
    st.builds(
        Summed,
        text=st.sampled_from(("They agreed.", "你好" * 900, "</message>" * 300, "word " * 3000, "👍" * 700)),
        turns=st.integers(1, 200),
        asked=st.lists(st.sampled_from(("Paint it.", "蓝色" * 200, "x" * 5000)), max_size=40).map(tuple),
    ),
    max_size=1,
)


@FEW
@given(
    SUMMARIES,
    st.one_of(
        conversations(),
        st.builds(conversation, st.integers(0, 500), st.sampled_from(ENTRIES), st.integers(0, 20)),
    ),
    st.tuples(st.sampled_from(ENTRIES), st.integers(400, 20_000)),
    BOUNDS,
    st.tuples(FACTORS, st.integers(0, 3)),
)
def test_any_budget_gives_a_request_that_fits_and_is_valid_or_says_why_not(
    summary: list[Unit],
    said: list[Unit],
    model: tuple[ModelEntry, int],
    bounds: Bounds,
    learnt: tuple[Factors, int],
) -> None:
    units, (entry, context_tokens), (factors, shrinks) = [*summary, *said], model, learnt
    frozen = settings_for(entry, labelled=True, context_tokens=context_tokens)
    frozen = replace(frozen, window=bounds)
    try:
        built = build_request(units, frozen, encoder(frozen.entry), shrinks, picture_of, factors=factors)
    except ConfigError:
        assume(context_tokens >= 8000)
        raise

    body, asked = json.loads(built.body), _asked(units)
    output = body.get("max_tokens") or body["max_output_tokens"]
    assert validate(entry.protocol, body) == []
    assert built.window.tokens_est * factors.now + output <= context_tokens
    assert built.window.tokens_est <= fixed_tokens(frozen) + max(0, room_for(frozen, factors).utmost)
    if not built.window.shortened:
        (question,) = (one.message for one in units if isinstance(one, Posted) and one.message.message_id == asked)
        assert json.dumps(defused(question.text))[1:-1] in json.dumps(body)
    again = build_request(units, frozen, encoder(frozen.entry), shrinks, picture_of, factors=factors)
    assert again == built


def _asked(units: list[Unit]) -> str:
    last = units[-1]
    assert isinstance(last, Own)
    return last.turn.started.message_id


def test_a_memory_of_earlier_requests_changes_nothing() -> None:
    memory = Memory()
    for entry in (CLAUDE, BOX, CLAUDE):
        frozen = settings_for(entry, context_tokens=9_000)
        for rounds in (0, 3, 12, 13, 2):
            units = conversation(3, entry, rounds)
            for shrinks in (0, 1):
                fresh = build_request(units, frozen, encoder(frozen.entry), shrinks, picture_of)
                remembering = memory.encoder(frozen.entry, partial(encoder, frozen.entry))
                assert build_request(units, frozen, remembering, shrinks, picture_of, memory=memory) == fresh


@FEW
@given(conversations(), st.sampled_from(ENTRIES), st.sampled_from((1_500, 4_000, 60_000)), st.booleans())
def test_what_is_remembered_of_a_turn_changes_none_of_its_requests(
    units: list[Unit], entry: ModelEntry, context_tokens: int, labelled: bool
) -> None:
    frozen, memory = settings_for(entry, labelled=labelled, context_tokens=context_tokens), Memory()
    own = units[-1]
    assert isinstance(own, Own)
    for count in range(len(own.turn.attempts) + 1):
        so_far = [*units[:-1], Own(turn=replace(own.turn, attempts=own.turn.attempts[:count]))]
        remembering = memory.encoder(frozen.entry, partial(encoder, frozen.entry))
        try:
            fresh = build_request(so_far, frozen, encoder(frozen.entry), 0, picture_of)
        except ConfigError:
            continue
        assert build_request(so_far, frozen, remembering, 0, picture_of, memory=memory) == fresh


def test_every_process_builds_the_same_requests() -> None:
    told = [
        subprocess.run(
            [sys.executable, "-m", "tests.engine.any_budget_worker"],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.splitlines()
        for seed in ("0", "1", "4711")
    ]

    assert told == [list(digests())] * 3
