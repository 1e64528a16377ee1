"""What a name of tools means where people write one: a rule, the filter of a VP, a hook."""

from fnmatch import fnmatchcase

BUILT_IN = (
    *(
        "Skill",
        "EnterWorktree",
        "ExitWorktree",
        "AskUser",
        "WebSearch",
        "WebFetch",
        "HistorySearch",
        "Bash",
        "FileRead",
    ),
    *("FileWrite", "FileEdit", "Glob", "Grep", "ListDir", "DiskUsage", "ApplyPatch", "ListTasks", "ReadTaskLog"),
    *("CancelTask", "SpawnAgent", "PromptAgent", "WaitAgent", "CloseAgent", "ListAgents", "RouteForward", "TodoWrite"),
    *("StartPlan", "CreateWorkItem", "JsRepl", "JsReplReset", "NotebookEdit", "ImageGeneration", "ViewImage"),
)
"""The names of yeaft's own tools."""
OUTSIDE_PREFIX = "mcp__"
"""How the names of tools begin that are not built in."""
FINDERS = frozenset({"mcp__find", "mcp__call", "mcp__resource"})
"""Tools of our own that lead to those of servers; whoever may use any of these has them, too."""


def is_meant(pattern: str, tool: str) -> bool:
    """Whether `pattern` means `tool`: its name, a glob over names, or `mcp__server` for all tools of a server."""
    if fnmatchcase(tool, pattern):
        return True
    is_server = pattern.startswith(OUTSIDE_PREFIX) and "__" not in pattern.removeprefix(OUTSIDE_PREFIX)
    return is_server and fnmatchcase(tool, f"{pattern}__*")
