"""New VP files: what is written is what is read back, and nothing is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yeaft.kernel.errors import ConfigError, UsageError
from yeaft.vp.edit import vp_text, write_draft, write_vp
from yeaft.vp.library import Library
from yeaft.vp.persona import ToolPolicy, Vp, label_problem
from yeaft.vp.vp_file import parse_vp

POET = Vp(
    id="poet",
    name="Poet: the 2nd",
    name_zh="诗人",
    aliases=("bard", "it's", "a, b", "no"),
    role="Says it in four lines: no more",
    traits=("terse",),
    model="box/qwen3-32b",
    tools=ToolPolicy(allow=("FileRead",), deny=("Bash",)),
    persona={"": "Both.", "en": "You rhyme.", "zh": "你押韵。"},
)


def plain(vp):
    return Vp(**{name: getattr(vp, name) for name in Vp.__struct_fields__ if name not in ("digest", "source")})


def test_a_written_vp_is_read_back_whole(tmp_path):
    path = write_vp(tmp_path / "vps", POET)

    library = Library((path.parent,))

    assert plain(library.get("poet")) == POET
    assert library.problems() == ()
    assert [entry.name for entry in path.parent.iterdir()] == ["poet.md"]


def test_a_draft_is_no_vp_before_somebody_has_written_who_it_is(tmp_path):
    path = write_draft(tmp_path / "vps", Vp(id="bard", name="Bard", role="Sings"), "Say here who it is.")
    before = Library((path.parent,))

    assert before.get("bard") is None
    assert [(problem.path, problem.fatal) for problem in before.problems()] == [(str(path), True)]
    path.write_text(path.read_text("utf-8") + "You sing.\n", encoding="utf-8")
    assert plain(Library((path.parent,)).get("bard")) == Vp(
        id="bard", name="Bard", role="Sings", persona={"": "You sing."}
    )
    with pytest.raises(UsageError):
        write_draft(tmp_path / "vps", Vp(id="all", name="All"), "Say here who it is.")


def test_an_existing_file_is_not_replaced_unless_asked_for(tmp_path):
    path = write_vp(tmp_path, POET)
    other = Vp(id="poet", name="Other", persona={"": "x"})

    with pytest.raises(UsageError, match=r"poet\.md is already there; edit it, or choose another id"):
        write_vp(tmp_path, other)
    assert "Poet" in path.read_text()

    write_vp(tmp_path, other, replace=True)
    assert "name: Other" in path.read_text()
    assert [entry.name for entry in tmp_path.iterdir()] == ["poet.md"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "dotfiles").mkdir()
    target = write_vp(tmp_path / "dotfiles", POET)
    (tmp_path / "vps").mkdir()
    (tmp_path / "vps" / "poet.md").symlink_to(target)

    write_vp(tmp_path / "vps", Vp(id="poet", name="Other", persona={"": "x"}), replace=True)

    assert (tmp_path / "vps" / "poet.md").is_symlink()
    assert "name: Other" in target.read_text()


@pytest.mark.parametrize(
    ("vp", "said"),
    [
        (Vp(id="all", name="X", persona={"": "x"}), "The id 'all' is reserved"),
        (Vp(id="../x", name="X", persona={"": "x"}), "may have only letters"),
        (Vp(id="poet", name="X", persona={"": "  "}), "no persona text"),
        (Vp(id="poet", name="X", aliases=("所有人",), persona={"": "x"}), "'所有人' is reserved"),
    ],
)
def test_a_vp_that_could_not_be_read_is_never_written(tmp_path, vp, said):
    with pytest.raises(UsageError, match=said):
        write_vp(tmp_path, vp)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path):
    (tmp_path / "file").write_text("x")

    with pytest.raises(ConfigError, match="cannot be written: Not a directory"):
        write_vp(tmp_path / "file" / "vps", POET)


LINE = st.text(st.characters(blacklist_categories=["Cc", "Cs", "Zl", "Zp", "Zs"]), min_size=1, max_size=30)


@given(role=LINE, trait=LINE, alias=LINE.filter(lambda text: not label_problem(text)), persona=LINE)
def test_any_text_survives_writing_and_reading(role, trait, alias, persona):
    vp = Vp(id="poet", name="Poet", role=role, traits=(trait,), aliases=(alias,), persona={"": persona})

    parsed = parse_vp(vp_text(vp), "poet.md", "poet")

    assert parsed.problems == ()
    assert plain(parsed.vp) == vp
