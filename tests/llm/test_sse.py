"""Server-sent events come out the same however the network cuts them and whatever line ends a server likes."""

import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yeaft.kernel.errors import ModelFailed
from yeaft.llm.sse import SseEvent, SseSplitter

LINES = st.sampled_from(
    [
        *(b"data: a", b"data:b", b"data:  c", b"data", b"data:", "data: 你好😀".encode(), b"data: {\xff}"),
        *(
            b"event: x",
            b"event:",
            b"event",
            b": note",
            b":",
            b"id: 7",
            b"retry: 10",
            b"unknown: z",
            b" data: no",
            b"",
            b"",
        ),
    ]
)


def events(*chunks: bytes) -> list[SseEvent]:
    splitter = SseSplitter()
    return [event for chunk in chunks for event in splitter.feed(chunk)]


def by_the_standard(lines: list[bytes]) -> list[SseEvent]:
    """The HTML standard's algorithm, word by word."""
    found, data, name = [], b"", b""
    for line in lines:
        if not line:
            if data:
                found.append(SseEvent(name.decode(), data.removesuffix(b"\n")))
            data, name = b"", b""
        elif not line.startswith(b":"):
            field, _, value = line.partition(b":")
            value = value.removeprefix(b" ")
            if field == b"data":
                data += value + b"\n"
            elif field == b"event":
                name = value
    return found


@given(st.lists(LINES, max_size=12), st.data())
@settings(max_examples=150)
def test_every_chunking_and_every_line_end_gives_the_events_of_the_standard(
    lines: list[bytes], data: st.DataObject
) -> None:
    ends = data.draw(st.lists(st.sampled_from([b"\n", b"\r", b"\r\n"]), min_size=len(lines), max_size=len(lines)))
    # a lone CR before an empty line that ends in LF would read as one CRLF
    ends = [
        b"\r\n" if end == b"\r" and follower == b"" else end
        for end, follower in zip(ends, [*lines[1:], b"-"], strict=False)
    ]
    body = b"".join(line + end for line, end in zip(lines, ends, strict=True))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=10)))
    chunks = [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]

    assert events(*chunks) == by_the_standard(lines)


def test_an_event_is_told_at_the_carriage_return_that_ends_it() -> None:
    splitter = SseSplitter()

    assert splitter.feed(b"data: 1\r\n\r") == [SseEvent("", b"1")]
    assert splitter.feed(b"") == []
    assert splitter.feed(b"\ndata: 2\r\r") == [SseEvent("", b"2")]


def test_a_byte_order_mark_is_skipped_even_in_pieces() -> None:
    body = b"\xef\xbb\xbfevent: start\ndata: 1\n\n"

    assert events(*(bytes([byte]) for byte in body)) == [SseEvent("start", b"1")]


@pytest.mark.parametrize("separator", [b"\x0b", b"\x0c", b"\x1c", b"\x85", "\u2028".encode(), b"\x00"])
def test_only_cr_and_lf_end_a_line(separator: bytes) -> None:
    assert events(b"data: a" + separator + b"b\n\n") == [SseEvent("", b"a" + separator + b"b")]


@pytest.mark.parametrize("tail", [b"data: half", b'data: {"type": "message_st', b"data: [1,\n", b"event: x\n", b""])
def test_an_event_that_was_cut_is_dropped(tail: bytes) -> None:
    splitter = SseSplitter()
    splitter.feed(b"data: 1\n\n" + tail)

    assert splitter.close() == []


@pytest.mark.parametrize("end", [b"", b"\n", b"\r", b"\r\n"])
def test_a_last_event_without_its_blank_line_counts_if_its_json_is_whole(end: bytes) -> None:
    splitter = SseSplitter()
    splitter.feed(b'event: message_stop\ndata: {"type":\ndata: "message_stop"}' + end)

    assert splitter.close() == [SseEvent("message_stop", b'{"type":\n"message_stop"}')]


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.lists(st.booleans())))
@settings(max_examples=30)
def test_no_cut_json_object_is_taken_for_a_whole_one(value: dict[str, object]) -> None:
    raw = json.dumps(value).encode()
    for end in range(len(raw)):
        splitter = SseSplitter()
        splitter.feed(b"data: " + raw[:end])
        assert splitter.close() == []


def test_an_endless_line_is_given_up_at_64_mebibytes() -> None:
    with pytest.raises(ModelFailed) as failed:
        events(b"data: ", *[b"x" * 2**20] * 65)

    assert failed.value.kind == "protocol"


def test_endless_data_lines_of_one_event_are_given_up_too() -> None:
    line = b"data: " + b"x" * 2**20 + b"\n"

    with pytest.raises(ModelFailed):
        events(*[line] * 65)


def test_a_line_of_20_mebibytes_in_pieces_is_put_together_once() -> None:
    splitter, chunk, most_bytes = SseSplitter(), b"x" * 1024, 0
    splitter.feed(b"data: ")
    tracemalloc.start()
    try:
        for _ in range(20 * 1024):
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            assert splitter.feed(chunk) == []
            most_bytes = max(most_bytes, tracemalloc.get_traced_memory()[1] - before)
    finally:
        tracemalloc.stop()

    (event,) = splitter.feed(b"\n\n")
    assert len(event.data) == 20 * 2**20
    assert most_bytes < 2**20  # each piece is kept as it came; only the list of them grows


def test_many_large_events_and_comments_are_no_endless_event() -> None:
    splitter = SseSplitter()
    chunk = (b"data: " + b"x" * 2**20 + b"\n\n") * 3 + b": " + b"c" * 2**20 + b"\n"

    assert sum(len(splitter.feed(chunk)) for _ in range(30)) == 90
