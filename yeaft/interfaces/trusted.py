"""What follows from the trust in a work folder for all who read from it: Sessions, checks before them, commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from yeaft.config.trust import Trust, trust_of
from yeaft.kernel.errors import ConfigError
from yeaft.vp.library import Library, vp_folders

if TYPE_CHECKING:
    from yeaft.config.settings import Mode
    from yeaft.events.policy import TrustGranted

SHOWN_PLACES = 4


def trust_for(home: Path, folder: Path, environ: Mapping[str, str], *, by_flag: bool) -> Trust:
    """Return the trust in `folder`. Raises `ConfigError` if `--trust` asks for what cannot be trusted."""
    trust = trust_of(home, folder, environ, by_flag=by_flag)
    if by_flag and not trust.is_trusted:
        from yeaft.tools.policy.visible import visible_on_one_line

        there = ", ".join(visible_on_one_line(one.path) for one in trust.brought.obstacles)
        raise ConfigError(
            f"--trust: {trust.folder} cannot be trusted as long as there is {there}. "
            f"`yeaft trust {_quoted(trust.folder)}` says why."
        )
    return trust


def library_of(home: Path, folder: Path, trust: Trust) -> Library:
    """Return the VPs that can be talked to in `folder`."""
    return Library(vp_folders(home, folder if trust.is_trusted else None))


def may_run_code_in(
    place: Path, home: Path, trust: Trust, environ: Mapping[str, str], mode: Mode, *, by_flag: bool = False
) -> bool:
    """Return whether code in `place` may run unasked: it is the user's own or trusted, or nothing is asked about.

    `trust` is that in the work folder, and holds for all folders within it.
    """
    real = place.resolve()
    is_own = real.is_relative_to(home.resolve()) and not real.is_relative_to(home.resolve() / "sessions")
    is_within = trust.is_trusted and real.is_relative_to(trust.folder)
    return mode == "auto" or is_own or is_within or trust_of(home, real, environ, by_flag=by_flag).is_trusted


def granted(trust: Trust) -> tuple[TrustGranted, ...]:
    """Return what is written down of a trusted folder, if it brings anything."""
    if not (trust.how and trust.brought.digest):
        return ()
    from yeaft.events.policy import TrustGranted

    return (TrustGranted(folder=trust.folder, digest=trust.brought.digest, how=trust.how),)


def trust_remarks(trust: Trust) -> Iterator[tuple[str, dict[str, str]]]:
    """What the user should know: that something of the folder is not used, and how to agree to it."""
    if trust.problem:
        yield "settings.notice", {"text": trust.problem}
    if trust.is_refused:
        places = trust.brought.places
        more = len(places) - SHOWN_PLACES
        shown = ", ".join(places[:SHOWN_PLACES]) + (f", … (+{more})" if more > 0 else "")
        code = "trust.changed_here" if trust.state == "changed" else "trust.unknown_here"
        yield code, {"places": shown, "folder": _quoted(trust.folder)}


def _quoted(folder: str) -> str:
    from shlex import quote

    return quote(folder)
