"""What is said to whoever does a step: its prompt, with what all of a team are told before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from yeaft.workflows.graphs.conditions import text_of
from yeaft.workflows.graphs.expressions import filled

NAMES = ("input", "start", "steps", "params", "inbox", "visit", "index", "prompt", "shared_prompt", "extra")
"""What templates can speak of."""
FAIL_NAMES = (*NAMES, "run")
"""What the text of a step can speak of that ends the run: also what the run is called on the command line."""


def said_to(prompt: str, shared: str, names: Mapping[str, Any], extra: Mapping[str, Any] | None = None) -> str:
    """Return the text for a step; without a prompt of its own that is what reached it.

    A prompt that speaks of `shared_prompt` places it itself. Raises `ValueError` if a template cannot be filled in.
    """
    known = {**names, "prompt": text_of(names["input"]), "shared_prompt": shared, "extra": extra or {}}
    said = filled(prompt, known) if prompt else text_of(names["input"])
    before = filled(shared, known) if shared and "shared_prompt" not in prompt else ""
    return "\n\n".join(part for part in (before, said) if part.strip())
