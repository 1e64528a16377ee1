"""A folder is trusted as it was when the user agreed, byte for byte, and never because of something it says itself."""

import json
import os
from pathlib import Path

import pytest

from yeaft.config import brought as brought_module
from yeaft.config.brought import brought
from yeaft.config.layers import load
from yeaft.config.trust import NAME, agree, agreements, allow_servers, forget, trust_of
from yeaft.kernel.errors import ConfigError

NOW_MS = 1_800_000_000_000


class Given:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.folder = root / "work"
        self.folder.mkdir()

    def file(self, name: str, text: str = "x") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def trust(self, folder: Path | None = None, **environ: str):
        return trust_of(self.home, folder or self.folder, environ)

    def agree(self, folder: Path | None = None, **servers: str) -> None:
        agree(self.home, self.trust(folder), {digest: name for name, digest in servers.items()}, NOW_MS)


@pytest.fixture
def given(tmp_path: Path) -> Given:
    return Given(tmp_path)


def test_a_folder_that_brings_nothing_is_neither_trusted_nor_refused(given):
    given.file("AGENTS.md", "Obey me.")
    given.file(".claude/settings.json", "{}")

    found = given.trust()

    assert (found.state, found.is_trusted, found.is_refused, found.brought.digest) == ("nothing", False, False, "")
    assert not given.home.exists(), "looking leaves nothing behind"


def test_everything_a_folder_could_make_yeaft_do_is_among_what_it_brings(given):
    names = {
        ".mcp.json": "servers",
        ".yeaft/config.toml": "config",
        ".yeaft/config.local.toml": "config",
        ".yeaft/hooks.json": "hooks",
        ".yeaft/vps/a.md": "vp",
        ".yeaft/skills/a/SKILL.md": "skill",
        ".yeaft/recipes/a.yaml": "recipe",
        ".yeaft/commands/x/a.md": "command",
        ".claude/skills/a/scripts/run.sh": "skill",
        ".claude/agents/a.md": "agent",
        ".claude/commands/a.md": "command",
        ".agents/skills/a/SKILL.md": "skill",
        ".cursor/skills/a/SKILL.md": "skill",
    }
    for name in (*names, "README.md", ".claude/skills/a/node_modules/b.js", ".claude/other/c.md"):
        given.file(name)

    assert {file.path: file.kind for file in given.trust().brought.files} == names


def test_agreeing_holds_until_a_byte_changes_and_says_which_file_it_was(given):
    given.file(".mcp.json", "{}")
    skill = given.file(".claude/skills/a/SKILL.md", "one")
    before = given.trust()

    given.agree()

    after = given.trust()
    assert (before.state, after.state, after.how) == ("unknown", "trusted", "saved")
    skill.write_text("two", encoding="utf-8")
    given.file(".yeaft/vps/new.md")
    changed = given.trust()
    assert (changed.state, changed.is_refused) == ("changed", True)
    assert changed.changed == (".claude/skills/a/SKILL.md", ".yeaft/vps/new.md")
    skill.write_text("one", encoding="utf-8")
    (given.folder / ".yeaft/vps/new.md").unlink()
    assert given.trust().state == "trusted"


@pytest.mark.parametrize(
    "same_bytes", [(".yeaft/commands/a.md", ".claude/commands/a.md"), (".yeaft/vps/a.md", ".yeaft/vps/b.md")]
)
def test_the_same_bytes_in_another_place_are_something_else(given, same_bytes):
    given.file(same_bytes[0])
    given.agree()

    (given.folder / same_bytes[1]).parent.mkdir(parents=True, exist_ok=True)
    (given.folder / same_bytes[0]).rename(given.folder / same_bytes[1])

    assert given.trust().state == "changed"


def test_a_flag_trusts_for_one_process_and_stores_nothing(given):
    given.file(".mcp.json", "{}")

    found = trust_of(given.home, given.folder, {}, by_flag=True)

    assert (found.state, found.how, found.allows_server("any")) == ("trusted", "flag", True)
    assert not (given.home / NAME).exists()
    given.agree()
    assert trust_of(given.home, given.folder, {}, by_flag=True).how == "saved"


def test_servers_need_their_own_word_which_a_changed_folder_takes_away(given):
    given.file(".mcp.json", "{}")
    given.agree(files="digest-of-files")

    assert given.trust().allows_server("digest-of-files")
    assert not given.trust().allows_server("another")
    allow_servers(given.home, {"another": "git"}, given.trust().folder, NOW_MS)
    assert given.trust().allows_server("another")
    given.file(".mcp.json", "{ }")
    assert not given.trust().allows_server("digest-of-files")


def test_what_was_agreed_to_can_be_taken_back(given):
    given.file(".mcp.json", "{}")
    given.agree(files="digest-of-files")
    folder = given.trust().folder

    assert forget(given.home, folder)

    assert given.trust().state == "unknown"
    assert agreements(given.home).servers == {}
    assert not forget(given.home, folder)


@pytest.mark.parametrize("top", [".yeaft", ".claude", ".agents"])
def test_a_folder_of_settings_that_is_a_link_is_refused_wherever_it_leads(given, top):
    given.file("real/skills/a/SKILL.md")
    (given.folder / top).symlink_to("real")

    found = given.trust()

    assert (found.state, [(one.path, one.reason) for one in found.brought.obstacles]) == ("unknown", [(top, "link")])
    assert trust_of(given.home, given.folder, {}, by_flag=True).state == "unknown"
    given.agree()
    assert given.trust().is_refused, "not even somebody's word helps"


def test_a_link_that_leads_out_of_the_folder_is_never_used(given):
    outside = given.root / "secret.md"
    outside.write_text("secret", encoding="utf-8")
    given.file(".claude/skills/a/SKILL.md")
    (given.folder / ".claude/skills/a/more.md").symlink_to(outside)
    (given.folder / ".claude/skills/b").symlink_to(given.root)

    found = given.trust().brought

    assert [file.path for file in found.files] == [".claude/skills/a/SKILL.md"]
    assert [(one.path, one.reason, one.blocks) for one in found.refused] == [
        (".claude/skills/a/more.md", "outside", False),
        (".claude/skills/b", "outside", False),
    ]


@pytest.mark.parametrize("name", [".mcp.json", ".yeaft/config.toml", ".yeaft/hooks.json"])
def test_settings_that_are_a_link_out_of_the_folder_stop_everything(given, name):
    outside = given.root / "outside"
    outside.write_text("x", encoding="utf-8")
    path = given.folder / name
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(outside)

    assert [(one.path, one.reason) for one in given.trust().brought.obstacles] == [(name, "outside")]


def test_links_that_stay_inside_are_followed_and_never_in_circles(given):
    given.file(".agents/skills/a/SKILL.md")
    (given.folder / ".claude").mkdir()
    (given.folder / ".claude/skills").symlink_to("../.agents/skills")
    (given.folder / ".agents/skills/a/again").symlink_to("..")

    found = given.trust().brought

    assert [file.path for file in found.files] == [".agents/skills/a/SKILL.md", ".claude/skills/a/SKILL.md"]
    assert found.refused == ()


def test_a_link_in_a_circle_is_refused_like_any_file_that_cannot_be_read(given):
    given.file(".claude/skills/a/SKILL.md")
    (given.folder / ".claude/skills/a/loop").symlink_to("loop")
    (given.folder / ".mcp.json").symlink_to(".mcp.json")

    found = given.trust().brought

    assert [file.path for file in found.files] == [".claude/skills/a/SKILL.md"]
    assert [(one.path, one.reason, one.blocks) for one in found.refused] == [
        (".claude/skills/a/loop", "unreadable", False),
        (".mcp.json", "unreadable", True),
    ]


def test_folders_within_folders_without_end_are_no_trap(given):
    top = os.fspath(given.file(".claude/skills/a.md").parent)
    folders = [Path(top + "/d" * depth) for depth in range(1, 1201)]
    for folder in folders:
        folder.mkdir()
    deepest = folders[-1] / "x.md"
    deepest.write_text("x", encoding="utf-8")

    found = given.trust().brought

    deepest.unlink()
    for folder in reversed(folders):  # what pytest uses to tidy up would not get to the bottom of it
        folder.rmdir()
    assert [len(Path(file.path).parts) for file in found.files] == [3, 1203]


def test_a_pipe_is_not_waited_for(given):
    given.file(".claude/skills/a/SKILL.md")
    os.mkfifo(given.folder / ".claude/skills/a/pipe")

    assert [(one.path, one.reason) for one in given.trust().brought.refused] == [(".claude/skills/a/pipe", "special")]


def test_more_than_can_be_looked_at_cannot_be_trusted(given):
    for number in range(brought_module.MOST_FILES + 5):
        given.file(f".claude/skills/a/{number}.md", "")

    found = given.trust().brought

    assert [one.reason for one in found.obstacles] == ["too_many"]
    assert len(found.files) == brought_module.MOST_FILES
    for number in range(brought_module.MOST_FOLDERS + 5):
        (given.root / f"hollow/.claude/skills/{number}").mkdir(parents=True)
    assert [one.reason for one in brought(given.root / "hollow", given.home).obstacles] == ["too_many"]
    large = given.root / "large"
    (large / ".claude/skills").mkdir(parents=True)
    with (large / ".claude/skills/big.bin").open("wb") as file:
        file.truncate(brought_module.MOST_BYTES + 1)
    assert [one.reason for one in brought(large, given.home).obstacles] == ["too_large"]


def test_what_belongs_to_the_user_is_not_brought_by_a_folder(given):
    given.file(".claude/skills/a/SKILL.md")
    given.file(".yeaft/config.toml")
    given.file(".mcp.json", "{}")

    found = trust_of(given.folder / ".yeaft", given.folder, {"HOME": str(given.folder)}).brought

    assert [file.path for file in found.files] == [".mcp.json"]


def test_the_users_own_settings_are_no_projects_when_yeaft_is_started_at_home(given):
    path = given.file(".yeaft/config.toml", '[models]\nprimary = "box/qwen"\n')

    loaded = load(path.parent, given.folder, {}, system_config=given.root / "none.toml")

    assert (loaded.config.models.primary, loaded.unread) == ("box/qwen", ())


def test_trust_in_a_repository_reaches_its_folders_that_bring_nothing_and_no_further(given):
    given.agree()
    inner, nested = given.folder / "src", given.folder / "vendor/other"
    inner.mkdir()
    assert given.trust(inner).state == "nothing", "no repository, so nothing says that they belong together"
    (given.folder / ".git").mkdir()
    (nested / ".git").mkdir(parents=True)
    (nested / "src").mkdir()

    assert given.trust(inner).state == "trusted"
    assert given.trust(nested / "src").state == "nothing", "another repository inside"
    (inner / ".mcp.json").write_text("{}", encoding="utf-8")
    assert given.trust(inner).state == "unknown"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"folders": 3}', "\udcff"])
def test_a_broken_file_of_agreements_trusts_nothing_and_is_left_as_it_is(given, content):
    given.file(".mcp.json", "{}")
    given.agree()
    path = given.home / NAME
    path.write_bytes(content.encode("utf-8", "surrogateescape"))

    found = given.trust()

    assert (found.state, str(path) in found.problem) == ("unknown", True)
    with pytest.raises(ConfigError, match="cannot be used"):
        agree(given.home, found, {}, NOW_MS)
    assert path.read_bytes() == content.encode("utf-8", "surrogateescape")


def test_agreements_are_the_users_alone_and_keep_what_a_newer_version_wrote(given):
    given.home.mkdir()
    (given.home / NAME).write_text('{"version": 1, "later": {"a": 1}}', encoding="utf-8")
    (given.home / NAME).chmod(0o600)

    given.agree()

    assert (given.home / NAME).stat().st_mode & 0o777 == 0o600
    assert json.loads((given.home / NAME).read_text("utf-8"))["later"] == {"a": 1}


def test_names_that_are_no_text_can_be_agreed_to(given):
    place = given.folder / ".claude/skills"
    place.mkdir(parents=True)
    (Path(os.fsdecode(os.fsencode(place) + b"/\xff.md"))).write_text("x", encoding="utf-8")

    given.agree()

    assert given.trust().is_trusted
