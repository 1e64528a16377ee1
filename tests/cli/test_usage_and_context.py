"""What conversations have cost, and what fills the window of the next request, as the commands tell it."""

import sys
from datetime import UTC, datetime
from typing import Any

import pexpect
import pytest

from tests.cli.commands_given import PATIENCE_S, Given
from yeaft.interfaces.cli.terminal_text import width

PRICED = """
[providers.box]
protocol = "openai-responses"
base_url = "{url}/v1"
api_key = "k"
[[providers.box.models]]
id = "scripted"
context_tokens = 32768
price_usd_per_mtok = {{in = 1.0, out = 2.0}}
"""


def priced(given: Given) -> None:
    """Configure the scripted model once more as one whose price is known."""
    given.home.mkdir(exist_ok=True)
    url = given.environ["YEAFT_BASE_URL"].removesuffix("/v1")
    (given.home / "config.toml").write_text(PRICED.format(url=url), encoding="utf-8")


def sums(told: Any, key: str) -> Any:
    return sum(row[key] for row in told["rows"])


def test_usage_counts_every_reply_once_by_any_group_and_says_what_has_no_price(talking: Given) -> None:
    priced(talking)
    first = talking.session("@omni @skeptic look around")
    talking.says("-m", "box/scripted", "-r", first, "@omni and now")
    fork = talking.says("session", "fork", first)
    talking.says("session", "archive", fork)

    by_vp = talking.yeaft("usage", "--by", "vp", "--json").json
    by_model = talking.yeaft("usage", "--by", "model", "--json").json
    by_session = talking.yeaft("usage", "--by", "session", "--json").json
    by_day = talking.yeaft("usage", "--json").json
    shown = talking.yeaft("usage", "--by", "model")

    assert [row["group"] for row in by_vp["rows"]] == ["@omni", "@skeptic"]
    assert by_model["rows"][0]["group"] == "box/scripted"
    assert [row["group"] for row in by_session["rows"]] == [first]
    assert [row["group"] for row in by_day["rows"]] == [f"{datetime.now(UTC).astimezone():%Y-%m-%d}"]
    for told in (by_vp, by_model, by_session, by_day):
        assert told["total"] == by_vp["total"]
        assert {key: sums(told, key) for key in ("replies", "in", "out", "unpriced")} == {
            key: told["total"][key] for key in ("replies", "in", "out", "unpriced")
        }
    assert by_vp["total"]["replies"] == 4
    assert by_vp["total"]["unpriced"] == 3
    assert by_model["rows"][0]["cost"] > 0
    assert "unknown" in shown.out
    assert "3 of the replies have no known price" in shown.err


def test_usage_of_one_session_counts_nothing_else_wherever_it_is_asked(talking: Given) -> None:
    first = talking.session("one thing")
    talking.session("another thing")

    told = talking.yeaft("usage", "--by", "session", "--session", first, "-C", str(talking.home), "--json").json
    unknown = talking.yeaft("usage", "--session", "nowhere")

    assert [row["group"] for row in told["rows"]] == [first]
    assert told["total"]["replies"] == 1
    assert unknown.code == 66


def test_usage_of_another_folder_or_an_earlier_time_is_not_this_ones(talking: Given) -> None:
    talking.session("@omni hello")
    elsewhere = talking.folder / "below"
    elsewhere.mkdir()

    here = talking.yeaft("usage", "-C", str(elsewhere))
    everywhere = talking.yeaft("usage", "-C", str(elsewhere), "--all", "--json").json
    later = talking.yeaft("usage", "--since", "2999-01-01", "--json").json

    assert (here.code, here.out) == (0, "")
    assert "--all counts every folder" in here.err
    assert everywhere["total"]["replies"] == 1
    assert (later["rows"], later["total"]["replies"]) == ([], 0)


def test_context_says_for_each_vp_what_the_next_request_would_hold(talking: Given) -> None:
    (talking.folder / "AGENTS.md").write_text("Mind the gap. " * 600, encoding="utf-8")
    session = talking.session("@omni @skeptic look around")

    told = talking.yeaft("session", "context", "--json").json
    only = talking.yeaft("session", "context", session, "--vp", "@omni", "--json").json
    shown = talking.says("session", "context", session)

    assert [one["vp"] for one in told] == ["omni", "skeptic"]
    assert [one["vp"] for one in only] == ["omni"]
    (omni,) = only
    parts = {one["part"]: one["tokens"] for one in omni["parts"]}
    assert sum(parts.values()) == omni["context_tokens"]
    assert omni["tokens"] == sum(tokens for part, tokens in parts.items() if part not in ("reply", "free"))
    assert min(parts[part] for part in ("system", "instructions", "tools", "earlier", "results", "reply")) > 0
    assert parts["instructions"] > 1500
    assert [one["tool"] for one in omni["results"]] == ["ListDir"]
    assert "instructions" in [one["code"] for one in omni["advice"]]
    assert "instruction files cost" in shown
    assert "@skeptic" in shown


def test_context_without_anything_to_measure_says_so(talking: Given) -> None:
    nowhere = talking.yeaft("session", "context")
    session = talking.session("@omni hello")
    nobody = talking.yeaft("session", "context", session, "--vp", "tester")

    assert nowhere.code == 66
    assert "No Session in" in nowhere.err
    assert (nobody.code, nobody.out) == (0, "")
    assert nobody.err.startswith("@tester has sent no request")


def test_context_and_usage_speak_chinese(talking: Given) -> None:
    talking.session("@omni hello")

    assert "为回复预留" in talking.says("session", "context", "--lang", "zh")
    assert "合计" in talking.says("usage", "--lang", "zh")


def shown_in(columns: int, given: Given, *words: str) -> list[str]:
    """The lines that a command shows at a terminal that is so wide."""
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "yeaft", *words],
        cwd=str(given.folder),
        env=given.environ | {"TERM": "dumb", "COLUMNS": ""},
        dimensions=(24, columns),
        encoding="utf-8",
        timeout=PATIENCE_S,
    )
    terminal.expect(pexpect.EOF)
    terminal.close()
    return [line.rstrip() for line in (terminal.before or "").splitlines()]


def test_the_list_of_sessions_says_what_each_has_cost_once_one_has(talking: Given) -> None:
    priced(talking)
    free = talking.session("look around")
    before = talking.says("session", "ls")
    talking.says("-m", "box/scripted", "看看这里有什么，然后告诉我")
    paid = talking.yeaft("session", "ls", "--json").json[0]["id"]
    talking.says("-r", free, "-m", "box/scripted", "and now")

    cost = {row["id"]: row["cost"] for row in talking.yeaft("session", "ls", "--json").json}
    after = talking.says("session", "ls").splitlines()
    narrow = shown_in(64, talking, "session", "ls", "--lang", "zh")

    assert "cost" not in before
    assert after[0].split()[:5] == ["id", "last", "active", "messages", "cost"]
    assert {line.split()[0]: line.split()[4] for line in after[1:]} == {
        paid: f"${cost[paid]:.4f}",
        free: f"${cost[free]:.4f}+",  # it has replies without a known price
    }
    assert all(width(line) <= 64 for line in narrow)
    assert [line.partition("$")[2][:6] for line in narrow[1:]] == [f"{cost[one]:.4f}" for one in (free, paid)]
    assert len({width(line.partition("$")[0]) for line in narrow[1:]}) == 1
    assert "看看" in narrow[2]


def test_usage_that_has_no_room_beside_each_other_stands_below_each_other(talking: Given) -> None:
    priced(talking)
    talking.says("-m", "box/scripted", "@omni look around")

    beside, below = (shown_in(columns, talking, "usage", "--by", "vp") for columns in (80, 40))

    assert [line.split()[0] for line in beside] == ["VP", "@omni", "all"]
    assert [line.split("  ")[1] if line[:1] == " " else line for line in below] == [
        part
        for name in ("@omni", "all")
        for part in (name, "replies", "in", "cache read", "cache written", "out", "cost")
    ]
    assert len({width(line) for line in below if line[:1] == " "}) == 1


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_figures_are_flush_right_in_both_languages(talking: Given, lang: str) -> None:
    priced(talking)
    talking.says("-m", "box/scripted", "@omni look around")
    talking.says("@omni @skeptic look around")

    usage = talking.says("usage", "--by", "vp", "--lang", lang).splitlines()
    context = talking.says("session", "context", "--vp", "omni", "--lang", lang).splitlines()
    parts = context[1:]
    shares = [line for line in parts if line.endswith("%")]

    assert len({width(line) for line in usage}) == 1
    assert len(shares) > 3
    assert {width(line) for line in shares} == {width(parts[0])}
    for line in shares:
        assert line[: -len(line.split()[-1])].endswith("  ")
