"""All that a user can start with `/` in a Session, and the step that makes of it what a VP is told."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from yeaft.kernel.errors import UsageError
from yeaft.kernel.nearness import nearest
from yeaft.prompts.fill import fill
from yeaft.session.slash.command_file import CommandFolder, Commands, read_commands
from yeaft.session.slash.expansion import Errands, expanded
from yeaft.session.slash.slash_word import SlashWord
from yeaft.session.slash.template import ARGUMENTS
from yeaft.session.slash.words import Slash, slash_in
from yeaft.skills.skill_file import key_of

if TYPE_CHECKING:
    from yeaft.session.intake import Draft
    from yeaft.session.slash.command_file import Command
    from yeaft.skills.library import Shelf, SkillLibrary
    from yeaft.skills.skill_file import Skill
    from yeaft.vp.names import Names


class Prompts(Protocol):
    """Prompts of MCP servers, each under a name such as `mcp__server__prompt`."""

    def words(self) -> Sequence[SlashWord]:
        """Those that are known now."""
        ...

    async def text(self, name: str, arguments: str) -> str:
        """What a prompt says. Raises `YeaftError`."""
        ...


class SlashCommands:
    """What can be started in one Session. Files are read anew each time, so that one that was just written works.

    `names` are those of the VPs, which a command may stand behind.
    """

    def __init__(
        self,
        *,
        folders: Sequence[CommandFolder],
        skills: SkillLibrary,
        errands: Errands,
        names: Callable[[], Names],
        phrases: Mapping[str, str],
        prompts: Prompts | None = None,
        orders: Sequence[str] = (),
    ) -> None:
        self._folders = folders
        self._skills = skills
        self._errands = errands
        self._names = names
        self._phrases = phrases
        self._prompts = prompts
        self._orders = orders

    def listed(self) -> tuple[SlashWord, ...]:
        """Return all that can be started, by name. Blocking."""
        return _listed(*self._read(), self._prompts)

    async def step(self, draft: Draft) -> Draft:
        """Take a draft that begins with a command: what the user typed stays, what it stands for goes along.

        Raises `UsageError` for a command that nobody knows, and what its expansion raises.
        """
        slash = slash_in(draft.text, self._names)
        if slash is None:
            return draft
        commands, shelf = await asyncio.to_thread(self._read)
        if command := commands.get(slash.name):
            text = await expanded(command, slash.arguments, self._errands)
            return draft.with_block(self._command_block(command.name, text))
        if skill := shelf.only(for_user=True).get(slash.name):
            return draft.with_block(self._skill_block(skill, slash))
        if self._prompts is not None and self._is_prompt(slash.name):
            text = await self._prompts.text(slash.name, slash.arguments)
            return draft.with_block(self._command_block(slash.name, text))
        await self._check_path(slash.name, commands, shelf)
        return draft

    async def check(self, draft: Draft) -> Draft:
        """Return the draft as it is, with nothing run for it. Raises `UsageError` for a command that nobody knows."""
        slash = slash_in(draft.text, self._names)
        if slash is not None:
            commands, shelf = await asyncio.to_thread(self._read)
            is_skill = shelf.only(for_user=True).get(slash.name) is not None
            if not (commands.get(slash.name) or is_skill or self._is_prompt(slash.name)):
                await self._check_path(slash.name, commands, shelf)
        return draft

    def _is_prompt(self, name: str) -> bool:
        return self._prompts is not None and name in {word.name for word in self._prompts.words()}

    async def _check_path(self, name: str, commands: Commands, shelf: Shelf) -> None:
        """Check that what is no command begins a path: such a message is like any other."""
        if not await asyncio.to_thread(os.path.lexists, f"/{name}"):
            raise UsageError(_unknown(name, shelf, _listed(commands, shelf, self._prompts), self._orders))

    def _read(self) -> tuple[Commands, Shelf]:
        return read_commands(self._folders), self._skills.read()

    def _command_block(self, name: str, text: str) -> str:
        return fill(self._phrases["slash_command"], {"name": name, "text": text.replace("</command", "&lt;/command")})

    def _skill_block(self, skill: Skill, slash: Slash) -> str:
        body = skill.body.replace(ARGUMENTS, slash.arguments)
        if slash.arguments and body == skill.body:
            body = f"{body}\n\nArguments: {slash.arguments}"
        place = f' folder="{skill.folder}"' if skill.folder else ""
        values = {"name": skill.name, "place": place, "text": body.replace("</skill", "&lt;/skill")}
        return fill(self._phrases["slash_skill"], values)


def _listed(commands: Commands, shelf: Shelf, prompts: Prompts | None) -> tuple[SlashWord, ...]:
    found = [*map(word_of_command, commands.commands), *words_of_skills(commands, shelf)]
    return tuple(sorted((*found, *(prompts.words() if prompts else ())), key=lambda word: word.name))


def word_of_command(command: Command) -> SlashWord:
    """Return how a command is listed."""
    return SlashWord(
        name=command.name,
        kind="command",
        description=command.description,
        hint=command.hint,
        tier=command.tier,
        source=str(command.source),
    )


def words_of_skills(commands: Commands, shelf: Shelf) -> Iterator[SlashWord]:
    """Yield how those skills are listed that the user may start and no command hides."""
    for skill in shelf.only(for_user=True).skills:
        name = key_of(skill.name)
        if commands.get(name) is None:
            yield SlashWord(
                name=name,
                kind="skill",
                description=skill.description,
                hint=skill.hint,
                tier=skill.tier,
                source=str(skill.source),
            )


def misplaced(name: str) -> str:
    """Return what is said of an order that stands where none is carried out."""
    where = "begin one with `yeaft`, and type it there. `yeaft help` is the help."
    return f"/{name} is an order for an open Session: {where} To say it as text, put a word before it."


def _unknown(name: str, shelf: Shelf, words: Sequence[SlashWord], orders: Sequence[str]) -> str:
    if name in orders:
        return misplaced(name)
    if (skill := shelf.get(name)) is not None:
        return f"The skill {skill.name!r} is not for you to start (user-invocable is off in {skill.source})."
    near = nearest(name.casefold(), (*(word.name for word in words), *orders))
    remedy = f"Did you mean /{near}?" if near else "`yeaft skill ls` lists those there are."
    return f"There is no command /{name}. {remedy} To say it as text, put a word before it."
