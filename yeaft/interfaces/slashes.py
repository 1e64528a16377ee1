"""Wires what a user can start with `/`: to the user's rules, the work folder, the shell, skills and commands."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.kernel.effort_prefix import is_level
from yeaft.session.addressing import known_names

if TYPE_CHECKING:
    from yeaft.interfaces.ground import Ground
    from yeaft.session.approvals import Approvals
    from yeaft.session.intake import Draft, Step
    from yeaft.session.slash.commands import Prompts, SlashCommands
    from yeaft.tools.shell.shell import Shell

FIRST_SIGNS = ("/", "@", "\uff20")
"""What a message that may begin with a command begins with: it may stand behind those it is for."""


def slashing(
    ground: Ground, approvals: Approvals, prompts: Prompts | None = None, *, only_checks: bool = False
) -> Step:
    """Return the step that takes messages which begin with a command or an effort; for others it loads nothing.

    What was not typed, such as a file that is piped in, holds no commands, but it can begin with an effort. A step that
    `only_checks` runs nothing and adds nothing.
    """
    names = partial(known_names, ground.room.state, ground.library)

    async def step(draft: Draft) -> Draft:
        if "/" not in draft.text or draft.text.lstrip()[:1] not in FIRST_SIGNS:
            return draft
        from yeaft.session.slash.effort import check_effort, with_effort_found
        from yeaft.session.slash.words import slash_in

        draft = replace(draft, text=with_effort_found(draft.text, names))
        check_effort(draft.text, has_more=bool(draft.files or draft.contents or draft.attachments or draft.blocks))
        found = slash_in(draft.text, names) if draft.typed else None
        if found is None or is_level(found.name):
            return draft
        commands = slash_commands(ground, approvals, prompts)
        return await (commands.check(draft) if only_checks else commands.step(draft))

    return step


def slash_commands(ground: Ground, approvals: Approvals, prompts: Prompts | None = None) -> SlashCommands:
    """Return what can be started in this Session, for the step above and for screens that list it."""
    from yeaft.interfaces.orders import orders
    from yeaft.session.slash.command_file import command_folders
    from yeaft.session.slash.commands import SlashCommands
    from yeaft.session.slash.expansion import Errands
    from yeaft.skills.library import SkillLibrary, skill_folders
    from yeaft.tools.paths import Paths

    environ, trusted = ground.wish.environ, ground.trust.is_trusted
    return SlashCommands(
        folders=command_folders(ground.home, environ, ground.folder, trusted=trusted),
        skills=SkillLibrary(skill_folders(ground.home, environ, ground.folder, trusted=trusted)),
        errands=Errands(
            paths=Paths(ground.folder),
            judge=approvals.verdict_on,
            withholding=partial(approvals.withheld, "", ground.folder),
            shell_at=partial(_shell, ground),
        ),
        names=partial(known_names, ground.room.state, ground.library),
        phrases=ground.phrases,
        prompts=prompts,
        orders=tuple(orders()),
    )


def _shell(ground: Ground, calls: Path) -> Shell:
    """Return a shell like that of the VPs, in the same sandbox; its traces are in `calls`."""
    from yeaft.llm.credentials import scrubbed
    from yeaft.tools.shell.sandbox import sandbox_for
    from yeaft.tools.shell.shell import Shell

    environ = scrubbed(ground.wish.environ, ground.config)
    sandbox = sandbox_for(ground.config.sandbox, environ, kept=ground.home, tell=lambda _: None)
    return Shell(calls, environ, sandbox)
