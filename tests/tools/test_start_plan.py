"""A VP is told how to plan, by its own rule if it has one, and in the language of the Session."""

import json

import pytest

from yeaft.kernel.errors import BadArguments, ToolFailed
from yeaft.tools.start_plan import start_plan
from yeaft.tools.tool import AnyTool


class Call:
    call_id = "c_1"

    def show(self, chunk: str) -> None:
        raise AssertionError(chunk)


async def told(tool: AnyTool, **args: str) -> str:
    text = await tool.bind(json.dumps(args)).start(Call())
    assert isinstance(text, str)
    return text


async def test_the_plan_instruction_comes_with_all_that_was_said_and_what_to_do_next() -> None:
    text = await told(
        start_plan("en"),
        topic="Move the shop",
        userProblem="The lease ends",
        stuckAt=" ",
        expectedScale="weeks",
        additionalContext="Two vans",
    )

    instruction, echo, following = text.split("\n</plan_instruction>\n\n")[0], *text.split("\n\n")[-2:]
    assert instruction.startswith("<plan_instruction>\nMake a plan before you act.")
    assert (
        echo == "topic: Move the shop\nuserProblem: The lease ends\nexpectedScale: weeks\nadditionalContext: Two vans"
    )
    assert "TodoWrite" in following


async def test_a_vps_own_plan_replaces_the_general_one() -> None:
    text = await told(start_plan("en", "First doubt everything.\n"), topic="Move")

    assert text.startswith(
        "<plan_instruction>\nFirst doubt everything.\n</plan_instruction>\n\ntopic: Move\n\nNext, in this"
    )


async def test_in_chinese_it_is_told_in_chinese() -> None:
    text = await told(start_plan("zh"), topic="搬店")

    assert text.startswith("<plan_instruction>\n先订计划")
    assert text.endswith("并开始第 1 步。")


async def test_a_plan_needs_a_topic() -> None:
    with pytest.raises(ToolFailed, match="topic is empty"):
        await told(start_plan("en"), topic=" ")
    with pytest.raises(BadArguments, match="missing required field `topic`"):
        await told(start_plan("en"))
