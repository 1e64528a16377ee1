"""Words of commands: mistakes are told with the nearest word, help is complete, and shells complete what there is."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given as supposing
from hypothesis import strategies as st

from tests.cli.commands_given import Given
from yeaft.interfaces.cli.commands.completion_words import Level, levels
from yeaft.interfaces.cli.commands.help import TOPICS
from yeaft.interfaces.cli.commands.printing import table
from yeaft.interfaces.cli.options import COMMANDS
from yeaft.interfaces.cli.terminal_text import cut, width
from yeaft.prompts.find import templates_dir
from yeaft.prompts.phrases import sections

LANGS = ("en", "zh")
LEVELS = [level for level in levels() if level.path]
EXAMPLES = re.compile(r"^(?:Examples:|例子：)\n((?:  .+\n?)+)", re.MULTILINE)
OPTION_LINE = re.compile(r"^ +((?:-\w, )?--[\w-]+(?:, --?[\w-]+)*)", re.MULTILINE)


def help_of(level: Level, lang: str) -> str:
    group, _, part = level.path.partition(" ")
    text = (templates_dir() / "help" / "commands" / f"{group}.{lang}.md").read_text("utf-8")
    return sections(text)[part] if part else text.partition("\n## ")[0]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.path)
def test_the_help_of_a_command_names_exactly_what_it_understands(level: Level, lang: str) -> None:
    text = help_of(level, lang)
    (examples,) = EXAMPLES.findall(text)

    assert len(examples.strip().splitlines()) >= 3
    assert all("yeaft" in line for line in examples.strip().splitlines())
    if level.is_leaf:
        named = {name for names in OPTION_LINE.findall(text) for name in re.findall(r"-[\w-]+", names)}
        named |= set(re.findall(r"(?<=, )-r|(?<=^  )-r", text))
        assert named | {"--help"} == set(level.options)
    else:
        assert set(re.findall(r"^  ([\w-]+) ", text.partition("\n\n")[2], re.MULTILINE)) >= set(
            level.following.words
        ) - {
            "unarchive",
            "import",
        }
        assert all(word in text for word in level.following.words)


@pytest.mark.parametrize("lang", LANGS)
def test_every_topic_can_be_read_in_both_languages(lang: str) -> None:
    folder = templates_dir() / "help"

    assert {path.name.removesuffix(f".{lang}.md") for path in folder.glob(f"*.{lang}.md")} == set(TOPICS)
    for topic in TOPICS:
        text = (folder / f"{topic}.{lang}.md").read_text("utf-8")
        assert text.startswith("# "), topic
        assert max(map(width, text.splitlines())) <= 120, topic


def test_topics_name_only_commands_and_options_that_exist() -> None:
    known = {option for level in levels() for option in level.options}
    for path in (templates_dir() / "help").glob("*.md"):
        text = path.read_text("utf-8")
        said = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))
        assert said <= known, path.name
        commands = re.findall(r"(?:^ +|`|\()yeaft ([a-z]+) ", text, re.MULTILINE)
        assert set(commands) <= set(COMMANDS), path.name


def test_help_lists_topics_and_shows_one_in_the_users_language(given: Given) -> None:
    assert all(topic in given.says("help") for topic in TOPICS)
    assert given.says("help", "pipes").startswith("# Pipes")
    assert given.says("--lang", "zh", "help", "pipes").startswith("# 管道")
    assert given.says("help", "session") == given.says("session", "--help")
    unknown = given.yeaft("help", "mdels")
    assert (unknown.code, "models" in unknown.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "nearest"),
    [
        (("session", "shwo", "x"), "yeaft session show"),
        (("session", "ls", "--jsn"), "--json"),
        (("route", "hi", "--vpp", "omni"), "--vp"),
        (("session",), "ls, show"),
        (("session", "show"), "SESSION"),
        (("session", "show", "x", "--limit", "-1"), "--limit"),
        (("completion", "tcsh"), "bash"),
        (("vp", "--json"), "ls"),
    ],
)
def test_words_that_cannot_be_understood_exit_2_and_say_what_could(
    given: Given, words: tuple[str, ...], nearest: str
) -> None:
    done = given.yeaft(*words)

    assert (done.code, done.out) == (2, "")
    assert nearest in done.err
    assert len(done.err.splitlines()) == 1


def test_a_reader_that_leaves_early_ends_a_list_quietly(given: Given) -> None:
    done = subprocess.run(
        ["bash", "-c", 'set -o pipefail; "$@" | true', "-", "python", "-m", "yeaft", "config", "ls"],
        env=given.environ | {"PATH": f"{Path(sys.executable).parent}:{given.environ['PATH']}"},
        cwd=given.folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert done.stderr == ""
    assert done.returncode in (0, 141)


def completions(given: Given, tmp_path: Path, *lines: tuple[str, ...]) -> list[set[str]]:
    """Ask a real bash what it would offer after each of `lines`."""
    script = tmp_path / "yeaft.bash"
    script.write_text(given.says("completion", "bash"))
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    program = bin_folder / "yeaft"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m yeaft "$@"\n')
    program.chmod(0o755)
    tries = "".join(
        f"COMP_WORDS=(yeaft {' '.join(map(shlex.quote, line))}); COMP_CWORD={len(line)}; COMPREPLY=(); _yeaft\n"
        '(IFS="|"; echo "${COMPREPLY[*]}")\n'
        for line in lines
    )
    done = subprocess.run(
        ["bash", "-c", f"source {script}; complete -p yeaft\n{tries}"],
        env=given.environ | {"PATH": f"{bin_folder}:{given.environ['PATH']}"},
        cwd=given.folder,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    first, *offered = done.stdout.splitlines()
    assert first == "complete -F _yeaft yeaft"
    assert done.stderr == ""
    return [set(line.split("|")) for line in offered]


def test_bash_completes_commands_options_values_and_ids(talking: Given, tmp_path: Path) -> None:
    session = talking.session(name="billing bug")
    talking.yeaft("session", "rename", talking.session("@omni again"), "$(touch stolen)")
    (talking.folder / "notes.txt").touch()

    offered = completions(
        talking,
        tmp_path,
        ("",),
        ("session", ""),
        ("--lang", "zh", "session", "ls", "--a"),
        ("--mode", ""),
        ("-r", ""),
        ("--vp", "sk"),
        ("session", "show", ""),
        ("help", "pe"),
        ("session", "import", "no"),
        ("completion", ""),
        ("-r", "bil"),
        ("-r", "$"),
        ("-m", "env/"),
        ("--effort", "x"),
        ("tool", "show", "Web"),
        ("@ske",),
        ('"look here, @ske',),
    )

    commands, in_session, flags, modes, resumed, vps, shown, topics, files, shells, *others = offered
    assert commands >= set(COMMANDS) | {"--vp", "--continue"}
    assert not commands & {"--agent", "--max-turns", "--session"}, "what --help does not name is not offered"
    assert in_session >= {"ls", "show", "export"}
    assert flags == {"--all", "--archived"}
    assert modes == {"ask", "edits", "plan", "auto"}
    assert resumed >= {session, "billing\\ bug"}
    assert vps == {"skeptic"}
    assert shown >= {session, "--limit"}
    assert (topics, files) == ({"permissions", "perms"}, {"notes.txt"})
    assert shells >= {"bash", "zsh", "fish"}
    assert others == [
        {"billing\\ bug"},
        {"\\$\\(touch\\ stolen\\)"},
        {"env/scripted"},
        {"xhigh"},
        {"WebFetch", "WebSearch"},
        {"@skeptic"},
        {"look here, @skeptic"},
    ]
    assert not (talking.folder / "stolen").exists(), "names are never run"


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_get_a_script_that_knows_every_command(given: Given, shell: str) -> None:
    script = given.says("completion", shell)

    assert all(level.path in script for level in levels())


@supposing(st.lists(st.tuples(st.text(max_size=12), st.text(max_size=12), st.text(max_size=12)), max_size=6))
def test_columns_begin_in_the_same_place_on_every_line(rows: list[tuple[str, str, str]]) -> None:
    lines = table(("编号", "name", "x"), rows)

    assert len(lines) == len(rows) + 1
    cells = [tuple(" ".join(cell.split()) for cell in row) for row in (("编号", "name", "x"), *rows)]
    starts = {width(line) - width(row[-1]) for line, row in zip(lines, cells, strict=True) if row[-1]}
    assert len(starts) == 1


@supposing(st.text(), st.integers(min_value=1, max_value=30))
def test_a_cut_text_fits_and_says_that_it_was_cut(text: str, columns: int) -> None:
    shown = cut(text, columns)

    assert width(shown) <= columns
    assert shown == text or (shown.endswith("…") and text.startswith(shown[:-1]))
