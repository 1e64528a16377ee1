"""Nothing that a model or a file says can hide or reorder what a person sees on a terminal."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from tests.cli.commands_given import Given
from yeaft.events.call import AskOpened, AskWithdrawn
from yeaft.events.codec import Event, Recorded
from yeaft.events.turn import Failure, TurnEnded, TurnStarted
from yeaft.interfaces.cli.graphs.graph_result import next_command as next_of_run
from yeaft.interfaces.cli.result import next_command as next_of_session
from yeaft.interfaces.cli.stderr_screen import StderrScreen
from yeaft.interfaces.cli.terminal_text import unmasked
from yeaft.prompts.ui import Ui

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


class Shown:
    """What the screen on standard error has been given to write."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._screen = StderrScreen(
            self.lines.append, Ui("en"), "s_1", (), {}, quiet=False, with_calls=True, columns=None
        )

    def after(self, *events: Event) -> str:
        for seq, event in enumerate(events, 1):
            self._screen.hear(
                Recorded(
                    id=f"e{seq}",
                    stream="session",
                    seq=seq,
                    ts=0,
                    src="vp:omni",
                    cause="",
                    corr="",
                    epoch=1,
                    event=event,
                )
            )
        return "\n".join(self.lines)


def approval(text: str, flag: str) -> tuple[Event, ...]:
    asked = AskOpened(ask_id="a", turn_id="t", vp_id="omni", call_id="c", kind="approval", text=text, flag=flag)
    return asked, AskWithdrawn(ask_id="a", reason="headless")


@for_all(st.text())
def test_what_is_put_on_a_terminal_holds_no_control_bidi_or_zero_width_character(text: str) -> None:
    shown = unmasked(text)

    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]", shown)
    assert unmasked(shown) == shown


def test_everyday_text_in_any_script_stays_as_it_is() -> None:
    everyday = f"naïve\tcafé\u00a0% {FAMILY} 你好\u3000世界 می\u200cخواهم\n"

    assert unmasked(everyday) == everyday
    assert unmasked("one\r\ntwo") == "one\ntwo"


def test_a_failure_told_by_a_provider_cannot_reorder_or_colour_the_line() -> None:
    started = TurnStarted(turn_id="t", message_id="m", vp_id="omni", mode="")
    failure = Failure(kind="provider", message="bad \x1b[2K\u202ekey\u200b")
    shown = Shown().after(started, TurnEnded(turn_id="t", vp_id="omni", outcome="failed", error=failure))

    assert "bad ⟨U+001B⟩[2K⟨U+202E⟩key⟨U+200B⟩" in shown


def test_no_rule_is_offered_for_a_command_with_control_characters() -> None:
    plain = Shown().after(*approval("Bash: rm x", "--allow 'Bash(rm x)'"))
    tricky = Shown().after(*approval("Bash: rm x\x1b[8m", "--allow 'Bash(rm x\x1b[8m)'"))

    assert "--allow 'Bash(rm x)'" in plain
    assert "--allow" not in tricky
    assert "rm x⟨U+001B⟩[8m" in tricky


def test_a_long_command_is_cut_and_its_length_told() -> None:
    shown = Shown().after(*approval("Bash: " + "x" * 5000, "--allow '" + "y" * 6000 + "'"))

    assert len(shown) < 1500
    assert "… (5006 characters)" in shown
    assert "… (6010 characters)" in shown


def test_a_mistyped_command_is_told_without_the_tricks_in_it(given: Given) -> None:
    told = given.yeaft("session", "show", "x\x1b]0;owned\x07\u202e").err

    assert "⟨U+001B⟩]0;owned⟨U+0007⟩⟨U+202E⟩" in told


@pytest.mark.parametrize("next_of", [next_of_run, next_of_session])
def test_no_command_is_proposed_that_allows_more_than_it_shows(next_of: Callable[[str, tuple[AskOpened]], str]) -> None:
    def proposed(flag: str) -> str:
        ask = AskOpened(ask_id="k_1", turn_id="t_1", call_id="c_1", vp_id="omni", kind="approval", text="?", flag=flag)
        return next_of("k7m2", (ask,))

    assert "--allow 'Bash(ls)'" in proposed("--allow 'Bash(ls)'")
    assert "--allow" not in proposed("--allow 'Bash(rm \u202egpj.exe)'")
