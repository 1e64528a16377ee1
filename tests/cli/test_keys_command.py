"""`yeaft keys`, and what doctor says of keys."""

from tests.cli.commands_given import Given
from yeaft.config.keys import KEYS


def configured(given: Given, text: str) -> None:
    given.home.mkdir()
    (given.home / "config.toml").write_text(text)


def test_keys_lists_what_is_bound_with_the_users_own(given: Given):
    configured(given, '[keys]\n"panel.side" = "ctrl+f8"\n')

    rows = {row["id"]: row for row in given.yeaft("keys", "--json").json}
    told = given.yeaft("keys")

    assert rows.keys() == KEYS.keys()
    assert rows["panel.side"] == {
        "id": "panel.side",
        "keys": ["ctrl+f8"],
        "built_in": ["f2"],
        "chosen": True,
        "does": "todo, tasks, agents; again goes to them, then closes them",
    }
    assert not any("key." in row["does"] for row in rows.values())
    assert "Ctrl+F8" in told.out


def test_keys_are_told_in_chinese(given: Given):
    rows = given.yeaft("keys", "--lang", "zh", "--json").json

    assert all(any("\u4e00" <= letter <= "\u9fff" for letter in row["does"]) for row in rows), rows


def test_doctor_and_keys_name_a_key_that_means_two_things_at_once(given: Given):
    configured(given, '[keys]\n"panel.side" = "ctrl+o"\n')

    check = next(one for one in given.yeaft("doctor", "--json").json if one["name"] == "keys")
    told = given.yeaft("keys")

    assert check["status"] == "warn"
    assert "Ctrl+O: transcript.outputs, panel.side" in check["detail"]
    assert "Ctrl+O means several things at once" in told.err


def test_a_slip_in_keys_is_refused_before_anything_else(given: Given):
    configured(given, '[keys]\n"panel.sid" = "f8"\n')

    done = given.yeaft("keys")

    assert done.code == 78
    assert "Did you mean panel.side?" in done.err
