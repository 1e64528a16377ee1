"""Words on the command line that can hardly be meant are told at once, with what could be meant instead."""

import json

import pytest

from tests.cli.commands_given import Given
from yeaft.interfaces.cli.options import COMMANDS, parse
from yeaft.interfaces.cli.rule_flags import rules_given
from yeaft.kernel.errors import UsageError


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-y", "--mode", "plan", "hi"], "-y means --mode auto"),
        (["-c", "-r", "k7", "hi"], "-c goes on with the newest Session"),
        (["--json", "--output-format", "text", "hi"], "--json means --output-format json"),
        (["-q", "-v", "hi"], "-q wants fewer notices"),
        (["--input-format", "stream-json", "hi"], "takes prompts from standard input"),
        (["--effort", "hgh", "hi"], "'xhigh'"),
        (["--max-cost", "much", "hi"], "'much' is not a valid number"),
        (["--max-rounds", "few", "hi"], "'few' is not a valid whole number"),
        (["-p", "hello", "world"], 'Quote the prompt: yeaft -p "hello world"'),
        (["sesion", "show", "x"], "If you meant the command: yeaft session show x."),
        (["what", "is it"], 'Quote the prompt: yeaft "what is it"'),
        (["say", "$HOME"], "Quote the prompt: yeaft 'say $HOME'"),
        (["exec", "fix it"], 'Quote the prompt: yeaft "fix it"'),
        (["--dangerously-skip-permissions", "hi"], "Did you mean --mode auto?"),
        (["--full-auto", "hi"], "Did you mean --mode auto?"),
        (["--permission-mode", "plan", "hi"], "Did you mean --mode?"),
        (["--message", "hi"], "Did you mean -p?"),
        (["--system", "You are terse.", "hi"], "Did you mean --vp?"),
        (["--disallowedTools=Bash", "hi"], "Did you mean --deny?"),
        (["--image", "a.png", "hi"], "Did you mean --attach?"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(words: list[str], said: str) -> None:
    with pytest.raises(UsageError) as told:
        parse(words)

    assert said in str(told.value)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("sessions", "yeaft session"),
        ("vps", "yeaft vp"),
        ("Sesion", "yeaft session"),
        ("conf", "yeaft config"),
        ("version", "yeaft --version"),
        ("trus", "yeaft trust"),
        ("chat", "yeaft --line"),
        ("logs", "yeaft session ls"),
        ("init", "yeaft help instructions"),
    ],
)
def test_a_word_that_is_nearly_a_command_is_asked_about(word: str, meant: str) -> None:
    with pytest.raises(UsageError) as told:
        parse([word])

    assert f"Did you mean `{meant}`? To ask it as a prompt: yeaft -p {word}" in str(told.value)


def test_a_time_limit_that_is_over_before_anything_was_asked_is_told(talking: Given) -> None:
    done = talking.yeaft("--timeout", "0.001s", "hi")
    told = json.loads(talking.yeaft("--timeout", "0.001s", "--json", "hi").out)

    assert (done.code, done.out) == (4, "")
    assert "The time limit was over before all was done" in done.err
    assert (told["outcome"], told["exit_code"]) == ("limit", 4)
    assert told["error"] in done.err


@pytest.mark.parametrize(
    "words",
    [
        ["hello"],
        ["hi"],
        ["deploy"],
        ["继续"],
        ["sessions?"],
        ["-p", "sessions"],
        ["--", "sessions"],
        ["-c", "continue"],
    ],
)
def test_other_single_words_are_prompts(words: list[str]) -> None:
    options, _, _ = parse(words)

    assert options.prompt == words[-1]


@pytest.mark.parametrize("words", [["-", "hi"], ["hi", "-"]])
def test_a_dash_beside_a_prompt_waits_for_standard_input(words: list[str]) -> None:
    options, _, _ = parse(words)

    assert (options.prompt, options.stdin) == ("hi", True)


def test_no_command_is_taken_for_a_slip_of_another() -> None:
    for name in COMMANDS:
        with pytest.raises(UsageError, match=f"`yeaft {name}`"):
            parse([f"{name}s"])


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("Nonsense(x)", "no tool"),
        ("FileReed(a)", "FileRead"),
        ("Bash(x", "cannot be understood"),
    ],
)
def test_a_rule_about_nothing_is_a_usage_error(rule: str, said: str) -> None:
    with pytest.raises(UsageError, match=r"--allow") as told:
        rules_given("--allow", [rule])

    assert said in str(told.value)


def test_rules_are_split_at_commas_outside_of_parentheses() -> None:
    rules = rules_given("--deny", ["Bash(a, b),Read", "mcp__box__put", " File* ,"])

    assert rules == ("Bash(a, b)", "Read", "mcp__box__put", "File*")


def test_without_a_model_it_is_said_once_and_no_session_is_left(given: Given) -> None:
    asked = given.yeaft("@omni @skeptic look around")
    reported = given.yeaft("--json", "look around")

    assert (asked.code, asked.err.count("No model to talk to"), asked.out) == (77, 1, "")
    assert asked.err.startswith("yeaft: No model to talk to.")
    assert '"session":""' in reported.out
    assert given.says("session", "ls", "--json") == "[]"


def test_a_home_is_made_for_its_owner_alone(given: Given) -> None:
    given.says("vp", "new", "poet", "--persona", "You rhyme.")

    assert [oct(path.stat().st_mode & 0o777) for path in (given.home, given.home / "vps")] == ["0o700", "0o700"]


def test_variables_that_do_nothing_are_told(talking: Given) -> None:
    french = talking.yeaft("look around", YEAFT_LANGUAGE="fr")
    nameless = talking.yeaft("look around", YEAFT_MODEL="")
    examined = talking.yeaft("doctor", YEAFT_MODUL="x", YEAFT_CALL="c_1")

    assert "YEAFT_LANGUAGE=fr is no language that yeaft speaks" in french.err
    assert "YEAFT_BASE_URL is set" in nameless.err
    assert "YEAFT_MODUL: no variable of yeaft" in examined.out
    assert "YEAFT_CALL" not in examined.out


def test_the_model_that_answers_is_listed_with_what_named_it(talking: Given) -> None:
    listed = talking.yeaft("model", "ls")

    assert listed.out.splitlines()[1].startswith("env/scripted ")
    assert "env/scripted answers here, named by YEAFT_MODEL." in listed.err
    assert "named by: YEAFT_MODEL" in talking.says("model", "show")
    assert "env/scripted (YEAFT_MODEL)" in talking.yeaft("doctor").out
