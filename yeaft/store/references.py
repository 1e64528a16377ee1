"""What an event keeps outside of the journal."""

from yeaft.events.call import CallFinished
from yeaft.events.codec import Event, UnknownEvent
from yeaft.events.fact import BlobRef
from yeaft.events.graph import GraphStarted
from yeaft.events.session import SettingsFrozen, VpFrozen


def blobs_of(event: Event | UnknownEvent) -> tuple[BlobRef, ...]:
    """The blobs that an event names, besides the one it may be kept in itself.

    A checkpoint's manifest is none of them: it lies among the objects of the checkpoints.
    """
    match event:
        case SettingsFrozen(blob=blob) | VpFrozen(blob=blob):
            return (blob,)
        case GraphStarted(graph=graph):
            return (graph,)
        case CallFinished(images=images):
            return images
        case _:
            return ()
