"""What each of the known agents keeps, and where."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from yeaft.config.files import read_layer
from yeaft.config.json_text import Json, as_json, list_in, table_in
from yeaft.config.regular import read_regular
from yeaft.interfaces.cli.importing.files import agents, commands, in_place, skills
from yeaft.interfaces.cli.importing.found import Item, NewRule, Places, not_taken
from yeaft.interfaces.cli.importing.rules import Translated, claude_rule, codex_rules, opencode_rules
from yeaft.interfaces.cli.importing.servers import of_codex, of_goose, read_table, servers, with_variables
from yeaft.kernel.errors import BadData, ConfigError
from yeaft.tools.policy.verdict import Judgement

LISTS: tuple[Judgement, ...] = ("allow", "ask", "deny")
PROJECT = ".yeaft/config.toml"
LOCAL = ".yeaft/config.local.toml"
TRUST = "the project's own is used as soon as the folder is trusted"
USED = "it is used from there"
YAML_BYTES = RULES_BYTES = 256 * 1024
GOOSE_OWN = ("builtin", "platform", "frontend", "inline_python")


def of_claude(places: Places) -> Iterator[Item]:
    """Claude Code: agents, commands, skills, servers and permission rules, the user's and the project's."""
    root = places.root(".claude", "CLAUDE_CONFIG_DIR", ("agents", "commands", "skills", "settings.json"))
    yield from agents(root / "agents", places)
    if root == places.user / ".claude":
        yield from in_place("commands", root / "commands", USED)
        yield from in_place("skills", root / "skills", USED)
    else:
        yield from commands(root / "commands", places)
        yield from skills(root / "skills", places)
    for path in (root.parent / ".claude.json", root / ".claude.json"):
        yield from _claude_json(path, places)
    yield from _claude_settings(root / "settings.json", places.config, of_project=False)
    if places.given is not None or places.folder.resolve() == places.user.resolve():
        return
    project = places.folder / ".claude"
    yield from in_place("agents", project / "agents", TRUST)
    yield from in_place("commands", project / "commands", TRUST)
    yield from in_place("skills", project / "skills", TRUST)
    if (places.folder / ".mcp.json").is_file():
        path = places.folder / ".mcp.json"
        yield Item(kind="servers", name=path.name, source=str(path), status="in_place", reason=TRUST)
    yield from _claude_settings(project / "settings.json", places.folder / PROJECT, of_project=True)
    yield from _claude_settings(project / "settings.local.json", places.folder / LOCAL, of_project=True)


def of_codex_cli(places: Places) -> Iterator[Item]:
    """Codex: servers, prompts (as commands), skills and rules about commands."""
    root = places.root(".codex", "CODEX_HOME", ("config.toml", "prompts", "skills"))
    yield from commands(root / "prompts", places)
    yield from skills(root / "skills", places)
    path = root / "config.toml"
    try:
        layer = read_layer(path)
    except ConfigError as error:
        yield not_taken("servers", path.name, path, str(error))
        layer = None
    tables = as_json(layer.table.get("mcp_servers")) if layer is not None else None
    common: Json = {name: of_codex(table) for name, table in table_in(tables).items()}
    yield from servers(common, path, places.config)
    for file in sorted((root / "rules").glob("*.rules")):
        try:
            text = read_regular(file, RULES_BYTES).decode("utf-8", "replace")
            yield from _rules(codex_rules(text), file, places.config)
        except OSError as error:
            yield not_taken("rules", file.name, file, f"it cannot be read: {error.strerror}")
        except BadData as error:
            yield not_taken("rules", file.name, file, str(error))


def of_opencode(places: Places) -> Iterator[Item]:
    """Opencode: agents, commands, servers and permission rules, the user's and the project's."""
    variable = places.environ.get("XDG_CONFIG_HOME", "")
    name = ".config/opencode"
    marks = ("opencode.json", "opencode.jsonc", "agent", "agents", "command", "commands")
    root = places.root(name, "", marks)
    if variable and places.given is None:
        root = Path(variable) / "opencode"
    yield from _opencode(root, places, places.config)
    if places.given is None:
        of_project = replace(places, home=places.folder / ".yeaft")  # so that it counts once the folder is trusted
        yield from _opencode(places.folder / ".opencode", of_project, places.folder / PROJECT)
        yield from _opencode_json(places.folder, places.folder / PROJECT)


def of_goose_cli(places: Places) -> Iterator[Item]:
    """Goose: extensions that are servers; its recipes are named."""
    variable = places.environ.get("XDG_CONFIG_HOME", "")
    root = places.root(".config/goose", "", ("config.yaml", "recipes"))
    if variable and places.given is None:
        root = Path(variable) / "goose"
    yield from _goose_extensions(root / "config.yaml", places.config)
    for path in sorted((root / "recipes").glob("*.y*ml")):
        yield not_taken("commands", path.stem, path, "recipes of goose are not taken over yet")
    if (root / "permission.yaml").is_file():
        reason = "its rules are about tools that are called otherwise here; see `yeaft help permissions`"
        yield not_taken("rules", "permission.yaml", root / "permission.yaml", reason)


SOURCES: Mapping[str, Callable[[Places], Iterator[Item]]] = {
    "claude": of_claude,
    "codex": of_codex_cli,
    "opencode": of_opencode,
    "goose": of_goose_cli,
}


def _claude_json(path: Path, places: Places) -> Iterator[Item]:
    table = yield from _table(path)
    if table is None:
        return
    yield from servers(table.get("mcpServers"), path, places.config)
    own = table_in(table_in(table.get("projects")).get(str(places.folder)))
    if places.given is None:
        yield from servers(own.get("mcpServers"), path, places.folder / LOCAL)


def _claude_settings(path: Path, config: Path, *, of_project: bool) -> Iterator[Item]:
    table = yield from _table(path)
    if table is None:
        return
    lists = table_in(table.get("permissions"))
    for verdict in LISTS:
        texts = [text for text in list_in(lists.get(verdict)) if isinstance(text, str)]
        yield from _rules((claude_rule(verdict, text, of_project=of_project) for text in texts), path, config)
    if lists.get("defaultMode"):
        yield not_taken("rules", f"defaultMode {lists['defaultMode']}", path, "choose one with permissions.mode")
    if lists.get("additionalDirectories"):
        yield not_taken("rules", "additionalDirectories", path, "name them with --add-dir")
    if table.get("hooks"):
        yield not_taken(
            "rules", "hooks", path, "hooks are not taken over; hooks.json has the same form, see `yeaft help hooks`"
        )


def _opencode(root: Path, places: Places, config: Path) -> Iterator[Item]:
    for name in ("agent", "agents"):
        yield from agents(root / name, places)
    for name in ("command", "commands"):
        yield from commands(root / name, places)
    for name in ("skill", "skills"):
        yield from skills(root / name, places)
    yield from _opencode_json(root, config)


def _opencode_json(root: Path, config: Path) -> Iterator[Item]:
    for path in (root / "opencode.json", root / "opencode.jsonc"):
        table = yield from _table(path)
        if table is None:
            continue
        found = with_variables(table.get("mcp"))
        inner = table_in(found).get("servers")
        is_newer = isinstance(inner, dict) and not {"command", "url", "type"} & set(inner)
        yield from servers(inner if is_newer else found, path, config)
        for key in ("permission", "permissions"):
            yield from _rules(opencode_rules(table.get(key)), path, config)


def _goose_extensions(path: Path, config: Path) -> Iterator[Item]:
    from yeaft.prompts.front_matter import Problem
    from yeaft.prompts.text_file import read_text_file
    from yeaft.prompts.yaml_reader import Mistake, read_yaml

    if not path.is_file():
        return
    text = read_text_file(path, YAML_BYTES)
    if isinstance(text, Problem):
        yield not_taken("servers", path.name, path, text.reason)
        return
    found = read_yaml(text.text)
    if isinstance(found, Mistake):
        yield not_taken("servers", path.name, path, f"line {found.line + 1}: {found.reason}")
        return
    for name, table in table_in(as_json(found.get("extensions"))).items():
        common = of_goose(table_in(table))
        if common.get("type") in GOOSE_OWN:
            yield not_taken("servers", name, path, "it is a part of goose and no server")
        else:
            yield from servers({name: common}, path, config)


def _rules(translated: Iterator[Translated], source: Path, config: Path) -> Iterator[Item]:
    for one in translated:
        name = f"{one.verdict} {one.written}"
        if not one.rules:
            yield not_taken("rules", name, source, one.reason)
        for rule in one.rules:
            yield Item(
                kind="rules",
                name=name,
                source=str(source),
                becomes=f"{one.verdict} {rule}",
                content=NewRule(path=config, verdict=one.verdict, rule=rule),
            )


def _table(path: Path) -> Generator[Item, None, dict[str, Json] | None]:
    """The object in a JSON file; one that cannot be read is named, and gives None."""
    try:
        found = read_table(path)
    except ValueError as error:
        yield not_taken("rules", path.name, path, str(error))
        return None
    return found if isinstance(found, dict) else None
