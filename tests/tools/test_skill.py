"""A VP finds a skill, loads it, and reads no more than the skill's own files."""

import json
from pathlib import Path

import pytest

from yeaft.kernel.errors import ToolFailed
from yeaft.skills.library import SkillLibrary
from yeaft.tools.skill import skill


class Call:
    call_id = "c_1"

    def show(self, chunk: str) -> None:
        raise AssertionError(chunk)


class Skills:
    """A folder of skills and the tool over it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tool = skill(SkillLibrary([root]))

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    async def told(self, action: str, **args: str) -> str:
        text = await self.tool.bind(json.dumps({"action": action, **args})).start(Call())
        assert isinstance(text, str)
        assert len(text.encode()) <= 30 * 1024
        return text

    async def refusal(self, action: str, **args: str) -> str:
        with pytest.raises(ToolFailed) as failure:
            await self.told(action, **args)
        return str(failure.value)


@pytest.fixture
def skills(tmp_path: Path) -> Skills:
    found = Skills(tmp_path / "skills")
    found.write("cake/SKILL.md", "---\nname: cake\ndescription: Bakes. Use when hungry.\n---\n# Cake\nStir.\n")
    found.write("cake/references/oven.md", "180 °C\n")
    found.write("web/links/SKILL.md", "---\nname: links\ndescription: Checks links.\ncompatibility: curl\n---\nLook.\n")
    found.write("mine.md", "---\nname: mine\ndescription: Mine.\ndisable-model-invocation: true\n---\nSecret.\n")
    return found


async def test_the_list_has_what_is_for_models_and_the_problems(skills: Skills) -> None:
    assert await skills.told("list") == "- cake: Bakes. Use when hungry.\n- links [web]: Checks links."
    assert await skills.told("list", category="WEB") == "- links [web]: Checks links."
    assert await skills.told("list", category="home") == "(no skills in category 'home'; categories: web)"

    broken = skills.write("broken/SKILL.md", "---\nname: broken\n")

    assert await skills.told("list") == (
        "- cake: Bakes. Use when hungry.\n- links [web]: Checks links.\n\nSkill files that cannot be used, for the user "
        f"to mend:\n- {broken}:1: the front matter has no closing --- line"
    )


async def test_loading_gives_the_instructions_with_their_place_and_files(skills: Skills) -> None:
    place = skills.root / "cake"

    assert await skills.told("load", name="Cake") == (
        f'Follow this skill now.\n<skill name="cake" folder="{place}">\n# Cake\nStir.\n</skill>\n\n'
        "Files (action view with filePath): references/oven.md"
    )


async def test_viewing_shows_what_a_skill_is_or_one_of_its_files(skills: Skills) -> None:
    source = skills.root / "web" / "links" / "SKILL.md"

    assert (
        await skills.told("view", name="links") == f"links: Checks links.\nfile: {source}\ncompatibility: curl\n\nLook."
    )
    assert await skills.told("view", name="cake", filePath="references/oven.md") == "180 °C\n"


async def test_a_search_shows_the_best_first(skills: Skills) -> None:
    assert await skills.told("search", query="look STIR cake") == (
        "- cake: Bakes. Use when hungry.\n- links [web]: Checks links."
    )
    assert await skills.told("search", query="secret") == "(no skill mentions 'secret'; action list shows all)"
    assert await skills.refusal("search") == "Give a query; action list shows all skills."


@pytest.mark.parametrize(
    "path", ["../../outside.txt", "link.txt", "linked/outside.txt", "~/.ssh/id", "/etc/passwd", "references/../../x"]
)
async def test_no_path_leads_out_of_a_skill(skills: Skills, path: str) -> None:
    outside = skills.root.parent / "outside.txt"
    outside.write_text("private")
    (skills.root / "cake" / "link.txt").symlink_to(outside)
    (skills.root / "cake" / "linked").symlink_to(skills.root.parent)

    assert (await skills.refusal("view", name="cake", filePath=path)).startswith(
        f"{path!r} is not in the folder of the skill 'cake'."
    )


async def test_what_is_not_there_is_said_with_a_hint(skills: Skills) -> None:
    skills.write("cake/cake.bin", b"\0\1")
    skills.write("solo.md", "---\nname: solo\ndescription: Alone.\n---\nGo.\n")

    assert await skills.refusal("load", name="cakes") == "No skill 'cakes'. Did you mean 'cake'?"
    assert await skills.refusal("load", name="quantum") == "No skill 'quantum'. Action list shows all."
    assert await skills.refusal("load", name="mine") == "No skill 'mine'. Action list shows all."
    assert await skills.refusal("view") == "Give the name of a skill; action list shows all."
    assert "No file references/oven of the skill 'cake'" in await skills.refusal(
        "view", name="cake", filePath="references/oven"
    )
    assert "is not text; its path is" in await skills.refusal("view", name="cake", filePath="cake.bin")
    assert "is a single file" in await skills.refusal("view", name="solo", filePath="x")


async def test_long_instructions_and_files_are_cut_and_the_rest_is_findable(skills: Skills) -> None:
    long = skills.write("long/SKILL.md", "---\nname: long\ndescription: Long.\n---\n" + "步骤\n" * 9000)
    for number in range(150):
        skills.write(f"long/references/{'名' * 60}-{number}.txt", "很长" * 9000)

    loaded = await skills.told("load", name="long")

    assert f"[cut: 24,576 of 62,999 bytes; the whole is {long}]\n</skill>" in loaded
    assert "[cut: 29,696 of 54,000 bytes; the whole is" in await skills.told(
        "view", name="long", filePath=f"references/{'名' * 60}-7.txt"
    )
    assert not (await skills.told("list")).startswith("[cut")


async def test_a_skill_that_was_just_written_can_be_loaded(skills: Skills) -> None:
    await skills.refusal("load", name="bread")

    skills.write("bread/SKILL.md", "---\nname: bread\ndescription: Bread.\n---\nKnead.\n")

    assert "Knead." in await skills.told("load", name="bread")
