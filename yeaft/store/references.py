"""What an event keeps outside of the journal."""

from yeaft.events.call import CallFinished
from yeaft.events.codec import Event, UnknownEvent
from yeaft.events.fact import BlobRef
from yeaft.events.graph import GraphStarted
from yeaft.events.history import CheckpointTaken
from yeaft.events.session import SettingsFrozen, VpFrozen


def blobs_of(event: Event | UnknownEvent) -> tuple[BlobRef, ...]:
    """The blobs that an event names, besides the one it may be kept in itself."""
    match event:
        case SettingsFrozen(blob=blob) | VpFrozen(blob=blob):
            return (blob,)
        case CheckpointTaken(manifest=manifest):
            return (manifest,)
        case GraphStarted(graph=graph):
            return (graph,)
        case CallFinished(images=images):
            return images
        case _:
            return ()
