"""`yeaft perms`: what may run without a question, what asks, what is denied, and by which rule; nothing is run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypedDict, Unpack

import click
from msgspec import Struct

from yeaft.config.settings import Config, Mode
from yeaft.interfaces.cli.commands.parsing import Action, argument, flag, option, run_group
from yeaft.interfaces.cli.commands.printing import put, put_json, put_table
from yeaft.interfaces.cli.commands.reading import read_text
from yeaft.interfaces.cli.wishes import vp_ids
from yeaft.kernel.errors import UsageError
from yeaft.kernel.outcome import EXIT_ANSWERED, EXIT_FAILED
from yeaft.session.permits import Permits
from yeaft.tools.paths import Paths
from yeaft.tools.policy.grants import Grant, Place, flagged, grants
from yeaft.tools.policy.policy import Policy
from yeaft.tools.policy.rules import rule
from yeaft.tools.policy.verdict import Judged, Judgement, Verdict
from yeaft.tools.policy.visible import visible
from yeaft.tools.tool import Touches

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options


class Explained(Struct, frozen=True, kw_only=True):
    """What would happen to a call; `rule` is empty where the mode or what is built in decides.

    `flag` is what would allow it on the command line, `offer` the rule that `always` would save.
    """

    verdict: Judgement
    rule: str
    reason: str
    commands: tuple[Judged, ...]
    flag: str
    offer: str
    mode: Mode
    vp: str


class InForce(Struct, frozen=True, kw_only=True):
    """One rule in force; `layer` is the kind of place that set it, `vp` empty for everybody."""

    verdict: Judgement
    rule: str
    layer: Place
    origin: str
    vp: str


class Differing(Struct, frozen=True, kw_only=True):
    """A line of a test file whose command gets another verdict than it says."""

    line: int
    wanted: Judgement
    verdict: Judgement
    rule: str
    reason: str
    command: str


class Tested(Struct, frozen=True, kw_only=True):
    """How a test file fared."""

    cases: int
    differing: tuple[Differing, ...]


class Wishes(TypedDict):
    """The values of the options that `explain`, `ls` and `test` share."""

    bare: bool
    mode: Mode | None
    vp: str
    resume: str
    allow: tuple[str, ...]
    ask: tuple[str, ...]
    deny: tuple[str, ...]


class Asked(Struct, frozen=True, kw_only=True):
    """Whose permissions are asked about; `vp_id` is empty for those of everybody."""

    permits: Permits
    grants: tuple[Grant, ...]
    vp_id: str

    @property
    def policy(self) -> Policy:
        """By what calls are judged."""
        return self.permits.policy(self.vp_id)


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft perms ...` and return the exit code."""
    return run_group("perms", ACTIONS, options, words)


def explain(
    desk: Desk,
    *,
    command: tuple[str, ...],
    tool: str,
    paths: tuple[str, ...],
    domain: str,
    **wishes: Unpack[Wishes],
) -> int:
    """Say what would happen to a command, or to a call of another tool."""
    asked = _asked(desk, wishes)
    text = " ".join(command)
    if bool(text) == bool(tool):
        raise UsageError("Give a command after --, or --tool. See `yeaft perms explain --help`.")
    if tool:
        verdict = _about_tool(desk, asked, tool, paths, domain)
    else:
        verdict = asked.policy.judge_command(read_text("-").rstrip("\n") if text == "-" else text)
    told = _explained(verdict, asked)
    if desk.as_json:
        put_json(told)
    else:
        _tell(desk, told)
    return EXIT_ANSWERED


def ls(desk: Desk, **wishes: Unpack[Wishes]) -> int:
    """List the rules in force, with where each was set."""
    asked = _asked(desk, wishes)
    rows = [
        InForce(verdict=one.verdict, rule=one.rule.text, layer=one.place, origin=one.origin, vp=one.vp_id)
        for one in asked.grants
        if not asked.vp_id or one.vp_id in ("", asked.vp_id)
    ]
    if desk.as_json:
        put_json(rows)
        return EXIT_ANSWERED
    headings = [desk.text(f"heading.{key}") for key in ("judgement", "rule", "vp", "origin")]
    put_table(headings, [(desk.text(f"perms.{row.verdict}"), row.rule, row.vp or "-", row.origin) for row in rows])
    desk.note("perms.mode", mode=asked.policy.mode)
    for path in () if wishes["bare"] else desk.loaded.unread:
        desk.note("perms.only_tightens", path=str(path))
    return EXIT_ANSWERED


def test(desk: Desk, *, file: str, **wishes: Unpack[Wishes]) -> int:
    """Judge every command of a file and say which get another verdict than the file says."""
    from yeaft.tools.policy.rule_cases import cases

    policy = _asked(desk, wishes).policy
    found = [
        (case, policy.within(case.mode, case.rules).judge_command(case.command)) for case in cases(read_text(file))
    ]
    differing = tuple(
        Differing(
            line=case.line,
            wanted=case.wanted,
            verdict=verdict.decision,
            rule=verdict.rule,
            reason=verdict.reason,
            command=case.command,
        )
        for case, verdict in found
        if verdict.decision != case.wanted
    )
    if desk.as_json:
        put_json(Tested(cases=len(found), differing=differing))
    else:
        for one in differing:
            words = {"wanted": one.wanted, "verdict": one.verdict, "command": visible(one.command)}
            put(desk.text("perms.differs", line=one.line, reason=desk.ui.retold(one.reason), **words))
        put(desk.text("perms.tested", cases=len(found), differing=len(differing)))
    return EXIT_FAILED if differing else EXIT_ANSWERED


def _asked(desk: Desk, wishes: Wishes) -> Asked:
    """What the options of this command, and those before it, ask about."""
    from yeaft.session.catalogue import RULED

    options, bare = desk.options, wishes["bare"]
    named = vp_ids((wishes["vp"],) if wishes["vp"] else options.vps, desk.library)
    found = [
        *(() if bare else grants(desk.loaded.layers, desk.home, RULED)),
        *flagged("allow", (*options.allow, *wishes["allow"]), RULED),
        *flagged("ask", wishes["ask"], RULED),
        *flagged("deny", (*options.deny, *wishes["deny"]), RULED),
        *_saved(desk, wishes["resume"] or options.resume),
    ]
    permits = Permits(
        Config() if bare else desk.config,
        found,
        paths=Paths(desk.folder, tuple(path.resolve() for path in options.add_dirs)),
        library=desk.library,
        mode=wishes["mode"] or options.mode,
    )
    return Asked(permits=permits, grants=tuple(found), vp_id=next(iter(named), ""))


def _saved(desk: Desk, ref: str) -> Iterator[Grant]:
    """The rules that the user has agreed to in a Session."""
    if not ref:
        return
    from yeaft.session.offline import read_session

    for saved in read_session(desk.home, ref).state.rules:
        if saved.scope == "session":
            yield Grant(verdict="allow", rule=rule(saved.rule), place="session", origin=ref)


def _about_tool(desk: Desk, asked: Asked, tool: str, paths: tuple[str, ...], domain: str) -> Verdict:
    from yeaft.session.catalogue import guard_of

    if not asked.permits.has_tool(asked.vp_id, tool):
        return Verdict(decision="deny", reason=desk.text("tool.vp_file", vp=asked.vp_id))
    guard = guard_of(tool)
    reads = guard in {"read", "local"}
    touches = Touches(
        reads=paths if reads else (), writes=() if reads else paths, domains=(domain.casefold(),) if domain else ()
    )
    return asked.policy.judge_use(tool, guard, touches)


def _explained(verdict: Verdict, asked: Asked) -> Explained:
    return Explained(
        verdict=verdict.decision,
        rule=verdict.rule,
        reason=verdict.reason,
        commands=verdict.commands,
        flag=verdict.flag,
        offer=verdict.offer,
        mode=asked.policy.mode,
        vp=asked.vp_id,
    )


def _tell(desk: Desk, told: Explained) -> None:
    put(desk.text(f"perms.{told.verdict}"))
    for line in _lines(desk, told):
        put(f"  {line}")


def _lines(desk: Desk, told: Explained) -> Iterator[str]:
    if told.reason:
        yield desk.ui.retold(visible(told.reason))
    if told.rule and told.rule not in told.reason:
        yield desk.text("perms.by_rule", rule=told.rule)
    if len(told.commands) > 1 or told.verdict != "allow":
        for one in told.commands:
            yield desk.text("perms.part", verdict=desk.text(f"perms.{one.verdict}"), command=visible(one.command))
    if told.flag:
        yield desk.text("perms.flag", flag=visible(told.flag))
    yield desk.text("perms.mode", mode=told.mode)


SHARED = (
    flag("--bare"),
    option("--mode", type=click.Choice(["ask", "edits", "plan", "auto"])),
    option("--vp", "--agent", "vp", default=""),
    option("-r", "--resume", "-s", "--session", "resume", default=""),
    option("--allow", multiple=True),
    option("--ask", multiple=True),
    option("--deny", multiple=True),
)
ACTIONS: Mapping[str, Action] = {
    "explain": Action(
        run=explain,
        params=(
            argument("COMMAND", nargs=-1),
            *SHARED,
            option("--tool", default=""),
            option("--path", "paths", multiple=True),
            option("--domain", default=""),
        ),
    ),
    "ls": Action(run=ls, params=SHARED),
    "test": Action(run=test, params=(argument("FILE"), *SHARED)),
}
