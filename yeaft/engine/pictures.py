"""The pictures in a request: which still go along, and the words that stand for those that do not."""

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from yeaft.engine.state import Attempt, TurnState
from yeaft.events.call import CallFinished
from yeaft.events.fact import BlobRef
from yeaft.events.history import AttachmentAdded
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


Batch = tuple[str, tuple[BlobRef, ...]]
"""Pictures that go along together or not at all, under the id of their call or attachment."""


def pictures_of_turn(turn: TurnState, stubbed: frozenset[str]) -> Iterator[Batch]:
    """The pictures of a turn's results by call, the newest first; those of calls in `stubbed` are not wanted."""
    for attempt in reversed(turn.attempts):
        yield from (batch for batch in reversed(list(batches_of(attempt))) if batch[0] not in stubbed)


def batches_of(attempt: Attempt) -> Iterator[Batch]:
    """The pictures of the results of one request's calls."""
    for state in attempt.calls:
        if state.finished is not None and state.finished.images:
            yield state.finished.call_id, state.finished.images


def pictures_of_message(attachments: Sequence[AttachmentAdded]) -> Iterator[Batch]:
    """The pictures among the files that go with a message, each for itself, the last first."""
    for one in reversed(attachments):
        if is_picture(one):
            yield one.attachment_id, (reference_to(one),)


def newest_pictures(newest_first: Iterable[Batch]) -> frozenset[str]:
    """The ids under which pictures still go along: the newest, as many as a request may have."""
    kept: set[str] = set()
    count = size_bytes = 0
    for batch_id, images in newest_first:
        count += len(images)
        size_bytes += sum(ref.size_bytes for ref in images)
        if count > MOST_PICTURES or size_bytes > MOST_BYTES:
            break
        kept.add(batch_id)
    return frozenset(kept)


def is_picture(attachment: AttachmentAdded) -> bool:
    """Whether a model is shown it, rather than only told what is in it."""
    return attachment.mime.startswith("image/")


def reference_to(attachment: AttachmentAdded) -> BlobRef:
    """What a picture that was attached is looked for by."""
    return BlobRef(sha256=attachment.sha256, size_bytes=attachment.size_bytes, mime=attachment.mime)


def attached_pictures(
    attachments: Sequence[AttachmentAdded], look: Look, phrases: Mapping[str, str], *, seen: bool, still: frozenset[str]
) -> tuple[tuple[ImagePart, ...], tuple[str, ...]]:
    """The pictures that go with a message, and a note for each that cannot be sent; see `shown_pictures`.

    `still` are the ids under which pictures go along.
    """
    images: list[ImagePart] = []
    notes: list[str] = []
    for one in filter(is_picture, attachments):
        sent = seen and one.attachment_id in still
        image = look(reference_to(one)) if sent else None
        if image is None:
            why = "attachment_gone" if sent else "attachment_left_out" if seen else "attachment_omitted"
            notes.append(fill(phrases[why], {"name": one.name}))
        else:
            images.append(image)
    return tuple(images), tuple(notes)


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


def attachment_tokens(attachments: Sequence[AttachmentAdded]) -> int:
    """Estimate what the pictures among files cost; text of files is part of their message."""
    return picture_tokens([reference_to(one) for one in filter(is_picture, attachments)])


def picture_tokens(images: Sequence[BlobRef]) -> int:
    """Estimate what pictures cost; base64 takes four characters for three bytes."""
    return sum(estimate_image(-(-ref.size_bytes // 3) * 4) for ref in images)
