"""`yeaft config instructions` lists what VPs begin with here, and says what is left out."""

from tests.cli.commands_given import Given


def test_the_files_are_listed_with_their_size_and_the_reason(given: Given) -> None:
    (given.folder / "AGENTS.md").write_text("Use tabs. See @style.md\n")
    (given.folder / "style.md").write_text("x" * 400)
    config = given.folder.parent / ".config"
    config.mkdir()
    (config / "AGENTS.md").write_text("Answer in haiku.\n")

    rows = given.yeaft("config", "instructions", "--json").json
    table = given.says("config", "instructions").split("\n")

    name = str(given.folder / "AGENTS.md")
    assert [(row["path"], row["bytes"], row["standing"], row["why"]) for row in rows] == [
        (str(config / "AGENTS.md"), 17, "user", "user"),
        (name, 24, "material", "folder"),
        (str(given.folder / "style.md"), 400, "material", f"import of {name}"),
    ]
    assert all(row["tokens"] > 0 for row in rows)
    assert [line.split()[1:3] for line in table[1:]] == [[str(row["bytes"]), str(row["tokens"])] for row in rows]
    assert "work folder" in table[2]


def test_without_any_it_says_where_they_would_be(given: Given) -> None:
    done = given.yeaft("config", "instructions")

    assert (done.code, done.out) == (0, "")
    assert "AGENTS.md, CLAUDE.md, GEMINI.md, .goosehints, .cursorrules" in done.err
    assert given.yeaft("config", "instructions", "--json").json == []


def test_what_a_rule_denies_or_what_leads_away_is_named(given: Given) -> None:
    given.home.mkdir()
    (given.home / "config.toml").write_text('[permissions]\ndeny = ["FileRead(secret.md)"]\n')
    (given.folder / "secret.md").write_text("hidden")
    (given.folder / "AGENTS.md").write_text("@./secret.md @/etc/hostname")

    done = given.yeaft("config", "instructions", "--json")

    assert [row["path"] for row in done.json] == [str(given.folder / "AGENTS.md")]
    assert f"{given.folder / 'secret.md'} is left out" in done.err
    assert "/etc/hostname is left out" in done.err


def test_names_and_limit_can_be_set(given: Given) -> None:
    (given.folder / "AGENTS.md").write_text("agents")
    (given.folder / "RULES.md").write_text("rules" * 10)

    rows = given.yeaft("--set", 'instructions.names=["RULES.md"]', "config", "instructions", "--json").json
    cut = given.yeaft("--set", "project_doc_max_bytes=3", "config", "instructions", "--json")

    assert [row["path"] for row in rows] == [str(given.folder / "RULES.md")]
    assert [row["bytes"] for row in cut.json] == [3]
    assert "is longer than what is read of instruction files" in cut.err


def test_a_chinese_user_reads_chinese(given: Given) -> None:
    (given.folder / "AGENTS.md").write_text("x")

    assert "工作文件夹" in given.says("--lang", "zh", "config", "instructions")
