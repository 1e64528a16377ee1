"""What is wrong with hooks and MCP files is told to Chinese users in Chinese, whatever it is."""

import json
from pathlib import Path

import pytest

from yeaft.mcp.mcp_file import parse_mcp
from yeaft.mcp.server import McpServer
from yeaft.mcp.variables import Unset, filled
from yeaft.prompts.ui import Ui
from yeaft.session.hooks.hooks_file import read_hooks

ENTRIES = {
    "sse": {"type": "sse", "url": "https://x"},
    "odd": {"type": "pigeon", "command": "x"},
    "none": {},
    "lacks": {"type": "http", "command": "x"},
    "both": {"command": "x", "url": "https://x"},
    "ftp": {"url": "ftp://x"},
    "empty": {"command": " "},
    "listed": {"command": []},
    "words": {"command": "npx -y x"},
    "split": {"command": "x", "args": "a b"},
    "apart": {"command": "x", "args": "it's"},
    "args": {"command": "x", "args": 1},
    "env": {"command": "x", "env": 1},
    "value": {"command": "x", "env": {"A": {}}},
    "pairs": {"command": "x", "env": ["A=b"]},
    "cwd": {"command": "x", "cwd": 1},
    "off": {"command": "x", "disabled": "perhaps"},
    "slow": {"command": "x", "timeout": "soon"},
    "seconds": {"command": "x", "timeout": 60},
    "nothing": {"command": "x", "call_timeout_s": 0},
    "include": {"command": "x", "includeTools": 1},
    "trust": {"command": "x", "trust": True, "envFile": "x"},
    "helper": {"url": "https://x", "headersHelper": "x", "oauth": {}},
    "文件": {"command": "x"},
    "!": {"command": "x"},
    "text": "npx",
    "SSE": {"url": "https://x"},
    "None": {"command": "x"},
}
FILES = [
    json.dumps({"servers": ENTRIES}),
    '{"mcpServers": {"a": {"command": "x",}, "a": {"command": "y"}}} // two',
    '{"mcpServers": 1}',
    '{"mcpServers": [{"name": "a", "command": "x"}]}',
    '{"a": {"command": "x"}}',
    '{"name": "a", "command": "x"}',
    "[]",
    "{} {}",
    "[" * 200,
    "{",
    '{"a"',
    '{"a" 1}',
    '{"a": /* ',
    '{"a": [1 2]}',
    '{"a": "\\q"}',
    "{'a': 1}",
    "{\"a\": 'b'}",
    '{"a": b}',
]
HOOKS = [
    "[]",
    "{",
    "{}",
    '{"hooks": []}',
    '{"hooks": {"PreToolUs": [], "Moon": [], "Stop": {}, "PreToolUse": [1, {}, {"hooks": 1}, {"matcher": 7, "hooks": []}]}}',
    '{"hooks": {"PreToolUse": [{"matcher": "(", "hooks": []}, {"x": 1, "hooks": [1, {"type": "prompt"}, {"command": ""}]}]}}',
    '{"hooks": {"Stop": [{"hooks": [{"command": "x", "timeout": "a"}, {"command": "x", "timeout": 9000}]}]}}',
]


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= char <= "\u9fff" for char in text)


@pytest.mark.parametrize("text", FILES)
def test_what_is_wrong_with_a_file_of_servers_is_told_in_chinese(text: str) -> None:
    problems = parse_mcp(text, Path(".mcp.json")).problems

    assert problems
    assert [one.reason for one in problems if not is_chinese(Ui("zh").retold(one.reason))] == []


@pytest.mark.parametrize("text", HOOKS)
def test_what_is_wrong_with_a_file_of_hooks_is_told_in_chinese(tmp_path: Path, text: str) -> None:
    (tmp_path / "hooks.json").write_text(text)

    _, problems = read_hooks(tmp_path / "hooks.json")

    assert problems
    assert [one.reason for one in problems if not is_chinese(Ui("zh").retold(one.reason))] == []


@pytest.mark.parametrize("place", ["${TOKEN}", "${input:key}"])
def test_what_a_server_lacks_is_told_in_chinese(place: str) -> None:
    found = filled(McpServer(name="a", command=place), {}, Path("/"))

    assert isinstance(found, Unset)
    assert is_chinese(Ui("zh").retold(found.reason))
