"""Many processes, many voices, and models that misbehave: nothing is lost, mixed up, or stuck."""

from pathlib import Path

import pytest

from e2e.drill import crowd, oddities
from yeaft.llm.scripted.server import ScriptedServer

PROTOCOLS = ("anthropic", "openai-responses")
SESSIONS, TURNS, DELTAS = 4, 3, 500

protocols = pytest.mark.parametrize("protocol", PROTOCOLS)
cases = [(oddity, protocol) for oddity in oddities.ODDITIES for protocol in oddity.protocols]


@protocols
async def test_sessions_in_one_folder_keep_to_themselves(tmp_path: Path, protocol: str) -> None:
    async with ScriptedServer(crowd.plain_turns()) as server:
        result = await crowd.side_by_side(tmp_path / "place", server, protocol, SESSIONS, TURNS)

    assert result.problems == ()


@protocols
async def test_a_busy_session_turns_others_away_and_can_be_forked(tmp_path: Path, protocol: str) -> None:
    assert await crowd.two_want_one(tmp_path / "place", protocol) == []


@protocols
async def test_four_vps_that_talk_at_once_are_all_heard_in_order(tmp_path: Path, protocol: str) -> None:
    assert await crowd.all_talk(tmp_path / "place", protocol, DELTAS) == []


@pytest.mark.parametrize(("oddity", "protocol"), cases, ids=[f"{oddity.name}-{protocol}" for oddity, protocol in cases])
async def test_a_turn_ends_and_the_next_one_works_after(tmp_path: Path, oddity: oddities.Oddity, protocol: str) -> None:
    assert await oddities.meet(tmp_path / "place", oddity, protocol) == []
