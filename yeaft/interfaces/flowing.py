"""Patterns made into what can be run here: with the texts of the user's language, and with the VPs there are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.interfaces.graphing import frozen
from yeaft.kernel.errors import ConfigError
from yeaft.prompts.find import read_template, templates_dir
from yeaft.prompts.phrases import sections
from yeaft.vp.names import Names
from yeaft.workflows.graphs.files.reading import read_text
from yeaft.workflows.patterns.named import Wanted, expanded

if TYPE_CHECKING:
    from yeaft.vp.library import Library
    from yeaft.workflows.graphs.runs.session_runs import Frozen

SOURCE = "flow:"
"""Stands before the name of a pattern where a run says which file it is from."""


def expansion(wanted: Wanted, lang: str) -> str:
    """Return the graph of a pattern as YAML, with prompts and remarks in `lang`. Raises `UsageError`."""
    return expanded(wanted, sections(read_template("prompts/flows", lang)))


def debate(pro: str, contra: str) -> str:
    """Return the graph of a debate as YAML, with these VPs for and against. Raises `ConfigError`."""
    file = templates_dir() / "flows" / "debate.yaml"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{file} cannot be read ({error}); install yeaft again.") from error
    for step, vp in (("for", pro), ("against", contra)):
        head, mark, rest = text.partition(f"- id: {step}\n      agent: ")
        text = head + mark + vp + "\n" + rest.partition("\n")[2]
    return text


def frozen_flow(pattern: str, text: str, folder: Path, library: Library) -> Frozen:
    """Return what a run of a pattern is made of, with functions of the user's from `folder`.

    Raises `BadData` for a graph that is not right.
    """
    vps = library.all()
    names = Names(vps)
    path = folder / f"{pattern}.yaml"
    made = frozen(read_text(text, path, lambda name: names.id_of(name) or "", [vp.id for vp in vps]))
    return replace(made, file="", mentions={})  # there is no such file, and so no line in it
