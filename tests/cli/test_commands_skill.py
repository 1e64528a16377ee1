"""`yeaft skill` and what is started with `/`: everything is listed with its place, and every fault with its line."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands_given import Given


def written(given: Given, path: str, text: str) -> str:
    """Write a file below the work folder, or below yeaft's home (`home/…`); returns its path."""
    place = given.home.parent / path.replace("home/", "yeaft/", 1) if path.startswith("home/") else given.folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    return str(place)


def skill_text(name: str, more: str = "") -> str:
    return f"---\nname: {name}\ndescription: Does {name}. Use when asked.\n{more}---\nDo it.\n"


def test_skills_and_commands_are_listed_with_whose_they_are_and_who_starts_them(given: Given) -> None:
    written(given, "home/skills/bake/SKILL.md", skill_text("bake", "disable-model-invocation: true\n"))
    written(given, "home/skills/code-review/SKILL.md", skill_text("code-review"))
    path = written(given, "home/commands/ship.md", "---\nargument-hint: [where]\n---\nShip it.\n")

    rows = given.yeaft("skill", "ls", "--json").json
    shown = given.yeaft("skill", "ls")

    assert [(row["name"], row["kind"], row["tier"], row["used"]) for row in rows] == [
        ("bake", "skill", "user", True),
        ("code-review", "skill", "user", True),
        ("commit-message", "skill", "bundled", True),
        ("write-skill", "skill", "bundled", True),
        ("code-review", "skill", "bundled", False),
        ("ship", "command", "user", True),
    ]
    assert [(rows[0]["for_model"], rows[0]["for_user"]), rows[-1]["path"]] == [(False, True), path]
    assert "/ship           command  you " in shown.out
    assert "yeaft, not used" in shown.out
    assert "the skill 'code-review' is not used: it is replaced by" in shown.err


def test_a_file_that_explains_the_commands_is_said_to_be_none(given: Given) -> None:
    path = written(given, "home/commands/README.md", "# Ours\n")

    done = given.yeaft("skill", "ls")

    assert f"{path} explains the files around it; it is no command." in done.err
    assert "只是说明周围的文件，不是命令" in given.yeaft("skill", "ls", "--lang", "zh").err


def test_what_is_called_like_an_effort_is_said_to_start_nothing(given: Given) -> None:
    command = written(given, "home/commands/high.md", "Aim high.\n")
    nested = written(given, "home/commands/aim/high.md", "Aim high.\n")
    skill = written(given, "home/skills/ultra/SKILL.md", skill_text("ultra"))

    listed = given.yeaft("skill", "ls")
    rows = given.yeaft("skill", "ls", "--json").json
    checked = given.yeaft("skill", "check", command, nested, skill)
    check = next(one for one in given.yeaft("doctor", "--json").json if one["name"] == "commands")

    of_command = f"{command}:1: /high asks for an effort and does not start a command; rename the file"
    of_skill = f"{skill}:1: /ultra asks for an effort and does not start the skill; give it another name"
    assert listed.err.splitlines() == [
        f"{of_skill}.",
        f"{of_command}. It is left out until the file is mended.",
    ]
    assert [(row["name"], row["for_user"]) for row in rows if row["tier"] == "user"] == [
        ("ultra", False),
        ("aim:high", True),
    ]
    assert (checked.code, checked.out) == (65, f"{of_command}\n{of_skill} (advice)\n")
    assert (check["status"], check["detail"]) == ("warn", f"{of_command}\n{of_skill}")
    assert "/high 表示思考强度，不会启动命令" in given.yeaft("skill", "ls", "--lang", "zh").err
    assert "/ultra 表示思考强度，不会启动技能" in given.yeaft("skill", "ls", "--lang", "zh").err


def test_without_commands_the_list_says_how_to_have_one(given: Given) -> None:
    done = given.yeaft("skill", "ls")

    assert done.code == 0
    assert f"A file NAME.md in {given.home}/commands is one" in done.err
    assert "还没有自己的命令" in given.yeaft("skill", "ls", "--lang", "zh").err


def test_a_skill_or_a_command_is_shown_with_its_text(given: Given) -> None:
    written(given, "home/commands/code-review.md", "---\nmodel: fast\n---\nReview $1.\n")

    assert "references/checklist.md" in given.says("skill", "show", "Code-Review")
    command = given.yeaft("skill", "show", "/code-review", "--json").json
    assert (command["kind"], command["model"], command["text"]) == ("command", "fast", "Review $1.")
    missing = given.yeaft("skill", "show", "code-reveiw")
    assert (missing.code, missing.err) == (
        66,
        "yeaft: No skill or command named 'code-reveiw'. Did you mean code-review?\n",
    )


def test_what_a_folder_brings_is_listed_once_it_is_trusted(given: Given) -> None:
    written(given, ".claude/skills/knead/SKILL.md", skill_text("knead"))
    written(given, ".yeaft/commands/ship.md", "Ship it.\n")
    written(given, ".claude/agents/baker.md", "---\nname: baker\ndescription: Bakes.\n---\nYou bake.\n")
    written(given, ".claude/agents/README.md", "These are agents.\n")
    written(given, ".yeaft/vps/skeptic.md", "---\nname: Doubter\n---\nYou doubt.\n")

    before = given.yeaft("skill", "ls")
    given.says("trust", "--yes")
    rows = given.yeaft("skill", "ls", "--json").json
    vps = {row["id"]: row for row in given.yeaft("vp", "ls", "--json").json}
    listed = given.yeaft("vp", "ls")

    assert "knead" not in before.out
    assert "`yeaft trust` shows them" in before.err
    assert [(row["name"], row["tier"]) for row in rows if row["tier"] == "project"] == [
        ("knead", "project"),
        ("ship", "project"),
    ]
    assert (vps["baker"]["tier"], vps["skeptic"]["tier"], vps["omni"]["tier"]) == ("project", "project", "bundled")
    assert vps["skeptic"]["name"] == "Doubter"
    assert "@skeptic is not this one: it is replaced by" in listed.err
    assert "README" not in listed.err


def test_checking_names_each_fault_with_its_line_and_advice_does_not_count(given: Given) -> None:
    path = written(
        given,
        "skills/cake/SKILL.md",
        "---\nname: Cake\ndescription: Bakes: cakes.\nauthor: ada\n---\nSee [oven](references/oven.md).\n",
    )
    fine = written(given, "skills/bread/SKILL.md", skill_text("bread", "license: MIT\nauthor: ada\n"))

    done = given.yeaft("skill", "check", "skills")
    advised = given.yeaft("skill", "check", fine, "--json")

    assert done.code == 65
    assert done.out.replace(str(given.folder), "").splitlines()[1:] == [
        "skills/cake/SKILL.md:2: the name 'Cake' should be of a-z, 0-9 and single hyphens between them",
        "skills/cake/SKILL.md:3: holds `: ` without quotes, which other programs refuse; put the value in quotes",
        "skills/cake/SKILL.md:4: the field 'author' is none of agentskills.io; it belongs under `metadata` (advice)",
        "skills/cake/SKILL.md:6: names references/oven.md, which is not in the skill's folder (advice)",
    ]
    assert path.endswith("SKILL.md")
    assert (advised.code, [(row["line"], row["fatal"]) for row in advised.json]) == (0, [(5, False)])


def test_all_that_is_read_here_is_checked_without_a_path(given: Given) -> None:
    fine = given.yeaft("skill", "check")
    path = written(given, "home/commands/ship.md", "---\ndescription: x\n---\n")

    broken = given.yeaft("skill", "check")

    assert (fine.code, fine.err) == (0, "All 4 files of skills and commands are fine.\n")
    assert (broken.code, broken.out) == (65, f"{path}:1: holds no text to say\n")
    assert given.yeaft("skill", "check", "nowhere").code == 66
    assert given.yeaft("skill", "check", ".").code == 66


@pytest.mark.parametrize("path", ["cake/SKILL.md", "cake"])
def test_one_skill_is_checked_by_its_file_or_folder(given: Given, path: str) -> None:
    written(given, "cake/SKILL.md", skill_text("pie"))

    done = given.yeaft("skill", "check", path)

    assert (done.code, done.out) == (
        65,
        "cake/SKILL.md:2: the name 'pie' should be that of its place, 'cake'; it is found as 'pie'\n",
    )


def test_a_folder_of_commands_is_checked_with_all_below_it(given: Given) -> None:
    written(given, ".claude/commands/ship.md", "Ship it.\n")
    empty = written(given, ".claude/commands/deep/er/empty.md", "")

    done = given.yeaft("skill", "check", ".claude/commands")

    assert (done.code, done.out) == (65, f"{empty}:1: holds no text to say\n".replace(f"{given.folder}/", ""))


@pytest.mark.parametrize(
    ("lang", "said"),
    [("en", "/rename is an order for an open Session: begin one with `yeaft`"), ("zh", "先用 `yeaft` 打开会话")],
)
def test_an_order_for_an_open_session_says_on_the_command_line_where_it_belongs_and_where_the_help_is(
    given: Given, lang: str, said: str
) -> None:
    model = {"YEAFT_MODEL": "nobody", "YEAFT_BASE_URL": "http://127.0.0.1:9/v1", "YEAFT_API_KEY": "x"}

    order = given.yeaft("--lang", lang, "/rename Bread", **model)
    slip = given.yeaft("/modle", **model)

    assert order.code == 2
    assert said in order.err
    assert "`yeaft help`" in order.err
    assert "Did you mean /model?" in slip.err


def test_a_command_on_the_command_line_ends_with_what_went_wrong(given: Given) -> None:
    written(given, "home/commands/ship.md", "!`touch shipped`\n")

    model = {"YEAFT_MODEL": "nobody", "YEAFT_BASE_URL": "http://127.0.0.1:9/v1", "YEAFT_API_KEY": "x"}
    unknown = given.yeaft("/shipp", **model)
    refused = given.yeaft("--json", "/ship", **model)
    denied = given.yeaft("--deny", "Bash(touch:*)", "/ship", **model)

    assert unknown.code == 2
    assert "There is no command /shipp. Did you mean /ship?" in unknown.err
    assert refused.code == 3
    assert "Add --allow 'Bash(touch shipped)' to let it run." in refused.err
    assert denied.code == 77
    assert not (given.folder / "shipped").exists()
    assert given.says("session", "ls", "--all", "--json") == "[]"


def test_a_signal_ends_what_a_command_runs_and_nothing_is_said(given: Given) -> None:
    pipe = given.folder / "begun"
    os.mkfifo(pipe)
    written(given, "home/commands/wait.md", "!`echo $$ > begun; sleep 300`\n")
    model = {"YEAFT_MODEL": "nobody", "YEAFT_BASE_URL": "http://127.0.0.1:9/v1", "YEAFT_API_KEY": "x"}
    with subprocess.Popen(
        [sys.executable, "-m", "yeaft", "--yolo", "/wait"],
        cwd=given.folder,
        env=given.environ | model,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        pid = int(pipe.read_text())

        running.send_signal(signal.SIGINT)

        assert running.wait(60) == 130
    assert not Path(f"/proc/{pid}").exists()
    assert given.says("session", "ls", "--all", "--json") == "[]"


def test_what_goes_wrong_is_said_in_the_users_language(given: Given) -> None:
    model = {"YEAFT_MODEL": "nobody", "YEAFT_BASE_URL": "http://127.0.0.1:9/v1", "YEAFT_API_KEY": "x"}

    done = given.yeaft("--lang", "zh", "/code-reveiw", **model)

    assert done.err == "yeaft: 没有命令 /code-reveiw。是不是指 /code-review？要当作文字发送，请在前面加一个词。\n"
