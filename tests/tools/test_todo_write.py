"""A VP keeps its list, and asks the human."""

import json

import pytest

from yeaft.events.call import TodoChanged, TodoItem
from yeaft.kernel.errors import BadArguments, ToolFailed
from yeaft.tools.ask_user import ask_user
from yeaft.tools.route_forward import RouteForward, route_forward
from yeaft.tools.todo_write import todo_write
from yeaft.tools.tool import AnyTool, ToolResult


class Call:
    call_id = "c_1"

    def show(self, chunk: str) -> None:
        raise AssertionError(chunk)


class Human:
    """Answers every question with the last option, or is away."""

    def __init__(self, *, away: bool = False) -> None:
        self.away = away
        self.asked: list[tuple[str, str, tuple[str, ...]]] = []

    async def ask(self, call_id: str, question: str, options: tuple[str, ...]) -> str:
        if self.away:
            raise ToolFailed("Nobody is there to answer.")
        self.asked.append((call_id, question, options))
        return options[-1]


class Post:
    async def forward(self, call_id: str, hand_off: RouteForward) -> ToolResult:
        return ToolResult(text=f"{call_id} {hand_off.to}: {hand_off.text}")


async def call(tool: AnyTool, args: object) -> ToolResult | str:
    return await tool.bind(json.dumps(args)).start(Call())


def todo(content: str, status: str) -> dict[str, str]:
    return {"content": content, "status": status, "activeForm": f"{content}ing"}


async def test_the_list_becomes_an_event_of_its_vp_and_the_model_is_told_the_counts() -> None:
    todos = [todo("Plan", "completed"), todo("Test", "in_progress"), todo("Ship", "pending")]

    result = await call(todo_write("skeptic"), {"todos": todos})

    assert result == ToolResult(
        text='{"total": 3, "completed": 1, "in_progress": 1, "pending": 1}',
        emits=(
            TodoChanged(
                vp_id="skeptic",
                items=(
                    TodoItem(content="Plan", status="completed", active_form="Planing"),
                    TodoItem(content="Test", status="in_progress", active_form="Testing"),
                    TodoItem(content="Ship", status="pending", active_form="Shiping"),
                ),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("todos", "failure", "reason"),
    [
        ([todo("a", "in_progress"), todo("b", "in_progress")], ToolFailed, "2 items are in_progress; at most one"),
        ([todo(" ", "pending")], ToolFailed, "empty content"),
        ([todo("a", "done")], BadArguments, "Invalid enum value 'done'"),
        ([], BadArguments, "length >= 1"),
        ([{"content": "a", "status": "pending"}], BadArguments, "activeForm"),
    ],
)
async def test_a_wrong_list_is_refused_and_the_model_told_why(
    todos: object, failure: type[ToolFailed], reason: str
) -> None:
    with pytest.raises(failure, match=reason):
        await call(todo_write("omni"), {"todos": todos})


async def test_a_question_reaches_the_human_and_the_answer_the_model() -> None:
    human = Human()

    answer = await call(ask_user(human), {"question": "哪个？", "options": ["a", "b", "b", " "]})

    assert human.asked == [("c_1", "哪个？", ("a", "b"))]
    assert answer == '{"question": "哪个？", "answers": ["b"]}'


async def test_when_nobody_is_there_the_model_is_told() -> None:
    with pytest.raises(ToolFailed, match="Nobody is there"):
        await call(ask_user(Human(away=True)), {"question": "Which?"})


async def test_an_empty_question_is_not_put() -> None:
    with pytest.raises(ToolFailed, match="empty"):
        await call(ask_user(Human()), {"question": " "})


async def test_a_hand_off_goes_through_the_router() -> None:
    assert await call(route_forward(Post()), {"to": "skeptic", "text": "check"}) == ToolResult(
        text="c_1 skeptic: check"
    )
