"""Settings that come from `YEAFT_*` environment variables."""

from collections.abc import Callable, Mapping

from yeaft.config.tables import Layer, Value, nested
from yeaft.kernel.errors import ConfigError

GENERIC_PROVIDER = "env"
"""The provider that `YEAFT_BASE_URL`, `YEAFT_API_KEY` and `YEAFT_PROTOCOL` describe."""

_SETTINGS: Mapping[str, tuple[tuple[str, str], Callable[[str], Value]]] = {
    "YEAFT_FAST_MODEL": (("models", "fast"), str),
    "YEAFT_FALLBACK_MODEL": (("models", "fallback"), str),
    "YEAFT_EFFORT": (("models", "effort"), str),
    "YEAFT_MODE": (("permissions", "mode"), str),
    "YEAFT_MAX_ROUNDS": (("limits", "max_rounds"), int),
    "YEAFT_MAX_COST": (("limits", "max_cost_usd"), float),
    "YEAFT_MAX_RETRIES": (("retry", "max_retries"), int),
}
_TOP_LEVEL: Mapping[str, str] = {"YEAFT_LANGUAGE": "language", "YEAFT_VP": "default_vp"}


def variable_layers(environ: Mapping[str, str]) -> list[Layer]:
    """One layer for each `YEAFT_*` setting that is set and not empty. Raises `ConfigError` for a number that is none.

    `YEAFT_MODEL` is the primary model; together with `YEAFT_BASE_URL` or `YEAFT_API_KEY` it is a model of theirs.
    """
    layers = [
        Layer(origin=name, table=nested(parts, _converted(name, environ[name], convert)))
        for name, (parts, convert) in _SETTINGS.items()
        if environ.get(name)
    ]
    layers += [Layer(origin=name, table={key: environ[name]}) for name, key in _TOP_LEVEL.items() if environ.get(name)]
    if model := environ.get("YEAFT_MODEL", "").strip():
        layers.append(Layer(origin="YEAFT_MODEL", table={"models": {"primary": _generic(model, environ)}}))
    return layers


def has_generic_provider(environ: Mapping[str, str]) -> bool:
    """Whether the environment itself describes a server to talk to."""
    return bool(environ.get("YEAFT_BASE_URL") or environ.get("YEAFT_API_KEY"))


def _generic(model: str, environ: Mapping[str, str]) -> str:
    prefix = f"{GENERIC_PROVIDER}/"
    return model if not has_generic_provider(environ) or model.startswith(prefix) else prefix + model


def _converted(name: str, text: str, convert: Callable[[str], Value]) -> Value:
    try:
        return convert(text)
    except ValueError as error:
        raise ConfigError(f"The variable {name} must be a number, not {text!r}. Correct or unset it.") from error
