"""`yeaft session compact` as the program does it: what is told, what programs read, and what cannot be done."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands_given import Given
from tests.cli.test_usage_and_context import priced


@pytest.fixture(scope="module")
def earlier_talk(tmp_path_factory: pytest.TempPathFactory, scripted_url: str) -> tuple[Given, str]:
    """A conversation of five turns with a model whose price is known; it stays as it is."""
    earlier = Given(tmp_path_factory.mktemp("earlier"), scripted_url)
    priced(earlier)
    session = earlier.session("@omni one")
    for text in ("two", "three", "four", "five"):
        earlier.says("-r", session, text)
    return earlier, session


@pytest.fixture
def long_talk(earlier_talk: tuple[Given, str], talking: Given) -> tuple[Given, str]:
    """The same conversation in a home of its own."""
    earlier, session = earlier_talk
    shutil.copytree(earlier.home, talking.home)
    talking.folder = earlier.folder
    return talking, session


def test_the_newest_turns_stay_and_what_it_cost_is_told(long_talk: tuple[Given, str]) -> None:
    given, session = long_talk

    done = given.yeaft("session", "compact", session, "-m", "box/scripted")
    again = given.yeaft("session", "compact", session)
    usage = given.yeaft("usage", "--by", "vp", "--json").json

    assert (done.code, done.out) == (0, "")
    assert "stands for now: 2." in done.err
    assert "Requests to box/scripted: 1, " in done.err
    assert " USD. Undo: yeaft session compact " in done.err
    assert again.code == 0
    assert "nothing to sum up for @omni" in again.err
    assert usage["total"]["replies"] == 6


def test_programs_get_what_was_done_and_undone(long_talk: tuple[Given, str]) -> None:
    given, session = long_talk

    made = given.yeaft("session", "compact", session, "--json").json
    nothing = given.yeaft("session", "compact", session, "--json").json
    undone = given.yeaft("session", "compact", session, "--undo", "--json").json
    too_often = given.yeaft("session", "compact", session, "--undo", "--lang", "zh")

    assert (made["done"], made["turns"], made["text"]) == (True, 2, "你好 from the script.")
    assert made["tokens_in"] > 0
    assert (nothing["done"], nothing["error"]) == (False, "")
    assert (undone["done"], undone["undone"], undone["turns"]) == (True, True, 2)
    assert too_often.code == 65
    assert given.yeaft("replay", session).code == 0
    assert given.yeaft("session", "check", session).code == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--vp", "nobody"), 66, "No VP named 'nobody'"),
        (("--vp", "skeptic"), 66, "@skeptic takes no part in this Session; there are @omni."),
        (("--undo", "-m", "box/scripted"), 2, "--undo asks no model"),
        (("--max-cost", "-1"), 2, "--max-cost"),
        (("--max-cost", "0"), 78, "The price of env/scripted is unknown"),
        (("--max-cost", "0", "-m", "box/scripted"), 4, "limit (cost)"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    long_talk: tuple[Given, str], words: tuple[str, ...], code: int, said: str
) -> None:
    given, session = long_talk

    done = given.yeaft("session", "compact", session, *words)

    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert "nothing to take back" in given.yeaft("session", "compact", session, "--undo").err


def test_a_model_that_is_down_changes_nothing(long_talk: tuple[Given, str]) -> None:
    given, session = long_talk
    config = given.home / "config.toml"
    up = config.read_text("utf-8")
    config.write_text(up.replace("http://127.0.0.1:", "http://127.0.0.1:1/") + "[retry]\nmax_retries = 0\n", "utf-8")

    failed = given.yeaft("session", "compact", session, "-m", "box/scripted", "--json")

    assert failed.code == 69
    assert "Could not connect" in json.loads(failed.out)["error"]
    assert "everything is as it was" in failed.err
    config.write_text(up, "utf-8")
    assert given.yeaft("session", "compact", session, "--json").json["done"]


def test_an_interrupt_leaves_a_whole_session(long_talk: tuple[Given, str], tmp_path: Path) -> None:
    given, session = long_talk
    script = tmp_path / "stalls.json"
    stalls = {"step": "stalls", "of": {"step": "says", "text": "Never."}, "after_events": 0}
    script.write_text(json.dumps({"fallback": stalls}), "utf-8")
    model = [sys.executable, "-m", "yeaft.llm.scripted", str(script)]
    with subprocess.Popen(model, env=given.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        url = json.loads(server.stdout.readline())["url"]
        command = [sys.executable, "-m", "yeaft", "session", "compact", session, "-m", "env/scripted"]
        environ = given.environ | {"YEAFT_BASE_URL": url}
        with subprocess.Popen(command, env=environ, cwd=given.folder, stderr=subprocess.PIPE) as compacting:
            pass_on(given, session, compacting)
        server.stdin.close()

    assert compacting.returncode == 130
    assert given.yeaft("session", "check", session).code == 0
    assert given.yeaft("session", "compact", session, "--json").json["done"]


def pass_on(given: Given, session: str, compacting: "subprocess.Popen[bytes]") -> None:
    """Interrupt it once its request is in the journal."""
    while "omni/summary" not in given.yeaft("replay", session).out:
        assert compacting.poll() is None
    compacting.send_signal(signal.SIGINT)


def test_switched_on_a_one_shot_waits_for_it_and_tells_what_it_cost(talking: Given) -> None:
    priced(talking)
    with (talking.home / "config.toml").open("a", encoding="utf-8") as config:
        config.write('[window]\nturns = 3\ncompact = "on"\n')
    session = talking.session("@omni one")
    for text in ("two", "three", "four", "five"):
        talking.says("-r", session, text)

    last = talking.yeaft("-r", session, "six")

    assert (last.code, last.out) == (0, "你好 from the script.\n")
    assert "stands for now: 3." in last.err
    assert talking.yeaft("session", "compact", session, "--undo", "--json").json["turns"] == 3
