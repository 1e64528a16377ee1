"""Keys that the user chooses: how they are written, what is refused, and which collide."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.config.keys import KEYS, check_keys, collisions, effective, flat
from yeaft.config.layers import load
from yeaft.kernel.errors import ConfigError


def loaded(home: Path, text: str):
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(text)
    return load(home, None, {}).config.keys


def test_keys_can_be_written_by_full_name_or_in_tables_of_an_area(tmp_path: Path):
    chosen = loaded(tmp_path, '[keys]\n"panel.side" = "f8"\n[keys.composer]\nnewline = ["ctrl+j"]\nsend = []\n')

    now = effective(chosen)

    assert now["panel.side"] == ("f8",)
    assert now["composer.newline"] == ("ctrl+j",)
    assert now["composer.send"] == ()
    assert now["panel.help"] == KEYS["panel.help"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('"panel.sid" = "f8"', "keys has nothing named 'panel.sid'. Did you mean panel.side?"),
        ('"quite.else" = "f8"', "keys has nothing named 'quite.else'. `yeaft keys` lists all."),
        ('"panel.side" = "ctlr+s"', "'ctlr' is no modifier; did you mean ctrl?"),
        ('"panel.side" = "pagup"', "'pagup' is no key; did you mean pageup?"),
        ('"panel.side" = ["f2", "f99"]', "'f99' is no key"),
        ('"panel.side" = 7', "keys"),
    ],
)
def test_a_slip_is_refused_with_its_place_and_the_nearest_there_is(tmp_path: Path, text: str, told: str):
    with pytest.raises(ConfigError) as refused:
        loaded(tmp_path, f"[keys]\n{text}\n")

    assert told in str(refused.value)
    assert "config.toml" in str(refused.value)


def test_no_built_in_key_means_two_things_at_once():
    assert collisions(KEYS) == {}


def test_a_key_given_to_two_things_that_hold_at_once_collides_and_elsewhere_does_not():
    at_once = effective({"panel.side": "ctrl+o"})
    apart = effective({"text.write": "f"})

    assert collisions(at_once) == {"ctrl+o": ("transcript.outputs", "panel.side")}
    assert collisions(apart) == {}


@given(
    st.dictionaries(
        st.sampled_from(sorted(KEYS)), st.lists(st.sampled_from(["f9", "ctrl+y", "x", "space"]), max_size=3)
    )
)
def test_whatever_is_chosen_is_what_is_bound(chosen: dict[str, list[str]]):
    chords = {key_id: tuple(keys) for key_id, keys in chosen.items()}

    check_keys(chords, {})

    assert flat(chords) == chords
    assert effective(chords) == {**KEYS, **chords}
