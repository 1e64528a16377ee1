"""Commands that read all files below a folder, so that the files are not among their words."""

from yeaft.tools.policy.carriers import program
from yeaft.tools.policy.read_only import reads_only
from yeaft.tools.policy.read_only_git import folders_of
from yeaft.tools.policy.shell_flags import names_letter, names_long
from yeaft.tools.policy.shell_script import ShellCommand, Word
from yeaft.tools.policy.word_list import names

ALWAYS = names("rg ag ack ugrep rgrep")
WHEN_RECURSIVE = names("grep egrep fgrep zgrep diff")
HERE = Word(source=".", text=".")


def searched(found: ShellCommand) -> tuple[Word, ...]:
    """The words that name what it reads all of, rather too many than too few; empty if it names each file it reads."""
    name, rest = program(found), found.words[1:]
    if name == "git":
        return (*folders_of(rest), HERE) if any(word.text == "grep" for word in rest) else ()
    recursive = name in ALWAYS or (name in WHEN_RECURSIVE and any(map(_is_recursive, rest)))
    if not recursive:
        return ()
    known = reads_only(found)
    return known or (HERE, *(word for word in rest if not (word.text or "").startswith("-")))


def _is_recursive(word: Word) -> bool:
    text = word.text or "-r"
    if text == "recurse":
        return True
    return text.startswith("-") and (
        names_letter(text, "rR") or names_long(text, ("recursive", "dereference-recursive", "directories"))
    )
