"""The log of a sub-agent: short lines, a bounded size, and no harm when the disk refuses."""

import json
from pathlib import Path

from tests.store.store_given import recorded
from yeaft.events.agent import AgentPrompted
from yeaft.store.agent_log import AgentLog, full_log_path, log_path


def told(text: str, *, ts: int = 1) -> AgentPrompted:
    return AgentPrompted(agent_id="a_1", call_id=f"c_{ts}", text=text)


def test_an_event_becomes_a_line_with_its_time_and_type_first_and_long_texts_cut(tmp_path: Path) -> None:
    log = AgentLog(log_path(tmp_path / "agents", "a_1"))

    log.add(recorded(told("你" * 3000), "e_1", ts=7))

    (line,) = log.path.read_text(encoding="utf-8").splitlines()
    assert line.startswith('{"t":7,"type":"agent.prompted",')
    assert json.loads(line)["text"] == "你" * 2048 + "…"


def test_a_full_log_is_kept_once_while_the_next_grows_and_no_line_is_split(tmp_path: Path) -> None:
    log = AgentLog(tmp_path / "a_1.log", limit_bytes=1_000)

    for number in range(40):
        log.add(recorded(told(f"{number:03}"), f"e_{number}", ts=number))

    kept = full_log_path(log.path).read_text().splitlines() + log.path.read_text().splitlines()
    assert log.path.stat().st_size <= 1_000
    assert full_log_path(log.path).stat().st_size <= 1_000
    texts = [json.loads(line)["text"] for line in kept]
    assert texts == [f"{number:03}" for number in range(40 - len(texts), 40)]
    assert len(texts) > 10


def test_a_log_that_cannot_be_written_is_given_up_without_a_word_to_its_agent(tmp_path: Path) -> None:
    (tmp_path / "agents").write_text("a file where the folder should be")
    log = AgentLog(log_path(tmp_path / "agents", "a_1"))

    log.add(recorded(told("one"), "e_1"))
    (tmp_path / "agents").unlink()
    log.add(recorded(told("two"), "e_2"))

    assert not (tmp_path / "agents").exists()
