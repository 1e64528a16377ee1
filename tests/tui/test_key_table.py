"""The table of keys is the truth: every binding of every widget is in it, with the keys that it says."""

import importlib
import inspect
import pkgutil

from textual.binding import Binding
from textual.dom import DOMNode

from yeaft.config.keys import KEYS
from yeaft.interfaces import tui
from yeaft.interfaces.key_names import text_code
from yeaft.prompts.ui import Ui


def bindings() -> list[Binding]:
    """All bindings that yeaft's own widgets and screens declare."""
    found: list[Binding] = []
    for module in pkgutil.walk_packages(tui.__path__, "yeaft.interfaces.tui."):
        for _, kind in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(kind, DOMNode) and kind.__module__ == module.name:
                found += [one for one in kind.__dict__.get("BINDINGS", ()) if isinstance(one, Binding)]
    return found


def test_every_binding_that_can_be_changed_is_in_the_table_with_its_keys():
    named = [one for one in bindings() if one.id]

    assert [one.id for one in named if one.id not in KEYS] == []
    assert {one.id: tuple(one.key.split(",")) for one in named} == {one.id: KEYS[str(one.id)] for one in named}


def test_nothing_in_the_table_is_bound_nowhere():
    bound = {one.id for one in bindings()}

    assert [key_id for key_id in KEYS if key_id not in bound] == []


def test_every_key_is_explained_in_both_languages():
    for lang in ("en", "zh"):
        texts = Ui(lang).texts
        assert [key_id for key_id in KEYS if text_code(key_id) not in texts] == []
