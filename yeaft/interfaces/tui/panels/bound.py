"""Bindings of panels: their keys come from the one table."""

from __future__ import annotations

from textual.binding import Binding

from yeaft.config.keys import KEYS


def bound(key_id: str, action: str) -> Binding:
    """Return the binding of something in the table of keys; `[keys]` can give it others."""
    return Binding(",".join(KEYS[key_id]), action, "", show=False, id=key_id)


def first_bound(key_id: str, action: str) -> Binding:
    """Return a binding that is looked at before whatever has the focus: the draft has other uses for some keys."""
    return Binding(",".join(KEYS[key_id]), action, "", show=False, id=key_id, priority=True)
