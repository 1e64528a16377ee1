"""The ids that calls go by on the wire: the provider's own where they are usable, else ours."""

import re
from collections.abc import Mapping, Sequence

from yeaft.kernel.messages import AssistantMessage, PromptMessage

_USABLE = re.compile(r"[a-zA-Z0-9_-]{1,64}")  # what the Anthropic API documents for tool_use ids; OpenAI takes more


def plan_ids(messages: Sequence[PromptMessage]) -> Mapping[str, str]:
    """The wire id of each call in `messages`, by `call_id`; no two are equal.

    The first call with an id keeps it and later ones get ours, so that adding messages changes none of the ids
    already planned and the provider's cache stays valid.
    """
    plan: dict[str, str] = {}
    taken: set[str] = set()
    for message in messages:
        if not isinstance(message, AssistantMessage):
            continue
        for call in message.calls:
            usable = _USABLE.fullmatch(call.wire_id) is not None and call.wire_id not in taken
            wire_id = call.wire_id if usable else _free(call.call_id, taken)
            plan[call.call_id] = wire_id
            taken.add(wire_id)
    return plan


def _free(call_id: str, taken: set[str]) -> str:
    candidate, number = call_id, 1
    while candidate in taken:
        number += 1
        candidate = f"{call_id}_{number}"
    return candidate
