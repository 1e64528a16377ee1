"""`yeaft model`: which models can be used and through what, and which one would answer and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option, run_group
from yeaft.interfaces.cli.commands.printing import put, put_json, put_table
from yeaft.interfaces.cli.remarks import remarks_on_variables
from yeaft.kernel.errors import ConfigError, NoCredentials, NotFound
from yeaft.kernel.outcome import EXIT_ANSWERED
from yeaft.kernel.usage import Price

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options
    from yeaft.llm.choice import Chosen
    from yeaft.llm.providers import Server
    from yeaft.llm.router import Route

SHORTENED_FROM_TOKENS = 10_000


class ModelRow(Struct, frozen=True, kw_only=True):
    """A model. `through` is the key or server that makes it usable or, if it is not `usable`, what is missing.

    `price` is in US dollars per million tokens, None if unknown; `price_as_of` None if the user gave the price. `tools`
    is "text" for a model that calls tools in plain text.
    """

    ref: str
    usable: bool
    through: str
    aliases: tuple[str, ...]
    protocol: str
    base_url: str
    context_tokens: int
    output_tokens: int
    price: Price | None
    price_as_of: str | None
    efforts: tuple[str, ...]
    tools: bool | Literal["text"]
    images: bool
    known: bool


class ModelShown(ModelRow, frozen=True, kw_only=True):
    """The model that would answer, and the place that named it."""

    named_by: str


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft model ...` and return the exit code."""
    return run_group("model", ACTIONS, options, words)


def ls(desk: Desk, *, everything: bool) -> int:
    """List models, usable ones first; without `--all` only those."""
    shelf = Shelf(desk)
    answering = shelf.answering()
    known = {row.ref: row for row in (*((answering,) if answering else ()), *shelf.rows())}
    rows = sorted(known.values(), key=lambda row: not row.usable)
    shown = [row for row in rows if row.usable or everything]
    if desk.as_json:
        put_json(shown)
        return EXIT_ANSWERED
    if not shown:
        desk.note("models.none_usable")
        return EXIT_ANSWERED
    headings = [desk.text(f"heading.{key}") for key in ("model", "context", "output", "tools", "price", "through")]
    put_table(headings, [_cells(desk, row) for row in shown])
    if answering:
        desk.note("models.answers", model=answering.ref, origin=answering.named_by)
    for code, params in remarks_on_variables(desk.environ):
        desk.note(code, **params)
    if len(shown) < len(rows):
        desk.note("models.more", count=len(rows) - len(shown))
    return EXIT_ANSWERED


def show(desk: Desk, *, ref: str, vp: str) -> int:
    """Show one model, or the one that would answer here."""
    row = Shelf(desk).shown(ref or desk.options.model, vp)
    if desk.as_json:
        put_json(row)
        return EXIT_ANSWERED
    lines = (
        ("model", row.ref),
        ("named_by", row.named_by),
        ("through", row.through if row.usable else desk.text("models.not_usable", missing=row.through)),
        ("protocol", row.protocol),
        ("base_url", row.base_url or desk.text("models.own_server")),
        ("context", f"{row.context_tokens:,}"),
        ("output", f"{row.output_tokens:,}"),
        ("price", _price_line(desk, row)),
        ("efforts", ", ".join(row.efforts) or "-"),
        ("tools", desk.text("models.in_text") if row.tools == "text" else _tools(desk, row)),
        ("images", desk.text("models.yes" if row.images else "models.no")),
    )
    for key, value in lines:
        put(desk.fact(f"heading.{key}", value))
    if not row.known:
        desk.note("model.unknown", model=row.ref, context_tokens=row.context_tokens)
    for code, params in remarks_on_variables(desk.environ, model=ref):
        desk.note(code, **params)
    return EXIT_ANSWERED


class Shelf:
    """All models that can be named here, with what is known of each."""

    def __init__(self, desk: Desk) -> None:
        from yeaft.llm.catalogue import read_catalogue
        from yeaft.llm.providers import servers
        from yeaft.prompts.find import templates_dir

        self._desk = desk
        self.catalogue = read_catalogue(templates_dir())
        self._servers = servers(desk.config, desk.environ)

    def rows(self) -> Iterator[ModelRow]:
        """Yield every model that can be named without guessing, the user's own first."""
        from yeaft.llm.router import known_refs, resolve

        short = {f"{provider}/{name}" for provider, names in self.catalogue.aliases.items() for name in names}
        for ref in known_refs(self._desk.config, self._desk.environ, self.catalogue):
            if ref in short:
                continue
            try:
                yield self.row(resolve(self._desk.config, self._desk.environ, self.catalogue, ref))
            except (ConfigError, NotFound):
                continue  # a provider of the user's that redefines a known name, without this model

    def row(self, route: Route) -> ModelRow:
        """Return what is known of the model at the end of `route`."""
        entry = route.entry
        usable, through = self._access(self._servers[entry.provider])
        names = self.catalogue.aliases.get(entry.provider, {})
        own = any(model.id == entry.id for model in self._servers[entry.provider].models)
        return ModelRow(
            ref=entry.ref,
            usable=usable,
            through=through,
            aliases=tuple(name for name, model_id in names.items() if model_id == entry.id),
            protocol=entry.protocol,
            base_url=route.base_url,
            context_tokens=entry.context_tokens,
            output_tokens=entry.output_tokens,
            price=entry.price,
            price_as_of=None if own or entry.price is None else self.catalogue.as_of,
            efforts=entry.efforts,
            tools=entry.tools,
            images=entry.images,
            known=entry.known,
        )

    def shown(self, ref: str, vp: str) -> ModelShown:
        """Return the model that answers, with the place that named it. Raises as `chosen`, and `NotFound`."""
        from yeaft.llm.router import resolve

        desk, chosen = self._desk, self.chosen(ref, vp)
        route = resolve(desk.config, desk.environ, self.catalogue, chosen.ref, named_by=chosen.named_by)
        named_by = origin_of(desk.loaded.origins, chosen)
        return ModelShown(**msgspec.structs.asdict(self.row(route)), named_by=named_by)

    def answering(self) -> ModelShown | None:
        """Return the model that answers when nobody says which; None if there is none."""
        try:
            return self.shown(self._desk.options.model, "")
        except (ConfigError, NoCredentials, NotFound):
            return None  # `model show` and `doctor` tell what is wrong

    def chosen(self, ref: str, vp: str) -> Chosen:
        """Return the model that is used when `ref` is given or, if it is empty, when nothing is."""
        from yeaft.interfaces.cli.wishes import vp_ids
        from yeaft.llm.choice import choose_model

        desk = self._desk
        vp_id = vp_ids((vp,), desk.library)[0] if vp else ""
        person = desk.library.get(vp_id) if vp_id else None
        return choose_model(
            desk.config,
            desk.environ,
            self.catalogue,
            flag=ref,
            vp_id=vp_id,
            vp_model=person.model if person else "",
            embedded=self._has_embedded,
        )

    @cached_property
    def _has_embedded(self) -> bool:
        from yeaft.llm.embedded_files import status

        return status(self._desk.home).is_ready

    def _access(self, server: Server) -> tuple[bool, str]:
        """Return whether models of `server` can be asked, and through what or what is missing."""
        from yeaft.llm.providers import LOCAL_PROVIDER, CommandKey, GivenKey, NoKey, VariableKey, has_key

        if server.name == LOCAL_PROVIDER and not server.base_url:
            return self._has_embedded, "yeaft local setup"
        match server.key:
            case NoKey():
                return bool(server.base_url), server.base_url or f"providers.{server.name}.base_url"
            case GivenKey():
                return True, f"providers.{server.name}.api_key"
            case CommandKey():
                return True, f"providers.{server.name}.api_key_cmd"
            case VariableKey(name=name):
                return has_key(server, self._desk.environ), name


def origin_of(origins: Mapping[str, str], chosen: Chosen) -> str:
    """Return the place that named a model; for a setting the variable or the file that it is set in as well."""
    origin = origins.get(chosen.named_by, "")
    if not origin or origin.startswith("YEAFT_"):
        return origin or chosen.named_by
    return f"{chosen.named_by} ({origin})"


def _cells(desk: Desk, row: ModelRow) -> tuple[str, ...]:
    numbers = _k(row.context_tokens), _k(row.output_tokens)
    return row.ref, *numbers, _tools(desk, row), _price(row), row.through


def _tools(desk: Desk, row: ModelRow) -> str:
    if row.tools == "text":
        return desk.text("models.text")
    return desk.text("models.yes" if row.tools else "models.no")


def _k(tokens: int) -> str:
    return str(tokens) if tokens < SHORTENED_FROM_TOKENS else f"{tokens // 1000}k"


def _price(row: ModelRow) -> str:
    return "-" if row.price is None else f"{row.price.input:g}/{row.price.output:g}"


def _price_line(desk: Desk, row: ModelRow) -> str:
    if row.price is None:
        return desk.text("models.no_price")
    code = "models.price" if row.price_as_of else "models.own_price"
    return desk.text(code, input=row.price.input, output=row.price.output, as_of=row.price_as_of or "")


ACTIONS: Mapping[str, Action] = {
    "ls": Action(run=ls, params=(flag("--all", "everything"),)),
    "show": Action(run=show, params=(argument("REF", default=""), option("--vp", default=""))),
}
