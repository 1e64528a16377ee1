"""Every command as the process that a user starts: it says, and ends with, what its stories are told in one process."""

import pytest

from tests.cli.commands_given import Given
from yeaft.interfaces.cli.options import COMMANDS

WORDS: dict[str, tuple[str, ...]] = {
    "agent": ("agent", "ls", "--json"),
    "artifact": ("artifact", "show", "nothing"),
    "completion": ("completion", "bash"),
    "config": ("config", "get", "limits.max_rounds"),
    "demo": ("--lang", "zh", "demo", "--faster"),
    "doctor": ("doctor", "--nothing"),
    "flow": ("flow", "ls"),
    "graph": ("graph", "show", "missing.yaml"),
    "help": ("--lang", "zh", "help", "permissions"),
    "import": ("import", "nothing"),
    "keys": ("keys",),
    "local": ("local", "status"),
    "mcp": ("mcp", "add", "files", "--no-test", "--", "x"),
    "model": ("model", "ls"),
    "perms": ("perms", "test", "rm -rf /"),
    "replay": ("replay", "missing"),
    "route": ("route", "@omni hello"),
    "search": ("search", "hello"),
    "session": ("session", "show", "nothing"),
    "skill": ("skill", "ls", "--json"),
    "task": ("task", "ls", "--json"),
    "tool": ("tool", "show", "Bash"),
    "trust": ("trust", "ls"),
    "usage": ("usage", "--json"),
    "vp": ("--color", "always", "vp", "show", "omni"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_and_ends_with_the_same_as_a_process_of_its_own(given: Given, name: str) -> None:
    told_here = given.yeaft(*WORDS[name])
    if name == "mcp":
        given.says("mcp", "rm", "files")

    assert given.process(*WORDS[name]) == told_here
    assert told_here.out + told_here.err


def test_a_conversation_says_and_ends_with_the_same_as_a_process_of_its_own(talking: Given) -> None:
    by_itself, here = (one("@omni look around", "--mode", "auto") for one in (talking.process, talking.yeaft))

    assert here == by_itself
    assert (here.code, "Nothing here, but" in here.out) == (0, True)
