"""Prompts of MCP servers, which the user starts with `/`."""

import pytest
from hypothesis import given as hypothesis_given
from hypothesis import strategies as st

from tests.mcp.mcp_given import McpGiven
from tests.session.session_given import says
from yeaft.kernel.errors import UsageError
from yeaft.mcp.host_protocol import ListedPrompt, PromptArgument
from yeaft.session.server_prompts import filled

LETTER = ListedPrompt(
    name="letter",
    arguments=(
        PromptArgument(name="to", required=True),
        PromptArgument(name="tone"),
        PromptArgument(name="about", required=True),
    ),
)


async def test_a_prompt_of_a_server_is_started_like_a_command(given: McpGiven) -> None:
    await given.knows(given.stdio())
    talk = await given.talk(says("Hello Bo!"), servers=(given.stdio(),))

    await talk.types("/mcp__sample__greet Bo")
    await talk.outcome()

    assert "Say hello to Bo." in str(talk.server.requests[0].body)
    with pytest.raises(UsageError, match=r"/mcp__sample__greet needs who: /mcp__sample__greet <who>"):
        await talk.types("/mcp__sample__greet")


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("Bo kind the weather", {"to": "Bo", "tone": "kind", "about": "the weather"}),
        ('"Bo Li" kind "the weather"', {"to": "Bo Li", "tone": "kind", "about": "the weather"}),
        ("tone=kind Bo the weather", {"to": "Bo", "tone": "kind", "about": "the weather"}),
        ("Bo about=x", {"to": "Bo", "about": "x"}),
        ("Bo about=a=b kind", {"to": "Bo", "tone": "kind", "about": "a=b"}),
        ("Bo it's fine", {"to": "Bo", "tone": "it's", "about": "fine"}),
    ],
)
def test_arguments_are_given_in_order_or_by_name(words: str, arguments: dict[str, str]) -> None:
    assert filled("letter", LETTER, words) == arguments


@hypothesis_given(st.text())
def test_any_words_are_arguments_or_a_clear_mistake(words: str) -> None:
    found, mistake = {"to": "", "about": ""}, "/letter needs"
    try:
        found = filled("letter", LETTER, words)
    except UsageError as error:
        mistake = str(error)

    assert {"to", "about"} <= set(found) <= {"to", "tone", "about"}
    assert mistake.startswith("/letter needs")
