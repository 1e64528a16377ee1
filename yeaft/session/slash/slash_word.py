"""What a message can begin with besides words, as lists and completion show it."""

from typing import Literal

from msgspec import Struct

from yeaft.skills.skill_file import Tier


class SlashWord(Struct, frozen=True, kw_only=True):
    """Something that can be started: `hint` says what its arguments are, `source` where it is written."""

    name: str
    kind: Literal["command", "skill", "prompt"]
    description: str
    hint: str = ""
    tier: Tier | Literal["server"] = "user"
    source: str = ""
