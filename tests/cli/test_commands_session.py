"""`yeaft session`: what was said can be found, read, renamed, copied, taken elsewhere and deleted, and is never lost."""

import asyncio
import base64
import hashlib
import json
from html.parser import HTMLParser
from pathlib import Path

from tests.cli.commands_given import Given
from tests.cli.conftest import KEY_IN_THE_ANSWER
from yeaft.events.history import AttachmentAdded
from yeaft.events.session import MessagePosted
from yeaft.session.offline import append_offline
from yeaft.store.attachments import Attachments
from yeaft.store.directory import session_paths
from yeaft.store.lock import SessionLock


def ids(given: Given, *words: str) -> list[str]:
    return [row["id"] for row in given.yeaft("session", "ls", "--json", *words).json]


def test_a_folder_without_sessions_has_an_empty_list_and_says_where_others_are(given: Given) -> None:
    empty = given.yeaft("session", "ls")

    assert (empty.code, empty.out) == (0, "")
    assert "yeaft session ls --all" in empty.err
    assert given.yeaft("session", "list", "--json").json == []
    assert not given.home.exists(), "looking writes nothing"


def test_a_session_is_listed_in_its_folder_only_and_newest_first(talking: Given, tmp_path: Path) -> None:
    first, second = talking.session("one"), talking.session("two", name="第二")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    (newest, oldest) = talking.yeaft("session", "ls", "--json").json

    assert [newest["id"], oldest["id"]] == [second, first]
    assert newest | {"created": "", "last_active": ""} == {
        "id": second,
        "name": "第二",
        "title": "two",
        "roster": ["omni"],
        "default_vp": "omni",
        "messages": 1,
        "created": "",
        "last_active": "",
        "folder": str(talking.folder),
        "archived": False,
        "labels": [],
        "last_words": "你好 from the script.",
        "last_speaker": "vp:omni",
        "cost": 0.0,
        "unpriced": 1,
    }
    assert ids(talking, "-C", str(elsewhere)) == []
    assert ids(talking, "-C", str(elsewhere), "--all") == [second, first]
    assert second in talking.says("session", "ls").splitlines()[1]


def test_showing_a_session_tells_who_said_what_and_how_it_ended(talking: Given) -> None:
    session = talking.session()

    shown = talking.yeaft("session", "show", session[:5], "--json").json
    (message,) = shown["transcript"]
    by_vp = {turn["vp"]: turn for turn in message["turns"]}
    text = talking.says("session", "show", session)

    assert (message["from"], message["to"], message["text"]) == (
        "user",
        ["omni", "skeptic"],
        "@omni @skeptic look around",
    )
    assert [(turn["outcome"], turn["rounds"]) for turn in by_vp.values()] == [("answered", 2), ("answered", 1)]
    assert by_vp["omni"]["calls"] == [{"tool": "ListDir", "args": '{"path":"."}', "status": "ok"}]
    assert by_vp["skeptic"]["text"] == "你好 from the script."
    assert "── @skeptic  answered" in text
    assert "你好 from the script." in text
    assert "look around" not in talking.says("session", "show", session, "--limit", "0").partition("\n\n")[2]


def test_a_renamed_session_is_found_by_its_new_name(talking: Given) -> None:
    session = talking.session()

    talking.says("session", "rename", session, "账单  问题")

    assert talking.says("session", "path", "账单 问题") == str(talking.home / "sessions" / session)
    assert talking.yeaft("-r", "账单 问题", "--json", "go on").json["session"] == session
    assert talking.yeaft("session", "rename", session, "  ").code == 2


def test_an_archived_session_leaves_the_usual_list_until_it_is_put_back(talking: Given) -> None:
    session = talking.session()

    talking.says("session", "archive", session)
    while_archived = ids(talking), ids(talking, "--archived")
    talking.says("session", "unarchive", session)

    assert while_archived == ([], [session])
    assert ids(talking) == [session]


def test_nothing_is_deleted_without_somebody_who_agrees(talking: Given) -> None:
    session = talking.session()

    refused = talking.yeaft("session", "rm", session)
    still_there = ids(talking)
    deleted = talking.yeaft("session", "delete", session, "--yes", "--json")

    assert (refused.code, still_there) == (3, [session])
    assert "--yes" in refused.err
    assert deleted.json == [{"id": session, "deleted": True}]
    assert ids(talking) == []
    assert not (talking.home / "sessions" / session).exists()


def test_a_session_in_use_can_be_read_and_copied_but_not_changed(talking: Given) -> None:
    session = talking.session()

    with SessionLock.take(session_paths(talking.home, session).root) as lock:
        changes = [
            talking.yeaft("session", *words)
            for words in (("rename", session, "x"), ("archive", session), ("rm", session, "--yes"))
        ]
        read = talking.yeaft("session", "show", session)
        copy = talking.yeaft("session", "fork", session, "--json")

    assert [done.code for done in changes] == [75, 75, 75]
    assert all(f"process {lock.owner.pid}" in done.err for done in changes)
    assert read.code == 0
    assert set(ids(talking)) == {session, copy.json["id"]}


def test_a_fork_goes_its_own_way(talking: Given) -> None:
    session = talking.session()
    before = talking.yeaft("session", "show", session, "--json").json["transcript"]

    fork = talking.says("session", "fork", session, "--name", "second try")
    talking.says("-r", "second try", "another question")
    talking.says("session", "rm", session, "--yes")

    after = talking.yeaft("session", "show", fork, "--json").json["transcript"]
    assert after[:1] == before
    assert [message["text"] for message in after] == ["@omni @skeptic look around", "another question"]


def test_an_exported_session_is_the_same_on_another_machine_and_can_be_replayed_there(
    talking: Given, tmp_path: Path
) -> None:
    session, file = talking.session(), tmp_path / "talk.jsonl"
    elsewhere = {"YEAFT_DIR": str(tmp_path / "elsewhere")}

    talking.says("session", "export", session, "--thinking", "-o", str(file))
    first = talking.says("session", "import", str(file), **elsewhere)
    second = talking.process("session", "import", "-", stdin=file.read_text("utf-8"), **elsewhere).out.strip()

    assert first == session
    assert second != session, "an id that is taken is not taken again"
    told = [talking.yeaft("session", "show", one, "--json", **elsewhere).json["transcript"] for one in (first, second)]
    assert told == [talking.yeaft("session", "show", session, "--json").json["transcript"]] * 2
    replayed = talking.yeaft("replay", second, "--check", "--json", **elsewhere)
    assert [row["verdict"] for row in replayed.json] == ["equal"] * 3
    assert talking.says("session", "export", first, "--thinking", **elsewhere) == file.read_text("utf-8").rstrip("\n")


def test_thinking_stays_at_home_unless_asked_for(talking: Given) -> None:
    session = talking.session()

    for form in ("jsonl", "markdown"):
        assert "quiet thought" not in talking.says("session", "export", session, "--format", form)
        assert "quiet thought" in talking.says("session", "export", session, "--format", form, "--thinking")


def test_a_redacted_export_holds_no_keys(talking: Given) -> None:
    session = talking.session("my password is hunter2-hunter2, do not tell")
    secret = {"MAIL_PASSWORD": "hunter2-hunter2"}
    with_key = talking.session()

    told = talking.says("session", "export", session, "--redact", **secret)
    shaped = talking.says("session", "export", with_key, "--redact", "--format", "markdown")

    assert "hunter2" in talking.says("session", "export", session)
    assert "hunter2" not in told
    assert "my password is ***, do not tell" in told
    assert KEY_IN_THE_ANSWER not in shaped
    assert "Nothing here, but ***." in shaped
    assert all(json.loads(line)["specversion"] == "1.0" for line in told.splitlines())


def test_a_file_that_is_no_export_is_refused_with_its_line(given: Given, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text('\n{"specversion": "2.0"}\n')

    refused = given.yeaft("session", "import", str(file))

    assert refused.code == 65
    assert "Line 2" in refused.err
    assert given.yeaft("session", "import", str(tmp_path / "none")).code == 66
    assert given.process("session", "import", "-", stdin="").code == 65


def test_half_an_export_is_refused_and_leaves_nothing(talking: Given) -> None:
    lines = talking.says("session", "export", talking.session()).splitlines()

    refused = talking.process(
        "session", "import", "-", stdin="\n".join(lines[:3] + lines[4:]), YEAFT_DIR=str(talking.home / "2")
    )

    assert refused.code == 65
    assert "Event 4" in refused.err
    assert not (talking.home / "2").exists()


def test_a_session_that_does_not_exist_is_not_found_and_a_near_one_is_named(talking: Given) -> None:
    talking.session(name="billing")

    for words in (("show",), ("path",), ("rename", "x"), ("archive",), ("fork",), ("rm", "--yes"), ("export",)):
        missing = talking.yeaft("session", words[0], "biling", *words[1:])
        assert missing.code == 66, words
        assert "billing" in missing.err


def test_a_first_message_is_a_title_and_no_name(talking: Given) -> None:
    session = talking.session("look at the bills")

    (row,) = talking.yeaft("session", "ls", "--json").json
    by_title = talking.yeaft("session", "show", "look at the bills")

    assert (row["name"], row["title"]) == ("", "look at the bills")
    assert "look at the bills" in talking.says("session", "ls")
    assert by_title.code == 66
    assert f"Did you mean {session} (look at the bills)?" in by_title.err


def test_people_get_the_newest_twenty_and_programs_all(talking: Given) -> None:
    first = talking.session("look at the bills")
    for _ in range(21):
        talking.says("session", "fork", first)

    few = talking.yeaft("session", "ls")
    chosen = talking.yeaft("session", "ls", "--limit", "2")

    assert len(few.out.splitlines()) == 1 + 20
    assert "The newest 20 of 22" in few.err
    assert len(chosen.out.splitlines()) == 1 + 2
    assert len(talking.says("session", "ls", "--all").splitlines()) == 1 + 22
    assert len(talking.yeaft("session", "ls", "--json").json) == 22


def test_one_message_of_the_user_is_shown_with_all_it_led_to(talking: Given) -> None:
    session = talking.session("@omni first")
    talking.says("-r", session, "@skeptic second")

    def texts(*words: str) -> list[str]:
        shown = talking.yeaft("session", "show", session, "--json", *words).json
        return [message["text"] for message in shown["transcript"]]

    assert texts("--turn", "1") == ["@omni first"]
    assert texts("--turn", "last") == texts("--turn", "2") == ["@skeptic second"]
    assert texts("--vp", "@skeptic") == ["@skeptic second"]
    assert "@omni first" not in talking.says("session", "show", session, "--turn", "last")
    assert talking.yeaft("session", "show", session, "--turn", "3").code == 66
    assert talking.yeaft("session", "show", session, "--vp", "nobody").code == 66


def test_several_sessions_are_put_away_at_once_and_each_only_once(talking: Given) -> None:
    first, second = talking.session("one"), talking.session("two")

    archived = talking.yeaft("session", "archive", first, second, first, "--json").json
    gone = talking.yeaft("session", "rm", first, second[:6], second, "--yes", "--json").json

    assert [row["id"] for row in archived] == [first, second]
    assert all(row["archived"] for row in archived)
    assert [row["id"] for row in gone] == [first, second]
    assert ids(talking, "--archived") == []


def test_nothing_is_put_away_if_one_of_several_is_not_there(talking: Given) -> None:
    session = talking.session("one")

    told = talking.yeaft("session", "rm", session, "nobody", "--yes")

    assert told.code == 66
    assert ids(talking) == [session]


def test_last_is_the_session_that_was_used_last_in_this_folder(talking: Given, tmp_path: Path) -> None:
    session = talking.session("here")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    other = talking.yeaft("-C", str(elsewhere), "--json", "there").json["session"]

    assert talking.says("session", "path", "last").endswith(session)
    assert talking.says("session", "path", "last", "-C", str(elsewhere)).endswith(other)
    assert talking.yeaft("-r", "last", "--json", "go on").json["session"] == session


def test_a_page_of_html_needs_nothing_else_and_runs_nothing(talking: Given) -> None:
    evil = (
        "<script>alert(1)</script> \u202eevil\u0007 <img src=x onerror=y> &amp; 你好\n```py\nif a < b: pass\n```\nend"
    )
    session = talking.session(f"@omni look around {evil}", name="<b>bold</b>")

    page = talking.says("session", "export", session, "--format", "html")
    told = talking.says("session", "export", session, "--format", "html", "--thinking", "--redact", "--lang", "zh")

    tags = Tags()
    tags.feed(page)
    assert not tags.names & {"script", "iframe", "link", "object", "form", "base"}
    assert not [name for name in tags.attributes if name.startswith("on") or name in ("href", "srcdoc")]
    assert tags.sources == []
    assert "default-src 'none'" in page
    assert (
        "&lt;script&gt;alert(1)&lt;/script&gt; ⟨U+202E⟩evil⟨U+0007⟩ &lt;img src=x onerror=y&gt; &amp;amp; 你好" in page
    )
    assert "<pre><code>if a &lt; b: pass\n</code></pre>" in page
    assert "<title>&lt;b&gt;bold&lt;/b&gt;</title>" in page
    assert "ListDir" in page
    assert "quiet thought" not in page
    assert "quiet thought" in told
    assert KEY_IN_THE_ANSWER in page
    assert KEY_IN_THE_ANSWER not in told
    assert '<html lang="zh">' in told


class Tags(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.sources: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.sources += [value or "" for name, value in attrs if name == "src"]


def test_pictures_and_files_go_along_into_the_page_and_to_another_machine(talking: Given, tmp_path: Path) -> None:
    session = talking.session()
    place = session_paths(talking.home, session)
    picture, notes = b"\x89PNG\r\n\x1a\n" + b"x" * 50, b"<svg onload='x'/>"
    attachments = Attachments(place.attachments)
    added = [
        AttachmentAdded(
            attachment_id=f"f_{number}",
            name=name,
            file=attachments.keep(name, content),
            mime=mime,
            size_bytes=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
        )
        for number, (name, content, mime) in enumerate(
            [("图 one.png", picture, "image/png"), ("two.svg", notes, "image/svg+xml")]
        )
    ]
    said = MessagePosted(
        message_id="m_pictured",
        sender="user",
        to=("omni",),
        kind="user",
        text="look",
        root_id="m_pictured",
        attachments=("f_0", "f_1"),
    )
    asyncio.run(append_offline(talking.home, session, (*added, said)))

    page = talking.says("session", "export", session, "--format", "html")
    lines = talking.says("session", "export", session, "--thinking")
    moved = talking.process("session", "import", "-", stdin=lines, YEAFT_DIR=str(tmp_path / "2")).out.strip()
    altered = lines.replace(base64.b64encode(notes).decode(), base64.b64encode(b"other").decode())
    refused = talking.process("session", "import", "-", stdin=altered, YEAFT_DIR=str(tmp_path / "3"))

    assert f'<img src="data:image/png;base64,{base64.b64encode(picture).decode()}" alt="图 one.png">' in page
    assert "two.svg (image/svg+xml, 17 B)" in page
    assert page.count("<img") == 1
    kept = tmp_path / "2" / "sessions" / moved / "attachments"
    assert {path.read_bytes() for path in kept.iterdir()} == {picture, notes}
    assert (refused.code, (tmp_path / "3").exists()) == (65, False)
    assert "two" in refused.err


def test_one_json_array_is_an_export_too(talking: Given, tmp_path: Path) -> None:
    session = talking.session()

    array = talking.says("session", "export", session, "--format", "json", "--thinking")
    moved = talking.process("session", "import", "-", stdin=array, YEAFT_DIR=str(tmp_path / "2"))
    broken = talking.process("session", "import", "-", stdin=array[:-2], YEAFT_DIR=str(tmp_path / "3"))

    assert isinstance(json.loads(array), list)
    assert moved.out.strip() == session
    lines = talking.says("session", "export", session, "--thinking")
    assert lines == talking.says("session", "export", session, "--thinking", YEAFT_DIR=str(tmp_path / "2"))
    assert (broken.code, (tmp_path / "3").exists()) == (65, False)
    assert "JSON array" in broken.err
