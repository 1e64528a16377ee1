"""The last gate: whatever comes in, what goes out is valid, and sound messages go out as they came."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.engine_given import ENTRIES, conversations, encoder
from tests.engine.test_view import MANNER
from yeaft.engine.view import Unit, prompt_messages
from yeaft.engine.window.normal import is_sound, normalised
from yeaft.kernel.messages import (
    AssistantMessage,
    Call,
    CallItem,
    PromptMessage,
    ResultPart,
    TextItem,
    TextPart,
    UserMessage,
)
from yeaft.llm.model import ModelEntry
from yeaft.llm.prompt import Prompt
from yeaft.llm.scripted.validate import validate

FEW = settings(max_examples=200, deadline=None)
IDS = st.sampled_from(("c_1", "c_2", "c_3"))
TEXTS = st.sampled_from(("", " ", "yes", "好"))


@st.composite
def broken(draw: st.DrawFn) -> list[PromptMessage]:
    """Messages with every fault that a mistake elsewhere could leave in them."""
    messages: list[PromptMessage] = []
    for _ in range(draw(st.integers(0, 8))):
        if draw(st.booleans()):
            parts = st.one_of(
                st.builds(TextPart, text=TEXTS), st.builds(ResultPart, call_id=IDS, text=TEXTS, failed=st.booleans())
            )
            messages.append(UserMessage(parts=tuple(draw(st.lists(parts, max_size=4)))))
            continue
        call_ids = draw(st.lists(IDS, max_size=3))
        calls = tuple(Call(call_id=one, wire_id=one, tool="ListDir", args_raw="{}") for one in call_ids)
        items = (TextItem(text=draw(TEXTS)), *(CallItem(index=index) for index in range(len(calls))))
        messages.append(AssistantMessage(items=items, calls=calls))
    return messages


@FEW
@given(broken(), st.sampled_from(ENTRIES))
def test_broken_messages_come_out_valid_and_are_mended_only_once(
    messages: list[PromptMessage], entry: ModelEntry
) -> None:
    mended = normalised(messages)

    begins = mended if isinstance(mended[0], UserMessage) else (UserMessage(parts=(TextPart(text="go"),)), *mended)
    body = encoder(entry)(Prompt(messages=begins, max_output_tokens=100))
    assert validate(entry.protocol, json.loads(body)) == []
    assert is_sound(mended)
    assert normalised(mended) == mended


@FEW
@given(conversations())
def test_what_a_conversation_gives_is_sound_already(units: list[Unit]) -> None:
    messages = prompt_messages(units, MANNER)

    assert normalised(messages) == messages
