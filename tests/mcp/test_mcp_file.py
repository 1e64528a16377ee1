"""`.mcp.json` in all the spellings there are: what can be meant is used, and everything else is named by its line."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.mcp.mcp_file import Declared, McpFile, clean_name, parse_mcp, read_mcp_file
from yeaft.mcp.server import McpServer
from yeaft.mcp.variables import Unset, filled

PATH = Path("/srv/.mcp.json")
FOLDER = Path("/srv")
KEYS = [
    "command", "cmd", "args", "env", "environment", "cwd", "type", "transport", "url", "httpUrl", "headers", "trust",
    "timeout", "disabled", "enabled", "includeTools", "excludeTools", "call_timeout_s", "name", "mcpServers", "envFile",
]  # fmt: skip
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["stdio", "http", "sse", "npx", "https://x"])
)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(), inner, max_size=5),
    max_leaves=15,
)


def parsed(entries: object, key: str = "mcpServers") -> McpFile:
    return parse_mcp(json.dumps({key: entries}), PATH)


def server_of(entry: object) -> McpServer:
    """The only server of a file without problems."""
    found = parsed({"files": entry})
    assert [problem for problem in found.problems if problem.fatal] == []
    return found.servers[0].server


def told(file: McpFile) -> list[tuple[int, str, bool]]:
    return [(problem.line, problem.reason, problem.fatal) for problem in file.problems]


def test_the_common_form_is_read_whole():
    entry = {"type": "stdio", "command": "npx", "args": ["-y", "pkg"], "env": {"K": "${K:-default}"}, "cwd": "."}

    assert parsed({"files": entry}) == McpFile(
        servers=(
            Declared(
                server=McpServer(
                    name="files",
                    command="npx",
                    args=("-y", "pkg"),
                    env={"K": "${K:-default}"},
                    cwd=".",
                    origin=str(PATH),
                ),
                written="files",
            ),
        )
    )
    remote = server_of({"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}})
    assert (remote.kind, remote.url, remote.headers) == ("http", "https://x/mcp", {"Authorization": "Bearer ${TOKEN}"})


@pytest.mark.parametrize(
    "entry",
    [
        {"httpUrl": "https://x/mcp"},
        {"url": "https://x/mcp"},
        {"serverUrl": "https://x/mcp", "transport": "streamable-http"},
        {"type": "remote", "url": "https://x/mcp", "enabled": True},
        {"transport": "HTTP", "url": "https://x/mcp"},
        {"type": "streamable_http", "uri": "https://x/mcp"},
    ],
)
def test_an_address_is_found_under_every_name_it_has(entry):
    found = server_of(entry)

    assert (found.kind, found.url, found.command) == ("http", "https://x/mcp", "")


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "npx", "args": ["-y", "my pkg"]},
        {"command": "npx", "args": "-y 'my pkg'"},
        {"command": "npx -y 'my pkg'"},
        {"command": "npx -y", "args": ["my pkg"]},
        {"command": "npx", "arguments": ["-y", "my pkg"]},
        {"type": "local", "command": ["npx", "-y", "my pkg"]},
        {"transport": "stdio", "cmd": "npx", "args": ["-y", "my pkg"], "url": "https://ignored"},
    ],
)
def test_a_command_is_understood_however_it_is_taken_apart(entry):
    found = server_of(entry)

    assert (found.kind, found.command, found.args, found.url) == ("stdio", "npx", ("-y", "my pkg"), "")


def test_a_windows_path_with_spaces_is_one_program():
    assert server_of({"command": "C:\\Program Files\\nodejs\\npx.cmd"}).command == "C:\\Program Files\\nodejs\\npx.cmd"


@pytest.mark.parametrize(
    "text",
    [
        {"servers": {"a": {"command": "x"}}},
        {"mcpServers": {}, "servers": {"a": {"command": "x"}}},
        {"mcpServers": {"servers": {"a": {"command": "x"}}}},
        {"editor.tabSize": 2, "mcp": {"inputs": [], "servers": {"a": {"command": "x"}}}},
        {"mcp": {"a": {"type": "local", "command": ["x"]}}},
        {"context_servers": {"a": {"source": "custom", "command": "x"}}},
        {"mcp_servers": {"a": {"command": "x"}}},
        {"amp.mcpServers": {"a": {"command": "x"}}},
        {"editor.tabSize": 2, "mcp.servers": {"a": {"command": "x"}}},
        {"mcp-servers": {"a": {"command": "x"}}},
        {"McpServers": {"a": {"command": "x"}}},
        {"name": "a", "enabled": True, "command": "x"},
        [{"name": "a", "command": "x"}],
        {"context_servers": {"a": {"source": "custom", "command": {"path": "x"}}}},
        {"mcpServers": [{"name": "a", "transport": {"type": "stdio", "command": "x"}}]},
        {"$schema": "https://x", "a": {"command": "x"}},
        {"_comment": "ours", "mcpServers": {"_comment": "all of them", "//": "off", "a": {"command": "x", "//": "y"}}},
    ],
)
def test_servers_are_found_wherever_programs_keep_them(text):
    found = parse_mcp(json.dumps(text), PATH)

    assert [(one.server.name, one.server.command) for one in found.servers] == [("a", "x")]
    assert [problem for problem in found.problems if problem.fatal] == []


def test_a_part_of_an_entry_may_stand_in_an_object_of_its_own():
    zed = server_of({"source": "custom", "command": {"path": "npx", "args": ["-y"], "env": {"K": "v"}}, "env": None})
    continued = server_of({"transport": {"type": "streamable-http", "url": "https://x/mcp"}})
    fetched = server_of({"url": "https://x/mcp", "requestInit": {"headers": {"A": "b"}}, "headers": {"A": "c"}})

    assert (zed.kind, zed.command, zed.args) == ("stdio", "npx", ("-y",))
    assert (continued.kind, continued.url) == ("http", "https://x/mcp")
    assert fetched.headers == {"A": "c"}


@pytest.mark.parametrize(
    ("written", "env"),
    [
        (["K=a=b", "L="], {"K": "a=b", "L": ""}),
        ([{"name": "K", "value": "v"}, {"key": "N", "value": 1}], {"K": "v", "N": "1"}),
    ],
)
def test_variables_and_headers_in_a_list_are_understood_and_that_is_told(written, env):
    found = parsed({"a": {"command": "x", "env": written}, "b": {"url": "https://x", "headers": ["X-Key: k: v"]}})

    assert [one.server.env for one in found.servers] == [env, {}]
    assert found.servers[1].server.headers == {"X-Key": "k: v"}
    assert [reason for _, reason, fatal in told(found) if not fatal] == [
        "the server 'a': 'env' should be an object, not a list",
        "the server 'b': 'headers' should be an object, not a list",
    ]
    assert "'env' must be an object of texts" in told(parsed({"a": {"command": "x", "env": [["K"]]}}))[0][1]


def test_numbers_and_truth_values_may_stand_in_quotes():
    found = parsed({"a": {"command": "x", "disabled": "true", "timeout": "60000"}})

    assert [(one.enabled, one.server.call_timeout_s) for one in found.servers] == [(False, 60.0)]


def test_a_server_whose_name_has_no_latin_letters_can_be_used_under_one_that_is_told():
    found = parsed({"文件": {"command": "x"}, "数据库": {"command": "y"}, "！": {"command": "z"}})

    names = [one.server.name for one in found.servers]
    assert [(one.written, one.server.command) for one in found.servers] == [("文件", "x"), ("数据库", "y")]
    assert all(name == clean_name(name) and name.startswith("server-") for name in names)
    assert [reason for _, reason, fatal in told(found) if not fatal] == [
        f"the server '文件' is called {names[0]!r} here and in the names of its tools",
        f"the server '数据库' is called {names[1]!r} here and in the names of its tools",
    ]
    assert [reason.split(";")[0] for _, reason, fatal in told(found) if fatal] == ["no name can be made of '！'"]


def test_addresses_that_begin_alike_are_different_names():
    place = "github.com/modelcontextprotocol/servers/tree/main/src"
    found = parsed({f"{place}/github": {"command": "x"}, f"{place}/filesystem": {"command": "y"}})

    names = [one.server.name for one in found.servers]
    assert [name.rpartition("-")[0] for name in names] == ["vers-tree-main-src-github", "tree-main-src-filesystem"]
    assert all(name == clean_name(name) for name in names)
    assert [fatal for _, _, fatal in told(found) if fatal] == []


def test_a_server_may_be_called_like_what_servers_stand_under():
    found = parsed({"mcp": {"command": "x"}, "servers": {"url": "https://x"}})

    assert [one.server.name for one in found.servers] == ["mcp", "servers"]
    assert [one.server.name for one in parse_mcp('{"servers": {"command": "x"}}', PATH).servers] == ["servers"]


def test_a_token_that_is_named_by_its_variable_becomes_a_header():
    assert server_of({"url": "https://x", "bearerTokenEnvVar": "T"}).headers == {"Authorization": "Bearer ${T}"}
    assert server_of(
        {"url": "https://x", "bearer_token_env_var": "T", "headers": {"authorization": "own"}}
    ).headers == {"authorization": "own"}


def test_tools_that_are_listed_as_copilot_does_are_the_only_ones():
    assert server_of({"command": "x", "tools": ["a", "b"]}).include == ("a", "b")
    assert server_of({"command": "x", "tools": ["*"]}).include == ()
    assert server_of({"command": "x", "tools": {"a": {"enabled": True}}}).include == ()


def test_what_an_author_relies_on_and_is_not_so_here_is_told():
    entry = {"url": "https://x", "alwaysAllow": ["a"], "autoApprove": [], "headersHelper": "./token.sh"}

    assert told(parsed({"a": entry})) == [
        (1, "the server 'a': 'alwaysAllow' means nothing here; permission rules decide", False),
        (
            1,
            "the server 'a': 'headersHelper' is not run; set the headers in 'headers', where ${VARIABLE} is filled in",
            False,
        ),
    ]


def test_the_fields_of_other_agents_mean_what_they_mean_there():
    found = server_of(
        {
            "command": "x",
            "environment": {"A": "b", "PORT": 80, "ON": True, "NONE": None},
            "includeTools": ["a", "b*"],
            "excludeTools": "c",
            "timeout": 600000,
            "trust": False,
            "description": "whatever",
        }
    )

    assert found.env == {"A": "b", "PORT": "80", "ON": "true"}
    assert (found.include, found.exclude, found.call_timeout_s) == (("a", "b*"), ("c",), 600.0)
    assert [one.enabled for one in parsed({"a": {"command": "x", "disabled": True}}).servers] == [False]
    assert [one.enabled for one in parsed({"a": {"command": "x", "enabled": False}}).servers] == [False]


def test_every_problem_has_its_line_and_leaves_the_other_servers_alone():
    text = """{
  "mcpServers": {
    "old": {
      "type": "sse", "url": "https://x/sse"},
    "empty": {"command": " "},
    "nothing": {},
    "text": "npx",
    "args": {"command": "x", "args": {"a": 1}},
    "env": {"command": "x",
      "env": {"A": {"b": 1}}},
    "odd": {"type": "pigeon", "command": "x"},
    "ftp": {"url": "ftp://x"},
    "!": {"command": "x"},
    "Same": {"command": "x"},
    "same": {"command": "y"},
    "good": {"command": "x"}
  }
}"""

    found = parse_mcp(text, PATH)

    assert [one.server.name for one in found.servers] == ["same", "good"]
    assert [(line, reason.split(";")[0]) for line, reason, fatal in told(found) if fatal] == [
        (4, "the server 'old' is left out: the transport sse is not supported"),
        (5, "the server 'empty' is left out: its command is empty"),
        (6, "the server 'nothing' is left out: it has neither a command nor a url"),
        (7, "the server 'text' must be an object with a command or a url"),
        (8, "the server 'args' is left out: 'args' must be a list of texts"),
        (10, "the server 'env' is left out: env.A must be a text"),
        (11, "the server 'odd' is left out: the transport 'pigeon' is not known"),
        (12, "the server 'ftp' is left out: its url 'ftp://x' must begin with http:// or https://"),
        (13, "no name can be made of '!'"),
        (15, "the server 'same' is left out: 'Same' has the same name (same)"),
    ]


def test_what_is_used_all_the_same_is_told_too():
    found = parse_mcp('\ufeff{\n  // mine\n  "servers": {"a": {"command": "x", "trust": true,},}\n}', PATH)

    assert [one.server.name for one in found.servers] == ["a"]
    assert [(line, reason.split(";")[0], fatal) for line, reason, fatal in told(found)] == [
        (2, "comments are not JSON", False),
        (3, "a comma before } is not JSON", False),
        (3, "a comma before } is not JSON", False),
        (3, "'servers' is how editors call it", False),
        (3, "the server 'a': 'trust' means nothing here", False),
    ]


def test_servers_without_anything_around_them_and_in_a_list_are_found():
    bare = parse_mcp('{"files": {"command": "x"}}', PATH)
    listed = parsed([{"name": "files", "command": "x"}, {"command": "y"}])

    assert [one.server.command for one in bare.servers] == ["x"]
    assert [one.server.name for one in listed.servers] == ["files"]
    assert [reason for _, reason, fatal in told(listed) if fatal] == [
        "no name can be made of ''; use letters a-z, digits and hyphens"
    ]


@pytest.mark.parametrize("text", ["", " \n", "{}"])
def test_a_file_without_servers_is_no_problem(text):
    assert parse_mcp(text, PATH) == McpFile()


def test_a_file_that_cannot_be_read_is_told_and_never_waited_for(tmp_path):
    (tmp_path / "latin.json").write_bytes('{\n"é": 1}'.encode("latin-1"))
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "broken.json").write_text('{"mcpServers": {\n', encoding="utf-8")

    assert read_mcp_file(tmp_path / "none.json") == McpFile()
    assert told(read_mcp_file(tmp_path / "latin.json")) == [(2, "is not UTF-8 text; save it as UTF-8", True)]
    assert "cannot be read" in told(read_mcp_file(tmp_path / "folder.json"))[0][1]
    assert told(read_mcp_file(tmp_path / "broken.json"))[0][:2] == (
        2,
        "is not JSON: a key in double quotes or } is expected. No server of it is used",
    )


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("My Files", "my-files"),
        ("a__b", "a_b"),
        ("_x_", "x"),
        ("GitHub.com/mcp", "github-com-mcp"),
        ("文件", ""),
        ("a" * 50, "a" * 32),
    ],
)
def test_a_name_becomes_one_that_can_be_part_of_a_tools(written, name):
    assert clean_name(written) == name
    assert clean_name(name) == name


@given(JSON, st.sampled_from(["mcpServers", "servers"]))
def test_no_entry_is_ever_an_exception(entries, key):
    found = parsed(entries, key)

    for one in found.servers:
        assert one.server.name == clean_name(one.server.name) != ""
        assert bool(one.server.command) is not bool(one.server.url)
        filled(one.server, {}, FOLDER)


def test_variables_come_from_the_environment_or_their_default():
    server = McpServer(
        name="a",
        command="~/bin/${TOOL}",
        args=("${A}", "${B:-b}", "${EMPTY:-e}", "${env:A}", "$A", "${A}${A}", "${B-b}", "${B:-${C:-c}}"),
        env={"KEY": "${SECRET:-}"},
        cwd="sub",
        headers={"X": "${workspaceFolder}"},
    )

    found = filled(server, {"HOME": "/home/me", "TOOL": "t", "A": "1", "EMPTY": ""}, FOLDER)

    assert isinstance(found, McpServer)
    assert (found.command, found.args) == ("/home/me/bin/t", ("1", "b", "e", "1", "$A", "11", "b", "c"))
    assert (found.env, found.cwd, found.headers) == ({"KEY": ""}, "/srv/sub", {"X": "/srv"})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("${TOKEN}", "headers.Authorization needs the variable TOKEN, which is not set"),
        ("${input:key}", "headers.Authorization has ${input:key}, which means nothing here; use ${VARIABLE}"),
        ("${}", "headers.Authorization has ${}, which means nothing here; use ${VARIABLE}"),
    ],
)
def test_a_server_with_a_variable_that_is_not_set_says_which(text, reason):
    server = McpServer(name="a", kind="http", url="https://x", headers={"Authorization": text})

    assert filled(server, {}, FOLDER) == Unset(reason=reason)


def test_variables_of_editors_are_filled_in():
    server = McpServer(name="a", command="${userHome}/x", args=("${workspaceFolderBasename}${/}y${pathSeparator}z",))

    found = filled(server, {"HOME": "/home/u"}, FOLDER)

    assert isinstance(found, McpServer)
    assert (found.command, found.args) == ("/home/u/x", ("srv/y/z",))
