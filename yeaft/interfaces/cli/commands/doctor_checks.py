"""What `yeaft doctor` looks at: one function per thing, none of which changes anything or asks a network."""

from __future__ import annotations

import locale
import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft import __version__
from yeaft.interfaces.cli.commands.doctor_check import Check, Status
from yeaft.kernel.errors import ConfigError, NoCredentials, NotFound

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.llm.providers import Key

STDOUT = 1
LOW_DISK_BYTES = 200 * 1024 * 1024
NO_DISK_BYTES = 5 * 1024 * 1024
OTHERS_MODE = 0o077
USER_IN_URL = re.compile(r"(?<=://)[^/?#\s]+(?=@)")
QUERY_IN_URL = re.compile(r"(://[^?\s]*\?)\S+")
PREFIX = "YEAFT_"
VARIABLES = (
    "YEAFT_API_KEY",
    "YEAFT_BASE_URL",
    "YEAFT_COLOR",
    "YEAFT_DIR",
    "YEAFT_EFFORT",
    "YEAFT_FALLBACK_MODEL",
    "YEAFT_FAST_MODEL",
    "YEAFT_LANGUAGE",
    "YEAFT_MAX_COST",
    "YEAFT_MAX_RETRIES",
    "YEAFT_MAX_ROUNDS",
    "YEAFT_MODE",
    "YEAFT_MODEL",
    "YEAFT_PROTOCOL",
    "YEAFT_VP",
)
"""All that yeaft looks at."""
MARKS = ("YEAFT_CALL", "YEAFT_HOOK", "YEAFT_JS", "YEAFT_PROJECT_DIR", "YEAFT_SESSION_ID", "YEAFT_SHELL")
"""What it sets itself for the commands of VPs and hooks."""


def checks(desk: Desk) -> Iterator[Check]:
    """Yield all checks, with nothing in them that would open a door, because people paste them into reports."""
    return (replace(check, detail=_without_credentials(check.detail)) for check in _checks(desk))


def _without_credentials(text: str) -> str:
    """Hide names and passwords in URLs, and their queries, which may hold a key."""
    return QUERY_IN_URL.sub(r"\1***", USER_IN_URL.sub("***", text))


def _checks(desk: Desk) -> Iterator[Check]:
    """Yield all checks. A broken configuration fails its own check and leaves out what depends on it."""
    yield Check(name="yeaft", status="ok", detail=f"{__version__} ({Path(__file__).parents[3]})")
    yield Check(name="python", status="ok", detail=f"{platform.python_version()} ({sys.executable})")
    yield from _home(desk)
    config = _config(desk)
    yield config
    yield _vps(desk)
    yield from _variables(desk)
    if config.status != "fail":
        yield from _providers(desk)
        yield _model(desk)
    yield _embedded(desk)
    yield _search(desk)
    yield _git(desk)
    yield _shell(desk)
    if config.status != "fail":
        yield from _guards(desk)
        yield from _folder(desk)
    yield _terminal(desk)
    yield _locale(desk)
    if config.status != "fail":
        yield _keys(desk)


def _home(desk: Desk) -> Iterator[Check]:
    from yeaft.store.filesystem import is_network

    home = desk.home
    existing = next(place for place in (home, *home.parents) if place.exists())
    if not (existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)):
        remedy = desk.text("doctor.home_remedy", path=str(existing))
        yield Check(name="home", status="fail", detail=f"{home}", remedy=remedy)
        return
    if existing != home:
        yield Check(name="home", status="ok", detail=desk.text("doctor.home_new", path=str(home)))
    elif home.stat().st_mode & OTHERS_MODE:
        remedy = desk.text("doctor.home_open", path=str(home))
        yield Check(name="home", status="warn", detail=f"{home} ({home.stat().st_mode & 0o777:o})", remedy=remedy)
    else:
        yield Check(name="home", status="ok", detail=str(home))
    yield _disk(desk, existing)
    network = is_network(existing)
    remedy = desk.text("doctor.network_remedy") if network else ""
    detail = desk.text("doctor.on_network" if network else "doctor.on_disk")
    yield Check(name="filesystem", status="warn" if network else "ok", detail=detail, remedy=remedy)


def _disk(desk: Desk, place: Path) -> Check:
    free = shutil.disk_usage(place).free
    detail = desk.text("doctor.free", size=f"{free // (1024 * 1024):,}")
    if free >= LOW_DISK_BYTES:
        return Check(name="disk", status="ok", detail=detail)
    status: Status = "fail" if free < NO_DISK_BYTES else "warn"
    return Check(name="disk", status=status, detail=detail, remedy=desk.text("doctor.disk_remedy", path=str(place)))


def _config(desk: Desk) -> Check:
    from yeaft.config.places import user_config

    path = user_config(desk.home)
    try:
        loaded = desk.loaded
    except ConfigError as error:
        remedy = desk.text("doctor.config_remedy", path=str(path))
        return Check(name="config", status="fail", detail=str(error), remedy=remedy)
    if loaded.notices:
        detail = " ".join(map(desk.ui.retold, loaded.notices))
        return Check(name="config", status="warn", detail=detail, remedy="yeaft config edit")
    detail = str(path) if path.exists() else desk.text("doctor.config_none", path=str(path))
    return Check(name="config", status="ok", detail=detail)


def _vps(desk: Desk) -> Check:
    count = len(desk.library.all())
    problems = desk.library.problems()
    if not problems:
        return Check(name="vps", status="ok", detail=desk.text("doctor.vp_count", count=count))
    status: Status = "fail" if any(problem.fatal for problem in problems) else "warn"
    return Check(name="vps", status=status, detail="\n".join(map(str, problems)), remedy="yeaft vp check")


def _variables(desk: Desk) -> Iterator[Check]:
    """Yield one check for each variable that looks like one of yeaft's and does nothing, or not what it should."""
    from yeaft.interfaces.cli.remarks import remarks_on_variables
    from yeaft.kernel.nearness import nearest

    for name in sorted(desk.environ):
        if name.startswith(PREFIX) and name not in (*VARIABLES, *MARKS):
            near = nearest(name.removeprefix(PREFIX), [one.removeprefix(PREFIX) for one in VARIABLES])
            code = "doctor.variables_near" if near else "doctor.variables_unknown"
            detail = desk.text(code, names=name, nearest=f"{PREFIX}{near}")
            remedy = desk.text("doctor.variables_remedy")
            yield Check(name="variables", status="warn", detail=detail, remedy=remedy)
    for code, params in remarks_on_variables(desk.environ):
        yield Check(name="variables", status="warn", detail=desk.text(code, **params))


def _providers(desk: Desk) -> Iterator[Check]:
    """Yield one check for each provider that somebody set up; the built-in ones only if there is a key."""
    from yeaft.llm.providers import LOCAL_PROVIDER, NoKey, has_key, servers

    for server in servers(desk.config, desk.environ).values():
        named = _key_place(server.key, server.name)
        is_there = has_key(server, desk.environ) or (isinstance(server.key, NoKey) and bool(server.base_url))
        if is_there:
            where = f" → {server.base_url}" if server.base_url else ""
            yield Check(name="provider", status="ok", detail=f"{server.name}: {named}{where}")
        elif server.name in desk.config.providers and server.name != LOCAL_PROVIDER:
            remedy = desk.text("doctor.key_remedy", place=named)
            detail = desk.text("doctor.key_missing", provider=server.name, place=named)
            yield Check(name="provider", status="warn", detail=detail, remedy=remedy)


def _key_place(key: Key, provider: str) -> str:
    from yeaft.llm.providers import CommandKey, GivenKey, NoKey, VariableKey

    match key:
        case NoKey():
            return "-"
        case GivenKey():
            return f"providers.{provider}.api_key"
        case VariableKey(name=name):
            return f"${name}"
        case CommandKey(argv=argv):
            return f"providers.{provider}.api_key_cmd ({argv[0]})"


def _model(desk: Desk) -> Check:
    from yeaft.interfaces.cli.commands.model import origin_of
    from yeaft.llm.catalogue import read_catalogue
    from yeaft.llm.choice import choose_model
    from yeaft.llm.embedded_files import status
    from yeaft.llm.router import resolve
    from yeaft.prompts.find import templates_dir

    catalogue = read_catalogue(templates_dir())
    try:
        chosen = choose_model(desk.config, desk.environ, catalogue, embedded=status(desk.home).is_ready)
        route = resolve(desk.config, desk.environ, catalogue, chosen.ref, named_by=chosen.named_by)
    except NoCredentials:
        remedy = desk.text("doctor.no_model_remedy")
        return Check(name="model", status="warn", detail=desk.text("doctor.no_model"), remedy=remedy)
    except (ConfigError, NotFound) as error:
        return Check(name="model", status="fail", detail=str(error), remedy="yeaft model ls")
    detail = f"{route.entry.ref} ({origin_of(desk.loaded.origins, chosen)})"
    if route.entry.known:
        return Check(name="model", status="ok", detail=detail)
    tokens = f"{route.entry.context_tokens:,}"
    remedy = desk.text("doctor.model_guessed", context_tokens=tokens, provider=route.entry.provider)
    return Check(name="model", status="ok", detail=detail, remedy=remedy)


def _embedded(desk: Desk) -> Check:
    from yeaft.llm.embedded_files import MANIFEST, models_folder, status

    found = status(desk.home)
    if found.files:
        return Check(name="embedded", status="ok", detail=found.files.model)
    is_broken = (models_folder(desk.home) / MANIFEST).exists()
    remedy = "yeaft local setup" if is_broken else ""
    return Check(name="embedded", status="warn" if is_broken else "ok", detail=found.problem, remedy=remedy)


def _search(desk: Desk) -> Check:
    from yeaft.tools.search.ripgrep import best_backend, own_search

    if best_backend() is not own_search:
        return Check(name="ripgrep", status="ok", detail=desk.text("doctor.found"))
    return Check(name="ripgrep", status="ok", detail=desk.text("doctor.ripgrep_own"))


def _git(desk: Desk) -> Check:
    if path := shutil.which("git"):
        return Check(name="git", status="ok", detail=path)
    remedy = desk.text("doctor.git_remedy")
    return Check(name="git", status="warn", detail=desk.text("doctor.not_found"), remedy=remedy)


def _shell(desk: Desk) -> Check:
    path = shutil.which("bash") or shutil.which("sh") or ""
    if path:
        return Check(name="shell", status="ok", detail=path)
    return Check(
        name="shell",
        status="fail",
        detail=desk.text("doctor.not_found"),
        remedy=desk.text("doctor.shell_remedy"),
    )


def _keys(desk: Desk) -> Check:
    from yeaft.interfaces.cli.commands.doctor_keys import keys_check

    return keys_check(desk)


def _guards(desk: Desk) -> Iterator[Check]:
    from yeaft.interfaces.cli.commands.doctor_guards import hook_checks, sandbox_check

    yield sandbox_check(desk)
    yield from hook_checks(desk)


def _folder(desk: Desk) -> Iterator[Check]:
    from yeaft.interfaces.cli.commands.doctor_folder import command_check, server_checks, trust_check

    yield trust_check(desk)
    yield command_check(desk)
    yield from server_checks(desk)


def _terminal(desk: Desk) -> Check:
    if not os.isatty(STDOUT):
        return Check(name="terminal", status="ok", detail=desk.text("doctor.no_terminal"))
    columns, lines = shutil.get_terminal_size()
    return Check(name="terminal", status="ok", detail=f"{desk.environ.get('TERM', '?')}, {columns}x{lines}")


def _locale(desk: Desk) -> Check:
    encoding = locale.getencoding().lower()
    detail = f"{desk.lang}, {encoding}"
    if encoding.replace("-", "") == "utf8":
        return Check(name="locale", status="ok", detail=detail)
    return Check(name="locale", status="warn", detail=detail, remedy=desk.text("doctor.locale_remedy"))
