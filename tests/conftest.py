"""What holds for every test: nothing is judged by how long it takes, and none waits longer than it must."""

import gc

from hypothesis import settings

gc.disable()  # while tests are collected, of which nothing is garbage: an eighth of that time

settings.register_profile("untimed", deadline=None)
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("untimed")


def pytest_collection_finish() -> None:
    """Let the search for garbage leave out what thousands of collected tests are: that is a tenth of their time."""
    gc.collect()
    gc.freeze()
    gc.enable()
