"""What a run should tell its user before it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.interfaces.cli.standard_input import LIMIT_BYTES

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.cli.options import Options
    from yeaft.interfaces.cli.standard_input import Piped

Remark = tuple[str, dict[str, str]]
"""A code of `templates/ui` and its parameters."""


def remarks(here: Opened, options: Options, piped: Piped) -> list[Remark]:
    """All remarks, in the order in which they are to be shown."""
    found = list(here.remarks)
    if options.yolo:
        found.append(("mode.yolo", {"folder": str(here.folder)}))
    if piped.kind == "silent":
        found.append(("input.stdin_silent", {}))
    if piped.kind == "shared":
        found.append(("input.stdin_shared", {}))
    if piped.cut:
        found.append(("input.stdin_cut", {"limit": f"{LIMIT_BYTES // 2**20} MiB"}))
    if piped.mended:
        found.append(("input.stdin_binary", {}))
    return found
