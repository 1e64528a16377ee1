"""The `given` of stories about Sessions."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.session.session_given import Given


@pytest.fixture
async def given(tmp_path: Path) -> AsyncIterator[Given]:
    """A home, a work folder and a model; in the end every Session is left and checked (see `check_left`)."""
    async with AsyncExitStack() as stack:
        stories = Given(tmp_path, stack)
        try:
            yield stories
        finally:
            await stories.close()
