"""The permission rules in force: who set each of them where, and for whom it holds."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from yeaft.config.places import PROJECT_CONFIGS, user_config
from yeaft.config.settings import Config, Mode, Permissions, VpSettings
from yeaft.config.tables import Layer
from yeaft.kernel.errors import ConfigError
from yeaft.tools.policy.rules import Rule, Rules, check_tool, rule
from yeaft.tools.policy.verdict import Judgement

Place = Literal["system", "user", "project", "variable", "flag", "session"]
STRICTNESS: tuple[Mode, ...] = ("plan", "ask", "edits", "auto")
"""The modes, from the one that allows least."""


class Grant(Struct, frozen=True, kw_only=True):
    """One rule: what it says, where it was set, and the VP it is for (empty: all)."""

    verdict: Judgement
    rule: Rule
    place: Place
    origin: str
    vp_id: str = ""


def grants(layers: Iterable[Layer], home: Path, tools: Collection[str]) -> Iterator[Grant]:
    """The rules of all layers, weakest first; `home` is the folder of all that yeaft keeps, `tools` those built in.

    Raises `ConfigError` that names the rule and the place for the first that cannot be understood, or is for no tool.
    """
    for layer in layers:
        place = _place_of(layer, home)
        everybody = msgspec.convert(layer.table.get("permissions", {}), Permissions)
        yield from _granted(everybody, tools, layer.origin, place)
        own = msgspec.convert(layer.table.get("vps", {}), dict[str, VpSettings])
        for vp_id, settings in own.items():
            yield from _granted(settings, tools, layer.origin, place, vp_id)


def flagged(verdict: Judgement, texts: Iterable[str], tools: Collection[str]) -> Iterator[Grant]:
    """The rules of `--allow`, `--ask` or `--deny`. Raises `ConfigError`."""
    origin = f"--{verdict}"
    for text in texts:
        yield Grant(verdict=verdict, rule=_read(text, origin, tools), place="flag", origin=origin)


def save_rule(path: Path, text: str) -> Path:
    """Allow `text` for good in the `config.toml` at `path`, which is returned; raises `ConfigError` if it cannot."""
    from yeaft.config.edit import append_value

    append_value(path, "permissions.allow", text)
    return path


def rules_for(vp_id: str, wanted: Iterable[Grant]) -> Rules:
    """The rules that hold for a VP: everybody's and its own."""
    found: Mapping[Judgement, list[Rule]] = {"allow": [], "ask": [], "deny": []}
    for grant in wanted:
        if grant.vp_id in ("", vp_id):
            found[grant.verdict].append(grant.rule)
    return Rules(allow=tuple(found["allow"]), ask=tuple(found["ask"]), deny=tuple(found["deny"]))


def mode_for(vp_id: str, config: Config, chosen: Mode | None) -> Mode:
    """The mode that a VP works in; `chosen` is what was chosen for all in this process, which its own may tighten."""
    own = config.vps[vp_id].mode if vp_id in config.vps else None
    if chosen is None:
        return own or config.permissions.mode or "ask"
    return own if own is not None and STRICTNESS.index(own) < STRICTNESS.index(chosen) else chosen


def _granted(
    settings: Permissions | VpSettings, tools: Collection[str], origin: str, place: Place, vp_id: str = ""
) -> Iterator[Grant]:
    lists: Mapping[Judgement, tuple[str, ...]] = {
        "allow": settings.allow,
        "ask": settings.ask,
        "deny": settings.deny,
    }
    for verdict, texts in lists.items():
        for text in texts:
            yield Grant(verdict=verdict, rule=_read(text, origin, tools), place=place, origin=origin, vp_id=vp_id)


def _read(text: str, origin: str, tools: Collection[str]) -> Rule:
    try:
        found = rule(text)
        check_tool(found, tools)
    except ConfigError as error:
        raise ConfigError(f"{origin}: {error}") from error
    return found


def _place_of(layer: Layer, home: Path) -> Place:
    if layer.path is None:
        return "flag" if layer.origin.startswith("-") or layer.origin == "the command line" else "variable"
    if layer.path == user_config(home):
        return "user"
    is_project = any(layer.path.as_posix().endswith(f"/{name.as_posix()}") for name in PROJECT_CONFIGS)
    return "project" if is_project else "system"
