"""Settings typed on the command line: `--set limits.max_rounds=10`, and the key and value of `yeaft config set`."""

from yeaft.config.tables import Layer, Table, Value, nested
from yeaft.kernel.errors import UsageError


def override_layer(text: str) -> Layer:
    """The layer that one `--set key=value` makes. Raises `UsageError` if it has no such form."""
    key, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set {text!r} has no '='. Write --set KEY=VALUE, such as --set limits.max_rounds=10.")
    return Layer(origin=f"--set {key.strip()}", table=nested(key_parts(key), typed_value(value)))


def key_parts(dotted_key: str) -> tuple[str, ...]:
    """The parts of a TOML key such as `vps.skeptic.model` or `vps."a.b".model`. Raises `UsageError`."""
    found: Value | None = _parsed(f"{dotted_key.strip()} = 0")
    parts: list[str] = []
    while isinstance(found, dict) and len(found) == 1:
        part, following = next(iter(found.items()))
        parts.append(part)
        if following == 0:
            return tuple(parts)
        found = following
    raise UsageError(f"{dotted_key!r} is not a key. Keys look like limits.max_rounds; `yeaft config ls` lists them.")


def typed_value(text: str) -> Value:
    """`text` as a TOML value (`10`, `true`, `["a", "b"]`), else as the plain text that it is."""
    found = _parsed(f"value = {text}")
    if found is None or set(found) != {"value"}:
        return text.strip()
    return found["value"]


def _parsed(line: str) -> Table | None:
    import tomllib

    try:
        return tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return None
