"""Which tools a matcher means: by the names they have here, and by those that users know from other agents."""

import re
from collections.abc import Mapping

KNOWN_AS: Mapping[str, tuple[str, ...]] = {
    "ApplyPatch": ("Edit", "MultiEdit", "Write"),
    "AskUser": ("AskUserQuestion",),
    "FileEdit": ("Edit", "MultiEdit"),
    "FileRead": ("Read",),
    "FileWrite": ("Write",),
    "ListDir": ("LS",),
    "NotebookEdit": ("Edit",),
    "ReadTaskLog": ("BashOutput",),
    "CancelTask": ("KillShell", "KillBash"),
    "SpawnAgent": ("Task", "Agent"),
    "ViewImage": ("Read",),
}
"""Other names of our tools. Who guards edits under one of them means every tool that edits."""

_LIST = re.compile(r"[\w|\s,]*")


def matches(matcher: str, name: str) -> bool:
    """Whether a matcher means a name: names divided by `|` must be equal, any other regular expression be found in it.

    `name` is a tool, or what else an event is about. An empty matcher means every name.
    """
    if not matcher:
        return True
    wanted = _wanted(matcher)
    return any(wanted.search(one) for one in (name, *KNOWN_AS.get(name, ())))


def _wanted(matcher: str) -> re.Pattern[str]:
    if _LIST.fullmatch(matcher):
        names = (re.escape(name.strip()) for name in re.split(r"[|,]", matcher))
        return re.compile(rf"\A(?:{'|'.join(name for name in names if name)})\Z")
    return re.compile(matcher)
