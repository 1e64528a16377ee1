"""Puts off the search for garbage while yeaft starts: what is loaded then stays, and looking through it takes 6 %."""

import gc

STARTED_S = 1.0
"""How long after a Session was opened the search begins; most short answers are over by then."""


def put_off() -> None:
    """Search for no garbage until `search` is called, or for good if the process ends before."""
    gc.disable()


def search() -> None:
    """Search from now on, but not among what was loaded so far; does nothing where nobody has put it off."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def search_soon(after_s: float = STARTED_S) -> None:
    """Do so when the running loop has had time for a first request."""
    import asyncio  # this module comes before all others, so that they load without a search

    asyncio.get_running_loop().call_later(after_s, search)
