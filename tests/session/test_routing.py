"""Who answers a message, and who a hand-off goes to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.prompts.find import templates_dir
from yeaft.session.routing import FAN_OUT_LIMIT, Forwarding, Routing, Unknown, forward_targets, route
from yeaft.vp.library import Library
from yeaft.vp.names import Names

NAMES = Names(Library((templates_dir() / "vps",)).all())
ROSTER = ("omni", "skeptic", "tester")


def routed(text, roster=ROSTER, default="omni"):
    return route(text, roster=roster, default_vp=default, names=NAMES)


def test_a_plain_text_goes_to_the_default_vp():
    assert routed("hello", default="tester") == Routing(to=("tester",))


def test_mentioned_vps_answer_in_the_order_of_their_first_mention():
    assert routed("@tester then @质疑者, then @QA again") == Routing(to=("tester", "skeptic"), reason="mention")


def test_a_library_vp_that_is_mentioned_joins():
    assert routed("@writer and @omni") == Routing(to=("writer", "omni"), joined=("writer",), reason="mention")


def test_all_reaches_the_roster_and_wins_over_other_mentions():
    assert routed("@writer @all") == Routing(to=ROSTER, broadcast=True, reason="all")


def test_all_stops_at_the_limit_and_says_so():
    roster = tuple(f"vp{number}" for number in range(20))

    found = routed("大家好，@所有人", roster)

    assert found == Routing(to=roster[:FAN_OUT_LIMIT], broadcast=True, truncated=True, reason="all")
    assert FAN_OUT_LIMIT == 16


def test_an_unknown_name_goes_to_the_default_with_the_nearest_one():
    assert routed("@sceptic is this true?") == Routing(
        to=("omni",), unknown=(Unknown(token="sceptic", nearest="skeptic"),)
    )


def test_an_unknown_name_at_the_start_is_worth_a_notice_even_with_nobody_near():
    assert routed("@banana hi") == Routing(to=("omni",), unknown=(Unknown(token="banana"),))


@pytest.mark.parametrize(
    "text", ["see @param in the docs", "@property\ndef x(self): ...", "use @types/node", "mail a@b.c", "`@sceptic`"]
)
def test_what_nobody_meant_as_a_name_makes_no_noise(text):
    assert routed(text) == Routing(to=("omni",))


def test_an_unknown_name_beside_a_known_one_is_told_once():
    assert routed("@omni ask @tseter, yes @tseter") == Routing(
        to=("omni",), unknown=(Unknown(token="tseter", nearest="tester"),), reason="mention"
    )


def test_a_default_that_left_the_roster_is_replaced_by_the_first():
    assert routed("hello", default="gone").to == ("omni",)
    assert routed("hello", roster=()).to == ()


WORDS = st.sampled_from(["@omni", "@writer", "@审阅者", "@all", "@nobody", "`@tester`", "hi", "x@omni", "，", "\n"])
TEXTS = st.one_of(st.text(), st.lists(WORDS, max_size=12).map(" ".join))


@given(TEXTS)
def test_somebody_always_answers_and_nobody_twice(text):
    found = routed(text)

    assert found.to
    assert len(set(found.to)) == len(found.to)
    assert set(found.joined) == set(found.to) - set(ROSTER)
    assert found.broadcast == (found.reason == "all")


@given(st.text(st.characters(blacklist_characters="@＠")))
def test_any_text_without_a_sign_goes_to_the_default(text):
    assert routed(text, default="skeptic") == Routing(to=("skeptic",))


@given(TEXTS)
def test_what_is_in_a_fence_never_chooses_who_answers(text):
    assert routed("~~~~~~~~~~~~\n" + text.replace("~", "") + "\n~~~~~~~~~~~~").to == ("omni",)


@pytest.mark.parametrize(
    ("to", "ids"),
    [
        ("skeptic", ("skeptic",)),
        ("@Skeptic", ("skeptic",)),
        ("质疑者、tester", ("skeptic", "tester")),
        ("tester, skeptic tester", ("tester", "skeptic")),
        (["tester", "skeptic"], ("tester", "skeptic")),
    ],
)
def test_a_hand_off_reaches_the_peers_it_names(to, ids):
    assert forward_targets(to, "omni", ROSTER, NAMES) == Forwarding(to=ids)


def test_a_hand_off_to_all_reaches_everyone_but_the_sender():
    assert forward_targets("all", "skeptic", ROSTER) == Forwarding(to=("omni", "tester"), broadcast=True)
    assert forward_targets("@ALL", "x", [f"vp{number}" for number in range(20)]).truncated


@pytest.mark.parametrize(
    ("to", "roster", "code", "said"),
    [
        ("  ", ROSTER, "to_required", "`to` must name who is to answer: skeptic, tester, or all."),
        ("omni", ROSTER, "self_forward_rejected", "omni is yourself; hand on to: skeptic, tester."),
        ("writer", ROSTER, "target_not_in_roster", "writer does not take part in this conversation"),
        ("nobody", ROSTER, "target_not_in_roster", "you can hand on to: skeptic, tester."),
        ("all", ("omni",), "no_targets_dispatched", "Nobody else takes part"),
    ],
)
def test_a_hand_off_that_goes_nowhere_says_why_and_where_it_could_go(to, roster, code, said):
    found = forward_targets(to, "omni", roster, NAMES)

    assert found.to == ()
    (refused,) = found.refused
    assert refused.code == code
    assert said in refused.detail


def test_a_hand_off_that_is_partly_right_goes_where_it_can():
    found = forward_targets("tester, writer", "omni", ROSTER, NAMES)

    assert found.to == ("tester",)
    assert [(refused.target, refused.code) for refused in found.refused] == [("writer", "target_not_in_roster")]


@given(st.one_of(st.text(), st.lists(st.text())), st.sampled_from(ROSTER))
def test_a_hand_off_never_reaches_its_sender_and_always_says_why_it_goes_nowhere(to, sender):
    found = forward_targets(to, sender, ROSTER, NAMES)

    assert sender not in found.to
    assert found.to or found.refused
