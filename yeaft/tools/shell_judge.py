"""Judges a shell command: every command of it must be allowed, any can be denied, what is unclear is asked."""

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from yeaft.config.settings import Mode
from yeaft.kernel.errors import ToolFailed
from yeaft.tools import rules
from yeaft.tools.carriers import carried, passed_through, program, runs_unseen
from yeaft.tools.own_variables import is_own
from yeaft.tools.paths import Paths
from yeaft.tools.places import Places, places
from yeaft.tools.read_only import plainly_run, reads_only
from yeaft.tools.read_only_programs import folder_of
from yeaft.tools.rules import Rule, Rules
from yeaft.tools.shell_script import STANDARD_FILES, Redirection, Script, ShellCommand, script
from yeaft.tools.verdict import Judgement, Verdict, allow_flag

PLAN_ONLY_READS = (
    "Plan mode: only reading is allowed, and this command may do more. Do not look for another way to do it; "
    "put it into the plan instead."
)
MOST_CARRIED = 2000
_CHANGES_FOLDER = re.compile(r"\b(?:cd|pushd|popd|chdir|PWD=)")
_GIT_GLOBALS_WITH_VALUE = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})


class Part(Struct, frozen=True, kw_only=True):
    """One command of the script with the judgement on it."""

    source: str
    decision: Judgement
    rule: str = ""
    reason: str = ""


class ShellJudge(Struct, frozen=True, kw_only=True):
    """The settings that a command is judged by."""

    mode: Mode
    rules: Rules
    paths: Paths

    def verdict(self, command: str, cwd: str) -> Verdict:
        """The verdict on `command` run in `cwd` (as the model wrote it; empty is the work folder)."""
        known = self._known(command, cwd)
        found = script(command, known)
        where = places(self.paths, cwd, found)
        if denied := self._first_match(self.rules.deny, command, found, where, known):
            return Verdict(decision="deny", rule=denied.text, reason=f"The rule {denied.text} denies it.")
        if self.mode == "plan" and not _only_reads(found):
            return Verdict(decision="deny", reason=PLAN_ONLY_READS)
        parts = _merged(self._part(one, where) for one in found.commands)
        listed: tuple[tuple[str, Judgement], ...] = tuple((part.source, part.decision) for part in parts)
        if asked := self._first_match(self.rules.ask, command, found, where, known):
            return Verdict(decision="ask", rule=asked.text, reason=f"The rule {asked.text} asks.", commands=listed)
        if self.mode != "plan" and (whole := self._allowing_whole(command, found)):
            return Verdict(decision="allow", rule=whole.text, commands=listed)
        reason = self._objection(found, parts, where)
        if not reason:
            rule = next((part.rule for part in parts if part.rule), "")
            return Verdict(decision="allow", rule=rule, commands=listed)
        offer = _offer(command, found, parts if where.folders else ())
        return Verdict(decision="ask", reason=reason, offer=offer, flag=allow_flag(offer or "Bash(*)"), commands=listed)

    def _known(self, command: str, cwd: str) -> dict[str, str]:
        """The variables whose value is certain."""
        known = {"HOME": str(self.paths.home)}
        if not _CHANGES_FOLDER.search(command):
            with contextlib.suppress(ToolFailed):
                known["PWD"] = str(self.paths.resolve(cwd or "."))
        return known

    def _part(self, found: ShellCommand, where: Places) -> Part:
        command = passed_through(found)
        if allowing := self._allowing(found) or self._allowing(command):
            return Part(source=found.source, decision="allow", rule=allowing.text)
        if program(command) == "cd":
            return Part(source=found.source, decision="allow" if where.folders else "ask", reason=_leaves(found))
        paths = reads_only(command)
        if paths is not None:
            outside = next((word.source for word in paths if not where.holds(word)), None)
            if outside is None:
                return Part(source=found.source, decision="allow")
            return Part(source=found.source, decision="ask", reason=f"{outside} lies outside the work folder.")
        if self.mode == "auto":
            reason = self._objection_in_auto(command, where)
            return Part(source=found.source, decision="ask" if reason else "allow", reason=reason)
        return Part(source=found.source, decision="ask", reason=f"{found.source} may do more than read.")

    def _objection_in_auto(self, command: ShellCommand, where: Places) -> str:
        """In auto mode everything goes that by the look of it stays inside."""
        if self._guarded and runs_unseen(command):
            return f"What {command.source} runs cannot be seen, so rules about commands cannot be checked."
        for word in command.words[1:]:
            if where.strays(word):
                return f"{word.source} lies outside the work folder."
            if where.needs_asking(word):
                return f"{word.source} is a place that only changes when you say so."
        return ""

    def _objection(self, found: Script, parts: tuple[Part, ...], where: Places) -> str:
        """Why the script as a whole cannot simply run; empty if it can."""
        if found.doubt and (found.unreadable or self.mode != "auto" or self._guarded):
            return found.doubt[0].upper() + found.doubt[1:] + "."
        if part := next((part for part in parts if part.decision == "ask"), None):
            return part.reason
        if not where.folders:
            return "It runs in a folder outside the work folder."
        for word in found.listed:
            if self.mode != "auto" and not where.holds(folder_of(word)):
                return f"{word.source} lists files outside the work folder."
        for one in found.redirections:
            if reason := self._objection_to_file(one, where):
                return reason
        return _odd_assignment(found) if self.mode != "auto" else ""

    def _objection_to_file(self, one: Redirection, where: Places) -> str:
        if one.target.text in STANDARD_FILES or _is_descriptor(one):
            return ""
        if one.target.text is None and self.mode == "auto":
            return ""
        if not where.holds(one.target) or (one.target.glob and self.mode != "auto"):
            return f"{one.operator} {one.target.source} leads outside the work folder, or where cannot be seen."
        if not _writes(one):
            return ""
        if self.mode not in {"edits", "auto"}:
            return f"It writes to {one.target.source}."
        return (
            f"{one.target.source} is a place that only changes when you say so."
            if where.needs_asking(one.target)
            else ""
        )

    def _allowing(self, command: ShellCommand) -> Rule | None:
        """A rule that allows this command; code that cannot be seen needs a rule for exactly this text."""
        wanted = (one for one in self.rules.allow if not runs_unseen(command) or _is_exact(one))
        return rules.about_command(wanted, _forms(command))

    def _allowing_whole(self, command: str, found: Script) -> Rule | None:
        """A rule for exactly this text, which the user has seen; or one for all, if nothing forbidden can hide."""
        hides = self._guarded and (bool(found.doubt) or any(map(runs_unseen, found.commands)))
        wanted = (one for one in self.rules.allow if _is_exact(one) or (one.covers_all and not hides))
        return rules.about_command(wanted, (command.strip(),))

    @property
    def _guarded(self) -> bool:
        return any(one.names("Bash") for one in (*self.rules.deny, *self.rules.ask))

    def _first_match(
        self, wanted: tuple[Rule, ...], command: str, found: Script, where: Places, known: Mapping[str, str]
    ) -> Rule | None:
        """The first of the rules that is about any command, however wrapped, or about any path in it."""
        if not wanted:
            return None
        if hit := rules.about_command(wanted, (command.strip(),)):
            return hit
        for number, node in enumerate(_everything(found, known)):
            if hit := rules.about_command(wanted, _loose_forms(node)):
                return hit
            if number >= MOST_CARRIED:  # nobody writes such a command but to hide something in it
                return next((one for one in wanted if one.names("Bash")), None)
        words = [(word, None) for one in found.commands for word in one.words[1:]]
        files = [(one.target, _writes(one)) for one in found.redirections]
        for word, writing in (*words, *files):
            for forms in where.spellings(word):
                for kind in (False, True) if writing is None else (writing,):
                    if hit := rules.about_path(wanted, writing=kind, spellings=forms, paths=self.paths):
                        return hit
        return None


def _merged(parts: Iterable[Part]) -> tuple[Part, ...]:
    """One part per command as it is written: of the several that a variable makes of it, the strictest."""
    found: dict[str, Part] = {}
    for part in parts:
        if found.setdefault(part.source, part).decision == "allow":
            found[part.source] = part
    return tuple(found.values())


def _everything(found: Script, known: Mapping[str, str]) -> Iterator[ShellCommand]:
    for command in found.commands:
        yield command
        yield from carried(command, known)


def _only_reads(found: Script) -> bool:
    if (
        found.doubt
        or any(_writes(one) and not _is_harmless(one) for one in found.redirections)
        or _odd_assignment(found)
    ):
        return False
    return all(reads_only(command) is not None or command.name == "cd" for command in found.commands)


def _forms(command: ShellCommand) -> set[str]:
    """Spellings that an allow rule may match: the text itself, and its words if quotes change nothing."""
    texts = [word.text for word in command.words]
    if not plainly_run(command) or any(text is None or re.search(r"\s", text) for text in texts):
        return {command.source}
    return {command.source, " ".join(text for text in texts if text is not None)}


def _loose_forms(command: ShellCommand) -> set[str]:
    """Spellings that a deny or ask rule may match: also without folder, quotes and git's global options."""
    texts = [word.text if word.text is not None else word.source for word in command.words]
    texts[0] = program(command) or texts[0]
    forms = {command.source, " ".join(texts)}
    if texts[0] == "git":
        forms.add(" ".join(["git", *_without_git_globals(texts[1:])]))
    return forms


def _without_git_globals(texts: list[str]) -> list[str]:
    while texts and texts[0].startswith("-"):
        texts = texts[2 if texts[0] in _GIT_GLOBALS_WITH_VALUE else 1 :]
    return texts


def _offer(command: str, found: Script, parts: tuple[Part, ...]) -> str:
    """The rule to offer: for the one command that is in question if that would do, else for exactly this text."""
    questioned = [part.source for part in parts if part.decision == "ask"]
    others_matter = found.doubt or found.assignments or found.redirections
    text = questioned[0] if len(questioned) == 1 and len(parts) > 1 and not others_matter else command.strip()
    return f"Bash({text})" if "*" not in text else ""


def _is_exact(one: Rule) -> bool:
    return one.pattern is not None and "*" not in one.pattern


def _writes(one: Redirection) -> bool:
    return one.operator not in {"<", "<&"}


def _is_descriptor(one: Redirection) -> bool:
    return one.operator in {">&", "<&"} and re.fullmatch(r"\d+|-", one.target.text or "") is not None


def _is_harmless(one: Redirection) -> bool:
    return _is_descriptor(one) or one.target.text in STANDARD_FILES


def _odd_assignment(found: Script) -> str:
    odd = next((one.name for one in found.assignments if not is_own(one.name)), None)
    return f"It sets the variable {odd}, which may change what other commands do." if odd is not None else ""


def _leaves(found: ShellCommand) -> str:
    return f"{found.source} leaves the work folder."
