"""The permission policy: whether a call may run, must be asked about, or is denied. It only looks where paths lead.

A deny rule wins over an ask rule, that over an allow rule, and that over what the mode says:

    ask     reading inside the work folder is free, as are commands that only read; the rest asks, so does the web
    edits   writing files inside is free too
    plan    only reading; the rest is denied, whatever allow rules say
    auto    all that stays inside the work folder is free
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct, structs

from yeaft.config.settings import Mode
from yeaft.kernel.errors import ToolFailed
from yeaft.kernel.outcome import Guard
from yeaft.tools.paths import Paths
from yeaft.tools.policy import rules
from yeaft.tools.policy.read_denials import Withheld, withheld
from yeaft.tools.policy.rules import Rule, Rules
from yeaft.tools.policy.sensitive import is_sensitive, spellings
from yeaft.tools.policy.verdict import Verdict, allow_flag
from yeaft.tools.tool import BoundCall, Touches

SEARCHERS = frozenset({"WebSearch"})
ALWAYS_ALLOWED = frozenset({"TodoWrite", "AskUser", "RouteForward", "CancelTask", "JsReplReset"})
"""Tools that reach nothing but what the Session itself has started."""
PLAN_DENIES = (
    "Plan mode: only reading is allowed. Do not look for another way to do this; put it into the plan instead."
)


class Policy(Struct, frozen=True, kw_only=True):
    """The mode, the rules and the folders by which calls are judged."""

    mode: Mode
    rules: Rules
    paths: Paths

    def within(self, mode: Mode | None, rules: Rules) -> "Policy":
        """The policy with more rules, and another mode unless it is None."""
        both = Rules(
            allow=(*self.rules.allow, *rules.allow),
            ask=(*self.rules.ask, *rules.ask),
            deny=(*self.rules.deny, *rules.deny),
        )
        return structs.replace(self, mode=mode or self.mode, rules=both)

    def judge(self, call: BoundCall) -> Verdict:
        """The verdict on a call, from what it says it would read, write, run or visit."""
        return self.judge_use(call.tool, call.guard, call.touches)

    def judge_use(self, tool: str, guard: Guard, touches: Touches) -> Verdict:
        """The verdict on a use of a tool that touches these things."""
        if denied := _about_tool(self.rules.deny, tool):
            return Verdict(decision="deny", rule=denied.text, reason=f"The rule {denied.text} denies this tool.")
        if touches.command is not None:
            return self.judge_command(touches.command, touches.command_cwd)
        if tool in ALWAYS_ALLOWED:
            return Verdict(decision="allow", reason="It stays inside the Session.")
        if asked := _about_tool(self.rules.ask, tool):
            return Verdict(decision="ask", rule=asked.text, reason=f"The rule {asked.text} asks.")
        verdicts = [self._about_file(tool, text, writing=writing) for text, writing in _files(touches)]
        verdicts += [self._about_domain(tool, domain) for domain in touches.domains]
        if not verdicts or guard == "unsafe":
            verdicts.append(self._by_guard(tool, guard))
        return _strictest(verdicts)

    def may_visit(self, tool: str, domain: str) -> bool:
        """Whether a tool that was let out may be sent on to `domain`: a server chose it, so only rules can object."""
        objections = (*self.rules.deny, *self.rules.ask)
        return _about_tool(objections, tool) is None and rules.about_domain(objections, tool, domain) is None

    def withheld(self, folder: Path) -> Withheld:
        """What the deny rules keep from being read in `folder` (absolute, links followed) and below."""
        return withheld(self.rules.deny, folder, self.paths)

    def judge_command(self, command: str, cwd: str = "") -> Verdict:
        """The verdict on a shell command; `cwd` as the model wrote it, empty for the work folder."""
        from yeaft.tools.policy.shell_judge import ShellJudge

        return ShellJudge(mode=self.mode, rules=self.rules, paths=self.paths).verdict(command, cwd)

    def _about_domain(self, tool: str, domain: str) -> Verdict:
        if denied := rules.about_domain(self.rules.deny, tool, domain):
            return Verdict(decision="deny", rule=denied.text, reason=f"The rule {denied.text} denies {domain}.")
        if asked := rules.about_domain(self.rules.ask, tool, domain):
            return Verdict(decision="ask", rule=asked.text, reason=f"The rule {asked.text} asks.")
        allowed = rules.about_domain(self.rules.allow, tool, domain)
        if allowed or self.mode == "auto":
            return Verdict(decision="allow", rule=allowed.text if allowed else "")
        return self._going_out(f"{tool}(domain:{domain})", f"It sends a request to {domain}.")

    def _going_out(self, offer: str, reason: str) -> Verdict:
        """Ask before anything leaves the machine: an address or a search can carry what was read here."""
        return Verdict(decision="ask", reason=reason, offer=offer, flag=allow_flag(offer))

    def _by_guard(self, tool: str, guard: Guard) -> Verdict:
        allowed = _about_tool(self.rules.allow, tool)
        if self.mode == "plan" and guard not in {"read", "local"}:
            return Verdict(decision="deny", reason=PLAN_DENIES)
        if allowed or self.mode == "auto" or (guard in {"read", "local"} and tool not in SEARCHERS):
            return Verdict(decision="allow", rule=allowed.text if allowed else "")
        if tool in SEARCHERS:
            return self._going_out(tool, "It sends the words to a search service.")
        return Verdict(
            decision="ask", reason=f"{tool} has effects outside this session.", offer=tool, flag=allow_flag(tool)
        )

    def _about_file(self, tool: str, text: str, *, writing: bool) -> Verdict:
        try:
            forms = spellings(text, self.paths)
        except ToolFailed:
            return Verdict(decision="allow", reason="The path cannot be resolved; the tool will say so.")
        real = forms[1]
        if denied := self._path_rule(self.rules.deny, forms, writing=writing):
            return Verdict(decision="deny", rule=denied.text, reason=f"The rule {denied.text} denies {text}.")
        if writing and self.mode == "plan":
            return Verdict(decision="deny", reason=PLAN_DENIES)
        if asked := self._path_rule(self.rules.ask, forms, writing=writing):
            return Verdict(decision="ask", rule=asked.text, reason=f"The rule {asked.text} asks.")
        sensitive = writing and any(is_sensitive(path, self.paths) for path in forms)
        allowed = self._path_rule(self.rules.allow, (real,), writing=writing) or _about_tool(self.rules.allow, tool)
        if allowed and not (sensitive and allowed.covers_all):
            return Verdict(decision="allow", rule=allowed.text)
        return self._by_mode(f"{tool}({self.paths.shown(real)})", real, writing=writing, sensitive=sensitive)

    def _by_mode(self, offer: str, real: Path, *, writing: bool, sensitive: bool) -> Verdict:
        question = Verdict(decision="ask", offer=offer, flag=allow_flag(offer))
        if not self.paths.inside(real):
            return structs.replace(question, reason=f"{real} lies outside the work folder.")
        if sensitive:
            return structs.replace(question, reason=f"{real} is a place that only changes when you say so.")
        if writing and self.mode == "ask":
            return structs.replace(question, reason=f"It writes {self.paths.shown(real)}.", flag="--mode edits")
        return Verdict(decision="allow")

    def _path_rule(self, wanted: tuple[Rule, ...], forms: Sequence[Path], *, writing: bool) -> Rule | None:
        return rules.about_path(wanted, writing=writing, spellings=forms, paths=self.paths)


def _about_tool(wanted: tuple[Rule, ...], tool: str) -> Rule | None:
    return next((one for one in wanted if one.pattern is None and one.names(tool)), None)


def _files(touches: Touches) -> Iterator[tuple[str, bool]]:
    for text in touches.reads:
        yield text, False
    for text in touches.writes:
        yield text, True


def _strictest(verdicts: Sequence[Verdict]) -> Verdict:
    order = ("deny", "ask", "allow")
    return min(verdicts, key=lambda one: order.index(one.decision))
