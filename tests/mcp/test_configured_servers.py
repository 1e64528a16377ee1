"""Which servers of a run may be started: the user's, and of a project's those that the user has agreed to."""

import json
from pathlib import Path

import pytest

from yeaft.config.layers import load
from yeaft.config.trust import agree, allow_servers, trust_of
from yeaft.mcp.configured import Configured, configured_servers, known_servers

PROJECT = {
    "mcpServers": {
        "files": {"command": "project-files"},
        "git": {"command": "git-mcp", "env": {"TOKEN": "${TOKEN}"}},
        "off": {"command": "x", "disabled": True},
    }
}


class Given:
    def __init__(self, root: Path) -> None:
        self.home, self.folder = root / "home", root / "work"
        self.home.mkdir()
        self.folder.mkdir()
        self.config("")
        (self.folder / ".mcp.json").write_text(json.dumps(PROJECT), encoding="utf-8")

    def config(self, text: str) -> None:
        (self.home / "config.toml").write_text(text, encoding="utf-8")

    def trust(self, *, by_flag: bool = False):
        return trust_of(self.home, self.folder, {}, by_flag=by_flag)

    def known(self, *, by_flag: bool = False, **environ: str):
        loaded = load(self.home, self.folder, {}, system_config=self.home / "none.toml")
        return known_servers(loaded.config, self.home, self.folder, environ, self.trust(by_flag=by_flag))

    def states(self, **how) -> dict[str, str]:
        return {one.name: one.state for one in self.known(**how)[0]}

    def configured(self, **environ: str) -> Configured:
        loaded = load(self.home, self.folder, {}, system_config=self.home / "none.toml")
        return configured_servers(loaded.config, self.home, self.folder, environ, self.trust())


@pytest.fixture
def given(tmp_path: Path) -> Given:
    return Given(tmp_path)


def test_nothing_of_an_untrusted_folder_is_started_or_waits_to_be(given):
    assert given.states() == {"files": "untrusted", "git": "untrusted", "off": "off"}
    assert given.configured(TOKEN="t") == Configured()


def test_in_a_trusted_folder_each_server_waits_for_its_own_consent(given):
    agree(given.home, given.trust(), {}, 0)
    files = given.known()[0][0]

    assert given.states() == {"files": "waiting", "git": "waiting", "off": "off"}
    allow_servers(given.home, {files.agreed: "files"}, str(given.folder), 0)
    assert given.states() == {"files": "ready", "git": "waiting", "off": "off"}
    found = given.configured()
    assert ([one.name for one in found.servers], [one.name for one in found.waiting]) == (["files"], ["git"])


def test_consent_is_for_what_is_written_down_and_not_for_what_a_variable_holds_today(given):
    agree(given.home, given.trust(), {one.agreed: one.name for one in given.known()[0]}, 0)

    assert given.states(TOKEN="one")["git"] == "ready"
    assert given.states(TOKEN="two")["git"] == "ready"
    assert given.states()["git"] == "unset"
    (problem,) = given.configured().problems
    assert problem.reason == "the server 'git': env.TOKEN needs the variable TOKEN, which is not set"


def test_another_command_under_the_same_name_needs_another_word(given):
    agree(given.home, given.trust(), {one.agreed: one.name for one in given.known()[0]}, 0)
    (given.folder / ".mcp.json").write_text('{"mcpServers": {"files": {"command": "curl"}}}', encoding="utf-8")

    assert given.states() == {"files": "untrusted"}
    agree(given.home, given.trust(), {}, 0)
    assert given.states() == {"files": "waiting"}


def test_trust_for_one_run_is_consent_for_one_run(given):
    assert given.states(by_flag=True, TOKEN="t") == {"files": "ready", "git": "ready", "off": "off"}
    assert given.states(TOKEN="t")["files"] == "untrusted"


def test_the_users_own_server_wins_and_the_projects_is_named(given):
    given.config('[mcp]\nconnect_timeout_s = 3.0\n[mcp.servers.files]\ncommand = "mine"\ncall_timeout_s = 5.0\n')

    known, problems = given.known()

    files = known[0].server
    assert (files.command, files.connect_timeout_s, files.call_timeout_s) == ("mine", 3.0, 5.0)
    assert [str(problem) for problem in problems] == [
        f"{given.folder}/.mcp.json:1: the server 'files' is left out: {given.home}/config.toml has one of this name"
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[mcp.servers.a]\n", "[mcp.servers.a] needs a command or a url, and not both"),
        (
            '[mcp.servers.a]\ncommand = "x"\nurl = "https://x"\n',
            "[mcp.servers.a] needs a command or a url, and not both",
        ),
        ('[mcp.servers."!!"]\ncommand = "x"\n', "[mcp.servers.'!!']: no name can be made of it"),
    ],
)
def test_a_server_of_the_users_that_cannot_be_meant_is_named_and_the_rest_goes_on(given, text, reason):
    given.config(f'{text}[mcp.servers.good]\ncommand = "x"\n')

    known, problems = given.known()

    assert "good" in [one.name for one in known]
    assert problems[0].reason.startswith(reason)


def test_values_that_may_be_secret_are_not_among_the_settings_that_are_listed(given):
    from yeaft.config.listing import settings

    given.config(
        '[mcp.servers.a]\ncommand = "x"\nenv = {TOKEN = "hunter2"}\n[mcp.servers.b]\nurl = "https://x"\nheaders = {X = "hunter2"}\n'
    )
    loaded = load(given.home, None, {}, system_config=given.home / "none.toml")

    rows = {row.key: row.value for row in settings(loaded) if row.key.startswith("mcp.servers")}

    assert rows["mcp.servers.a.env.TOKEN"] == rows["mcp.servers.b.headers.X"] == "***"
    assert "mcp.servers.a.call_timeout_s" not in rows


def test_what_is_wrong_with_the_file_of_an_untrusted_folder_is_told_in_lists_only(given):
    (given.folder / ".mcp.json").write_text("{", encoding="utf-8")

    assert given.configured().problems == ()
    assert given.known()[1] != ()
