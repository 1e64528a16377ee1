"""`yeaft route`: who would answer, decided by the same code that decides it for real, and nothing is written."""

import pytest

from tests.cli.commands_given import Given


@pytest.mark.parametrize(
    ("text", "to", "joined", "reason"),
    [
        ("hello", ["omni"], [], "default"),
        ("@builder fix it, @skeptic doubt it", ["builder", "skeptic"], ["builder", "skeptic"], "mention"),
        ("@质疑者你好", ["skeptic"], ["skeptic"], "mention"),
        ("write to me@builder.example, not `@builder`", ["omni"], [], "default"),
        ("@omni hi", ["omni"], [], "mention"),
    ],
)
def test_mentions_choose_who_answers(given: Given, text: str, to: list[str], joined: list[str], reason: str) -> None:
    routed = given.yeaft("route", text, "--json").json

    assert (routed["to"], routed["joined"], routed["reason"]) == (to, joined, reason)
    assert routed["roster"] == ["omni", *(vp for vp in joined if vp != "omni")]
    assert not given.home.exists()


def test_an_unknown_mention_names_the_nearest_vp_and_the_default_answers(given: Given) -> None:
    routed = given.yeaft("route", "@sceptic look", "--json").json

    assert routed["unknown"] == [{"token": "sceptic", "nearest": "skeptic"}]
    assert routed["to"] == ["omni"]
    (notice,) = routed["notices"]
    assert notice["code"] == "mention.unknown_near"
    assert notice["text"] == "@sceptic is nobody here. Did you mean @skeptic? @omni answers."
    assert "是不是指 @skeptic" in given.yeaft("--lang", "zh", "route", "@sceptic look").err


def test_vp_options_set_the_roster_before_and_after_the_command(given: Given) -> None:
    after = given.yeaft("route", "hi", "--vp", "reviewer", "--vp", "质疑者", "--json").json
    before = given.yeaft("--vp", "reviewer,skeptic", "--json", "route", "hi").json

    assert after == before
    assert (after["roster"], after["default_vp"], after["to"]) == (["reviewer", "skeptic"], "reviewer", ["reviewer"])
    assert given.yeaft("route", "hi", "--vp", "nobody").code == 66


def test_all_reaches_the_roster(given: Given) -> None:
    routed = given.yeaft("route", "@all what now?", "--vp", "omni", "--vp", "tester", "--json").json

    assert (routed["broadcast"], routed["truncated"], routed["to"]) == (True, False, ["omni", "tester"])


def test_a_session_from_before_brings_its_own_roster(talking: Given) -> None:
    session = talking.session("@skeptic hello")

    by_id = talking.yeaft("route", "hi", "-r", session, "--json").json
    newest = talking.yeaft("-c", "route", "@all", "--json").json

    assert (by_id["to"], by_id["roster"]) == (["omni"], ["omni", "skeptic"])
    assert newest["to"] == ["omni", "skeptic"]
    assert talking.yeaft("route", "hi", "-r", "nothing").code == 66


def test_the_text_can_come_from_standard_input(given: Given) -> None:
    assert given.process("route", "-", stdin="@builder, please").out == "@builder\n"
