"""The pictures of results in a request: which still go along, and the words that stand for those that do not."""

import base64
from collections.abc import Callable, Mapping, Sequence

from yeaft.engine.state import TurnState
from yeaft.events.call import CallFinished
from yeaft.events.fact import BlobRef
from yeaft.kernel.messages import ImagePart
from yeaft.llm.tokens import estimate_image
from yeaft.prompts.fill import fill

MOST_PICTURES = 20  # with more than these, Anthropic wants every one of them smaller
MOST_BYTES = 12 * 1024 * 1024  # 16 MiB in base64, half of what Anthropic takes as a whole request

Look = Callable[[BlobRef], ImagePart | None]
"""Gives the picture that was kept under a reference; None if it is gone."""


def nothing_kept(_: BlobRef) -> ImagePart | None:
    """For conversations without a store: every picture is gone."""
    return None


def look_into(get: Callable[[str], bytes | None]) -> Look:
    """Look for pictures among blobs; `get` gives the content with a SHA-256, if it is there."""

    def look(ref: BlobRef) -> ImagePart | None:
        content = get(ref.sha256)
        return None if content is None else ImagePart(mime=ref.mime, data=base64.b64encode(content).decode())

    return look


def newest_pictures(turns: Sequence[TurnState], stubbed: frozenset[str]) -> frozenset[str]:
    """The ids of the calls whose pictures still go along: the newest, and no call with only some of its pictures."""
    kept: set[str] = set()
    count = size_bytes = 0
    for turn in reversed(turns):
        for attempt in reversed(turn.attempts):
            for finished in (state.finished for state in reversed(attempt.calls)):
                if finished is None or not finished.images or finished.call_id in stubbed:
                    continue
                count += len(finished.images)
                size_bytes += sum(ref.size_bytes for ref in finished.images)
                if count > MOST_PICTURES or size_bytes > MOST_BYTES:
                    return frozenset(kept)
                kept.add(finished.call_id)
    return frozenset(kept)


def shown_pictures(
    finished: CallFinished, look: Look, phrases: Mapping[str, str], *, seen: bool, still: bool
) -> tuple[tuple[ImagePart, ...], tuple[str, ...]]:
    """The pictures of a result, and a note for each that cannot be sent.

    `seen` is whether the model takes pictures at all, `still` whether this call's go along.
    """
    images: list[ImagePart] = []
    notes: list[str] = []
    for ref in finished.images:
        image = look(ref) if seen and still else None
        if image is None:
            why = "image_gone" if seen and still else "image_left_out" if seen else "image_omitted"
            notes.append(fill(phrases[why], {"mime": ref.mime}))
        else:
            images.append(image)
    return tuple(images), tuple(notes)


def picture_tokens(images: Sequence[BlobRef]) -> int:
    """Estimate what pictures cost; base64 takes four characters for three bytes."""
    return sum(estimate_image(-(-ref.size_bytes // 3) * 4) for ref in images)
