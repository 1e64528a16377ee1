"""The one tool by which a VP hands over what a step is to give, when that is more than text."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw

from yeaft.kernel.errors import BadArguments, ToolFailed
from yeaft.llm.prompt import ToolSpec
from yeaft.tools.tool import BoundCall, Running, ToolResult, Touches, arguments
from yeaft.workflows.graphs.bounded_regexes import is_quick_schema
from yeaft.workflows.graphs.outputs import misfits

if TYPE_CHECKING:
    from yeaft.engine.state import TurnState

FINISH_STEP = "FinishStep"


class FinishStep:
    """Takes a value that fits `schema` (a JSON Schema), and says what does not fit while the VP can still mend it."""

    def __init__(self, schema: Mapping[str, Any], told: str) -> None:
        self._schema = schema
        self._told = told

    @property
    def name(self) -> str:
        """What models call it by."""
        return FINISH_STEP

    @property
    def spec(self) -> ToolSpec:
        """What a model is told of it."""
        schema = {"type": "object", "properties": {"value": self._schema}, "required": ["value"]}
        told = "Hand over the result of this step, once."
        return ToolSpec(name=FINISH_STEP, description=told, schema=Raw(msgspec.json.encode(schema)))

    def bind(self, args_raw: str, /) -> BoundCall:
        """The call with these arguments. Raises `BadArguments` with everything that does not fit."""
        given = arguments(FINISH_STEP, args_raw)
        if "value" not in given:
            raise BadArguments(f"{FINISH_STEP}: 'value' is missing.")
        is_quick = is_quick_schema(self._schema)
        if is_quick and (mistakes := misfits(given["value"], self._schema)):
            raise BadArguments(_refusal(mistakes))

        async def start(running: Running) -> ToolResult:
            del running
            if not is_quick and (mistakes := await asyncio.to_thread(misfits, given["value"], self._schema)):
                raise ToolFailed(_refusal(mistakes))
            return ToolResult(text=self._told)

        return BoundCall(
            tool=FINISH_STEP,
            args=Raw(msgspec.json.encode(given)),
            guard="read",
            touches=Touches(),
            timeout_s=None,
            unknown_keys=(),
            start=start,
            intend=lambda: (),
        )


def _refusal(mistakes: Sequence[str]) -> str:
    return f"{FINISH_STEP}: the value does not fit. {' '.join(mistakes)}"


def finished_value(turn: TurnState) -> tuple[bool, Any]:
    """Return whether a turn has handed over a value, and the last one it has."""
    for attempt in reversed(turn.attempts):
        for state in reversed(attempt.calls):
            done = state.finished
            if state.call.tool == FINISH_STEP and done is not None and done.status == "ok":
                return True, arguments(FINISH_STEP, state.call.args_raw)["value"]
    return False, None
