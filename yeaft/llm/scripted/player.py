"""Which step of a script answers a request."""

from collections import Counter
from collections.abc import Sequence
from http import HTTPStatus

from yeaft.llm.scripted.asked import Asked
from yeaft.llm.scripted.script import Bytes, Calls, Holds, Line, Says, Script, Step


class Player:
    """Keeps a script's place: how many steps of each line were taken, and which requests came before."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._taken: Counter[int] = Counter()
        self._repeats: Counter[tuple[int, str]] = Counter()

    def next_step(self, asked: Asked) -> Step:
        """The step that answers `asked`, which is thereby taken."""
        for number, line in enumerate(self._script.lines):
            if not _matches(line, asked):
                continue
            step = self._by_round(number, line, asked) if line.order == "round" else self._by_arrival(number, line)
            if step is not None:
                return step
        return self._script.fallback

    def _by_arrival(self, number: int, line: Line) -> Step | None:
        taken = self._taken[number]
        if not line.steps or (taken >= len(line.steps) and not line.repeat):
            return None
        self._taken[number] += 1
        return line.steps[taken % len(line.steps)]

    def _by_round(self, number: int, line: Line, asked: Asked) -> Step | None:
        """The answer of this round; failures that stand before it come first, each once for the same request."""
        rounds = _rounds(line.steps)
        if not rounds or (asked.rounds >= len(rounds) and not line.repeat):
            return None
        steps = rounds[asked.rounds % len(rounds)]
        key = (number, asked.digest)
        came = self._repeats[key]
        self._repeats[key] += 1
        return steps[min(came, len(steps) - 1)]


def _matches(line: Line, asked: Asked) -> bool:
    return (
        (not line.vp or asked.is_to(line.vp))
        and (not line.when or line.when in asked.text)
        and (not line.model or line.model == asked.model)
    )


def _rounds(steps: Sequence[Step]) -> list[list[Step]]:
    """`steps` cut after each one that gives a whole reply, since only those leave an assistant message behind."""
    rounds: list[list[Step]] = []
    is_open = False
    for step in steps:
        if not is_open:
            rounds.append([])
        rounds[-1].append(step)
        is_open = not _is_whole(step)
    return rounds


def _is_whole(step: Step) -> bool:
    return isinstance(step, Says | Calls | Holds) or (isinstance(step, Bytes) and step.status == HTTPStatus.OK)
