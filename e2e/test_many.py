"""Many processes, many voices, and models that misbehave: nothing is lost, mixed up, or stuck."""

from pathlib import Path

import pytest

from e2e.drill import crowd, oddities
from yeaft.llm.scripted.server import ScriptedServer

SESSIONS, TURNS, DELTAS = 4, 2, 500


async def test_sessions_in_one_folder_keep_to_themselves(tmp_path: Path) -> None:
    async with ScriptedServer(crowd.plain_turns()) as server:
        result = await crowd.side_by_side(tmp_path / "place", server, "openai-responses", SESSIONS, TURNS)

    assert result.problems == ()


async def test_a_busy_session_turns_others_away_and_can_be_forked(tmp_path: Path) -> None:
    assert await crowd.two_want_one(tmp_path / "place", "anthropic") == []


async def test_four_vps_that_talk_at_once_are_all_heard_in_order(tmp_path: Path) -> None:
    assert await crowd.all_talk(tmp_path / "place", "anthropic", DELTAS) == []


@pytest.mark.parametrize(
    ("number", "oddity"), list(enumerate(oddities.ODDITIES)), ids=[oddity.name for oddity in oddities.ODDITIES]
)
async def test_a_turn_ends_and_the_next_one_works_after(tmp_path: Path, number: int, oddity: oddities.Oddity) -> None:
    """Each oddity ends a process of its own over one protocol, and comes to the same in this one over the other."""
    first, *others = oddity.protocols[:: -1 if number % 2 else 1]

    found = {first: await oddities.meet(tmp_path / first, oddity, first)}
    for other in () if oddity.is_heavy else others:
        found[other] = await oddities.meet(tmp_path / other, oddity, other, here=True)

    assert {protocol: problems for protocol, problems in found.items() if problems} == {}
