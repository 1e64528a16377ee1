"""Judges a shell command: every command of it must be allowed, any can be denied, what is unclear is asked."""

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from yeaft.config.settings import Mode
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.paths import Paths
from yeaft.tools.policy import rules
from yeaft.tools.policy.carriers import carried, passed_through, program, runs_unseen
from yeaft.tools.policy.own_variables import is_own
from yeaft.tools.policy.places import Places, places
from yeaft.tools.policy.project_choice import choosing_file, shows_itself
from yeaft.tools.policy.read_denials import withheld
from yeaft.tools.policy.read_only import reads_only
from yeaft.tools.policy.read_only_git import folders_of
from yeaft.tools.policy.read_only_programs import folder_of
from yeaft.tools.policy.rules import Rule, Rules
from yeaft.tools.policy.shell_forms import exact_forms, loose_forms
from yeaft.tools.policy.shell_script import STANDARD_FILES, Redirection, Script, ShellCommand, Word, script
from yeaft.tools.policy.shell_searches import searched
from yeaft.tools.policy.verdict import Judged, Judgement, Verdict, allow_flag

PLAN_ONLY_READS = (
    "Plan mode: only reading is allowed, and this command may do more. Do not look for another way to do it; "
    "put it into the plan instead."
)
ONLY_READS = "It only reads, inside the work folder."
SHOWS_ITSELF = "It only shows its version or settings."
STAYS = "It stays in"
STRICTNESS: Mapping[Judgement, int] = {"allow": 0, "ask": 1, "deny": 2}
MOST_CARRIED = 2000
_CHANGES_FOLDER = re.compile(r"\b(?:cd|pushd|popd|chdir|PWD=)")


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
        parts = _merged(self._part(one, where, known) for one in found.commands)
        if denied := self._about_whole(self.rules.deny, command, found, where) or _decided(parts, "deny"):
            return Verdict(decision="deny", rule=denied, reason=f"The rule {denied} denies it.", commands=parts)
        if self.mode == "plan" and not _only_reads(found):
            return Verdict(decision="deny", reason=PLAN_ONLY_READS, commands=parts)
        if asked := self._about_whole(self.rules.ask, command, found, where) or _decided(parts, "ask"):
            return Verdict(decision="ask", rule=asked, reason=f"The rule {asked} asks.", commands=parts)
        if self.mode != "plan" and (whole := self._allowing_whole(command, found, where)):
            reason = f"The rule {whole.text} allows it."
            return Verdict(decision="allow", rule=whole.text, reason=reason, commands=parts)
        reason = self._objection(found, parts, where)
        if not reason:
            rule = next((part.rule for part in parts if part.rule), "")
            return Verdict(decision="allow", rule=rule, reason=_why_allowed(parts), commands=parts)
        offer = _offer(command, found, parts if where.folders else ())
        return Verdict(decision="ask", reason=reason, offer=offer, flag=allow_flag(offer or "Bash(*)"), commands=parts)

    def _known(self, command: str, cwd: str) -> dict[str, str]:
        """The variables whose value is certain."""
        known = {"HOME": str(self.paths.home)}
        if not _CHANGES_FOLDER.search(command):
            with contextlib.suppress(ToolFailed):
                known["PWD"] = str(self.paths.resolve(cwd or "."))
        return known

    def _part(self, found: ShellCommand, where: Places, known: Mapping[str, str]) -> Judged:
        """What is said about one command, whatever stands around it."""
        if denied := self._about_any(self.rules.deny, found, where, known):
            return _judged(found, "deny", f"The rule {denied.text} denies it.", denied.text)
        if asked := self._about_any(self.rules.ask, found, where, known):
            return _judged(found, "ask", f"The rule {asked.text} asks.", asked.text)
        command = passed_through(found)
        allowing = self._allowing(found) or self._allowing(command)
        if not (allowing and _is_exact(allowing)) and (reason := self._objection_to_search(command, where)):
            return _judged(found, "ask", reason)
        if allowing:
            return _judged(found, "allow", f"The rule {allowing.text} allows it.", allowing.text)
        if program(command) == "cd":
            inside = bool(where.folders)
            return _judged(found, "allow" if inside else "ask", f"{STAYS if inside else 'It leaves'} the work folder.")
        paths = reads_only(command)
        if paths is not None:
            outside = next((word.source for word in paths if not self._may_read(word, where)), None)
            if outside is not None:
                return _judged(found, "ask", f"{outside} lies outside the work folder.")
            reason = "" if self.mode == "auto" else self._objection_to_repository(command, where)
            return _judged(found, "ask" if reason else "allow", reason or ONLY_READS)
        if shows_itself(command) and where.folders:
            chosen = choosing_file(command, where.folders)
            reason = f"{chosen} may choose what {program(command)} runs." if chosen else SHOWS_ITSELF
            return _judged(found, "ask" if chosen and self.mode != "auto" else "allow", reason)
        if self.mode == "auto":
            reason = self._objection_in_auto(command, where)
            return _judged(found, "ask" if reason else "allow", reason or "By its words it stays in the work folder.")
        if self.mode == "plan":
            return _judged(found, "deny", PLAN_ONLY_READS)
        return _judged(found, "ask", f"{found.source} may do more than read.")

    def _objection_to_search(self, command: ShellCommand, where: Places) -> str:
        """Why a command may not read all that is in a folder: a rule denies reading some of it."""
        if not self.rules.deny:
            return ""
        for word in searched(command):
            for real in (pair[1] for pair in where.spellings(word)):
                if denying := withheld(self.rules.deny, real, self.paths).rules:
                    return f"{command.source} may read what {denying[0]} denies."
        return ""

    def _objection_to_repository(self, command: ShellCommand, where: Places) -> str:
        """Why a git command that only reads may still run programs: the repository it finds says so."""
        if command.name != "git":
            return ""
        from yeaft.tools.policy.git_programs import objection

        folders = where.below(folders_of(command.words[1:]))
        if folders is None:
            return f"In which repository {command.source} works cannot be seen."
        return objection(folders, self.paths)

    def _may_read(self, word: Word, where: Places) -> bool:
        if where.holds(word):
            return True
        if word.text is None or word.glob or not where.folders:
            return False
        found = tuple(where.exact(word))
        return len(found) == len(where.folders) and all(map(self._is_readable, found))

    def _is_readable(self, place: Path) -> bool:
        allow = self.rules.allow
        return self.paths.inside(place) or bool(
            rules.about_path(allow, writing=False, spellings=(place,), paths=self.paths)
        )

    def _objection_in_auto(self, command: ShellCommand, where: Places) -> str:
        """In auto mode everything goes that by the look of it stays inside."""
        if self._guarded and runs_unseen(command):
            return f"What {command.source} runs cannot be seen, so rules about commands cannot be checked."
        for word in command.words[1:]:
            if where.strays(word):
                return f"{word.source} lies outside the work folder."
            if where.needs_asking(word, staging=_stages(command)):
                return f"{word.source} is a place that only changes when you say so."
        return ""

    def _objection(self, found: Script, parts: tuple[Judged, ...], where: Places) -> str:
        """Why the script as a whole cannot simply run; empty if it can."""
        if found.doubt and (found.unreadable or self.mode != "auto" or self._guarded):
            return found.doubt[0].upper() + found.doubt[1:] + "."
        if part := next((part for part in parts if part.verdict == "ask"), None):
            return part.reason
        if not where.folders:
            return "It runs in a folder outside the work folder."
        if shown := self._shows_what_it_wrote(found):
            return f"It writes a file, and a file of the project may choose what {shown} runs."
        for word in found.listed:
            if self.mode != "auto" and not where.holds(folder_of(word)):
                return f"{word.source} lists files outside the work folder."
        for one in found.redirections:
            if reason := self._objection_to_file(one, where):
                return reason
        return _odd_assignment(found) if self.mode != "auto" else ""

    def _shows_what_it_wrote(self, found: Script) -> str:
        """The command whose program could be chosen by a file that the script itself writes before."""
        if self.mode == "auto" or all(not _writes(one) or _is_harmless(one) for one in found.redirections):
            return ""
        return next((one.source for one in found.commands if shows_itself(passed_through(one))), "")

    def _objection_to_file(self, one: Redirection, where: Places) -> str:
        if one.target.text in STANDARD_FILES or _is_descriptor(one):
            return ""
        if one.target.text is None and self.mode == "auto":
            return ""
        if not where.holds(one.target) or (one.target.glob and _writes(one) and self.mode != "auto"):
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
        return rules.about_command(wanted, exact_forms(command))

    def _allowing_whole(self, command: str, found: Script, where: Places) -> Rule | None:
        """A rule for exactly this text, which the user has seen; or one for all, if nothing forbidden can hide."""
        hides = self._guarded and (bool(found.doubt) or any(map(runs_unseen, found.commands)))
        hides = hides or any(self._objection_to_search(passed_through(one), where) for one in found.commands)
        wanted = (one for one in self.rules.allow if _is_exact(one) or (one.covers_all and not hides))
        return rules.about_command(wanted, (command.strip(),))

    @property
    def _guarded(self) -> bool:
        return any(one.names("Bash") for one in (*self.rules.deny, *self.rules.ask))

    def _about_whole(self, wanted: tuple[Rule, ...], command: str, found: Script, where: Places) -> str:
        """The first of the rules that is about the text as a whole or a file it is redirected from or to."""
        if not wanted:
            return ""
        hit = rules.about_command(wanted, (command.strip(),))
        for one in found.redirections:
            hit = hit or self._about_word(wanted, one.target, where, (_writes(one),))
        return hit.text if hit else ""

    def _about_any(
        self, wanted: tuple[Rule, ...], found: ShellCommand, where: Places, known: Mapping[str, str]
    ) -> Rule | None:
        """The first of the rules that is about the command, however wrapped, or about any path in it."""
        if not wanted:
            return None
        seen: set[str | None] = {None}
        for number, node in enumerate((found, *islice(carried(found, known), MOST_CARRIED))):
            if hit := rules.about_command(wanted, loose_forms(node)):
                return hit
            if number >= MOST_CARRIED:  # nobody writes such a command but to hide something in it
                return next((one for one in wanted if one.names("Bash")), None)
            for word in node.words[1:]:
                if word.text not in seen and (hit := self._about_word(wanted, word, where, (False, True))):
                    return hit
                seen.add(word.text)
        return None

    def _about_word(
        self, wanted: tuple[Rule, ...], word: Word, where: Places, writing: tuple[bool, ...]
    ) -> Rule | None:
        for forms in where.spellings(word):
            for kind in writing:
                if hit := rules.about_path(wanted, writing=kind, spellings=forms, paths=self.paths):
                    return hit
        return None


def _merged(parts: Iterable[Judged]) -> tuple[Judged, ...]:
    """One part per command as it is written: of the several that a variable makes of it, the strictest."""
    found: dict[str, Judged] = {}
    for part in parts:
        if STRICTNESS[found.setdefault(part.command, part).verdict] < STRICTNESS[part.verdict]:
            found[part.command] = part
    return tuple(found.values())


def _decided(parts: Sequence[Judged], verdict: Judgement) -> str:
    """The rule by which a part is denied or asked about; empty if no rule is."""
    return next((part.rule for part in parts if part.verdict == verdict), "")


def _why_allowed(parts: Sequence[Judged]) -> str:
    return parts[0].reason if len(parts) == 1 else "Each of its commands may run."


def _judged(found: ShellCommand, verdict: Judgement, reason: str, rule: str = "") -> Judged:
    return Judged(command=found.source, verdict=verdict, rule=rule, reason=reason)


def _stages(command: ShellCommand) -> bool:
    return command.name == "git" and [word.text for word in command.words[1:2]] in (["add"], ["commit"])


def _only_reads(found: Script) -> bool:
    if (
        found.doubt
        or any(_writes(one) and not _is_harmless(one) for one in found.redirections)
        or _odd_assignment(found)
    ):
        return False
    return all(reads_only(command) is not None or command.name == "cd" for command in found.commands)


def _offer(command: str, found: Script, parts: tuple[Judged, ...]) -> str:
    """The rule to offer: for the one command that is in question if that would do, else for exactly this text."""
    questioned = [part.command for part in parts if part.verdict == "ask"]
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
