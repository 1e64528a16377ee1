"""Reads the words of a command with click, tells mistakes with the nearest word, and shows help from templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from msgspec import Struct
from msgspec.structs import replace

from yeaft.config.language import LANGUAGES
from yeaft.interfaces.cli.commands.desk import Desk
from yeaft.interfaces.cli.commands.printing import put_help
from yeaft.kernel.errors import UsageError
from yeaft.kernel.outcome import EXIT_ANSWERED
from yeaft.kernel.text import without_surrogates

if TYPE_CHECKING:
    from yeaft.interfaces.cli.options import Options

HELP_WORDS = ("-h", "--help")
SAME_WORDS = (frozenset({"ls", "list"}), frozenset({"rm", "delete", "remove"}))
"""Names that people try for the same command; each group has one of them."""


class Action(Struct, frozen=True, kw_only=True):
    """What one command does: `run(desk, **values)` with the values of `params`, which returns the exit code.

    `-C` and `--lang` are understood by every command, `--json` where `has_json`.
    """

    run: Callable[..., int]
    params: tuple[click.Parameter, ...] = ()
    has_json: bool = True


def argument(name: str, **more: Any) -> click.Argument:
    """Declare a positional word; `name` is what messages call it, in lower case what `run` gets it as."""
    return click.Argument([name.lower()], metavar=name, **more)


def option(*names: str, **more: Any) -> click.Option:
    """Declare an option with a value."""
    return click.Option(list(names), **more)


def flag(*names: str) -> click.Option:
    """Declare an option without a value."""
    return click.Option(list(names), is_flag=True)


def params_of(action: Action) -> list[click.Parameter]:
    """Return all parameters of a command, those that every command has included."""
    folder = click.Path(path_type=Path, exists=True, file_okay=False)
    common = [option("-C", "--cwd", "cwd", type=folder), option("--lang", type=click.Choice(LANGUAGES))]
    return [*action.params, *common, *([flag("--json", "as_json")] if action.has_json else [])]


def with_text(actions: Mapping[str, Action]) -> Mapping[str, Action]:
    """Return commands whose words will be kept: bytes that are no UTF-8 become U+FFFD, but not in a `Path`."""
    return {name: replace(action, run=partial(_run_with_text, action.run)) for name, action in actions.items()}


def _run_with_text(run: Callable[..., int], desk: Desk, **values: Any) -> int:
    return run(desk, **{key: _text(value) for key, value in values.items()})


def _text(value: object) -> object:
    match value:
        case str():
            return without_surrogates(value)
        case tuple():
            return tuple(map(_text, cast("tuple[object, ...]", value)))  # an option that can be repeated
        case _:
            return value


def run_group(name: str, actions: Mapping[str, Action], options: Options, words: Sequence[str]) -> int:
    """Do the one of `actions` that the first word names. Raises `UsageError` if it names none."""
    if words and words[0] in HELP_WORDS:
        return show_help(Desk(options), name)
    known = ", ".join(actions)
    if not words or words[0].startswith("-"):
        raise UsageError(f"yeaft {name} needs one of: {known}. See `yeaft {name} --help`.")
    word = words[0]
    same = {word}.union(*(names for names in SAME_WORDS if word in names))
    chosen = next((action for action in actions if action in same), None)
    if chosen is None:
        near = get_close_matches(word, actions, n=1)
        remedy = f"Did you mean `yeaft {name} {near[0]}`?" if near else f"There are: {known}."
        raise UsageError(f"yeaft {name} has no command {word!r}. {remedy}")
    return run_action(f"{name} {chosen}", actions[chosen], options, words[1:])


def run_action(name: str, action: Action, options: Options, words: Sequence[str]) -> int:
    """Do what `words` ask of the command `name`, such as `session ls`. Raises `UsageError` for words it cannot use."""
    values = values_of(name, action, words) if not _wants_help(words) else None
    if values is None:
        return show_help(Desk(options), name)
    folder, lang = values.pop("cwd"), values.pop("lang")
    options = replace(options, folder=folder or options.folder, lang=lang or options.lang)
    desk = Desk(options, as_json=bool(values.pop("as_json", False)))
    return int(action.run(desk, **values))


def show_help(desk: Desk, name: str) -> int:
    """Print the help of a command, or of one part of it such as `session ls`."""
    from yeaft.prompts.find import read_template
    from yeaft.prompts.phrases import sections

    group, _, part = name.partition(" ")
    text = read_template(f"help/commands/{group}", desk.lang)
    put_help(sections(text)[part] if part else text.partition("\n## ")[0].strip())
    return EXIT_ANSWERED


def _wants_help(words: Sequence[str]) -> bool:
    before_end = words[: words.index("--")] if "--" in words else words
    return any(word in HELP_WORDS for word in before_end)


def values_of(name: str, action: Action, words: Sequence[str]) -> dict[str, Any]:
    """Return what `words` say for each parameter of a command. Raises `UsageError` with the nearest word."""
    params = params_of(action)
    command = click.Command(name, params=params, add_help_option=False)
    try:
        return command.make_context(f"yeaft {name}", list(words)).params
    except click.NoSuchOption as error:
        known = [word for param in params if isinstance(param, click.Option) for word in param.opts]
        near = get_close_matches(error.option_name, known, n=1)
        remedy = f"Did you mean {near[0]}?" if near else f"See `yeaft {name} --help`."
        raise UsageError(f"yeaft {name} has no option {error.option_name}. {remedy}") from error
    except click.MissingParameter as error:
        raise UsageError(_missing(name, error)) from error
    except click.UsageError as error:
        raise UsageError(f"{error.format_message()} See `yeaft {name} --help`.") from error


def _missing(name: str, error: click.MissingParameter) -> str:
    param = error.param
    wanted = (param.metavar if isinstance(param, click.Argument) else None) or (param.opts[0] if param else "more")
    choices = f" ({', '.join(map(str, param.type.choices))})" if param and isinstance(param.type, click.Choice) else ""
    return f"yeaft {name} needs {wanted}{choices}. See `yeaft {name} --help`."
