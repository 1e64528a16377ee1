"""What a user should know about a model before it answers."""

from yeaft.events.session import NoticePosted
from yeaft.llm.model import ModelEntry
from yeaft.llm.providers import LOCAL_PROVIDER


def notices_about(entry: ModelEntry, *, is_cut: bool = False) -> list[NoticePosted]:
    """Return what is worth telling once: the embedded model's limits, a model without tools, guessed numbers.

    How large a context was guessed to be matters once a request `is_cut` to it; prices are told where they are added
    up.
    """
    if entry.provider == LOCAL_PROVIDER:
        return [NoticePosted(code="provider.embedded", params={"model": entry.id})]
    notices: list[NoticePosted] = []
    if not entry.known and is_cut:
        params = {"model": entry.ref, "context_tokens": str(entry.context_tokens)}
        notices.append(NoticePosted(code="model.unknown", params=params))
    if not entry.tools:
        notices.append(NoticePosted(code="model.no_tools", params={"model": entry.ref}))
    return notices


def unknown_price(entry: ModelEntry) -> str:
    """Say why a cost limit cannot be kept with this model, and what to do about it."""
    place = f"[[providers.{entry.provider}.models]]"
    return (
        f"The price of {entry.ref} is unknown, so the cost limit cannot be kept. Give price_usd_per_mtok under {place} "
        "in config.toml, or leave the limit (--max-cost, limits.max_cost_usd) out."
    )
