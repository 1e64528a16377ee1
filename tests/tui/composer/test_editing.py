"""Editing a draft: whatever is pressed, graphemes stay whole, pastes are single tokens, and nothing is doubled."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from rich.cells import cell_len

from yeaft.interfaces.tui.composer.editing import Editing, plain
from yeaft.interfaces.tui.composer.graphemes import boundary, columns, ends, is_token

LONG = "\n".join(f"line {number}" for number in range(300))
GRAPHEMES = ["e\u0301", "你", "〽️", "👨‍👩‍👧", "🇨🇳", "ﷺ", "ש", "한", "👍🏽", "1️⃣", "\t", "a", "ก็"]
MOTIONS = ["left", "right", "word_left", "word_right", "line_start", "line_end", "start", "end"]
EDGES = ["left", "right", "word_left", "word_right", "line_start", "line_end"]


@pytest.mark.parametrize("grapheme", GRAPHEMES)
def test_an_arrow_or_backspace_acts_on_one_grapheme(grapheme):
    editing = Editing()
    editing.insert(f"x{grapheme}{grapheme}y")

    editing.move("left")
    editing.move("left")
    assert editing.caret == 1 + len(grapheme)
    editing.move("right")
    assert editing.caret == 1 + 2 * len(grapheme)
    editing.delete("left")

    assert editing.text == f"x{grapheme}y"


@pytest.mark.parametrize("grapheme", [one for one in GRAPHEMES if one != "\t"])
def test_a_grapheme_is_as_wide_as_it_is_drawn(grapheme):
    assert columns(grapheme) == cell_len(grapheme)


def test_two_flags_are_two_graphemes_and_half_a_flag_is_one():
    assert ends("🇨🇳🇩🇪🇫") == (2, 4, 5)


def test_a_zero_width_space_belongs_to_what_stands_before_it():
    editing = Editing("a\u200bb")

    editing.move("left")
    editing.delete("left")

    assert editing.text == "b"


def test_lone_surrogates_become_replacement_characters_and_pairs_become_characters():
    editing = Editing()

    editing.insert("\ud83d!")
    editing.paste("\ud83d\ude00")

    assert editing.text == "\ufffd!😀"


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_line_ends_of_all_kinds_become_one_kind(end):
    editing = Editing()

    editing.paste(f"a{end}b{end}{end}c")

    assert editing.text == "a\nb\n\nc"


def test_a_long_paste_is_one_token_and_the_same_again_writes_it_out():
    editing = Editing()
    editing.paste(LONG)
    assert len(editing.text) == 1
    assert editing.whole == LONG

    editing.paste(LONG)

    assert editing.text == LONG


def test_a_paste_that_would_slow_down_every_key_is_never_written_out():
    editing = Editing()
    editing.paste("x" * 5_000_000)

    editing.paste("x" * 5_000_000)
    editing.expand()

    assert len(editing.text) == 2
    assert len(editing.whole) == 10_000_000


def test_what_was_cut_and_put_back_twice_is_two_tokens_with_the_same_text():
    editing = Editing()
    editing.paste(LONG)

    editing.kill("line_start")
    editing.yank()
    editing.yank()

    assert editing.whole == LONG * 2
    assert len(set(editing.text)) == 2


def test_cuts_in_a_row_come_back_as_one_and_earlier_ones_can_be_had_instead():
    editing = Editing()
    editing.insert("one two three four")
    editing.kill("word_left")
    editing.kill("word_left")
    editing.move("line_start")
    editing.kill("word_right")

    editing.yank()
    assert editing.text == "one two "
    editing.yank_pop()

    assert editing.text == "three four two "


def test_words_that_are_typed_are_undone_one_by_one_and_made_again():
    editing = Editing()
    for character in "one two":
        editing.insert(character)

    editing.undo()
    assert editing.text.rstrip() == "one"
    editing.redo()

    assert editing.text == "one two"


def test_typing_replaces_what_is_selected():
    editing = Editing("keep this word")
    editing.move("word_left", selects=True)

    editing.insert("text")

    assert editing.text == "keep this text"


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=8) | st.sampled_from(GRAPHEMES)
PASTES = st.integers(0, 5).map(lambda number: f"{number}\n" * 40) | st.text(max_size=20)


class Drafts(RuleBasedStateMachine):
    """Any keys in any order over text with placeholders."""

    def __init__(self):
        super().__init__()
        self.editing = Editing()
        self.pasted: set[str] = set()

    @rule(text=TEXTS)
    def types(self, text):
        self.editing.insert(text)

    @rule(text=PASTES)
    def pastes(self, text):
        tokens = self.tokens()
        self.pasted.add(plain(text))
        self.editing.paste(text)
        assert len(self.tokens()) <= len(tokens) + 1

    @rule(motion=st.sampled_from(MOTIONS), selects=st.booleans())
    def moves(self, motion, selects):
        before = self.editing.text
        self.editing.move(motion, selects=selects)
        assert self.editing.text == before

    @rule(at=st.integers(-3, 60), selects=st.booleans())
    def points(self, at, selects):
        self.editing.place(at, selects=selects)

    @rule(motion=st.sampled_from(EDGES), kills=st.booleans())
    def deletes(self, motion, kills):
        tokens, length = self.tokens(), len(self.editing.text)
        (self.editing.kill if kills else self.editing.delete)(motion)
        assert self.tokens() <= tokens
        assert len(self.editing.text) <= length

    @rule(is_pop=st.booleans())
    def yanks(self, is_pop):
        (self.editing.yank_pop if is_pop else self.editing.yank)()

    @precondition(lambda self: self.editing.text)
    @rule()
    def undoes_and_makes_again(self):
        text = self.editing.text
        self.editing.undo()
        if self.editing.text != text:
            self.editing.redo()
            assert self.editing.text == text

    @rule()
    def undoes(self):
        self.editing.undo()

    @rule()
    def expands(self):
        whole = self.editing.whole
        self.editing.expand()
        assert self.editing.whole == whole

    def tokens(self):
        return {one for one in self.editing.text if is_token(one)}

    @invariant()
    def no_token_is_there_twice(self):
        assert len(self.tokens()) == sum(map(is_token, self.editing.text))

    @invariant()
    def a_token_stands_for_what_was_pasted(self):
        assert all(self.editing.pasted.texts[one] in self.pasted for one in self.tokens())

    @invariant()
    def the_caret_stands_between_graphemes(self):
        caret = self.editing.caret
        assert 0 <= caret <= len(self.editing.text)
        assert boundary(self.editing.text, caret) == caret

    @invariant()
    def nothing_is_sent_that_no_file_could_hold(self):
        self.editing.whole.encode()


Drafts.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestDrafts = Drafts.TestCase


@given(st.text(max_size=40))
def test_graphemes_cover_a_line_without_a_gap(text):
    line = plain(text).replace("\n", " ")

    stops = ends(line)

    assert list(stops) == sorted(set(stops))
    assert (stops[-1] if stops else 0) == len(line)
