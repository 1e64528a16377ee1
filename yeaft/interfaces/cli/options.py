"""The options of the main command: declared once, parsed into one value."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any, Literal

import click
from msgspec import Struct

from yeaft.config.language import LANGUAGES, Language, language
from yeaft.config.settings import EFFORTS
from yeaft.interfaces.cli import duration
from yeaft.interfaces.cli.mistakes import check_contradictions, check_word, too_many, unknown_option
from yeaft.kernel.errors import NotFound, UsageError

COMMANDS: dict[str, str] = {
    "agent": "agent",
    "artifact": "artifact",
    "completion": "completion",
    "config": "config",
    "demo": "demo",
    "doctor": "doctor",
    "flow": "flow",
    "graph": "graph",
    "help": "help",
    "import": "import_",
    "keys": "keys",
    "local": "local",
    "mcp": "mcp",
    "model": "model",
    "perms": "perms",
    "replay": "replay",
    "route": "route",
    "search": "search",
    "session": "session",
    "skill": "skill",
    "task": "task",
    "tool": "tool",
    "trust": "trust",
    "usage": "usage",
    "vp": "vp",
}
"""Name of a command -> the module of `yeaft.interfaces.cli.commands` that has it."""


class Options(Struct, frozen=True, kw_only=True):
    """What the user asked for on the command line."""

    prompt: str | None = None
    print_: bool = False
    continue_: bool = False
    resume: str = ""
    fork: bool = False
    at: str = ""
    continue_turn: bool = False
    name: str = ""
    take_over: bool = False
    vps: tuple[str, ...] = ()
    model: str = ""
    effort: str = ""
    mode: Literal["ask", "edits", "plan", "auto"] | None = None
    yolo: bool = False
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    folder: Path | None = None
    add_dirs: tuple[Path, ...] = ()
    attach: tuple[Path, ...] = ()
    stdin: bool = False
    output_format: Literal["text", "json", "stream-json"] = "text"
    input_format: Literal["text", "stream-json"] = "text"
    schema: str = ""
    output_file: Path | None = None
    line: bool = False
    quiet: bool = False
    verbose: int = 0
    lang: Language | None = None
    color: Literal["auto", "always", "never"] | None = None
    max_rounds: int | None = None
    max_cost_usd: float | None = None
    timeout_s: float | None = None
    settings: tuple[str, ...] = ()
    trust: bool = False


class Seconds(click.ParamType[float]):
    """A duration such as `10m`."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return seconds."""
        try:
            return duration.seconds(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Amount(click.FloatRange):
    """A number that one can count up to, under the name that messages give it."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number."""
        amount = float(super().convert(value, param, ctx))
        if not math.isfinite(amount) or math.copysign(1.0, amount) < 0:
            self.fail(f"{value} is no amount; give a number such as 0.5.", param, ctx)
        return amount


class Count(click.IntRange):
    """A whole number, under the name that messages give it."""

    name = "whole number"


def _option(*names: str, **more: Any) -> click.Option:
    return click.Option(list(names), **more)


@cache
def main_command() -> click.Command:
    """Return the parser of the main command; it runs nothing."""
    formats = click.Choice(["text", "json", "stream-json"])
    folder = click.Path(path_type=Path, exists=True, file_okay=False)
    return click.Command(
        "yeaft",
        add_help_option=False,
        params=[
            click.Argument(["words"], nargs=-1),
            _option("-p", "--print", "print_", is_flag=True),
            _option("-c", "--continue", "continue_", is_flag=True),
            _option("-r", "--resume", "-s", "--session", "resume"),
            _option("--fork", is_flag=True),
            _option("--at", default=""),
            _option("--continue-turn", is_flag=True),
            _option("--name", default=""),
            _option("--take-over", is_flag=True),
            _option("--vp", "--agent", "vps", multiple=True),
            _option("-m", "--model", default=""),
            _option("--effort", type=click.Choice(EFFORTS)),
            _option("--mode", type=click.Choice(["ask", "edits", "plan", "auto"])),
            _option("-y", "--yes", "--yolo", "yolo", is_flag=True),
            _option("--allow", multiple=True),
            _option("--deny", multiple=True),
            _option("--trust", is_flag=True),
            _option("-C", "--cwd", "folder", type=folder),
            _option("--add-dir", "add_dirs", type=folder, multiple=True),
            _option("--attach", type=click.Path(path_type=Path), multiple=True),
            _option("--stdin", is_flag=True),
            _option("--output-format", type=formats),
            _option("--json", "as_json", is_flag=True),
            _option("--input-format", type=click.Choice(["text", "stream-json"]), default="text"),
            _option("--schema", default=""),
            _option("-o", "--output-file", type=click.Path(path_type=Path, dir_okay=False)),
            _option("--line", is_flag=True),
            _option("-q", "--quiet", is_flag=True),
            _option("-v", "--verbose", count=True),
            _option("--lang", type=click.Choice(LANGUAGES)),
            _option("--color", type=click.Choice(["auto", "always", "never"])),
            _option("--max-rounds", "--max-turns", type=Count(min=1)),
            _option("--max-cost", "max_cost_usd", type=Amount(min=0)),
            _option("--timeout", "timeout_s", type=Seconds()),
            _option("--set", "settings", multiple=True),
            _option("-V", "--version", is_flag=True),
            _option("-h", "--help", is_flag=True),
        ],
    )


def split_command(words: list[str]) -> tuple[list[str], str, list[str]]:
    """Split `words` into options before a command, the command's name, and what follows; no command is ''."""
    takes_value = {
        name for p in main_command().params if isinstance(p, click.Option) and not _is_flag(p) for name in p.opts
    }
    place = 0
    while place < len(words):
        word = words[place]
        if not word.startswith("-") or word == "-":
            is_command = word in COMMANDS
            return (words[:place], word, words[place + 1 :]) if is_command else (words, "", [])
        option = word if word.startswith("--") else _deciding(word, takes_value)
        if option in ("--", "-p", "--print"):
            return words, "", []
        place += 2 if option in takes_value else 1
    return words, "", []


def _deciding(letters: str, takes_value: set[str]) -> str:
    """Return the option among short ones, such as `-qm`, that makes a prompt or a value of what follows, if any."""
    for place, letter in enumerate(letters[1:], start=1):
        option = f"-{letter}"
        if option == "-p":
            return option
        if option in takes_value:
            return option if place == len(letters) - 1 else ""  # else the rest of the word is the value
    return ""


def parse(words: list[str]) -> tuple[Options, bool, bool]:
    """Return the options and whether version or help is wanted. Raises `UsageError`."""
    try:
        found = main_command().make_context("yeaft", list(words), resilient_parsing=False).params
    except click.NoSuchOption as error:
        raise UsageError(unknown_option(error.option_name, _option_names())) from error
    except click.UsageError as error:
        raise UsageError(error.format_message()) from error
    check_contradictions(found)
    found["resume"] = _reference(found["resume"])
    prompt, from_stdin = _prompt(found, is_marked="--" in words)
    version, wants_help = found.pop("version"), found.pop("help")
    as_json, output_format = found.pop("as_json"), found.pop("output_format")
    found["output_format"] = "json" if as_json else output_format or "text"
    found["effort"] = found["effort"] or ""
    found["stdin"] |= from_stdin
    if found["yolo"]:
        found["mode"] = "auto"
    return Options(prompt=prompt, **found), version, wants_help


def _prompt(found: dict[str, Any], *, is_marked: bool) -> tuple[str | None, bool]:
    """Take the prompt out of what was found, and say whether a `-` in its place asks for standard input.

    `is_marked` says that a `--` makes a prompt of whatever follows. Raises `UsageError` for more than one.
    """
    words: tuple[str, ...] = found.pop("words")
    said = tuple(word for word in words if word != "-")
    if len(said) > 1:
        raise UsageError(too_many(said, COMMANDS, print_=found["print_"]))
    goes_on = found["continue_"] or found["continue_turn"] or found["resume"]
    if said and not (found["print_"] or is_marked or goes_on):
        check_word(said[0], COMMANDS)
    if words and found["input_format"] == "stream-json":
        raise UsageError("--input-format stream-json takes prompts from standard input; leave out the one given here.")
    return (said[0] if said else None), "-" in words


def _reference(resume: str | None) -> str:
    """Return which Session was named, if any. Raises `NotFound` for an empty word, such as a variable without value."""
    if resume is not None and not resume.strip():
        raise NotFound("-r names no Session: its value is empty. `yeaft session ls` lists them; -c takes the newest.")
    return resume or ""


def output_format_in(words: list[str]) -> str:
    """Return the output format that `words` ask for though they cannot be parsed as a whole."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, _, value = word.partition("=")
        if word == "--json":
            return "json"
        if name == "--output-format":
            return value or following
    return "text"


def language_in(words: list[str]) -> Language | None:
    """Return the language that `words` ask for, wherever they do and even if they cannot be parsed as a whole."""
    found = None
    for word, following in zip(words, [*words[1:], ""], strict=False):
        name, _, value = word.partition("=")
        if name == "--lang" and (value or following) in LANGUAGES:
            found = language(value or following, "", {})
    return found


def _is_flag(option: click.Option) -> bool:
    return option.is_flag or option.count


def _option_names() -> list[str]:
    return [name for param in main_command().params if isinstance(param, click.Option) for name in param.opts]
