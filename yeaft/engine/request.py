"""Builds a request: a pure function of what the journal holds and of frozen settings, so that a replay can redo it."""

import hashlib
from collections.abc import Callable, Sequence

from msgspec import Struct

from yeaft.engine.pictures import Look, nothing_kept
from yeaft.engine.settings import Settings
from yeaft.engine.view import Manner, Unit, prompt_messages
from yeaft.engine.window import fit
from yeaft.events.turn import WindowCut
from yeaft.llm.prompt import Prompt
from yeaft.llm.tokens import estimate

SMALLEST_REPLY_TOKENS = 256
SAFETY_TOKENS = 64
SHRINK = (1.0, 0.75, 0.5)
"""How much of the window is used after 0, 1, 2 refusals by the provider for length."""

Encode = Callable[[Prompt], bytes]


class Built(Struct, frozen=True, kw_only=True):
    """The exact body of a request, its SHA-256 and what was left out."""

    body: bytes
    digest: str
    window: WindowCut


def build_request(
    units: Sequence[Unit], settings: Settings, encode: Encode, shrinks: int = 0, picture: Look = nothing_kept
) -> Built:
    """Build the next request of the last turn in `units`, whose pictures `picture` finds.

    `shrinks` counts how often the provider has said that this request is too long.
    """
    entry = settings.entry
    fixed = sum(estimate(block.text) for block in settings.system)
    fixed += sum(estimate(tool.description) + len(bytes(tool.schema)) // 4 for tool in settings.tools)
    output = min(settings.max_output_tokens, max(SMALLEST_REPLY_TOKENS, entry.context_tokens // 4))
    room = entry.context_tokens - output - fixed - SAFETY_TOKENS
    window = fit(units, int(max(0, room) * SHRINK[min(shrinks, len(SHRINK) - 1)]))
    manner = Manner(
        vp_id=settings.vp_id,
        names=settings.names,
        phrases=settings.phrases,
        model=entry.ref,
        protocol=entry.protocol,
        labelled=settings.labelled,
        picture=picture,
        sees=entry.images,
    )
    prompt = Prompt(
        system=settings.system,
        tools=settings.tools,
        messages=prompt_messages(window.units, manner, window.stubbed, window.dropped_turns),
        max_output_tokens=output,
        effort=settings.effort,
        cache_key=settings.cache_key,
    )
    body = encode(prompt)
    cut = WindowCut(
        units=len(window.units),
        dropped=window.dropped,
        stubbed=len(window.stubbed),
        tokens_est=fixed + window.tokens_est,
    )
    return Built(body=body, digest=hashlib.sha256(body).hexdigest(), window=cut)
