"""What a run should tell its user before it begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, get_args

from yeaft.config.language import Language
from yeaft.interfaces.cli.standard_input import LIMIT_BYTES

if TYPE_CHECKING:
    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.cli.options import Options
    from yeaft.interfaces.cli.standard_input import Piped

Remark = tuple[str, dict[str, str]]
"""A code of `templates/ui` and its parameters."""


def remarks(here: Opened, options: Options, piped: Piped, environ: Mapping[str, str]) -> list[Remark]:
    """All remarks, in the order in which they are to be shown."""
    found = [*here.remarks, *remarks_on_variables(environ, model=options.model)]
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


def remarks_on_variables(environ: Mapping[str, str], *, model: str = "") -> Iterator[Remark]:
    """Remarks on variables that do not do what whoever set them must expect; `model` is what `-m` names."""
    said = environ.get("YEAFT_LANGUAGE", "")
    if said and not said.lower().startswith(get_args(Language)):
        yield "variables.language", {"language": said}
    if environ.get("YEAFT_BASE_URL") and not environ.get("YEAFT_MODEL") and not model:
        yield "variables.no_model", {"url": environ["YEAFT_BASE_URL"]}
