"""Facts about work items that a Session knows of."""

from typing import ClassVar

from yeaft.events.fact import Fact


class WorkDrafted(Fact, frozen=True, kw_only=True, tag="work.drafted"):
    """A VP wrote down a goal to be worked on later.

    `work_dir` is an absolute path, empty for the Session's folder; `item_type` is the VP's own word for the kind of
    work. `call_id` is the CreateWorkItem call.
    """

    identity: ClassVar[tuple[str, ...]] = ("work_item_id",)
    work_item_id: str
    vp_id: str
    title: str
    goal: str
    acceptance_criteria: tuple[str, ...] = ()
    item_type: str = ""
    work_dir: str = ""
    call_id: str = ""
