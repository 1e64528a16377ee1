"""`yeaft doctor`: looks at this machine and its configuration, and says what to do about what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.interfaces.cli.commands.doctor_checks import checks
from yeaft.interfaces.cli.commands.parsing import Action, run_action
from yeaft.interfaces.cli.commands.printing import put, put_json
from yeaft.interfaces.cli.terminal_text import padded, width
from yeaft.kernel.outcome import EXIT_ANSWERED, EXIT_CONFIG, EXIT_FAILED

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.commands.doctor_check import Check
    from yeaft.interfaces.cli.options import Options

SIGNS = {"ok": "✓", "warn": "!", "fail": "✗"}
OF_CONFIGURATION = ("config", "vps")


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft doctor ...` and return the exit code."""
    return run_action("doctor", ACTION, options, words)


def examine(desk: Desk) -> int:
    """Print every check with its remedy; 0 unless something fails, 78 if that is the configuration."""
    found = list(checks(desk))
    if desk.as_json:
        put_json(found)
    else:
        _put_lines(desk, found)
    failed = [check.name for check in found if check.status == "fail"]
    if not failed:
        return EXIT_ANSWERED
    return EXIT_CONFIG if any(name in OF_CONFIGURATION for name in failed) else EXIT_FAILED


def _put_lines(desk: Desk, found: list[Check]) -> None:
    names = [desk.text(f"doctor.{check.name}") for check in found]
    columns = max(map(width, names)) + 2
    for name, check in zip(names, found, strict=True):
        put(f"{SIGNS[check.status]} {padded(name, columns)}{desk.ui.retold(check.detail)}")
        if check.remedy:
            put(f"  {' ' * columns}→ {check.remedy}")


ACTION = Action(run=examine)
