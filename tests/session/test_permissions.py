"""Who may do what: rules that the human agreed to, each VP's own, and what an untrusted folder may forbid."""

import tomllib
from pathlib import Path

import pytest

from tests.session.session_given import Given, Talk, calls, cast, for_vp, says
from yeaft.events.call import AskOpened
from yeaft.events.policy import RuleSaved
from yeaft.events.turn import TurnStarted
from yeaft.kernel.errors import BadData, ConfigError
from yeaft.llm.scripted.script import Calls


def writes(name: str, wire_id: str, content: str = "x") -> Calls:
    return calls("FileWrite", wire_id, file_path=name, content=content)


def runs(command: str, wire_id: str) -> Calls:
    return calls("Bash", wire_id, command=command)


def asks(talk: Talk) -> list[str]:
    return [ask.text for ask in talk.all_of(AskOpened)]


async def test_what_was_allowed_for_the_session_is_still_allowed_when_it_is_opened_again(given: Given) -> None:
    talk = await given.session(writes("a.txt", "c1"), says("Done."), writes("a.txt", "c2", "y"), says("Done."))
    talk.say("write")
    talk.answer(await talk.asked(), decision="session")
    assert await talk.outcome() == "answered"
    before = (given.home / "config.toml").read_text()

    later = await given.again(talk)
    later.say("write again")

    assert await later.outcome() == "answered"
    assert asks(later) == []
    assert (given.folder / "a.txt").read_text() == "y"
    assert [saved.scope for saved in talk.all_of(RuleSaved)] == ["session"]
    assert (given.home / "config.toml").read_text() == before


async def test_what_was_allowed_always_is_written_down_and_holds_in_every_session(given: Given) -> None:
    talk = await given.session(runs("touch a.txt", "c1"), says("Done."), runs("touch a.txt", "c2"), says("Done."))
    given.config("\n[permissions]\n# mine\ndeny = []\n")
    talk.say("touch")
    talk.answer(await talk.asked(), decision="always")
    assert await talk.outcome() == "answered"

    other = await given.session()
    other.say("touch again")

    assert await other.outcome() == "answered"
    assert asks(other) == []
    text = (given.home / "config.toml").read_text()
    assert tomllib.loads(text)["permissions"] == {"deny": [], "allow": ["Bash(touch a.txt)"]}
    assert "# mine" in text
    (saved,) = talk.all_of(RuleSaved)
    assert (saved.rule, saved.scope, saved.path) == ("Bash(touch a.txt)", "always", str(given.home / "config.toml"))


async def test_the_human_can_answer_with_a_wider_rule(given: Given) -> None:
    talk = await given.session(runs("touch a", "c1"), runs("touch b", "c2"), says("Done."))
    talk.say("touch")
    ask = await talk.asked()

    with pytest.raises(BadData):
        talk.answer(ask, decision="session", rule="Bash(")
    talk.answer(ask, decision="session", rule="Bash(touch:*)")

    assert await talk.outcome() == "answered"
    assert len(asks(talk)) == 1
    assert (given.folder / "b").exists()


async def test_a_configuration_that_cannot_be_read_is_left_alone_and_the_rule_holds_for_the_session(
    given: Given,
) -> None:
    talk = await given.session(runs("touch a", "c1"), runs("touch a", "c2"), says("Done."))
    broken = "[permissions\nallow = oops"
    (given.home / "config.toml").write_text(broken)
    talk.say("touch")

    talk.answer(await talk.asked(), decision="always")

    assert await talk.outcome() == "answered"
    assert len(asks(talk)) == 1
    assert (given.home / "config.toml").read_text() == broken
    assert [saved.scope for saved in talk.all_of(RuleSaved)] == ["session"]
    (notice,) = [params for code, params in talk.notices() if code == "rule.not_written"]
    assert notice["rule"] == "Bash(touch a)"
    assert "not valid TOML" in notice["reason"]


async def test_a_turn_that_goes_on_after_a_crash_saves_the_rule_that_was_agreed_to(given: Given) -> None:
    talk = await given.session(runs("touch a", "c1"), says("Done."), runs("touch a", "c2"), says("Done."))
    talk.say("touch")
    talk.answer(await talk.asked(), decision="session")
    assert await talk.outcome() == "answered"

    later = await given.session(ref=await given.crashed(talk, lambda one: one.type == "rule.saved"))
    later.say("touch again")

    assert await later.outcome() == "answered"
    assert asks(later) == []


async def test_each_vp_has_its_own_rules_and_mode(given: Given) -> None:
    await given.model(
        cast(
            for_vp("omni", runs("touch omni", "o1"), says("Done.")),
            for_vp("builder", runs("touch builder", "b1"), says("Done.")),
            for_vp("skeptic", writes("skeptic", "s1"), says("Done.")),
        )
    )
    given.config('\n[vps.builder]\nallow = ["Bash(touch:*)"]\n[vps.skeptic]\nmode = "plan"\n')
    talk = await given.session(roster=("omni", "builder", "skeptic"))
    talk.say("@all work")

    ask = await talk.asked()
    talk.answer(ask, decision="deny")

    await talk.outcomes()
    assert ask.vp_id == "omni"
    assert [(given.folder / name).exists() for name in ("omni", "builder", "skeptic")] == [False, True, False]
    assert talk.result("s1").status == "denied"
    assert {one.vp_id: one.mode for one in talk.all_of(TurnStarted)} == {
        "omni": "ask",
        "builder": "ask",
        "skeptic": "plan",
    }


@pytest.mark.parametrize(("chosen", "wanted"), [("plan", "denied"), ("auto", "ok")])
async def test_a_mode_chosen_for_all_can_only_be_tightened_by_a_vp(given: Given, chosen: str, wanted: str) -> None:
    await given.model(cast(for_vp("builder", writes("a", "c1"), says("Done."))))
    given.config('\n[vps.builder]\nmode = "edits"\n')

    talk = await given.session(roster=("builder",), mode=chosen)
    talk.say("write")

    assert await talk.outcome() == "answered"
    assert talk.result("c1").status == wanted
    assert talk.all_of(TurnStarted)[0].mode == ("plan" if chosen == "plan" else "edits")


async def test_a_vp_cannot_use_a_tool_that_its_file_does_not_give_it(given: Given) -> None:
    given.vp("reader", tools="{allow: [FileRead]}")

    talk = await given.session(runs("touch a", "c1"), says("Understood."), roster=("reader",), mode="auto")
    talk.say("touch")

    assert await talk.outcome() == "answered"
    assert talk.result("c1").status == "denied"
    assert "@reader may not use Bash" in talk.told_model("c1")
    assert not (given.folder / "a").exists()


def project(given: Given, text: str) -> Path:
    return given.file(".yeaft/config.toml", text)


async def test_a_folder_that_nobody_trusts_can_forbid_but_not_allow(given: Given) -> None:
    project(
        given,
        '[permissions]\nmode = "auto"\nallow = ["Bash(*)"]\ndeny = ["FileRead(secret/**)"]\nask = ["ListDir"]\n'
        '[vps.omni]\nmode = "auto"\ndeny = ["Glob"]\n[models]\nprimary = "box/other"\n',
    )
    given.file("secret/a.txt", "x")
    talk = await given.session(
        calls("FileRead", "c1", file_path="secret/a.txt"),
        calls("Glob", "c2", pattern="*"),
        calls("ListDir", "c3", path="."),
        runs("touch a", "c4"),
        says("Done."),
    )
    talk.say("work")

    listing = await talk.asked(1)
    talk.answer(listing)
    touching = await talk.asked(2)
    talk.answer(touching, decision="deny")

    assert await talk.outcome() == "answered"
    assert [talk.result(f"c{number}").status for number in range(1, 5)] == ["denied", "denied", "ok", "denied"]
    assert listing.text.startswith("ListDir")
    assert touching.text.startswith("Bash")


async def test_a_project_file_that_cannot_be_read_says_so_and_changes_nothing(given: Given) -> None:
    project(given, "[permissions\n")
    talk = await given.session(says("Hello."))

    talk.say("hi")

    assert await talk.outcome() == "answered"


async def test_a_session_from_elsewhere_is_bound_by_its_own_folder(given: Given, tmp_path: Path) -> None:
    talk = await given.session(says("Hello."), calls("Glob", "c1", pattern="*"), says("Done."))
    talk.say("hi")
    assert await talk.outcome() == "answered"
    project(given, '[permissions]\ndeny = ["Glob"]\n')

    later = await given.again(talk, folder=tmp_path)
    later.say("list")

    assert await later.outcome() == "answered"
    assert later.result("c1").status == "denied"


async def test_a_rule_that_cannot_be_understood_keeps_the_session_closed_and_names_its_place(given: Given) -> None:
    await given.model(cast(for_vp("omni", says("Hello."))))
    given.config('\n[permissions]\nallow = ["Bash("]\n')

    with pytest.raises(ConfigError, match=r"config\.toml.*Bash"):
        await given.session()
