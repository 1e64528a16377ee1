"""The keys of the transcript: those that work from everywhere on the screen, and those of its cursor."""

from __future__ import annotations

from dataclasses import replace

from textual.binding import Binding

from yeaft.interfaces.tui.panels.bound import bound


def _anywhere(verb: str) -> Binding:
    """Return a binding that the draft does not take first: it has other uses for some of these keys."""
    return replace(bound(f"transcript.{verb}", f"transcript('{verb}')"), priority=True)


TRANSCRIPT_KEYS = [
    _anywhere("page_up"),
    _anywhere("page_down"),
    _anywhere("first"),
    _anywhere("last"),
    _anywhere("earlier"),
    _anywhere("later"),
    _anywhere("outputs"),
    _anywhere("thinking"),
    _anywhere("times"),
    _anywhere("search"),
    _anywhere("focus"),
]
"""The bindings of a screen that gives what `action_transcript` is called with to `Reading.does`."""
CURSOR_KEYS = [
    bound("blocks.down", "step(1)"),
    bound("blocks.up", "step(-1)"),
    bound("blocks.fold", "fold"),
    bound("blocks.editor", "want('editor')"),
    bound("blocks.pager", "want('pager')"),
    bound("blocks.copy", "want('copy')"),
    bound("blocks.next", "found(1)"),
    bound("blocks.previous", "found(-1)"),
    bound("blocks.leave", "want('leave')"),
]
"""The bindings of the transcript while it has the focus."""
