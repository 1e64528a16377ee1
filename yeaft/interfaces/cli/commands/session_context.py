"""`yeaft session context`: what fills the window of each VP, measured on the request that would be built next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from yeaft.interfaces.cli.commands.parsing import Action, argument, option
from yeaft.interfaces.cli.commands.printing import put, put_json, put_table
from yeaft.kernel.errors import NotFound
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.engine.window.filling import Filling
    from yeaft.interfaces.cli.commands.desk import Desk

LARGE_RESULTS, LARGE_TOOLS, LARGE_INSTRUCTIONS, LITTLE_FREE = 0.1, 0.15, 0.05, 0.1
"""Shares of the window from which on something is worth a word, and below which the room that is left is."""
MCP_PREFIX = "mcp__"


class PartTold(Struct, frozen=True, kw_only=True):
    """One part of a window; `share` is between 0 and 1."""

    part: str
    tokens: int
    share: float


class ToolTold(Struct, frozen=True, kw_only=True):
    """What one tool costs."""

    tool: str
    tokens: int


class Advice(Struct, frozen=True, kw_only=True):
    """Something the user can do about it; `text` is in the user's language."""

    code: str
    text: str


class ContextTold(Struct, frozen=True, kw_only=True):
    """One VP's window. `tokens` counts what is sent, `factor` is what the provider counts for each of our tokens."""

    session: str
    vp: str
    model: str
    context_tokens: int
    tokens: int
    factor: float
    parts: tuple[PartTold, ...]
    results: tuple[ToolTold, ...]
    tools: tuple[ToolTold, ...]
    dropped_turns: int
    stubbed_results: int
    advice: tuple[Advice, ...]


def context(desk: Desk, *, session: str, vp: str) -> int:
    """Show what fills the windows of a Session's VPs."""
    from yeaft.session.filled import fillings
    from yeaft.session.offline import read_session
    from yeaft.store.blobs import FileBlobs

    reading = read_session(desk.home, session or _newest(desk))
    vp_id = vp.removeprefix("@")
    found = fillings(reading.state, reading.records, FileBlobs(reading.paths.blobs), vp_id)
    told = [_told(desk, reading.state.session_id, one) for one in found]
    if desk.as_json:
        put_json(told)
    elif not told:
        desk.note("context.nothing_of" if vp_id else "context.nothing", session=reading.state.session_id, vp=vp_id)
    for one in told if not desk.as_json else ():
        _put(desk, one)
    return EXIT_ANSWERED


def _newest(desk: Desk) -> str:
    from yeaft.store.index import Index

    here = Index(desk.home).rows(folder=str(desk.folder))
    if not here:
        raise NotFound(f"No Session in {desk.folder} yet. `yeaft session ls --all` lists those of other folders.")
    return here[0].session_id


def _told(desk: Desk, session_id: str, one: Filling) -> ContextTold:
    sent = sum(tokens for part, tokens in one.parts.items() if part not in ("reply", "free"))
    return ContextTold(
        session=session_id,
        vp=one.vp,
        model=one.model,
        context_tokens=one.context_tokens,
        tokens=sent,
        factor=one.factor,
        parts=tuple(
            PartTold(part=part, tokens=tokens, share=round(tokens / one.context_tokens, 4))
            for part, tokens in one.parts.items()
        ),
        results=tuple(ToolTold(tool=tool, tokens=tokens) for tool, tokens in one.results.items()),
        tools=tuple(ToolTold(tool=tool, tokens=tokens) for tool, tokens in one.tools.items()),
        dropped_turns=one.dropped_turns,
        stubbed_results=one.stubbed,
        advice=tuple(_advice(desk, one)),
    )


def _advice(desk: Desk, one: Filling) -> Iterator[Advice]:
    """What is worth knowing of a window, the most useful first."""
    window = one.context_tokens
    for tool, tokens in one.results.items():
        if tokens >= LARGE_RESULTS * window:
            yield _of(desk, "results", tool=tool, tokens=tokens)
    from_servers = sum(tokens for tool, tokens in one.tools.items() if tool.startswith(MCP_PREFIX))
    if from_servers >= LARGE_INSTRUCTIONS * window:
        yield _of(desk, "servers", tokens=from_servers)
    elif one.parts["tools"] >= LARGE_TOOLS * window:
        yield _of(desk, "tools", tokens=one.parts["tools"], vp=one.vp)
    if one.parts["instructions"] >= LARGE_INSTRUCTIONS * window:
        yield _of(desk, "instructions", tokens=one.parts["instructions"])
    if one.dropped_turns:
        yield _of(desk, "dropped", count=one.dropped_turns)
    if one.parts["free"] < LITTLE_FREE * window:
        yield _of(desk, "full", model=one.model)


def _of(desk: Desk, code: str, **params: str | int) -> Advice:
    return Advice(code=code, text=desk.text(f"context.{code}", **params))


def _put(desk: Desk, told: ContextTold) -> None:
    tokens, window = f"{told.tokens:,}", f"{told.context_tokens:,}"
    put(desk.text("context.title", vp=told.vp, model=told.model, tokens=tokens, window=window))
    headings = [desk.text(f"heading.{key}") for key in ("part", "tokens", "share")]
    rows = [
        (desk.text(f"context.part_{one.part}"), f"{one.tokens:,}", f"{one.share:.1%}")
        for one in told.parts
        if one.tokens
    ]
    put_table(headings, rows, figures_from=1)
    for one in told.advice:
        put(f"- {one.text}")
    put("")


CONTEXTS: Mapping[str, Action] = {
    "context": Action(
        run=context, params=(argument("SESSION", required=False, default=""), option("--vp", default=""))
    ),
}
