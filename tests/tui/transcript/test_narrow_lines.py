"""Lines of a transcript where there is little room: what is needed least is left out whole, and remarks stand together."""

from msgspec.structs import replace

from tests.tui.transcript.transcript_given import call, over, remark, view
from yeaft.events.call import AskOpened
from yeaft.events.session import NoticePosted
from yeaft.interfaces.tui.scene import Scene
from yeaft.interfaces.tui.transcript.block_lines import block_lines
from yeaft.interfaces.tui.transcript.tool_lines import tool_lines
from yeaft.kernel.usage import Usage
from yeaft.session.state import SessionState


def test_remarks_that_follow_one_another_have_no_blank_line_between_them() -> None:
    first, second = remark(1, "@builder joins."), replace(remark(2, "@skeptic joins."), follows=True)

    assert [line.text for one in (first, second) for line in block_lines(one, view())] == [
        "",
        "· @builder joins.",
        "· @skeptic joins.",
    ]


def test_notices_and_remarks_know_what_they_follow() -> None:
    scene = Scene(SessionState("s"), lambda notice: notice.code)
    scene.remark("note", "first")
    scene.hear(NoticePosted(code="roster.joined"))

    assert [block.follows for block in scene.take().done] == [False, True]
    scene.reset()
    scene.remark("note", "after all that was said")
    assert [block.follows for block in scene.take().done] == [False]


def test_the_end_of_a_turn_says_less_of_tokens_before_it_is_cut() -> None:
    ended = over(1)
    turn = replace(
        ended, duration_ms=4_100, ended=replace(ended.ended, usage=Usage(input=4_700, output=33), cost_usd=0.01)
    )

    (_, wide), (_, narrow) = (block_lines(turn, view(columns)) for columns in (60, 38))

    assert wide.text == "─ answered · 4.1s · 4.7k tokens sent, 33 got · $0.0100"
    assert narrow.text == "─ answered · 4.1s · $0.0100"


def test_what_a_call_waits_for_is_said_before_how_much_it_changes() -> None:
    edit = call(1, "FileEdit", "no", status="denied", file_path="retry.py", old_string="one\n", new_string="two\n")

    (wide,), (narrow,) = (tool_lines(edit, view(columns), is_open=False) for columns in (60, 30))

    assert wide.text == "  ⊘ FileEdit retry.py  +1 −1  denied"
    assert narrow.text == "  ⊘ FileEdit retry.py  denied"


def test_that_a_call_asks_is_told_in_short_before_what_it_is_about_is_cut() -> None:
    quiet = call(1, "FileRead", None, file_path="retry.py")
    ask = AskOpened(ask_id="a1", turn_id="t", call_id="c1", vp_id="omni", kind="approval", text="May it?")
    asking = replace(quiet, call=replace(quiet.call, ask=ask))

    assert [line.text for width in (60, 38) for line in tool_lines(asking, view(width), is_open=False)] == [
        "  ? FileRead retry.py  waits for your answer",
        "  ? FileRead retry.py  asks you",
    ]
