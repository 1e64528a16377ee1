"""How many of something in words, `1 round`, `2 rounds`, and amounts of money."""

from yeaft.prompts.ui import Ui

SMALL_USD = 0.01


def priced(cost_usd: float) -> str:
    """Return an amount of US dollars; one below a cent with what would else be lost."""
    return f"${cost_usd:.4f}" if 0 < cost_usd < SMALL_USD else f"${cost_usd:.2f}"


def counted(ui: Ui, what: str, count: int) -> str:
    """Return `count` with the word for it; `what` is a key of the group `count`, such as `rounds`."""
    return ui.text(f"count.one_{what}" if count == 1 else f"count.{what}", count=count)
