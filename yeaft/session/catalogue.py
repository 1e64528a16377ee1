"""The tools that are built in: all of them, also where some cannot work; what is known without making any."""

from msgspec import Struct

from yeaft.kernel.outcome import Guard
from yeaft.tools.apply_patch import ApplyPatch
from yeaft.tools.ask_user import AskUser
from yeaft.tools.bash import Bash
from yeaft.tools.cancel_task import CancelTask
from yeaft.tools.close_agent import CloseAgent
from yeaft.tools.create_work_item import CreateWorkItem
from yeaft.tools.disk_usage import DiskUsage
from yeaft.tools.enter_worktree import EnterWorktree
from yeaft.tools.exit_worktree import ExitWorktree
from yeaft.tools.file_edit import FileEdit
from yeaft.tools.file_read import FileRead
from yeaft.tools.file_write import FileWrite
from yeaft.tools.glob_files import Glob
from yeaft.tools.grep import Grep
from yeaft.tools.history_search import HistorySearch
from yeaft.tools.image_generation import ImageGeneration
from yeaft.tools.js_repl import JsRepl, JsReplReset
from yeaft.tools.list_agents import ListAgents
from yeaft.tools.list_dir import ListDir
from yeaft.tools.list_tasks import ListTasks
from yeaft.tools.notebook_edit import NotebookEdit
from yeaft.tools.prompt_agent import PromptAgent
from yeaft.tools.read_task_log import ReadTaskLog
from yeaft.tools.route_forward import RouteForward
from yeaft.tools.run_flow import RunFlow
from yeaft.tools.skill import SkillCall
from yeaft.tools.spawn_agent import SpawnAgent
from yeaft.tools.start_plan import StartPlan
from yeaft.tools.todo_write import TodoWrite
from yeaft.tools.view_image import ViewImage
from yeaft.tools.wait_agent import WaitAgent
from yeaft.tools.web_fetch import WebFetch
from yeaft.tools.web_search import WebSearch


class BuiltIn(Struct, frozen=True):
    """A built-in tool: its name, what it may do at most, and the struct of its arguments."""

    name: str
    guard: Guard
    args: type[Struct]


CATALOGUE: tuple[BuiltIn, ...] = (
    BuiltIn("ApplyPatch", "verify", ApplyPatch),
    BuiltIn("AskUser", "local", AskUser),
    BuiltIn("Bash", "unsafe", Bash),
    BuiltIn("CancelTask", "unsafe", CancelTask),
    BuiltIn("CloseAgent", "local", CloseAgent),
    BuiltIn("CreateWorkItem", "local", CreateWorkItem),
    BuiltIn("DiskUsage", "read", DiskUsage),
    BuiltIn("EnterWorktree", "unsafe", EnterWorktree),
    BuiltIn("ExitWorktree", "unsafe", ExitWorktree),
    BuiltIn("FileEdit", "verify", FileEdit),
    BuiltIn("FileRead", "read", FileRead),
    BuiltIn("FileWrite", "verify", FileWrite),
    BuiltIn("Glob", "read", Glob),
    BuiltIn("Grep", "read", Grep),
    BuiltIn("HistorySearch", "read", HistorySearch),
    BuiltIn("ImageGeneration", "unsafe", ImageGeneration),
    BuiltIn("JsRepl", "unsafe", JsRepl),
    BuiltIn("JsReplReset", "local", JsReplReset),
    BuiltIn("ListAgents", "read", ListAgents),
    BuiltIn("ListDir", "read", ListDir),
    BuiltIn("ListTasks", "read", ListTasks),
    BuiltIn("NotebookEdit", "verify", NotebookEdit),
    BuiltIn("PromptAgent", "local", PromptAgent),
    BuiltIn("ReadTaskLog", "read", ReadTaskLog),
    BuiltIn("RouteForward", "local", RouteForward),
    BuiltIn("Skill", "read", SkillCall),
    BuiltIn("SpawnAgent", "local", SpawnAgent),
    BuiltIn("StartPlan", "read", StartPlan),
    BuiltIn("TodoWrite", "local", TodoWrite),
    BuiltIn("ViewImage", "read", ViewImage),
    BuiltIn("WaitAgent", "read", WaitAgent),
    BuiltIn("WebFetch", "read", WebFetch),
    BuiltIn("WebSearch", "read", WebSearch),
)
RUN_FLOW = BuiltIn("RunFlow", "unsafe", RunFlow)
"""The tool that a VP has besides these where the user lets VPs start flows (`[graphs] vps_may_start`)."""
RULED = (*(one.name for one in CATALOGUE), RUN_FLOW.name)
"""What a rule can name, tools of servers excepted."""


def guard_of(tool: str) -> Guard:
    """What a tool may do at most; one that is not built in may do anything."""
    known = next((one for one in CATALOGUE if one.name == tool), None)
    return known.guard if known else "unsafe"
