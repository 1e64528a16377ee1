"""The tool with which a VP puts a question to the human and waits for the answer."""

import json
from typing import Annotated, Protocol

from msgspec import Meta, Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.tool import Running, Tool

DECLINED = "The user declined to answer. Do not ask this again; go on without the answer, or say why you cannot."


class Asker(Protocol):
    """Whoever can put a question to the human."""

    async def ask(self, call_id: str, question: str, options: tuple[str, ...], number: int = 0) -> str | None:
        """Return what the human answered, one of `options` or free text; None if the human does not want to answer.

        `number` tells the questions of a call apart.
        Waits as long as it takes. Raises `ToolFailed`, with a text for the model, when nobody is there to answer.
        """
        ...


class AskUser(Struct, frozen=True):
    """What the model says to ask."""

    question: str
    options: Annotated[tuple[str, ...], Meta(description="Answers to choose from; free text stays possible")] = ()


def ask_user(asker: Asker) -> Tool[AskUser]:
    """Let the model ask the human through `asker`. It has no timeout: the human may be at lunch."""

    async def run(args: AskUser, running: Running) -> str:
        if not args.question.strip():
            raise ToolFailed("The question is empty.")
        options = tuple(dict.fromkeys(option for option in args.options if option.strip()))
        answer = await asker.ask(running.call_id, args.question, options)
        if answer is None:
            return json.dumps({"question": args.question, "answers": [], "note": DECLINED}, ensure_ascii=False)
        return json.dumps({"question": args.question, "answers": [answer]}, ensure_ascii=False)

    return Tool(name="AskUser", args=AskUser, run=run, guard="local", timeout_s=None)
