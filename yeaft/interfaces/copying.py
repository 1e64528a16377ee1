"""What `/copy` means: an answer that was given in the Session, or a block of code in it, exactly as it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.interfaces.clipboard import copied_said, copy
from yeaft.kernel.errors import NotFound
from yeaft.kernel.pattern import Pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from yeaft.interfaces.assemble import Opened
    from yeaft.interfaces.orders import Copy
    from yeaft.prompts.ui import Ui
    from yeaft.session.state import SessionState

_FENCE = Pattern(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n")


async def copied_now(
    deed: Copy, here: Opened, environ: Mapping[str, str], write: Callable[[str], None] | None = None
) -> str:
    """Copy what `deed` names, and return what the user is told. Raises `YeaftError`."""
    text = copied_text(here.state, deed.what, here.ui)
    return copied_said(await copy(text, environ, write, to_file=deed.to_file), text, here.ui)


def copied_text(state: SessionState, what: str, ui: Ui) -> str:
    """Return what `what` names, as it was written.

    Nothing or `md` is the newest answer, a number the one so many answers back (1 is the newest), `code` the last
    block of code in the newest answer. Raises `NotFound` if there is nothing like it.
    """
    answers = [turn.final_text for turn in state.turns.values() if turn.final_text.strip()]
    if not answers:
        raise NotFound(ui.text("transcript.copied_nothing"))
    if what == "code":
        blocks = code_blocks(answers[-1])
        if not blocks:
            raise NotFound(ui.text("transcript.copied_no_code"))
        return blocks[-1]
    back = int(what) if what.isdecimal() else 1
    if not 1 <= back <= len(answers):
        raise NotFound(ui.text("transcript.copied_unknown", number=back, count=len(answers)))
    return answers[-back]


def code_blocks(markdown: str) -> list[str]:
    """Return what stands in the fences of a text, in order; one that is not closed ends with the text."""
    blocks: list[str] = []
    mark, inside = "", list[str]()
    for line in markdown.splitlines(keepends=True):
        found = _FENCE.match(line if line.endswith("\n") else f"{line}\n")
        if not mark and found:
            mark, inside = found[1], []
        elif mark and found and found[1].startswith(mark) and not line.strip().strip(mark[0]):
            blocks.append("".join(inside))
            mark = ""
        elif mark:
            inside.append(line)
    if mark:
        blocks.append("".join(inside))
    return blocks
