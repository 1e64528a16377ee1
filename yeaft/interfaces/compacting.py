"""Wires what sums up earlier turns, in an open Session and in one that is opened only for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yeaft.kernel.clock import wall_clock_ms

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AsyncExitStack
    from pathlib import Path

    from yeaft.config.settings import Config
    from yeaft.engine.decide import Rules
    from yeaft.session.compacting import Compactions
    from yeaft.session.ledger import Ledger
    from yeaft.session.minds import Thinking
    from yeaft.session.opening import Room
    from yeaft.vp.library import Library


def compactions(room: Room, ledger: Ledger, thinking: Thinking, rules: Rules) -> Compactions:
    """What sums up and takes that back; made when somebody wants to."""
    from yeaft.session.compacting import Compactions
    from yeaft.session.summing_up import Means

    means = Means(
        parent=ledger, journal=room.journal, blobs=room.blobs, thinking=thinking, rules=rules, now_ms=wall_clock_ms
    )
    return Compactions(means)


def thinking_alone(
    stack: AsyncExitStack, home: Path, config: Config, *, environ: Mapping[str, str], library: Library, lang: str
) -> Thinking:
    """What models are reached with while no conversation is going on; `stack` closes the connections."""
    from yeaft.llm.catalogue import read_catalogue
    from yeaft.llm.embedded_files import status
    from yeaft.llm.local_model import LocalModel
    from yeaft.llm.models import Models
    from yeaft.prompts.find import templates_dir
    from yeaft.prompts.phrases import load_phrases
    from yeaft.prompts.place import place_at
    from yeaft.prompts.system import load_texts
    from yeaft.session.minds import Thinking

    catalogue = read_catalogue(templates_dir())
    local = LocalModel(home)
    stack.push_async_callback(local.aclose)
    models = Models(config, environ, catalogue, local.address)
    stack.push_async_callback(models.aclose)
    return Thinking(
        config=config,
        environ=environ,
        catalogue=catalogue,
        models=models,
        library=library,
        texts=load_texts(lang),
        phrases=load_phrases(lang),
        lang=lang,
        place=lambda: place_at(wall_clock_ms(), home, environ),
        has_embedded=status(home).is_ready,
    )


def rules_alone(config: Config, max_cost_usd: float | None) -> Rules:
    """What the user allows; nobody can be waited for."""
    from yeaft.engine.decide import Rules
    from yeaft.llm.retry import rules_of

    return Rules(
        max_cost_usd=config.limits.max_cost_usd if max_cost_usd is None else max_cost_usd,
        max_continues=config.limits.max_continues,
        fallback=config.models.fallback,
        retry=rules_of(config.retry, headless=True),
    )
