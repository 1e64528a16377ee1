"""How many of something in words: `1 round`, `2 rounds`."""

from yeaft.prompts.ui import Ui


def counted(ui: Ui, what: str, count: int) -> str:
    """Return `count` with the word for it; `what` is a key of the group `count`, such as `rounds`."""
    return ui.text(f"count.one_{what}" if count == 1 else f"count.{what}", count=count)
