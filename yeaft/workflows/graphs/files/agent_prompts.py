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
Tell = Callable[[str, Any, str], None]
"""Is told of a part of the prompts under a key of the agent, and what is to be said of it."""


class Prompts:
    """Finds the texts of system prompts: `library` has those of the file by name, others lie in files of `folder`.

    What is not found is told with `mistake`, what is left out with `warn`.
    """

    def __init__(self, library: Mapping[str, Any], folder: Path, mistake: Tell, warn: Tell) -> None:
        self._library = library
        self._folder = folder
        self._mistake = mistake
        self._warn = warn

    def persona(self, agent: Mapping[str, Any]) -> str:
        """Return all texts of an agent's prompts, with a blank line between them."""
        texts: list[str] = []
        for key in PROMPT_KEYS:
            written = agent.get(key)
            for part in written if is_list(written) else [written]:
                is_name = key == "library_system_prompts" and part
                meant = {"type": "library", "reference": part} if is_name else part
                texts += self._texts(meant, key, part)
        return "\n\n".join(text.strip() for text in texts if text.strip())

    def _texts(self, meant: Any, key: str, part: Any, within: tuple[str, ...] = ()) -> Iterator[str]:
        """Yield what is meant by a part that stands under a key, or by a prompt of the library that it leads to."""
        if isinstance(meant, str):
            yield meant
        if not is_mapping(meant):
            return
        match meant.get("type"):
            case "file":
                yield from self._from_file(meant, key, part)
            case "library":
                name = str(meant.get("reference") or meant.get("name") or "")
                if self._library.get(name) is None:
                    self._mistake(key, part, f"there is no prompt named {name!r} among `prompts:`")
                elif name in within:
                    self._mistake(key, part, f"the prompt {name!r} is a part of itself")
                else:
                    yield from self._texts(self._library[name], key, part, (*within, name))
            case "function":
                self._warn(key, part, "a system prompt that a function makes is left out")
            case _:
                yield str(meant.get("content") or meant.get("text") or meant.get("prompt") or "")

    def _from_file(self, meant: Mapping[str, Any], key: str, part: Any) -> Iterator[str]:
        name, given = str(meant.get("path") or meant.get("file") or ""), mapping(meant.get("variables"))
        try:
            text = read_side_file(name, self._folder)
        except ValueError as error:
            self._mistake(key, part, f"a system prompt is missing: {error}")
            return
        try:
            yield filled(text, given) if given else text
        except ValueError as error:
            self._mistake(key, part, f"the system prompt in {name!r}: {error}")
