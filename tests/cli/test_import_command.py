"""`yeaft import`: what another agent keeps is shown, taken over once, and never over something that is here."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands_given import Given
from tests.cli.test_commands_terminal import at_terminal, ended
from yeaft.interfaces.cli.importing.rules import claude_rule, codex_rules, opencode_rules
from yeaft.session.catalogue import CATALOGUE
from yeaft.tools.policy.rules import check_tool, rule

TOOLS = [one.name for one in CATALOGUE]
AGENT = "---\nname: code-reviewer\ndescription: Reviews code.\ntools: Read, Grep\n---\nYou review.\n"
SKILL = "---\nname: {name}\ndescription: Does it.\n---\nDo it.\n"
CLAUDE_JSON = {
    "numStartups": 3,
    "mcpServers": {
        "files": {"command": "npx", "args": ["-y", "f"], "env": {"K": "${K}"}},
        "old": {"type": "sse", "url": "https://x"},
    },
}
CLAUDE_SETTINGS = {
    "permissions": {
        "allow": ["Bash(npm run test:*)", "Read(~/notes/**)", "Edit(/src/**)", "mcp__files"],
        "ask": ["Bash(git push:*)"],
        "deny": ["Read(.env)", "Agent(reviewer)"],
        "defaultMode": "acceptEdits",
    },
    "hooks": {"Stop": []},
}
CODEX = """
model = "o9"
[mcp_servers.docs]
command = "npx"
args = ["-y", "docs"]
env_vars = ["DOCS_KEY"]
startup_timeout_sec = 20
[mcp_servers.web]
url = "https://x/mcp"
bearer_token_env_var = "TOKEN"
env_http_headers = {X-Team = "TEAM"}
enabled = false
"""
OPENCODE = """{
  // mine
  "mcp": {"search": {"type": "local", "command": ["bun", "x", "s"], "environment": {"A": "{env:B}"}}},
  "permission": {"bash": {"*": "ask", "git *": "allow", "rm *": "deny"}, "webfetch": "allow"},
}
"""
GOOSE = """
GOOSE_PROVIDER: x
extensions:
  developer: {type: builtin, enabled: true, name: developer}
  drive:
    type: stdio
    cmd: npx
    args: ["-y", "drive"]
    envs: {A: b}
    env_keys: [DRIVE_KEY]
    timeout: 120
"""


class Machine:
    """A machine on which somebody has used other agents; `user` is their own folder."""

    def __init__(self, given: Given) -> None:
        self.given = given
        self.user = Path(given.environ["HOME"])

    def file(self, name: str, text: str, folder: Path | None = None) -> Path:
        path = (folder or self.user) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def claude(self) -> None:
        self.file(".claude/agents/reviewer.md", AGENT)
        self.file(".claude/agents/broken.md", "no front matter")
        self.file(".claude/commands/git/ship.md", "Ship $ARGUMENTS.\n")
        self.file(".claude/skills/deploy/SKILL.md", SKILL.format(name="deploy"))
        self.file(".claude.json", json.dumps(CLAUDE_JSON))
        self.file(".claude/settings.json", json.dumps(CLAUDE_SETTINGS))
        project = {"permissions": {"allow": ["Edit(/src/**)"]}}
        self.file(".claude/settings.json", json.dumps(project), self.given.folder)
        self.file(
            ".claude/settings.local.json", json.dumps({"permissions": {"deny": ["Bash(rm:*)"]}}), self.given.folder
        )

    def rows(self, *words: str) -> list[dict[str, Any]]:
        done = self.given.yeaft("import", *words, "--json")
        assert done.code in (0, 3), done.err
        return json.loads(done.out)

    def told(self, *words: str) -> dict[str, tuple[str, str]]:
        """By what was found: what it becomes, and how it stands with it."""
        return {f"{row['kind']} {row['name']}": (row["becomes"], row["status"]) for row in self.rows(*words)}


@pytest.fixture
def machine(given: Given) -> Machine:
    return Machine(given)


def test_everything_that_is_found_is_shown_and_nothing_is_taken_unasked(machine: Machine) -> None:
    machine.claude()

    told = machine.told("claude", "--dry-run")
    unasked = machine.given.yeaft("import", "claude")

    assert told == {
        "agents broken": ("", "not_taken"),
        "agents reviewer": ("@code-reviewer", "new"),
        "commands ship": ("", "in_place"),
        "skills deploy": ("", "in_place"),
        "servers files": ("[mcp.servers.files]", "new"),
        "servers old": ("", "not_taken"),
        "rules allow Bash(npm run test:*)": ("allow Bash(npm run test:*)", "new"),
        "rules allow Read(~/notes/**)": ("allow FileRead(~/notes/**)", "new"),
        "rules allow Edit(/src/**)": ("allow FileEdit(src/**)", "new"),
        "rules allow mcp__files": ("allow mcp__files", "new"),
        "rules ask Bash(git push:*)": ("ask Bash(git push:*)", "new"),
        "rules deny Read(.env)": ("deny FileRead(**/.env)", "new"),
        "rules deny Agent(reviewer)": ("", "not_taken"),
        "rules defaultMode acceptEdits": ("", "not_taken"),
        "rules hooks": ("", "not_taken"),
        "rules deny Bash(rm:*)": ("deny Bash(rm:*)", "new"),
    }
    assert (unasked.code, "yeaft import claude -y" in unasked.err) == (3, True)
    assert "deny Agent(reviewer): a pattern for Agent means nothing here" in unasked.out
    assert not machine.given.home.exists()
    assert not (machine.given.folder / ".yeaft").exists()


def test_what_is_taken_is_used_and_a_second_time_there_is_nothing_left_to_do(machine: Machine) -> None:
    machine.claude()

    first = machine.given.yeaft("import", "claude", "-y")
    second = machine.told("claude", "-y")

    assert first.code == 0
    assert {status for _, status in second.values()} == {"there", "not_taken", "in_place"}
    assert machine.given.yeaft("vp", "show", "code-reviewer", "--json").json["role"] == "Reviews code."
    assert [row["name"] for row in machine.given.yeaft("mcp", "ls", "--json").json] == ["files"]
    rules = {
        (row["verdict"], row["rule"], Path(row["origin"]).name)
        for row in machine.given.yeaft("perms", "ls", "--json").json
    }
    assert rules == {
        ("allow", "Bash(npm run test:*)", "config.toml"),
        ("allow", "FileRead(~/notes/**)", "config.toml"),
        ("allow", "mcp__files", "config.toml"),
        ("ask", "Bash(git push:*)", "config.toml"),
        ("deny", "FileRead(**/.env)", "config.toml"),
        ("deny", "Bash(rm:*)", "config.local.toml"),
    }, "a project's allow rules wait for its trust"
    assert "yeaft trust" in first.err
    assert ("allow", "FileEdit(src/**)") in {
        (row["verdict"], row["rule"]) for row in machine.given.yeaft("--trust", "perms", "ls", "--json").json
    }


def test_nothing_that_is_here_is_ever_written_over(machine: Machine) -> None:
    machine.claude()
    own = machine.file("yeaft/vps/code-reviewer.md", "---\nid: code-reviewer\nname: Mine\nrole: Mine\n---\nMine.\n")
    config = machine.file("yeaft/config.toml", '[mcp.servers.files]\ncommand = "mine"\n')

    told = machine.told("claude", "-y")

    assert told["agents reviewer"][1] == told["servers files"][1] == "kept"
    assert "Mine." in own.read_text("utf-8")
    assert '[mcp.servers.files]\ncommand = "mine"\n' in config.read_text("utf-8")


def test_kinds_can_be_chosen_on_the_command_line_and_at_the_terminal(machine: Machine) -> None:
    machine.claude()
    chosen = machine.told("claude", "--dry-run", "--only", "servers,skills")
    slip = machine.given.yeaft("import", "claude", "--only", "server")
    terminal = at_terminal(machine.given, "import", "claude")
    for answer, kind in (("y", "agents"), ("n", "MCP servers"), ("y", "permission rules")):
        terminal.expect(rf"Take over \d+ {kind}.*\[y/N\]")
        terminal.sendline(answer)

    code, _ = ended(terminal)

    assert {name.split()[0] for name in chosen} == {"servers", "skills"}
    assert (slip.code, "Did you mean servers?" in slip.err) == (2, True)
    assert code == 0
    after = machine.told("claude", "--dry-run")
    assert (after["agents reviewer"][1], after["servers files"][1]) == ("there", "new")
    assert after["rules deny Read(.env)"][1] == "there"


def test_of_codex_its_servers_prompts_skills_and_rules_are_taken(machine: Machine) -> None:
    machine.file(".codex/config.toml", CODEX)
    machine.file(".codex/prompts/review.md", "---\ndescription: Reviews.\n---\nReview $1 in $PLACE.\n")
    machine.file(".codex/skills/fix/SKILL.md", SKILL.format(name="fix"))
    machine.file(".codex/skills/fix/scripts/run.sh", "true")
    machine.file(".codex/rules/default.rules", 'prefix_rule(pattern=["git", ["log", "show"]], decision="allow")\n')

    rows = machine.rows("codex", "-y")

    assert {(row["name"], row["status"]) for row in rows if row["kind"] != "rules"} == {
        ("review", "taken"),
        ("fix", "taken"),
        ("docs", "taken"),
        ("web", "taken"),
    }
    assert [row["warnings"] for row in rows if row["name"] == "review"] == [["$PLACE is not filled in here"]]
    docs, web = machine.given.yeaft("mcp", "ls", "--json").json
    assert (docs["state"], docs["reason"], web["state"]) == (
        "unset",
        "env.DOCS_KEY needs the variable DOCS_KEY, which is not set",
        "off",
    )
    shown = machine.given.yeaft("mcp", "get", "web", "--json").json
    assert shown["headers"] == {"X-Team": "${TEAM}", "Authorization": "Bearer ${TOKEN}"}
    assert (machine.given.home / "skills/fix/scripts/run.sh").is_file()
    allowed = [row["rule"] for row in machine.given.yeaft("perms", "ls", "--json").json]
    assert allowed == ["Bash(git log:*)", "Bash(git show:*)"]


def test_of_opencode_and_goose_servers_and_rules_are_taken_and_recipes_named(machine: Machine) -> None:
    machine.file(".config/opencode/opencode.jsonc", OPENCODE)
    machine.file(".config/opencode/command/test.md", "---\ndescription: Tests.\n---\nRun the tests.\n")
    machine.file(".config/goose/config.yaml", GOOSE)
    machine.file(".config/goose/recipes/plan.yaml", "title: x\n")

    opencode, goose = machine.told("opencode", "-y"), machine.told("goose", "-y")

    assert opencode == {
        "commands test": ("/test", "taken"),
        "servers search": ("[mcp.servers.search]", "taken"),
        "rules ask bash *: ask": ("", "not_taken"),
        "rules allow bash git *: allow": ("allow Bash(git *)", "taken"),
        "rules deny bash rm *: deny": ("deny Bash(rm *)", "taken"),
        "rules allow webfetch *: allow": ("allow WebFetch", "taken"),
    }
    assert goose == {
        "servers developer": ("", "not_taken"),
        "servers drive": ("[mcp.servers.drive]", "taken"),
        "commands plan": ("", "not_taken"),
    }
    servers = {row["name"]: row["reason"] for row in machine.given.yeaft("mcp", "ls", "--json").json}
    assert servers == {
        "search": "env.A needs the variable B, which is not set",
        "drive": "env.DRIVE_KEY needs the variable DRIVE_KEY, which is not set",
    }


def test_a_copy_of_another_agents_folder_can_be_named(machine: Machine, tmp_path: Path) -> None:
    copy = tmp_path / "backup"
    machine.file("agents/reviewer.md", AGENT, copy)
    machine.file("commands/ship.md", "Ship it.\n", copy)
    machine.file(
        ".claude/settings.json", json.dumps({"permissions": {"allow": ["Edit(/src/**)"]}}), machine.given.folder
    )

    assert machine.told("claude", "--from", str(copy), "-y") == {
        "agents reviewer": ("@code-reviewer", "taken"),
        "commands ship": ("/ship", "taken"),
    }
    assert machine.given.yeaft("import", "claude", "--from", "no-such").code == 66


@pytest.mark.parametrize(
    ("agent", "name", "text"),
    [
        ("claude", ".claude.json", "{"),
        ("claude", ".claude/settings.json", '{"permissions": {"allow": "all"}}'),
        ("claude", ".claude/agents/a.md", "---\n"),
        ("codex", ".codex/config.toml", "["),
        ("codex", ".codex/rules/a.rules", "((("),
        ("codex", ".codex/rules/a.rules", "x = " + "1+" * 900 + "1"),
        ("codex", ".codex/rules/a.rules", "prefix_rule(pattern=[" + '["a", "b"], ' * 40 + "])"),
        ("codex", ".codex/rules/a.rules", "#" * 300_000),
        ("opencode", ".config/opencode/opencode.json", '{"permission": {"*": {}}}'),
        ("opencode", ".config/opencode/opencode.json", "[" * 100_000),
        ("opencode", ".config/opencode/opencode.json", '{"mcp": [], "permission": {"bash": 3}}'),
        ("goose", ".config/goose/config.yaml", "extensions: [\n"),
    ],
)
def test_what_another_agent_keeps_in_pieces_is_named_and_never_an_end(
    machine: Machine, agent: str, name: str, text: str
) -> None:
    machine.file(name, text)

    rows = machine.rows(agent, "-y")

    assert {row["status"] for row in rows} <= {"not_taken"}


def test_a_pipe_among_the_rules_is_not_waited_for(machine: Machine) -> None:
    os.mkfifo(machine.file(".codex/rules/a.rules", "prefix_rule(pattern=['ls'])\n").with_name("b.rules"))

    assert machine.told("codex") == {
        "rules allow prefix_rule(pattern=['ls'])": ("allow Bash(ls:*)", "new"),
        "rules b.rules": ("", "not_taken"),
    }


@pytest.mark.parametrize(
    ("agent", "name", "text"),
    [
        ("codex", ".codex/rules/a.rules", r"prefix_rule(pattern=['a\ud800'])"),
        ("claude", ".claude/settings.json", r'{"permissions": {"allow": ["Bash(a\ud800:*)"]}}'),
    ],
)
def test_half_a_character_is_replaced_and_no_end(machine: Machine, agent: str, name: str, text: str) -> None:
    machine.file(name, text)

    assert [(row["becomes"], row["status"]) for row in machine.rows(agent, "-y")] == [
        ("allow Bash(a\ufffd:*)", "taken")
    ]


def test_nothing_that_is_shown_passes_for_a_line_of_its_own(machine: Machine) -> None:
    machine.file(".codex/rules/a.rules", r"prefix_rule(pattern=['ls\x1b[2J\nrule  nothing'])")
    machine.file(".claude/settings.json", json.dumps({"permissions": {"allow": ["Bash(x)\nno rule"]}}))

    assert "allow Bash(ls⟨U+001B⟩[2J⟨U+000A⟩rule nothing:*)" in machine.given.yeaft("import", "codex").out
    assert "\nallow Bash(x)⟨U+000A⟩no rule: it has no form" in machine.given.yeaft("import", "claude").out


def test_what_a_project_keeps_stays_the_projects_and_waits_for_trust(machine: Machine) -> None:
    folder, home = machine.given.folder, machine.given.home
    machine.file(".opencode/command/ship.md", "Ship it.\n", folder)
    machine.file(".opencode/agent/reviewer.md", AGENT, folder)
    machine.file(".opencode/skill/deploy/SKILL.md", SKILL.format(name="deploy"), folder)

    done = machine.given.yeaft("import", "opencode", "-y")

    assert "trusted: yeaft trust" in done.err
    assert [(folder / f".yeaft/{name}").exists() for name in ("commands/ship.md", "vps", "skills/deploy")] == [True] * 3
    assert [(home / name).exists() for name in ("commands", "vps", "skills")] == [False] * 3
    assert json.loads(machine.given.yeaft("trust", "--json").out)["state"] == "unknown"


def test_of_the_users_own_things_no_trust_is_asked(machine: Machine) -> None:
    machine.given.environ["YEAFT_DIR"] = str(machine.user / ".yeaft")
    machine.file(".codex/rules/a.rules", "prefix_rule(pattern=['ls'])\n")

    assert machine.given.yeaft("import", "codex", "-y").err == "Taken over: 1. What was there already is as it was.\n"


def test_where_there_is_nothing_that_is_said(machine: Machine) -> None:
    nothing = machine.given.yeaft("import", "claude")

    assert (nothing.code, nothing.err) == (0, "Nothing of claude was found here.\n")
    assert machine.given.yeaft("import", "vim").code == 2


@pytest.mark.parametrize(
    ("written", "rules"),
    [
        ("Bash", ["Bash"]),
        ("Bash(*)", ["Bash"]),
        ("Bash(npm run *)", ["Bash(npm run *)"]),
        ("Read", ["FileRead"]),
        ("Read(//etc/**)", ["FileRead(/etc/**)"]),
        ("Read(./docs/**)", ["FileRead(docs/**)"]),
        ("Read(secrets/)", ["FileRead(secrets/**)"]),
        ("Read(*.pem)", ["FileRead(**/*.pem)"]),
        ("Read(~/.ssh/**)", ["FileRead(~/.ssh/**)"]),
        ("Edit", ["FileEdit", "FileWrite", "ApplyPatch", "NotebookEdit"]),
        ("Edit(/src/**)", ["FileEdit(src/**)"]),
        ("Write(out/**)", ["FileWrite(out/**)"]),
        ("WebFetch(domain:*.example.com)", ["WebFetch(domain:*.example.com)"]),
        ("mcp__github__get_*", ["mcp__github__get_*"]),
        ("mcp__GitHub", ["mcp__github"]),
        ("Task", ["SpawnAgent"]),
        ("Skill(deploy)", []),
        ("Teleport", []),
        ("Bash(", []),
        ("WebFetch(https://x)", []),
    ],
)
def test_each_rule_of_claude_becomes_rules_that_yeaft_knows(written: str, rules: list[str]) -> None:
    found = claude_rule("deny", written, of_project=True)

    assert (list(found.rules), bool(found.reason)) == (rules, not rules)
    for one in found.rules:
        check_tool(rule(one), TOOLS)


def test_a_path_that_starts_at_the_settings_of_the_user_is_not_taken_for_one_of_the_project() -> None:
    assert claude_rule("allow", "Read(/src/**)", of_project=False).rules == ()


@pytest.mark.parametrize(
    ("permission", "rules"),
    [
        ("allow", []),
        ({"*": "ask"}, []),
        ({"edit": "deny"}, ["FileEdit", "FileWrite", "ApplyPatch", "NotebookEdit"]),
        ({"edit": {"*": "deny", "docs/*.md": "allow"}}, ["FileEdit(docs/**/*.md)"]),
        ({"read": {"*.env": "deny", "$HOME/x/*": "deny"}}, ["FileRead(**/*.env)", "FileRead(~/x/**)"]),
        ([{"action": "shell", "resource": "git push *", "effect": "deny"}], ["Bash(git push *)"]),
        ([{"action": "subagent", "effect": "deny"}, 3], ["SpawnAgent"]),
        ({"bash": {"git *": "maybe"}}, []),
        (None, []),
    ],
)
def test_rules_of_opencode_in_both_forms_become_rules_that_yeaft_knows(permission: Any, rules: list[str]) -> None:
    assert [one for found in opencode_rules(permission) for one in found.rules] == rules


def test_rules_of_codex_become_beginnings_of_commands() -> None:
    text = """
# mine
prefix_rule(pattern=["git", ["status", "log"]], decision="allow", justification="reads")
prefix_rule(pattern=["rm"], decision="forbidden")
prefix_rule(pattern=["gh", "pr"], decision="prompt")
prefix_rule(pattern=["ls"], decision=later())
network_rule(host="x")
"""

    assert [(one.verdict, one.rules) for one in codex_rules(text)] == [
        ("allow", ("Bash(git status:*)", "Bash(git log:*)")),
        ("deny", ("Bash(rm:*)",)),
        ("ask", ("Bash(gh pr:*)",)),
        ("ask", ()),
        ("ask", ()),
    ]
