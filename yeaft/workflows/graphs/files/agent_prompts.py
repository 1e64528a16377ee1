"""The persona of an agent in a file of graphs: its system prompts, however they are written or kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from yeaft.kernel.lists import is_list
from yeaft.workflows.graphs.expressions import filled
from yeaft.workflows.graphs.files.side_files import read_side_file
from yeaft.workflows.graphs.plain_values import is_mapping, mapping

PROMPT_KEYS = ("system_prompt", "system_prompts", "prompts", "instructions", "library_system_prompts")
Tell = Callable[[str], None]


class Prompts:
    """Finds the texts of system prompts: `library` has those of the file by name, others lie in files of `folder`.

    What is not found is told with `mistake`, what is left out with `warn`; both are given the reason.
    """

    def __init__(self, library: Mapping[str, Any], folder: Path, mistake: Tell, warn: Tell) -> None:
        self._library = library
        self._folder = folder
        self._mistake = mistake
        self._warn = warn

    def persona(self, agent: Mapping[str, Any]) -> str:
        """Return all texts of an agent's prompts, with a blank line between them."""
        parts: list[Any] = []
        for key in PROMPT_KEYS:
            written = agent.get(key)
            own = written if is_list(written) else [written]
            if key == "library_system_prompts":
                own = [{"type": "library", "reference": one} for one in own if one]
            parts += own
        texts = (text for part in parts for text in self._texts(part))
        return "\n\n".join(text.strip() for text in texts if text.strip())

    def _texts(self, part: Any) -> Iterator[str]:
        if isinstance(part, str):
            yield part
        if not is_mapping(part):
            return
        match part.get("type"):
            case "file":
                yield from self._from_file(str(part.get("path") or part.get("file") or ""), part.get("variables"))
            case "library":
                yield from self._from_library(str(part.get("reference") or part.get("name") or ""))
            case "function":
                self._warn("a system prompt that a function makes is left out")
            case _:
                yield str(part.get("content") or part.get("text") or part.get("prompt") or "")

    def _from_file(self, name: str, variables: Any) -> Iterator[str]:
        given = mapping(variables)
        try:
            text = read_side_file(name, self._folder)
            yield filled(text, given) if given else text
        except ValueError as error:
            self._mistake(f"a system prompt is missing: {error}")

    def _from_library(self, name: str) -> Iterator[str]:
        found = self._library.get(name)
        if found is None:
            self._mistake(f"there is no prompt named {name!r} among `prompts:`")
            return
        yield from self._texts(found)
