"""Looks at some of the requests while their answers are on their way: would a strict service take them."""

import asyncio
import hashlib
from collections.abc import Callable

from yeaft.llm.model import Encode, Hear, Model, ModelEntry, Reply

ONE_IN = 50
"""One request in so many is looked at; its bytes decide, so the same one always or never is."""


class Watched:
    """A model whose requests are checked now and then; `tell` is given what is wrong with one, which is sent anyway."""

    def __init__(self, model: Model, tell: Callable[[list[str]], None]) -> None:
        self._model = model
        self._tell = tell

    @property
    def entry(self) -> ModelEntry:
        """What is known of the model."""
        return self._model.entry

    def encoder(self) -> Encode:
        """See `Model.encoder`."""
        return self._model.encoder()

    async def generate(self, body: bytes, hear: Hear) -> Reply:
        """See `Model.generate`."""
        if not is_sampled(body):
            return await self._model.generate(body, hear)
        checking = asyncio.create_task(asyncio.to_thread(_problems, self.entry, body), name="check:request")
        try:
            return await self._model.generate(body, hear)
        finally:
            problems = await checking
            if problems:
                self._tell(problems)


def is_sampled(body: bytes) -> bool:
    """Whether a request is looked at."""
    return int.from_bytes(hashlib.sha256(body).digest()[:4], "big") % ONE_IN == 0


def _problems(entry: ModelEntry, body: bytes) -> list[str]:
    import json

    from yeaft.llm.scripted.validate import validate

    return validate(entry.protocol, json.loads(body))
