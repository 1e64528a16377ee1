"""Orders such as `/help` as all that a command line says: answered at once, with no model to talk to."""

import pytest

from tests.cli.commands_given import Given


@pytest.mark.parametrize(
    ("order", "command"),
    [
        ("/help", ("help",)),
        ("/skills", ("skill", "ls")),
        ("/agents", ("agent", "ls")),
        ("/tasks ", ("task", "ls")),
        ("/mcp", ("mcp", "ls")),
        ("/model", ("model", "ls")),
        ("/flow ls", ("flow", "ls")),
        ("/search bread", ("search", "bread")),
    ],
)
def test_without_a_model_an_order_shows_what_its_command_shows(
    given: Given, order: str, command: tuple[str, ...]
) -> None:
    done = given.yeaft(order)

    assert done == given.yeaft(*command)
    assert done.code == 0
    assert given.says("session", "ls", "--all", "--json") == "[]"


def test_what_stands_before_any_session_is_told(given: Given) -> None:
    assert given.says("/status") == (
        "Taking part: @omni* (* answers when nobody is mentioned)\nMode: ask\nCost so far: 0.0000 USD"
    )
    assert given.says("/stop") == "Nothing runs that could be stopped."
    assert given.says("--lang", "zh", "/stop") == "没有可以停下的东西在运行。"


def test_an_order_about_a_session_takes_the_one_that_is_named(talking: Given) -> None:
    session = talking.session("@omni hello")
    without_model = {"YEAFT_MODEL": "", "YEAFT_BASE_URL": ""}

    shown = talking.says("-c", "/history", **without_model)
    status = talking.says("-c", "/status", **without_model)

    assert shown == talking.says("session", "show", session)
    assert "你好 from the script." in shown
    assert f"Session {session}" in status


def test_an_order_that_cannot_be_carried_out_here_says_so_and_not_that_there_is_no_model(given: Given) -> None:
    (given.folder / "notes.txt").write_text("milk")

    for words, stdin in (
        (("/history",), None),
        (("/compact",), None),
        (("--json", "/skills"), None),
        (("/skills", "--attach", "notes.txt"), None),
        (("/skills",), "milk"),
    ):
        done = given.process(*words, stdin=stdin)

        assert done.code == 2, words
        assert "is an order for an open Session" in done.err
        assert "No model" not in done.err


def test_a_command_of_ones_own_counts_more_than_an_order(given: Given) -> None:
    (given.home / "commands").mkdir(parents=True)
    (given.home / "commands" / "help.md").write_text("Help me with $ARGUMENTS.")

    done = given.yeaft("/help baking")

    assert done.code == 77
    assert "No model to talk to" in done.err


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("/modle", "There is no command /modle. Did you mean /model?"),
        ("@omni /modle x", "There is no command /modle. Did you mean /model?"),
        ("/high /modle", "There is no command /modle. Did you mean /model?"),
        ("/bake bread", "There is no command /bake. Did you mean /bakery?"),
        ("/lone", "The skill 'lone' is not for you to start"),
        ("/high", "/high holds for the message that it stands before, and none follows."),
        ("/high /low go", "One effort can stand before a message: /high or /low, not both."),
    ],
)
def test_a_slip_is_told_before_a_model_is_missed(given: Given, prompt: str, said: str) -> None:
    (given.home / "commands").mkdir(parents=True)
    (given.home / "commands" / "bakery.md").write_text("Bake !`touch baked`")
    (given.home / "skills" / "lone").mkdir(parents=True)
    (given.home / "skills" / "lone" / "SKILL.md").write_text(
        "---\nname: lone\ndescription: For VPs.\nuser-invocable: false\n---\nAlone."
    )

    slip = given.yeaft(prompt)
    right = given.yeaft("/bakery")

    assert (slip.code, slip.out) == (2, "")
    assert said in slip.err
    assert "No model" not in slip.err
    assert right.code == 77  # and nothing was run for it
    assert not (given.folder / "baked").exists()
    assert given.says("session", "ls", "--all", "--json") == "[]"
