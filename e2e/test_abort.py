"""Ctrl-C stops a turn wherever it is, leaves nothing running, and the Session goes on."""

from pathlib import Path

import pytest

from e2e.drill import abort, crash, stories
from yeaft.llm.scripted.server import ScriptedServer

PROTOCOLS = ("anthropic", "openai-responses")
PLACES = 6
"""Half of them for each protocol."""
PATIENCE_S = 60.0

boundaries = pytest.mark.parametrize(
    ("number", "boundary"), list(enumerate(abort.BOUNDARIES)), ids=[boundary.name for boundary in abort.BOUNDARIES]
)


@boundaries
async def test_ctrl_c_stops_a_turn(tmp_path: Path, number: int, boundary: abort.Boundary) -> None:
    protocol = PROTOCOLS[number % 2]

    stopped = await abort.stop_at(tmp_path / "place", boundary, protocol, gone_within_s=PATIENCE_S)

    assert stopped.problems == ()


@pytest.mark.parametrize(("first", "protocol"), list(enumerate(PROTOCOLS)))
async def test_ctrl_c_stops_two_vps_after_any_line(tmp_path: Path, first: int, protocol: str) -> None:
    async with ScriptedServer(stories.tool_loop(delay_s=0.002)) as server:
        length = await crash.measured(tmp_path / "whole", server, protocol)

        stops = [
            await abort.stop_after(
                tmp_path / str(place), server, protocol, place * length.lines // PLACES, gone_within_s=PATIENCE_S
            )
            for place in range(first, PLACES, len(PROTOCOLS))
        ]

    assert [stopped for stopped in stops if stopped.problems] == []
