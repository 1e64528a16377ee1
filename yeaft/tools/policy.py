"""The permission policy: whether a call may run, must be asked about, or is denied. It only looks where paths lead.

A deny rule wins over an ask rule, that over an allow rule, and that over what the mode says:

    ask     reading inside the work folder is free, as are commands that only read; the rest asks
    edits   writing files inside is free too
    plan    only reading; the rest is denied, whatever allow rules say
    auto    all that stays inside the work folder is free
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct, structs

from yeaft.config.settings import Mode
from yeaft.kernel.errors import ToolFailed
from yeaft.tools import rules
from yeaft.tools.paths import Paths
from yeaft.tools.rules import Rule, Rules
from yeaft.tools.sensitive import is_sensitive, spellings
from yeaft.tools.tool import BoundCall
from yeaft.tools.verdict import Verdict, allow_flag

ALWAYS_ALLOWED = frozenset({"TodoWrite", "AskUser", "RouteForward"})
PLAN_DENIES = (
    "Plan mode: only reading is allowed. Do not look for another way to do this; put it into the plan instead."
)


class Policy(Struct, frozen=True, kw_only=True):
    """The mode, the rules and the folders by which calls are judged."""

    mode: Mode
    rules: Rules
    paths: Paths

    def judge(self, call: BoundCall) -> Verdict:
        """The verdict on a call, from what it says it would read, write or run."""
        if denied := _about_tool(self.rules.deny, call.tool):
            return Verdict(decision="deny", rule=denied.text, reason=f"The rule {denied.text} denies this tool.")
        if call.touches.command is not None:
            return self.judge_command(call.touches.command, call.touches.command_cwd)
        if call.tool in ALWAYS_ALLOWED:
            return Verdict(decision="allow")
        if asked := _about_tool(self.rules.ask, call.tool):
            return Verdict(decision="ask", rule=asked.text, reason=f"The rule {asked.text} asks.")
        verdicts = [self._about_file(call.tool, text, writing=writing) for text, writing in _files(call)]
        return _strictest(verdicts) if verdicts else self._without_files(call)

    def judge_command(self, command: str, cwd: str = "") -> Verdict:
        """The verdict on a shell command; `cwd` as the model wrote it, empty for the work folder."""
        from yeaft.tools.shell_judge import ShellJudge

        return ShellJudge(mode=self.mode, rules=self.rules, paths=self.paths).verdict(command, cwd)

    def _without_files(self, call: BoundCall) -> Verdict:
        allowed = _about_tool(self.rules.allow, call.tool)
        if self.mode == "plan" and call.guard not in {"read", "local"}:
            return Verdict(decision="deny", reason=PLAN_DENIES)
        if allowed or call.guard in {"read", "local"} or self.mode == "auto":
            return Verdict(decision="allow", rule=allowed.text if allowed else "")
        return Verdict(
            decision="ask",
            reason=f"{call.tool} has effects outside this session.",
            offer=call.tool,
            flag=allow_flag(call.tool),
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


def _files(call: BoundCall) -> Iterator[tuple[str, bool]]:
    for text in call.touches.reads:
        yield text, False
    for text in call.touches.writes:
        yield text, True


def _strictest(verdicts: Sequence[Verdict]) -> Verdict:
    order = ("deny", "ask", "allow")
    return min(verdicts, key=lambda one: order.index(one.decision))
