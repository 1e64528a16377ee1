"""What help shows can be copied: settings load, files are read, commands parse, and quoted messages are the real ones."""

import re
import shlex
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from textwrap import dedent

import click
import pytest

from tests.cli.commands_given import CHECKOUT
from yeaft.config.layers import load
from yeaft.interfaces.cli.commands.help import TOPICS
from yeaft.interfaces.cli.commands.parsing import Action, params_of
from yeaft.interfaces.cli.options import COMMANDS, parse, split_command
from yeaft.prompts.find import templates_dir
from yeaft.prompts.ui import Ui
from yeaft.session.slash.command_file import parse_command
from yeaft.skills.skill_file import parse_skill
from yeaft.vp.vp_file import parse_vp

HELP = templates_dir() / "help"
FILES = [CHECKOUT / "README.md", *sorted(HELP.rglob("*.md"))]
BLOCK = re.compile(r"(?:^  .*\n)+", re.MULTILINE)
SETTING = re.compile(r"^(?:\[.+\]|\w+ = .+)", re.MULTILINE)
OPERATORS = frozenset("|&;<>()")
QUOTED = {
    "en": re.compile(r'^"(.+?)"(?= |:)| or "(.+?)" \(', re.MULTILINE | re.DOTALL),
    "zh": re.compile(r"^“(.+)”（", re.MULTILINE),
}


def blocks(path: Path) -> list[str]:
    return [dedent(found[0]) for found in BLOCK.finditer(path.read_text("utf-8") + "\n")]


def commands(path: Path) -> Iterator[list[str]]:
    """All command lines in blocks that start yeaft, as the words behind its name."""
    lines = [line for block in blocks(path) for line in block.splitlines() if re.search(r"(?<![/\w.])yeaft ", line)]
    lines = [line for line in lines if not re.match(r"[{(]|\w+  ", line)]
    for line in lines:
        for inner in re.findall(r"\$\((.+?)\)", line):
            yield from started(inner)
        yield from started(re.sub(r"\$\(.+?\)", "k7m2q9xa", line))


def started(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.commenters, lexer.whitespace_split = "#", True
    words: list[str] = []
    for word in (*lexer, ";"):
        if not set(word) <= OPERATORS:
            words.append(word)
            continue
        while words and "=" in words[0]:
            del words[0]
        if words and words[0] == "yeaft":
            yield words[1:]
        words = []


def understood(words: list[str]) -> bool:
    """Whether the parsers take the words, or raise."""
    before, name, after = split_command(words)
    _, version, wants_help = parse(before)
    if not name or version or wants_help:
        return True
    module = import_module(f"yeaft.interfaces.cli.commands.{COMMANDS[name]}")
    actions: dict[str, Action] = getattr(module, "ACTIONS", {})
    if (name, after[:1]) == ("flow", ["show"]):
        del after[0]  # it takes what the pattern behind it takes
    is_part = after[:1] and after[0] in actions
    action: Action | None = actions[after.pop(0)] if is_part else getattr(module, "ACTION", None)
    if action is None and after[0] != "--help":
        raise KeyError(after[0])
    if action is not None and "--help" not in after:
        click.Command(name, params=params_of(action), add_help_option=False).make_context(name, after)
    return True


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_command_in_help_is_one_that_yeaft_understands(path: Path) -> None:
    found = list(commands(path))

    assert found or path.name.startswith(("exit-codes", "files"))
    for words in found:
        assert understood(words), words


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_settings_in_help_load_as_they_stand(path: Path, tmp_path: Path) -> None:
    for block in blocks(path):
        if not SETTING.match(block):
            continue
        (tmp_path / "config.toml").write_text(block, encoding="utf-8")

        loaded = load(tmp_path, None, {}, system_config=tmp_path / "none.toml")

        assert loaded.notices == ()
        assert loaded.origins


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_files_of_a_vp_a_skill_and_a_command_in_help_are_whole(lang: str) -> None:
    (vp,) = (block for block in blocks(HELP / f"vps.{lang}.md") if block.startswith("---"))
    skill, command = (block for block in blocks(HELP / f"skills.{lang}.md") if block.startswith("---"))

    parsed = parse_vp(vp, "poet.md", "poet")
    read = parse_skill(skill, Path("release/SKILL.md"), Path("release"))
    started, faults = parse_command(command, Path("fix.md"), "fix")

    assert (parsed.problems, read.problems, faults) == ((), (), ())
    assert started is not None
    assert (started.hint, started.body.count("$")) == ("[test] [more words]", 2)
    assert parsed.vp is not None
    assert (parsed.vp.model, parsed.vp.tools.allow) == ("fast", ("FileRead", "Grep"))
    assert read.skill is not None
    assert (read.skill.platforms, read.skill.for_model) == (("linux", "macos"), True)


def test_settings_are_shown_where_they_are_explained() -> None:
    for topic in ("config", "models", "permissions", "web", "agents"):
        assert any(SETTING.match(block) for block in blocks(HELP / f"{topic}.en.md")), topic
    assert set(TOPICS) >= {"tasks", "agents", "skills", "web"}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_messages_that_troubleshooting_quotes_are_said_in_these_words(lang: str) -> None:
    text = (HELP / f"troubleshooting.{lang}.md").read_text("utf-8")
    quoted = [" ".join("".join(found).split()) for found in QUOTED[lang].findall(text)]
    said = [re.sub(r"\{\{\w+\}\}", "…", words) for words in Ui(lang).texts.values()]

    assert len(quoted) >= 8
    for words in quoted:
        assert any(words in one for one in said), words
