"""What the command line says to words that can hardly be meant: the nearest thing that could be, and how to say it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from yeaft.kernel.errors import UsageError
from yeaft.kernel.nearness import distance, nearest
from yeaft.kernel.pattern import Pattern

BEGINNING_CHARS = 3
LONG_WORD_CHARS = 8
"""From here on a word may have two slips and still be taken for a command."""
_COMMAND_LIKE = Pattern(r"[a-z][a-z-]*")
_OTHER_WORDS: Mapping[str, str] = {
    "chat": "--line",
    "continue": "-c",
    "history": "session ls",
    "init": "help instructions",
    "list": "session ls",
    "ls": "session ls",
    "login": "help models",
    "logs": "session ls",
    "resume": "-r",
    "setup": "local setup",
    "usage": "--help",
    "version": "--version",
}
"""What other programs call something, and where yeaft has it."""
_OTHER_OPTIONS: Mapping[str, str] = {
    "--allowed-tools": "--allow",
    "--allowedTools": "--allow",
    "--append-system-prompt": "--vp",
    "--approval-mode": "--mode",
    "--ask-for-approval": "--mode",
    "--attachment": "--attach",
    "--cd": "-C",
    "--dangerously-bypass-approvals-and-sandbox": "--mode auto",
    "--dangerously-skip-permissions": "--mode auto",
    "--disallowed-tools": "--deny",
    "--disallowedTools": "--deny",
    "--file": "--attach",
    "--full-auto": "--mode auto",
    "--image": "--attach",
    "--json-schema": "--schema",
    "--max-budget-usd": "--max-cost",
    "--message": "-p",
    "--output-schema": "--schema",
    "--permission-mode": "--mode",
    "--sandbox": "--set sandbox.mode=on",
    "--system": "--vp",
    "--system-prompt": "--vp",
    "--yes-always": "--mode auto",
}
_ONE_SHOT_WORDS = frozenset({"ask", "exec", "prompt", "run"})
"""What other programs want before a prompt; yeaft wants nothing."""


def unknown_option(name: str, known: Iterable[str]) -> str:
    """Say that there is no such option, and which one is near."""
    from difflib import get_close_matches

    meant = _OTHER_OPTIONS.get(name) or next(iter(get_close_matches(name, list(known), n=1)), None)
    return f"No such option: {name}." + (f" Did you mean {meant}?" if meant else " See yeaft --help.")


def too_many(said: Sequence[str], commands: Iterable[str], *, print_: bool) -> str:
    """Say that a prompt has to be one word of the shell; with `-p` nobody can have meant a command."""
    near = None if print_ else nearest(said[0].casefold(), commands)
    command = f"If you meant the command: yeaft {shlex.join((near, *said[1:]))}. " if near else ""
    option = "-p " if print_ else ""
    text = " ".join(said[1:] if not print_ and said[0] in _ONE_SHOT_WORDS else said)
    whole = shlex.quote(text) if any(mark in text for mark in '"$`\\') else f'"{text}"'
    return f"More than one prompt: {said[0]!r}, {said[1]!r}. {command}Quote the prompt: yeaft {option}{whole}"


def check_word(prompt: str, commands: Iterable[str]) -> None:
    """Raise `UsageError` for a prompt of one word that looks like a command with a slip in it."""
    word = prompt.casefold()
    if not _COMMAND_LIKE.fullmatch(word):
        return
    meant = _OTHER_WORDS.get(word) or next((name for name in commands if _is_slip(word, name)), None)
    if meant is not None:
        raise UsageError(
            f"There is no command {prompt!r}. Did you mean `yeaft {meant}`? To ask it as a prompt: yeaft -p {prompt}"
        )


def check_contradictions(found: Mapping[str, Any]) -> None:
    """Raise `UsageError` if two of the options, by their names as parsed, cannot both be meant."""
    mode, output_format = found["mode"], found["output_format"]
    if found["yolo"] and mode not in (None, "auto"):
        raise UsageError(f"-y means --mode auto, which cannot go with --mode {mode}. Leave one of them out.")
    if found["as_json"] and output_format not in (None, "json"):
        raise UsageError(
            f"--json means --output-format json, which cannot go with --output-format {output_format}. "
            "Leave one of them out."
        )
    if found["attach"] and found["input_format"] == "stream-json":
        raise UsageError(
            "--attach goes with one prompt; with --input-format stream-json put pictures into the lines themselves."
        )
    if found["continue_"] and found["resume"]:
        raise UsageError("-c goes on with the newest Session, -r with the one you name. Leave one of them out.")
    if found["quiet"] and found["verbose"]:
        raise UsageError("-q wants fewer notices and -v more. Leave one of them out.")


def _is_slip(word: str, name: str) -> bool:
    if word in (f"{name}s", f"{name}es") or (len(word) >= BEGINNING_CHARS and name.startswith(word)):
        return True
    allowed = 2 if len(word) >= LONG_WORD_CHARS else 1
    return min(len(word), len(name)) > BEGINNING_CHARS and distance(word, name) <= allowed
