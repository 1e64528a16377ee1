"""A work folder with VPs in it, who call the file and search tools as a model would."""

import json
from pathlib import Path

from yeaft.events.call import Intent
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.apply_patch import apply_patch
from yeaft.tools.file_edit import file_edit
from yeaft.tools.file_read import file_read
from yeaft.tools.file_write import file_write
from yeaft.tools.files.locks import PathLocks
from yeaft.tools.files.reads import Reads
from yeaft.tools.glob_files import glob_files
from yeaft.tools.grep import grep
from yeaft.tools.list_dir import list_dir
from yeaft.tools.paths import Paths
from yeaft.tools.search.ripgrep import Backend
from yeaft.tools.tool import AnyTool, BoundCall, ToolResult


class Call:
    """The running call of a test."""

    call_id = "c_test"

    def show(self, chunk: str) -> None:
        raise AssertionError(f"file tools print nothing while they run: {chunk!r}")


class Vp:
    """One VP with its own memory of what it has read."""

    def __init__(self, paths: Paths, locks: PathLocks, backend: Backend | None = None) -> None:
        self.reads = Reads()
        tools = (
            file_read(paths, self.reads),
            file_write(paths, self.reads, locks),
            file_edit(paths, self.reads, locks),
            apply_patch(paths, self.reads, locks),
            glob_files(paths),
            grep(paths, backend),
            list_dir(paths),
        )
        self.tools: dict[str, AnyTool] = {tool.name: tool for tool in tools}

    def bind(self, tool: str, **args: object) -> BoundCall:
        return self.tools[tool].bind(json.dumps(args))

    async def call(self, tool: str, **args: object) -> ToolResult:
        result = await self.bind(tool, **args).start(Call())
        return result if isinstance(result, ToolResult) else ToolResult(text=result)

    async def told(self, tool: str, **args: object) -> str:
        return (await self.call(tool, **args)).text

    async def refusal(self, tool: str, **args: object) -> str:
        """The reason why the call fails; it must."""
        try:
            result = await self.call(tool, **args)
        except ToolFailed as failure:
            return str(failure)
        raise AssertionError(f"{tool} worked: {result.text}")

    def intents(self, tool: str, **args: object) -> tuple[Intent, ...]:
        return self.bind(tool, **args).intend()


class Folder:
    """A work folder below `tmp`, beside it a home."""

    def __init__(self, tmp: Path) -> None:
        self.root = tmp / "work"
        self.home = tmp / "home"
        self.root.mkdir(parents=True)
        self.home.mkdir()
        self.paths = Paths(self.root, (), self.home)
        self.locks = PathLocks()

    def vp(self, backend: Backend | None = None) -> Vp:
        return Vp(self.paths, self.locks, backend)

    def file(self, name: str, content: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def all_files(self) -> dict[str, bytes]:
        found = (path for path in self.root.rglob("*") if path.is_file())
        return {str(path.relative_to(self.root)): path.read_bytes() for path in found}
