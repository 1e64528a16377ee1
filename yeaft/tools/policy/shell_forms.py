"""The spellings of a command by which rules are compared with it: few for allowing, many for denying."""

import re

from yeaft.tools.policy.carriers import program
from yeaft.tools.policy.read_only import plainly_run
from yeaft.tools.policy.shell_script import ShellCommand

_GIT_GLOBALS_WITH_VALUE = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})


def exact_forms(command: ShellCommand) -> set[str]:
    """Spellings that an allow rule may match: the text itself, and its words if quotes change nothing."""
    texts = [word.text for word in command.words]
    if not plainly_run(command) or any(text is None or re.search(r"\s", text) for text in texts):
        return {command.source}
    return {command.source, " ".join(text for text in texts if text is not None)}


def loose_forms(command: ShellCommand) -> set[str]:
    """Spellings that a deny or ask rule may match: also without folder, quotes and git's global options."""
    texts = [word.text if word.text is not None else word.source for word in command.words]
    texts[0] = program(command) or texts[0]
    forms = {command.source, " ".join(texts)}
    if texts[0] == "git":
        forms.add(" ".join(["git", *_without_git_globals(texts[1:])]))
    return forms


def _without_git_globals(texts: list[str]) -> list[str]:
    while texts and texts[0].startswith("-"):
        texts = texts[2 if texts[0] in _GIT_GLOBALS_WITH_VALUE else 1 :]
    return texts
