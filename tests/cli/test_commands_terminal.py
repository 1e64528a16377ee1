"""At a terminal commands may ask and open an editor, and stored text cannot play tricks on it."""

import sys
from pathlib import Path

import pexpect

from tests.cli.commands_given import PATIENCE_S, Given


def at_terminal(given: Given, *words: str, **variables: str) -> pexpect.spawn:
    return pexpect.spawn(
        sys.executable,
        ["-m", "yeaft", *words],
        cwd=str(given.folder),
        env=given.environ | {"TERM": "xterm"} | variables,
        encoding="utf-8",
        timeout=PATIENCE_S,
    )


def ended(terminal: pexpect.spawn) -> tuple[int | None, str]:
    terminal.expect(pexpect.EOF)
    terminal.close()
    return terminal.exitstatus, terminal.before or ""


def test_the_user_is_asked_before_a_vp_is_deleted_and_may_refuse(given: Given) -> None:
    path = Path(given.says("vp", "new", "poet"))

    refusing = at_terminal(given, "vp", "rm", "poet")
    refusing.expect_exact("[y/N]")
    refusing.sendline("")
    refused, _ = ended(refusing)
    still_there = path.exists()
    agreeing = at_terminal(given, "vp", "rm", "poet")
    agreeing.expect_exact("[y/N]")
    agreeing.sendline("y")
    agreed, _ = ended(agreeing)

    assert (refused, still_there) == (3, True)
    assert (agreed, path.exists()) == (0, False)


def test_a_mistake_made_in_the_editor_is_told_at_once(given: Given) -> None:
    given.says("config", "set", "limits.max_rounds", "7")

    fine = ended(at_terminal(given, "config", "edit", VISUAL="sed -i s/7/8/"))
    wrong = ended(at_terminal(given, "config", "edit", EDITOR="sed -i s/max_rounds/max_round/"))
    missing = ended(at_terminal(given, "config", "edit", EDITOR="no-such-editor"))

    assert fine[0] == 0
    assert wrong[0] == 78
    assert "did you mean max_rounds" in wrong[1]
    assert missing[0] == 78
    assert "no-such-editor" in missing[1]


def test_stored_text_cannot_send_control_sequences_to_a_terminal(given: Given) -> None:
    trick = "You speak.\x1b]0;owned\x07\n"
    given.process("vp", "new", "poet", "--from", "-", stdin=trick)

    shown = ended(at_terminal(given, "vp", "show", "poet"))[1]

    assert "You speak." in shown
    assert "\x1b" not in shown
    assert "\x1b" in given.says("vp", "show", "poet"), "a pipe gets the text as it is"
