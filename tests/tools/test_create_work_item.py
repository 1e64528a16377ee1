"""A VP drafts a work item; the draft is a fact of the Session."""

import json
from pathlib import Path

import pytest

from yeaft.events.codec import Recorded
from yeaft.events.work import WorkDrafted
from yeaft.kernel.errors import ToolFailed
from yeaft.session.state import SessionState
from yeaft.tools.create_work_item import create_work_item
from yeaft.tools.paths import Paths
from yeaft.tools.tool import BoundCall, ToolResult, Touches


class Call:
    call_id = "c_1"

    def show(self, chunk: str) -> None:
        raise AssertionError(chunk)


def bound(folder: Path, args: dict[str, object]) -> BoundCall:
    return create_work_item("omni", Paths(folder)).bind(json.dumps(args))


async def draft(folder: Path, **args: object) -> ToolResult:
    result = await bound(folder, {"title": "Open the shop", "goal": "Doors open on Monday.", **args}).start(Call())
    assert isinstance(result, ToolResult)
    return result


async def test_a_draft_is_part_of_the_session_and_the_model_is_told_that_nothing_runs(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    state = SessionState("k7m2q9xa")

    result = await draft(
        tmp_path,
        title=" Open \n the shop",
        acceptanceCriteria=["Keys are there", " ", "Till works ", "Keys are there"],
        workItemType="move",
        workDir="shop",
    )
    for number, event in enumerate(result.emits, 1):
        state.apply(Recorded(id="e", stream="s", seq=number, ts=1, src="tool", cause="", corr="", epoch=1, event=event))

    (kept,) = state.drafts.values()
    assert kept == WorkDrafted(
        work_item_id=kept.work_item_id,
        vp_id="omni",
        title="Open the shop",
        goal="Doors open on Monday.",
        acceptance_criteria=("Keys are there", "Till works"),
        item_type="move",
        work_dir=str(tmp_path / "shop"),
        call_id="c_1",
    )
    assert state.drafts.keys() == {kept.work_item_id}
    assert result.text.startswith(f"Draft {kept.work_item_id} ('Open the shop', 2 acceptance criteria) is kept")
    assert "does not exist yet: nothing was started" in result.text


async def test_the_same_call_makes_the_same_draft(tmp_path: Path) -> None:
    assert (await draft(tmp_path)).emits == (await draft(tmp_path)).emits


async def test_a_draft_without_criteria_is_kept_and_the_lack_is_said(tmp_path: Path) -> None:
    result = await draft(tmp_path)

    assert "0 acceptance criteria" in result.text
    assert "nobody can tell when it is done" in result.text


def test_the_policy_hears_of_the_folder(tmp_path: Path) -> None:
    args = {"title": "t", "goal": "g"}

    assert bound(tmp_path, args).touches == Touches()
    assert bound(tmp_path, {**args, "workDir": "/etc"}).touches == Touches(reads=("/etc",))


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ({"title": " "}, "title is empty"),
        ({"goal": ""}, "goal is empty"),
        ({"title": "t" * 201}, "title has 201 characters; at most 200"),
        ({"goal": "g" * 8001}, "goal has 8,001 characters"),
        ({"acceptanceCriteria": ["c" * 1001]}, "acceptance criterion has 1,001 characters"),
        ({"acceptanceCriteria": [f"{number}" for number in range(51)]}, "51 acceptance criteria; at most 50"),
        ({"workDir": "nowhere"}, "workDir 'nowhere' is not a folder"),
    ],
)
async def test_what_cannot_be_worked_on_is_refused(tmp_path: Path, args: dict[str, object], reason: str) -> None:
    with pytest.raises(ToolFailed, match=f"{reason}.*No draft was made"):
        await draft(tmp_path, **args)
