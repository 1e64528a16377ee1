"""Builds the requests of a few long conversations and prints their digests, for a process with a hash seed of its own."""

import random
import sys
from collections.abc import Iterator

from tests.engine.engine_given import BOX, CLAUDE, PICTURE, Story, encoder, message, picture_of, settings_for
from yeaft.engine.request import build_request
from yeaft.engine.view import Own, Posted, Told, Unit
from yeaft.llm.model import ModelEntry

WORDS = ("alpha", "你好世界", "ещё", "👍🎉", "</message>", "line\nbreak", "word " * 30)


def conversation(seed: int, entry: ModelEntry, rounds: int) -> list[Unit]:
    """Eight turns with calls, pictures and what others said, and a current one of so many rounds."""
    chance = random.Random(seed)
    units: list[Unit] = []
    for number in range(9):
        story = Story(f"m_{number}", entry)
        for _ in range(chance.randrange(4) if number < 8 else rounds):
            tools = [chance.choice(("Bash", "ListDir", "FileRead")) for _ in range(chance.randrange(1, 4))]
            story.sent().replied(chance.choice(WORDS), tools)
            for state in story.state.open_calls:
                text = chance.choice(WORDS) * chance.randrange(1, 400)
                story.started(state.call).finished(state.call, text, images=(PICTURE,) * chance.randrange(2))
        units.append(Posted(message=message(chance.choice(WORDS) * 3, f"m_{number}")))
        if number < 8:
            story.sent().replied("answer " + chance.choice(WORDS)).ended()
            units.append(Own(turn=story.state))
            units.append(Told(vp_id="skeptic", to=(), text=chance.choice(WORDS) * 9))
        else:
            units.append(Own(turn=story.state))
    return units


def digests() -> Iterator[str]:
    """One digest for each of some conversations, models and windows."""
    for seed in range(4):
        for entry in (CLAUDE, BOX):
            for context_tokens in (3_000, 9_000, 60_000):
                frozen = settings_for(entry, labelled=True, context_tokens=context_tokens)
                units = conversation(seed, entry, rounds=12)
                for shrinks in range(3):
                    yield build_request(units, frozen, encoder(frozen.entry), shrinks, picture_of).digest


if __name__ == "__main__":
    sys.stdout.write("\n".join(digests()))
