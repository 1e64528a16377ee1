"""Which messages count after going back and forth, however often: exactly those that counted at the place gone to."""

from hypothesis import example, given
from hypothesis import strategies as st

from yeaft.events.history import Rewound
from yeaft.events.voids import Voids

STEPS = st.lists(
    st.one_of(st.just("say"), st.just("note"), st.tuples(st.just("back"), st.integers(0, 60)), st.just("redo")),
    max_size=30,
)


@given(STEPS)
@example(["say", "say", ("back", 1), "say", ("back", 2), "redo", "say"])
def test_what_counts_is_what_counted_at_the_place_gone_to(steps: list) -> None:
    voids, counting, seen, undone = Voids(), frozenset[int](), [frozenset[int]()], list[int]()
    for seq, step in enumerate(steps, start=1):
        match step:
            case "say":
                counting, undone = counting | {seq}, []
            case ("back", place):
                to_seq = place % seq
                voids = voids.after(Rewound(to_seq=to_seq, scope="conversation"), seq)
                counting, undone = seen[to_seq], [*undone, seq]
            case "redo" if undone:
                back = undone.pop()
                voids = voids.after(Rewound(to_seq=back - 1, scope="both", undoes=back), seq)
                counting = seen[back - 1]
        seen.append(counting)

    said = [seq for seq, step in enumerate(steps, start=1) if step == "say"]
    assert {seq for seq in said if not voids.hide(seq)} == counting
    for at, then in enumerate(seen):
        assert {seq for seq in said if seq <= at and not voids.hide(seq, at)} == then


def test_going_back_in_files_alone_takes_no_message_away() -> None:
    voids = Voids().after(Rewound(to_seq=0, scope="files"), 9)

    assert not voids.hide(5)
