"""`yeaft artifact`: files are kept, listed, shown, compared and taken out again, and nothing is served that was changed."""

import io
import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pexpect
import pytest
from PIL import Image

from tests.cli.commands_given import Given
from yeaft.store.lock import SessionLock

PRICES = "item,price,since\nmilk,1.20,2026-01-05\n豆腐,3,\n"


@pytest.fixture
def session(talking: Given) -> str:
    """A Session in which `prices.csv` and `plan.md` were kept."""
    session_id = talking.session()
    (talking.folder / "prices.csv").write_text(PRICES)
    (talking.folder / "plan.md").write_text("# Plan\n\nbuy milk\n")
    talking.says("artifact", "add", "prices.csv", "--description", "What a  week\ncosts")
    talking.says("artifact", "add", "plan.md", "--session", session_id[:5])
    return session_id


def test_an_added_file_is_listed_for_people_and_programs(talking: Given, session: str) -> None:
    lines = talking.says("artifact", "ls").splitlines()
    rows = json.loads(talking.says("artifact", "ls", "--session", "last", "--json"))
    tables = json.loads(talking.says("artifact", "ls", "--type", "table", "--json"))

    assert lines[0].split()[:4] == ["id", "type", "size", "made"]
    assert lines[1].split() == [
        rows[0]["id"][:12],
        "table",
        "48",
        "B",
        "you",
        session,
        "user/prices.csv",
        "What",
        "a",
        "week",
        "costs",
    ]
    file = talking.home / "sessions" / session / "out" / "user" / "prices.csv"
    assert {key: rows[0][key] for key in ("type", "path", "description", "created_by", "source", "file")} == {
        "type": "table",
        "path": "user/prices.csv",
        "description": "What a week costs",
        "created_by": "user",
        "source": str(talking.folder / "prices.csv"),
        "file": str(file),
    }
    assert rows[0]["columns"] == [
        {"name": "item", "type": "text"},
        {"name": "price", "type": "number"},
        {"name": "since", "type": "date"},
    ]
    assert file.read_text() == PRICES
    assert [row["name"] for row in rows] == ["prices.csv", "plan.md"]
    assert tables == rows[:1]


def test_a_table_is_shown_in_columns_that_line_up_in_any_script(talking: Given, session: str) -> None:
    shown = talking.says("artifact", "show", "prices.csv")
    one_row = talking.says("--lang", "zh", "artifact", "show", "prices.csv", "-n", "1", "-s", session)
    told = json.loads(talking.says("artifact", "show", "prices.csv", "--json"))

    assert shown.partition("\n\n")[2].splitlines() == [
        "item  price  since",
        "milk  1.20   2026-01-05",
        "豆腐  3",
    ]
    assert "columns: item (text), price (number), since (date)" in shown
    assert "\n列：item（文本），price（数字），since（日期）\n" in one_row
    assert f"\nkept: {datetime.now().astimezone():%Y-%m-%d} " in shown
    assert one_row.endswith("milk  1.20   2026-01-05\n……还有 1 行数据（-n 可显示更多）")
    assert told["text"] == "Columns: item text, price number, since date\n" + PRICES.rstrip("\n")


def test_a_picture_is_drawn_where_there_are_colours(talking: Given, session: str) -> None:
    picture = Image.new("RGB", (4, 4), "red")
    picture.paste((0, 0, 255), (0, 1, 4, 2))
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    (talking.folder / "chart.png").write_bytes(stream.getvalue())
    talking.says("artifact", "add", "chart.png")

    plain = talking.says("artifact", "show", "chart.png")
    drawn = talking.says("artifact", "show", "chart.png", FORCE_COLOR="1")

    assert session in plain
    assert plain.endswith("\n4x4 pixels")
    lines = drawn.partition("4x4 pixels\n")[2].splitlines()
    assert lines == [
        "\x1b[38;2;255;0;0;48;2;0;0;255m▀▀▀▀\x1b[0m",
        "\x1b[38;2;255;0;0;48;2;255;0;0m▀▀▀▀\x1b[0m",
    ]


def test_a_new_revision_can_be_compared_with_the_one_before(talking: Given, session: str) -> None:
    (talking.folder / "plan.md").write_text("# Plan\n\nbuy tofu\n")
    talking.says("artifact", "add", "plan.md")

    assert talking.says("artifact", "diff", "plan.md").splitlines() == [
        "--- user/plan.md",
        "+++ user/plan-2.md",
        "@@ -1,3 +1,3 @@",
        " # Plan",
        " ",
        "-buy milk",
        "+buy tofu",
    ]
    assert json.loads(talking.says("artifact", "diff", "plan.md", "user/plan-2.md", "--json"))["same"] is True
    rows = json.loads(talking.says("artifact", "ls", "--all", "--json"))
    assert [(row["path"], row["revision"], row["current"]) for row in rows[1:]] == [
        ("user/plan.md", 1, False),
        ("user/plan-2.md", 2, True),
    ]
    first = talking.yeaft("artifact", "diff", "prices.csv", "--session", session)
    assert (first.code, "has no earlier revision" in first.err) == (66, True)


def test_json_is_compared_by_its_values(talking: Given, session: str) -> None:
    (talking.folder / "x.json").write_text('{"a": 1, "b": [2]}')
    talking.says("artifact", "add", "x.json", "-s", session)
    (talking.folder / "x.json").write_text('{"a":1,\n"b":[3]}')
    talking.says("artifact", "add", "x.json", "-s", session)

    changed = [line for line in talking.says("artifact", "diff", "x.json").splitlines()[3:] if line[0] in "+-"]

    assert changed == ["-    2", "+    3"]


def test_content_is_exported_byte_for_byte_and_replaces_nothing_unasked(talking: Given, session: str) -> None:
    raw = b"\x00\xff\r\n\x1b[31m"
    (talking.folder / "blob").write_bytes(raw)
    talking.says("artifact", "add", "blob", "-s", session)

    done = subprocess.run(
        [sys.executable, "-m", "yeaft", "artifact", "export", "blob"],
        cwd=talking.folder,
        env=talking.environ,
        capture_output=True,
        check=True,
    )
    into = talking.yeaft("artifact", "export", "blob", "-o", "copy.bin")
    again = talking.yeaft("artifact", "export", "prices.csv", "-o", "copy.bin")
    forced = talking.yeaft("artifact", "export", "prices.csv", "-o", "copy.bin", "--force")
    (talking.folder / "docs").mkdir()
    in_folder = talking.yeaft("artifact", "export", "prices.csv", "-o", "docs")

    assert done.stdout == raw
    assert (into.code, again.code, forced.code, in_folder.code) == (0, 1, 0, 0)
    assert "copy.bin is there already; --force replaces it" in again.err
    assert (talking.folder / "copy.bin").read_text() == PRICES
    assert (talking.folder / "docs" / "prices.csv").read_text() == PRICES


def test_a_file_that_was_changed_or_is_gone_is_named_and_never_served(talking: Given, session: str) -> None:
    file = talking.home / "sessions" / session / "out" / "user" / "plan.md"

    file.write_text("# Plan\n\nbuy beer\n")
    for action in ("show", "export", "open"):
        changed = talking.yeaft("artifact", action, "plan.md")
        assert (changed.code, changed.out) == (65, "")
        assert f"was changed after it was kept: {file}" in changed.err
    file.unlink()
    gone = talking.yeaft("--lang", "zh", "artifact", "show", "plan.md")
    talking.says("artifact", "add", "plan.md")

    assert (gone.code, gone.out) == (66, "")
    assert f"的文件已不在：{file}" in gone.err
    assert "buy milk" in talking.says("artifact", "show", "plan.md")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("show", "nothing"), 66, "No artifact 'nothing'. The newest are: a_"),
        (("show", "prices.csv", "--session", "nowhere"), 66, "No Session 'nowhere'"),
        (("add", "missing.csv"), 66, "There is no file"),
        (("add", "uneven.csv"), 65, "Line 3 of the table has 1 cells; its first line names 2."),
        (("add", "prices.csv", "--type", "json"), 65, "prices.csv cannot be kept as json: It is no JSON"),
        (("add", "prices.csv", "--type", "tabel"), 2, "table"),
        (("ad",), 2, "yeaft artifact add"),
        (("add", "pipe"), 66, "There is no file"),
    ],
)
def test_mistakes_name_the_thing_and_what_would_be_right(
    talking: Given, session: str, words: tuple[str, ...], code: int, said: str
) -> None:
    (talking.folder / "uneven.csv").write_text("a,b\n1,2\n3\n")
    os.mkfifo(talking.folder / "pipe")

    done = talking.yeaft("artifact", *words)

    assert session
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert len(done.err.splitlines()) == 1


def test_without_a_session_there_is_nothing_to_add_to_and_nothing_to_list(given: Given) -> None:
    (given.folder / "a.txt").write_text("a\n")

    added = given.yeaft("artifact", "add", "a.txt")
    listed = given.yeaft("artifact", "ls")

    assert (added.code, "No Session 'last'" in added.err) == (66, True)
    assert (listed.code, listed.out) == (0, "")
    assert "yeaft artifact add FILE" in listed.err


def test_a_session_that_another_process_has_is_left_alone(talking: Given, session: str) -> None:
    root = talking.home / "sessions" / session
    before = (root / "out" / "index.json").read_bytes()
    (talking.folder / "new.txt").write_text("new\n")

    with SessionLock.take(root):
        done = talking.yeaft("artifact", "add", "new.txt")

    assert done.code == 75
    assert (root / "out" / "index.json").read_bytes() == before


def test_a_name_that_two_sessions_have_needs_an_id_or_a_session(talking: Given, session: str) -> None:
    other = talking.session("@omni again")
    (talking.folder / "plan.md").write_text("another plan\n")
    talking.says("artifact", "add", "plan.md", "--session", other)

    unclear = talking.yeaft("artifact", "show", "plan.md")

    assert unclear.code == 66
    assert "is kept in several Sessions" in unclear.err
    assert session in unclear.err
    assert other in unclear.err
    assert "another plan" in talking.says("artifact", "show", "plan.md", "-s", other)


def test_search_finds_names_descriptions_and_texts(talking: Given, session: str) -> None:
    by_name = json.loads(talking.says("search", "prices.csv", "--in", "artifacts", "--json"))
    by_words = json.loads(talking.says("search", "豆腐", "--json"))
    by_description = talking.says("search", "week costs")

    assert [(hit["within"], hit["session"]) for hit in by_name] == [("user/prices.csv", session)]
    assert [hit["from"].partition(":")[0] for hit in by_words] == ["artifact"]
    assert "artifact:a_" in by_description
    (talking.folder / "plan.md").write_text("walrus\n")
    talking.says("artifact", "add", "plan.md", "--description", "about walking")
    assert json.loads(talking.says("search", "walrus", "walking", "--json"))[0]["within"] == "user/plan-2.md"


def test_a_copy_has_the_artifacts_and_one_of_an_earlier_state_only_those_of_then(talking: Given) -> None:
    session = talking.session("@omni first")
    (talking.folder / "one.txt").write_text("one\n")
    (talking.folder / "two.txt").write_text("two\n")
    talking.says("artifact", "add", "one.txt")
    talking.yeaft("-c", "@omni second")
    talking.says("artifact", "add", "two.txt")

    whole = talking.says("session", "fork", session)
    earlier = talking.says("session", "fork", session, "--at", "2")

    def names(of: str) -> list[str]:
        return [row["name"] for row in json.loads(talking.says("artifact", "ls", "--session", of, "--json"))]

    assert (names(whole), names(earlier)) == (["one.txt", "two.txt"], ["one.txt"])
    assert not (talking.home / "sessions" / earlier / "out" / "user" / "two.txt").exists()
    assert talking.says("artifact", "show", "one.txt", "-s", earlier).endswith("one")


def test_a_session_is_shown_exported_and_imported_with_its_artifacts(talking: Given, session: str) -> None:
    shown = talking.says("session", "show", session)
    told = json.loads(talking.says("session", "show", session, "--json"))["artifacts"]
    document = talking.says("session", "export", session, "--format", "md")
    page = talking.says("session", "export", session, "--format", "html")
    talking.says("session", "export", session, "-o", "talk.jsonl")
    redacted = talking.says("session", "export", session, "--redact")
    before = json.loads(talking.says("artifact", "ls", "--session", session, "--json"))
    talking.says("session", "rm", session, "--yes")

    again = talking.says("session", "import", "talk.jsonl")

    assert "Artifacts:\n  user/prices.csv (table, 48 bytes, user, a_" in shown
    assert [(one["path"], one.get("description", "")) for one in told] == [
        ("user/prices.csv", "What a week costs"),
        ("user/plan.md", ""),
    ]
    assert "## Artifacts\n\n- user/prices.csv (table" in document
    assert "Artifacts: user/prices.csv, user/plan.md" in page
    assert 'yeaft.artifact"' not in redacted
    after = json.loads(talking.says("artifact", "ls", "--session", again, "--json"))
    same = ("id", "path", "description", "sha256", "columns", "created_by", "file", "revision")
    assert [{key: row[key] for key in same} for row in after] == [{key: row[key] for key in same} for row in before]
    assert talking.says("artifact", "export", "prices.csv", "-s", again) == PRICES.rstrip("\n")


def test_an_export_whose_artifact_was_edited_is_refused(talking: Given, session: str) -> None:
    talking.says("session", "export", session, "-o", "talk.jsonl")
    text = (talking.folder / "talk.jsonl").read_text()
    line = next(one for one in text.splitlines() if '"yeaft.artifact"' in one)

    for edit in ({"subject": "../../../evil"}, {"subject": "user/other.md"}, {"data_base64": "eA=="}):
        edited = json.dumps(json.loads(line) | edit)
        (talking.folder / "edited.jsonl").write_text(text.replace(line, edited))
        done = talking.yeaft("session", "import", "edited.jsonl")
        assert done.code == 65
    assert not (talking.home / "evil").exists()


def test_open_edits_a_copy_and_says_what_it_did(talking: Given, session: str, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho "buy beer" >> "$1"\n')
    editor.chmod(0o755)
    environ = {**talking.environ, "EDITOR": str(editor), "TERM": "xterm", "TMPDIR": str(tmp_path), "COLUMNS": "500"}

    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "yeaft", "artifact", "open", "plan.md"],
        cwd=str(talking.folder),
        env=environ,
        encoding="utf-8",
        timeout=60,
    )
    terminal.expect(pexpect.EOF)
    terminal.wait()

    said = str(terminal.before)
    (copy,) = tmp_path.glob("yeaft-*/plan.md")
    assert terminal.exitstatus == 0
    assert f"A copy of plan.md was opened with {editor}: {copy}" in said
    assert f"yeaft artifact add {copy} --session {session}" in said
    assert "buy beer" in copy.read_text()
    assert "buy beer" not in talking.says("artifact", "show", "plan.md")


def test_open_uses_what_the_desktop_has_and_else_says_where_it_is(talking: Given, session: str, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    opener = tools / "xdg-open"
    opener.write_text(f'#!/bin/sh\ncat "$1" > {tmp_path}/opened\n')
    opener.chmod(0o755)
    (talking.folder / "net.pkl").write_bytes(b"\x80\x04.")
    talking.says("artifact", "add", "net.pkl", "-s", session)
    desktop = {"PATH": f"{tools}:{talking.environ['PATH']}", "DISPLAY": ":9", "TMPDIR": str(tmp_path)}

    opened = talking.yeaft("artifact", "open", "prices.csv", **desktop)
    nowhere = talking.yeaft("artifact", "open", "prices.csv", EDITOR="vi")
    model = talking.yeaft("artifact", "open", "net.pkl", **desktop)

    assert opened.code == 0
    assert "A copy of prices.csv was opened with xdg-open" in opened.out
    assert (tmp_path / "opened").read_text() == PRICES
    assert (nowhere.code, nowhere.out) == (1, "")
    assert str(talking.home / "sessions" / session / "out" / "user" / "prices.csv") in nowhere.err
    assert (model.code, "never opened" in model.err) == (65, True)


def test_a_checkup_names_artifacts_that_are_gone_or_were_altered(talking: Given, session: str) -> None:
    out = talking.home / "sessions" / session / "out" / "user"
    sound = talking.yeaft("session", "check", session)
    (out / "plan.md").unlink()
    (out / "prices.csv").write_text("nothing\n")

    found = talking.yeaft("session", "check", session)

    assert (sound.code, found.code != 0) == (0, True)
    assert f"an artifact is gone: {out / 'plan.md'}" in found.out
    assert f"an artifact was altered: {out / 'prices.csv'}" in found.out


def test_a_file_that_is_in_no_list_is_told_of(talking: Given, session: str) -> None:
    out = talking.home / "sessions" / session / "out"
    (out / "user" / "left.txt").write_text("left\n")

    listed = talking.yeaft("artifact", "ls", "--session", session)

    assert listed.code == 0
    assert f"Files in {out} that are in no list: 1 (such as user/left.txt)." in listed.err


def test_where_no_list_can_be_read_nobody_is_told_that_there_is_nothing(talking: Given, session: str) -> None:
    index = talking.home / "sessions" / session / "out" / "index.json"
    index.write_text("{")

    listed, shown = talking.yeaft("artifact", "ls", "--json"), talking.yeaft("artifact", "show", "plan.md")
    talking.session()
    (talking.folder / "new.txt").write_text("new\n")
    talking.says("artifact", "add", "new.txt")
    others = talking.yeaft("artifact", "ls")

    assert [(one.code, one.out, f"{index} is no list of artifacts" in one.err) for one in (listed, shown)] == [
        (1, "", True)
    ] * 2
    assert (others.code, "user/new.txt" in others.out) == (0, True)
    assert f"The artifacts of session {session} are left out: {index} is no list" in others.err


def test_shells_complete_ids_and_paths(talking: Given, session: str) -> None:
    script = talking.says("completion", "bash")
    rows = json.loads(talking.says("artifact", "ls", "--json"))
    line = (
        "COMP_WORDS=(yeaft artifact show ''); COMP_CWORD=3; COMPREPLY=(); _yeaft; printf '%s\\n' \"${COMPREPLY[@]}\"\n"
    )

    done = subprocess.run(
        [
            "bash",
            "-c",
            f'yeaft() {{ {sys.executable} -m yeaft "$@"; }}\n{script.replace("command yeaft", "yeaft")}\n{line}',
        ],
        cwd=talking.folder,
        env=talking.environ,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )

    offered = set(done.stdout.split())
    assert session
    assert offered >= {"user/prices.csv", "user/plan.md", rows[0]["id"], "--lines"}
