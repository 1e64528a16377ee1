"""What a project may not say: before anybody trusts it, all but what is forbidden or asked; and never some settings."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from yeaft.config.files import read_layer
from yeaft.config.tables import Layer, Table, Value
from yeaft.kernel.errors import ConfigError

LIMIT_BYTES = 256 * 1024
STRICTER = ("ask", "deny")


def tightening(paths: Sequence[Path]) -> tuple[list[Layer], list[str]]:
    """The ask and deny rules in these files, and a sentence about each file that cannot be read; never raises."""
    layers: list[Layer] = []
    remarks: list[str] = []
    for path in paths:
        try:
            if path.stat().st_size > LIMIT_BYTES:
                remarks.append(f"{path} is larger than {LIMIT_BYTES // 1024} KiB, so nothing of it is in force.")
                continue
            layer = read_layer(path)
        except (OSError, ConfigError) as error:
            remarks.append(f"{error} Nothing of it is in force.")
            continue
        if layer is not None and (table := _stricter(layer.table)):
            layers.append(Layer(origin=layer.origin, table=table, path=layer.path, text=layer.text))
    return layers, remarks


def within_sandbox(layer: Layer, below: Table) -> Layer:
    """A project's layer without its `[sandbox]` if the settings `below` say that a sandbox is required."""
    sandbox = below.get("sandbox")
    if not (isinstance(sandbox, dict) and sandbox.get("required") is True) or "sandbox" not in layer.table:
        return layer
    return structs.replace(layer, table={key: value for key, value in layer.table.items() if key != "sandbox"})


def without_keys(layer: Layer) -> tuple[Layer, tuple[str, ...]]:
    """A project's layer without its `[keys]`, and a sentence about them if it has any: keys do what the user knows."""
    if "keys" not in layer.table:
        return layer, ()
    table = {key: value for key, value in layer.table.items() if key != "keys"}
    return structs.replace(layer, table=table), (
        f"{layer.path} has [keys], which are not in force: keys are set in your own config.toml alone.",
    )


def _stricter(table: Table) -> Table:
    """The rules that ask or deny, of everybody and of single VPs."""
    found: Table = {}
    if rules := _rules(table.get("permissions")):
        found["permissions"] = rules
    vps = table.get("vps")
    own: Table = {vp_id: rules for vp_id, one in vps.items() if (rules := _rules(one))} if isinstance(vps, dict) else {}
    if own:
        found["vps"] = own
    return found


def _rules(table: Value | None) -> Table:
    if not isinstance(table, dict):
        return {}
    lists = {kind: rules for kind in STRICTER if isinstance(rules := table.get(kind), list)}
    return {kind: [rule for rule in rules if isinstance(rule, str)] for kind, rules in lists.items()}
