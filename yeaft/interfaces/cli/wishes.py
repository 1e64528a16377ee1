"""From options to what is asked of a Session."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from yeaft.config import places
from yeaft.config.trust import trust_of
from yeaft.interfaces.cli.options import Options
from yeaft.interfaces.cli.rule_flags import rules_given
from yeaft.interfaces.ground import Wish
from yeaft.interfaces.trusted import library_of
from yeaft.kernel.errors import NotFound
from yeaft.session.opening import Wanted
from yeaft.vp.library import Library
from yeaft.vp.names import Names


def wish_of(options: Options, environ: Mapping[str, str]) -> Wish:
    """Return the Session that the options ask for.

    Raises `NotFound` for a VP nobody knows, and `UsageError` for a rule that cannot be meant.
    """
    folder = options.folder.resolve() if options.folder else places.current_folder()
    return Wish(
        environ=environ,
        folder=folder,
        wanted=Wanted(
            ref=options.resume,
            latest=options.continue_ or (options.continue_turn and not options.resume),
            fork=options.fork,
            at=options.at,
            take_over=options.take_over,
            name=options.name,
            roster=_roster(options, folder, environ),
        ),
        model=options.model,
        effort=options.effort,
        mode=options.mode,
        allow=rules_given("--allow", options.allow),
        deny=rules_given("--deny", options.deny),
        add_dirs=tuple(path.resolve() for path in options.add_dirs),
        lang=options.lang or "",
        settings=options.settings,
        trust=options.trust,
        max_rounds=options.max_rounds,
        max_cost_usd=options.max_cost_usd,
        has_human=options.input_format == "stream-json",
    )


def _roster(options: Options, folder: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    if not options.vps:
        return ()
    home = places.home(environ)
    trust = trust_of(home, folder, environ, by_flag=options.trust)
    return vp_ids(options.vps, library_of(home, folder, trust))


def vp_ids(given: tuple[str, ...], library: Library) -> tuple[str, ...]:
    """Return the ids of VPs named on the command line. Raises `NotFound` with the nearest name."""
    if not given:
        return ()
    names = Names(library.all())
    found: dict[str, None] = {}
    for label in (part for one in given for part in one.split(",") if part.strip()):
        vp_id = names.id_of(label)
        if vp_id is None:
            near = names.nearest(label)
            raise NotFound(f"No VP named {label!r}." + (f" Did you mean {near}?" if near else " See `yeaft vp ls`."))
        found[vp_id] = None
    return tuple(found)
