"""The tool with which a VP drafts a work item; the draft is part of the Session until there is a Work Center."""

from msgspec import Struct

from yeaft.events.work import WorkDrafted
from yeaft.kernel import ids
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.paths import Paths
from yeaft.tools.tool import Running, Tool, ToolResult, Touches

LIMIT_TITLE_CHARS = 200
LIMIT_GOAL_CHARS = 8000
MOST_CRITERIA = 50
LIMIT_CRITERION_CHARS = 1000


class CreateWorkItem(Struct, frozen=True, rename="camel"):
    """What the model says to draft a work item."""

    title: str
    goal: str
    acceptance_criteria: tuple[str, ...] = ()
    work_item_type: str = ""
    work_dir: str = ""


def create_work_item(vp_id: str, paths: Paths) -> Tool[CreateWorkItem]:
    """Let the VP keep a draft in the Session. Who drafted it, and in which call, is not for the model to say."""

    async def run(args: CreateWorkItem, running: Running) -> ToolResult:
        draft = WorkDrafted(
            work_item_id=ids.derive("w_", running.call_id),
            vp_id=vp_id,
            title=_within("title", " ".join(args.title.split()), LIMIT_TITLE_CHARS),
            goal=_within("goal", args.goal.strip(), LIMIT_GOAL_CHARS),
            acceptance_criteria=_criteria(args.acceptance_criteria),
            item_type=" ".join(args.work_item_type.split())[:LIMIT_TITLE_CHARS],
            work_dir=_folder(paths, args.work_dir),
            call_id=running.call_id,
        )
        return ToolResult(text=_told(draft), emits=(draft,))

    return Tool(
        name="CreateWorkItem",
        args=CreateWorkItem,
        run=run,
        guard="local",
        touches=lambda args: Touches(reads=(args.work_dir,) if args.work_dir.strip() else ()),
    )


def _told(draft: WorkDrafted) -> str:
    criteria = len(draft.acceptance_criteria)
    checks = f"{criteria} acceptance {'criterion' if criteria == 1 else 'criteria'}"
    without = "" if criteria else " Without criteria nobody can tell when it is done."
    return (
        f"Draft {draft.work_item_id} ({draft.title!r}, {checks}) is kept in this session.{without} The Work Center, "
        "which will run work items, does not exist yet: nothing was started. Tell the user so."
    )


def _criteria(given: tuple[str, ...]) -> tuple[str, ...]:
    criteria = tuple(dict.fromkeys(text.strip() for text in given if text.strip()))
    if len(criteria) > MOST_CRITERIA:
        raise ToolFailed(f"{len(criteria)} acceptance criteria; at most {MOST_CRITERIA} fit. No draft was made.")
    return tuple(_within("acceptance criterion", text, LIMIT_CRITERION_CHARS) for text in criteria)


def _within(what: str, text: str, limit_chars: int) -> str:
    if not text:
        raise ToolFailed(f"The {what} is empty. No draft was made.")
    if len(text) > limit_chars:
        raise ToolFailed(f"The {what} has {len(text):,} characters; at most {limit_chars:,} fit. No draft was made.")
    return text


def _folder(paths: Paths, text: str) -> str:
    if not text.strip():
        return ""
    folder = paths.resolve(text)
    if not folder.is_dir():
        raise ToolFailed(f"workDir {text!r} is not a folder ({folder}). No draft was made.")
    return str(folder)
