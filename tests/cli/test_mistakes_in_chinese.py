"""Whoever speaks Chinese is told every mistake in Chinese, and programs are told the same in both languages."""

import re
import shlex

import pytest

from tests.cli.commands_given import Given

QUOTED = re.compile(
    r"`[^`]*`|“[^”]*”|'[^']*'|\"[^\"]*\"|/\S+|[\w-]+(?:, [\w-]+)+|yeaft [a-z][\w -]*|--?[\w-]+|\w+\.\w+"
)
"""What stays as it is in every language: quoted words, paths, lists of names, commands, options and keys."""
ENGLISH = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,} [A-Za-z]{2,}")
CHINESE = re.compile("[\u4e00-\u9fff]")
FILES = {
    "bad.yaml": "graph:\n  steps: [{id: a}]\n",
    "g.yaml": "graph:\n  params: {x: 1}\n  steps: [{id: a, agent: omni, prompt: hi}]\n",
    "broken.json": "{",
    "schema.json": '{"type": 3}',
    "notes.txt": "hi\n",
    "rules.txt": "maybe ls\n",
}
MISTAKES = """
--mod auto hi
--mode wild hi
--max-rounds many hi
--max-rounds 0 hi
--timeout soon hi
-C nowhere hi
--vp
--schema nothing.json hi
--schema broken.json hi
--schema schema.json hi
-o nowhere/x.txt hi
--set limits hi
--set =3 hi
--set limits.max_round=3 hi
--set limits.max_rounds=many hi
--allow Bsh(ls) hi
--deny (( hi
-y --mode plan hi
-c -r abc hi
--fork hi
--at 3 hi
-m nobody/x hi
--input-format stream-json hi
two prompts here
session lst
session
session ls --bogus
session show
session ls --limit 0
session check
session import broken.json
agent show zz
task show zz
artifact show zz
config get limits.max_round
config set limits 3
config unset limits.max_rounds
doctor bogus
flow nosuch hi
flow critic hi
flow map hi
flow vote hi @omni --times 99
graph check nothing.yaml
graph check bad.yaml
graph check .
graph run g.yaml -p y=3
graph run g.yaml -p y
graph resume zz
help nosuch
import claude --only zz
import claude --from nowhere
mcp add x
mcp add x --url ftp://x
mcp add x --env A -- ls
mcp rm zz
perms explain
perms test nothing.txt
perms test rules.txt
search ''
search x --since soon
skill show zz
tool show zz
trust
vp new omni
vp new 123
vp new x --persona a --from notes.txt
vp rm omni
vp check nothing.md
vp import notes.txt
""".strip().splitlines()
IN_SETTINGS = (
    "[limits\n",
    "a = \n",
    'x = "abc\n',
    "[limits]\nmax_round = 3\n",
    '[limits]\nmax_rounds = "x"\n',
    "limits = 3\nmodels = [1]\n",
    '[models]\neffort = "huge"\n',
    '[permissions]\nmode = "wild"\n',
    '[permissions]\nallow = ["Bsh(ls)"]\n',
    '[permissions]\ndeny = ["(("]\n',
    '[providers.p]\nbase_url = "ftp://x"\n',
    '[providers.p]\napi_key = "a"\napi_key_env = "b"\n',
    '[search]\nprovider = "searxng"\n',
    '[sandbox]\nwrite = ["x"]\n',
    '[keys]\n"nothing" = "ctrl+a"\n',
    '[keys]\n"composer.send" = "ctrll+a"\n',
)


def is_all_chinese(text: str) -> bool:
    """Whether something is said in Chinese, and no sentence of it in English."""
    return bool(CHINESE.search(text)) and not ENGLISH.search(QUOTED.sub("", text))


def made(given: Given) -> Given:
    for name, text in FILES.items():
        (given.folder / name).write_text(text)
    return given


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_on_the_command_line_is_told_in_chinese(given: Given, line: str) -> None:
    made(given)

    chinese = given.yeaft(*shlex.split(line), YEAFT_LANGUAGE="zh")

    assert chinese.code != 0
    assert is_all_chinese(chinese.err), chinese.err


@pytest.mark.parametrize("settings", IN_SETTINGS)
def test_a_mistake_in_the_settings_is_told_in_chinese(given: Given, settings: str) -> None:
    given.home.mkdir(mode=0o700)
    (given.home / "config.toml").write_text(f'language = "zh"\n{settings}')

    done = given.yeaft("hi")

    assert done.code == 78
    assert is_all_chinese(done.err), done.err


@pytest.mark.parametrize("words", [("--bogus", "--lang", "zh"), ("session", "show", "--lang=zh"), ("--lang", "zh", "")])
def test_the_language_that_the_command_line_asks_for_holds_for_its_own_mistakes(
    given: Given, words: tuple[str, ...]
) -> None:
    done = given.yeaft(*words)

    assert done.code == 2
    assert is_all_chinese(done.err), done.err


@pytest.mark.parametrize(
    "line", ["--json --mode wild hi", "--json -m nobody/x hi", "--json --set limits hi", "graph check bad.yaml --json"]
)
def test_programs_are_told_the_same_in_every_language(given: Given, line: str) -> None:
    made(given)

    english = given.yeaft(*shlex.split(line), YEAFT_LANGUAGE="en")
    chinese = given.yeaft(*shlex.split(line), YEAFT_LANGUAGE="zh")

    assert english.code != 0
    assert (chinese.code, chinese.out) == (english.code, english.out)


def test_what_is_wrong_with_vps_and_skills_is_told_in_chinese(given: Given) -> None:
    for name, text in {"a": "no head\n", "b": "---\nnme: x\n---\nhi\n", "c": "---\nname: x\nrole：y\n---\n"}.items():
        (given.folder / f"{name}.md").write_text(text)
        (given.folder / "skills" / name).mkdir(parents=True)
        (given.folder / "skills" / name / "SKILL.md").write_text(text)

    vps = given.yeaft("--lang", "zh", "vp", "check", "a.md", "b.md", "c.md")
    skills = given.yeaft("--lang", "zh", "skill", "check", "skills/a", "skills/b", "skills/c")

    assert [(done.code, is_all_chinese(line)) for done in (vps, skills) for line in done.out.splitlines()] == [
        (done.code, True) for done in (vps, skills) for _ in done.out.splitlines()
    ]
    assert (vps.code, skills.code) == (78, 65)


def test_numbers_out_of_range_are_told_of_in_words(talking: Given) -> None:
    talking.home.mkdir(mode=0o700)
    (talking.home / "config.toml").write_text("[limits]\nmax_rounds = 0\n")

    english = talking.yeaft("hi")
    chinese = talking.yeaft("--lang", "zh", "hi")

    assert "limits.max_rounds = 0" in english.err
    assert "is out of range; 1 is used." in english.err
    assert "超出范围；改用 1。" in chinese.err
    assert "session=" not in english.err + chinese.err
