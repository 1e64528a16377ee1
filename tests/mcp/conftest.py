"""The `given` of stories about Sessions with MCP servers."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.mcp.mcp_given import McpGiven


@pytest.fixture
async def given(tmp_path: Path) -> AsyncIterator[McpGiven]:
    """A home, a work folder, a model and servers; in the end every Session is left, and no server may be."""
    async with AsyncExitStack() as stack:
        stories = McpGiven(tmp_path, stack)
        await stories.diary.open()
        try:
            yield stories
        finally:
            await stories.close()
