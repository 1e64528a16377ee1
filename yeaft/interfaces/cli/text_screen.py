"""Plain text output: whole answers, one speaker at a time, the first one live."""

from __future__ import annotations

from collections.abc import Callable

from yeaft.events.codec import Recorded, Transient
from yeaft.events.session import MessagePosted
from yeaft.events.turn import ReplyCompleted, RequestSent, TextStreamed, TurnEnded, TurnStarted
from yeaft.interfaces.cli.emphasis import bold
from yeaft.interfaces.cli.terminal_text import unmasked
from yeaft.kernel.messages import text_of

UNFINISHED = ("max_tokens", "pause")
"""How a reply stops that the next one takes up in the middle of a sentence."""
Write = Callable[[bytes], None]


class TextScreen:
    """Writes what VPs say. With several speakers each answer stands whole under a line that names its speaker.

    `for_terminal` makes visible what in a model's text would deceive the eye; a pipe gets the text as it is.
    """

    def __init__(self, write: Write, *, for_terminal: bool) -> None:
        self._write = write
        self._for_terminal = for_terminal
        self._labelled = False
        self._live = ""
        self._speaking: dict[str, _Speech] = {}
        self._ended: list[_Speech] = []
        self._has_written = False
        self._at_line_start = True
        self._is_interrupted = False

    def interject(self, line: str) -> None:
        """Write a line that is no part of the answer, on a line of its own; the answer goes on below it."""
        self._is_interrupted |= not self._at_line_start
        self._finish_line()
        self._put(f"{line}\n")

    def hear(self, heard: Recorded | Transient) -> None:
        """Take in one event."""
        event = heard.event if isinstance(heard, Recorded) else heard
        match event:
            case MessagePosted(kind="user", to=to) if len(to) > 1:
                self._labelled = True
            case MessagePosted(kind="forward"):
                self._labelled = True
            case TurnStarted(vp_id=vp_id):
                self._speaking[vp_id] = _Speech(vp_id)
            case RequestSent(vp=vp_id):  # of a turn that another process had begun, this is the first that is heard
                self._speaking.setdefault(vp_id, _Speech(vp_id))
            case TextStreamed(vp_id=vp_id, pieces=pieces):
                self._say(vp_id, "".join(pieces))
            case ReplyCompleted():
                self._complete(event, heard)
            case TurnEnded(vp_id=vp_id):
                self._end(vp_id)
            case _:
                pass

    def _say(self, vp_id: str, text: str) -> None:
        speech = self._speaking.get(vp_id)
        if speech is None:
            return
        text = speech.next(text)
        if not self._live and text:
            self._live = vp_id
            self._begin(speech)
        if self._live == vp_id:
            self._put(text.removeprefix("\n") if self._is_interrupted else text)
            self._is_interrupted = False
        else:
            speech.held.append(text)

    def _complete(self, reply: ReplyCompleted, heard: Recorded | Transient) -> None:
        """Close a paragraph, and write what came without streaming."""
        vp_id = heard.src.removeprefix("vp:") if isinstance(heard, Recorded) else ""
        speech = self._speaking.get(vp_id)
        if speech is None:
            return
        whole = text_of(reply.items)
        if whole and not speech.streamed:
            self._say(vp_id, whole)
        speech.complete(is_paragraph=bool(reply.calls) or reply.stop not in UNFINISHED)

    def _end(self, vp_id: str) -> None:
        speech = self._speaking.pop(vp_id, None)
        if speech is None:
            return
        if self._live != vp_id:
            self._ended.append(speech)
            if self._live:
                return
        self._live = ""
        self._finish_line()
        for done in self._ended:
            if done.held:
                self._begin(done)
                self._put("".join(done.held))
                self._finish_line()
        self._ended = []
        self._take_next()

    def _take_next(self) -> None:
        """Let the next VP that has begun to speak go on live."""
        for vp_id, speech in self._speaking.items():
            if speech.held:
                self._live = vp_id
                self._begin(speech)
                self._put("".join(speech.held))
                speech.held = []
                return

    def _begin(self, speech: _Speech) -> None:
        if not self._labelled:
            return
        gap = "\n" if self._has_written else ""
        self._put(gap)
        self._write(f"{bold(f'── @{speech.vp_id}')}\n".encode())
        self._has_written = True

    def _finish_line(self) -> None:
        if not self._at_line_start:
            self._put("\n")

    def _put(self, text: str) -> None:
        if not text:
            return
        if self._for_terminal:
            text = unmasked(text)
        self._has_written = True
        self._at_line_start = text.endswith("\n")
        self._write(text.encode("utf-8", "replace"))


class _Speech:
    """What one VP says in one turn; texts of its rounds are set apart by an empty line."""

    def __init__(self, vp_id: str) -> None:
        self.vp_id = vp_id
        self.held: list[str] = []
        self.streamed = False
        self._last = ""
        self._paused = False

    def next(self, text: str) -> str:
        """Return `text` with the gap that belongs before it."""
        if not text:
            return ""
        gap = ""
        if self._paused and self._last:
            gap = "\n" if self._last.endswith("\n") else "\n\n"
        self._paused, self.streamed = False, True
        self._last = text[-1]
        return gap + text

    def complete(self, *, is_paragraph: bool) -> None:
        """Note that a reply is complete, and whether the next one begins a new paragraph."""
        self._paused, self.streamed = is_paragraph, False
