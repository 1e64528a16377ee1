"""Which model a VP uses when several places have an opinion."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from yeaft.config.settings import Config, VpSettings
from yeaft.kernel.errors import NoCredentials
from yeaft.llm.catalogue import Catalogue
from yeaft.llm.providers import KEY_VARIABLES, LOCAL_PROVIDER, has_key, servers

NO_MODEL = """\
No model to talk to. Choose one of these:
  a key        export ANTHROPIC_API_KEY=... or OPENAI_API_KEY=... (or put a provider into config.toml)
  yeaft local setup   a small model on this machine, no key needed (once, about 160 MB)
  yeaft demo          a scripted model that shows what yeaft does, nothing to install"""


class Chosen(Struct, frozen=True, kw_only=True):
    """A model reference and the place that named it."""

    ref: str
    named_by: str


def choose_model(
    config: Config,
    environ: Mapping[str, str],
    catalogue: Catalogue,
    *,
    flag: str = "",
    vp_id: str = "",
    vp_model: str = "",
    session_model: str = "",
    embedded: bool = False,
) -> Chosen:
    """The first that names a model: `-m`, `[vps.x]`, the VP's file, the Session, `models.primary`, keys, `embedded`.

    The words `primary` and `fast` stand for the configured models; `fast` without one is as good as no word, and so is
    `primary` in a VP's file, because most VPs have no wish of their own. `embedded` says whether the embedded model is
    set up. Raises `NoCredentials` when there is nothing to use.
    """
    named = (
        (flag, "-m"),
        (config.vps.get(vp_id, VpSettings()).model, f"[vps.{vp_id}]"),
        ("" if vp_model == "primary" else vp_model, f"the file of the VP {vp_id}"),
        (session_model, "the Session"),
        (config.models.primary, "models.primary"),
    )
    for word, place in named:
        if word == "fast" and config.models.fast:
            return Chosen(ref=config.models.fast, named_by="models.fast")
        if word == "primary" and config.models.primary:
            return Chosen(ref=config.models.primary, named_by="models.primary")
        if word and word not in ("primary", "fast"):
            return Chosen(ref=word, named_by=place)
    found = next(_defaults(config, environ, catalogue, embedded=embedded), None)
    if found is None:
        raise NoCredentials(NO_MODEL)
    return found


def _defaults(config: Config, environ: Mapping[str, str], catalogue: Catalogue, *, embedded: bool) -> Iterator[Chosen]:
    """What can be used though nobody named a model: the user's own providers, then whoever there is a key for."""
    known = servers(config, environ)
    for name in config.providers:
        models = known[name].models
        if models:
            yield Chosen(ref=f"{name}/{models[0].id}", named_by=f"[providers.{name}]")
        elif name in catalogue.defaults and has_key(known[name], environ):
            yield Chosen(ref=f"{name}/{catalogue.defaults[name].id}", named_by=f"[providers.{name}]")
    for name, variables in KEY_VARIABLES.items():
        if has_key(known[name], environ):
            variable = next((variable for variable in variables if environ.get(variable)), variables[0])
            yield Chosen(ref=f"{name}/{catalogue.defaults[name].id}", named_by=variable)
    if embedded:
        yield Chosen(ref=f"{LOCAL_PROVIDER}/{catalogue.defaults[LOCAL_PROVIDER].id}", named_by="yeaft local setup")
