"""`yeaft graph`: read and run graphs of steps, look at runs, go on with them, stop them, try parts again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from yeaft.interfaces.cli.commands.graph_reading import READING
from yeaft.interfaces.cli.commands.graph_running import RUNNING
from yeaft.interfaces.cli.commands.graph_runs import LOOKING
from yeaft.interfaces.cli.commands.graph_testing import TESTING
from yeaft.interfaces.cli.commands.parsing import Action, run_group, with_text

if TYPE_CHECKING:
    from yeaft.interfaces.cli.options import Options


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft graph ...` and return the exit code."""
    return run_group("graph", ACTIONS, options, words)


ACTIONS: Mapping[str, Action] = with_text({**READING, **RUNNING, **LOOKING, **TESTING})
