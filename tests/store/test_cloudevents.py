"""A journal leaves as CloudEvents and comes back the same; what earlier releases wrote is still understood."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store.event_strategies import events, plain_text
from tests.store.store_given import SAMPLES, STREAM, known_types, recorded, sqlite_journal
from yeaft.events import codec
from yeaft.events.codec import Recorded, UnknownEvent
from yeaft.kernel.errors import BadData
from yeaft.store.cloudevents import export_lines, import_lines

GOLDEN = sorted(Path(__file__).with_name("golden").glob("*.jsonl"))
LINE = next(export_lines([recorded(SAMPLES[1], "e_1")]))


def envelopes() -> st.SearchStrategy[Recorded]:
    return st.builds(
        Recorded,
        id=plain_text(1),
        stream=plain_text(1),
        seq=st.integers(0, 2**53),
        ts=st.integers(0, 250_000_000_000_000),  # to the year 9892
        src=plain_text(),
        cause=plain_text(),
        corr=plain_text(),
        epoch=st.integers(0, 2**31 - 1),
        event=events() | strange_events(),
    )


def strange_events() -> st.SearchStrategy[UnknownEvent]:
    raw = st.sampled_from([b"", b"{}", b'{"a":1}', b' {"a": 1}', b'{"a":\n1}', b"\xff\x00", b"{", b'"\x01"', b"1e999"])
    return st.builds(UnknownEvent, type=st.just("moon.risen"), version=st.integers(1, 9), raw=raw | st.binary())


@settings(max_examples=150, deadline=None)
@given(records=st.lists(envelopes(), max_size=4))
def test_export_and_import_lose_nothing(records: list[Recorded]) -> None:
    lines = list(export_lines(records, session_id="k7m2q9xa"))

    assert all("\n" not in line and "\r" not in line for line in lines)
    assert list(import_lines(lines)) == records
    assert list(import_lines(f"{line}\n" for line in lines)) == records


@settings(max_examples=200, deadline=None)
@given(event=events())
def test_the_codec_gives_back_every_event(event: codec.Event) -> None:
    assert codec.decode(codec.type_of(event), codec.version_of(event), codec.encode(event)) == event


def test_a_line_is_a_cloud_event() -> None:
    event = recorded(SAMPLES[10], "e_1")

    line = json.loads(next(export_lines([event], session_id="k7m2q9xa")))

    assert line.pop("data") == json.loads(codec.encode(event.event))
    assert line == {
        "specversion": "1.0",
        "id": "e_1",
        "source": "//yeaft/k7m2q9xa/engine",
        "type": "yeaft.message.posted",
        "subject": "",
        "time": "2023-11-14T22:13:20Z",
        "dataschema": "yeaft:/schema/message.posted/1",
        "datacontenttype": "application/json",
        "sequence": "0",
        "version": 1,
        "causationid": "m_cause",
        "correlationid": "m_root",
    }


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("{", "truncated"),
        ("[]", "Expected `object`"),
        (LINE.replace('"1.0"', '"0.3"'), "specversion is '0.3'"),
        (LINE.replace("yeaft.session", "other.session"), "type 'other.session.renamed'"),
        (LINE.replace('"sequence":"0"', '"sequence":"first"'), "first"),
        (LINE.replace("20Z", "20"), "timezone"),
        (LINE.replace('"id":"e_1",', ""), "missing required field `id`"),
    ],
)
def test_a_bad_line_is_named(bad: str, reason: str) -> None:
    assert bad != LINE
    lines = import_lines([LINE, "", bad])

    assert next(lines).id == "e_1"
    with pytest.raises(BadData, match=f"Line 3 is not an event of a yeaft journal: .*{reason}"):
        next(lines)


async def test_an_imported_journal_exports_the_same_lines(tmp_path: Path) -> None:
    lines = GOLDEN[0].read_text(encoding="utf-8").rstrip("\n").split("\n")
    journal = sqlite_journal(tmp_path)

    await journal.append(STREAM, 0, 1, list(import_lines(lines)))

    assert list(export_lines(journal.read(STREAM), session_id="k7m2q9xa")) == lines
    await journal.close()


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.stem)
def test_what_a_release_wrote_is_understood_by_every_later_one(golden: Path) -> None:
    with golden.open(encoding="utf-8") as lines:
        records = list(import_lines(lines))

    assert records
    assert [record.type for record in records if isinstance(record.event, UnknownEvent)] == []
    assert [record.seq for record in records] == list(range(1, len(records) + 1))


def test_the_first_release_is_understood_word_for_word() -> None:
    with GOLDEN[0].open(encoding="utf-8") as lines:
        assert [record.event for record in import_lines(lines)][: len(SAMPLES)] == list(SAMPLES)


def test_every_type_has_a_golden_line() -> None:
    """A new type gets a sample in `store_given.py` and a line in the golden journal of the release it comes with."""
    written = [record for golden in GOLDEN for record in import_lines(golden.read_text(encoding="utf-8").split("\n"))]

    assert known_types() - {record.type for record in written} == set()


def test_events_of_a_newer_version_and_of_one_nobody_can_lift_are_kept() -> None:
    raw = b'{"type":"session.renamed","name":"x","added":1}'

    for version in (99, 0):
        assert codec.decode("session.renamed", version, raw) == UnknownEvent(
            type="session.renamed", version=version, raw=raw
        )
