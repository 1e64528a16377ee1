"""The official clients, imported when one is first asked: to import them takes a quarter of the time of all collecting."""

from importlib import import_module
from types import ModuleType

NAMES = ("anthropic", "openai")


def __getattr__(name: str) -> ModuleType:
    if name not in NAMES:
        raise AttributeError(name)
    return import_module(name)
