"""How an effort is asked for in a Messages request: adaptive thinking with an effort, or a budget of tokens."""

from collections.abc import Mapping, Sequence

from msgspec import Raw, Struct

from yeaft.llm import wire_json
from yeaft.llm.anthropic_wire import AssistantTurn, OutputConfig, Thinking, ToolResult, UserTurn
from yeaft.llm.effort import clamp
from yeaft.llm.model import ModelEntry
from yeaft.llm.prompt import Prompt

BUDGETS: Mapping[str, int] = {"low": 4_096, "medium": 8_192, "high": 16_384, "xhigh": 24_576, "max": 32_000}
OPUS_MAX_BUDGET = 64_000
LEAST_BUDGET = 1_024  # the API refuses less
ANSWER_TOKENS = 1_024  # room that must remain for what is said


class ThinkingPlan(Struct, frozen=True, kw_only=True):
    """The fields of the body that depend on the effort; `max_tokens` covers thinking and answer."""

    max_tokens: int
    thinking: Thinking | None = None
    output_config: OutputConfig | None = None


def plan_thinking(prompt: Prompt, entry: ModelEntry, turns: Sequence[UserTurn | AssistantTurn]) -> ThinkingPlan:
    """What to ask of `entry`; an effort that it does not know is brought down to one that it does, or left out."""
    effort = clamp(prompt.effort, entry.efforts)
    plain = ThinkingPlan(max_tokens=prompt.max_output_tokens)
    if not effort:
        return plain
    match entry.thinking:
        case "adaptive":
            return ThinkingPlan(
                max_tokens=prompt.max_output_tokens,
                thinking=Thinking(type="adaptive"),
                output_config=OutputConfig(effort=effort),
            )
        case "none":
            return ThinkingPlan(max_tokens=prompt.max_output_tokens, output_config=OutputConfig(effort=effort))
        case "budget":
            wanted = OPUS_MAX_BUDGET if effort == "max" and "opus" in entry.id else BUDGETS.get(effort, 0)
            budget = min(wanted, entry.output_tokens - ANSWER_TOKENS)
            if budget < LEAST_BUDGET or not _may_begin_to_think(turns):
                return plain
            return ThinkingPlan(
                max_tokens=max(prompt.max_output_tokens, budget + ANSWER_TOKENS),
                thinking=Thinking(type="enabled", budget_tokens=budget),
            )


def _may_begin_to_think(turns: Sequence[UserTurn | AssistantTurn]) -> bool:
    """Whether the API lets thinking be on: between a call and its result only if the call was thought about.

    A reply from another model, or from before thinking was switched on, has lost or never had its thinking block.
    """
    match turns[-2:]:
        case [AssistantTurn(content=[Raw() as first, *_]), UserTurn(content=[ToolResult(), *_])]:
            return wire_json.decode_object(bytes(first)).get("type") in {"thinking", "redacted_thinking"}
        case [AssistantTurn(), UserTurn(content=[ToolResult(), *_])]:
            return False
        case _:
            return True
