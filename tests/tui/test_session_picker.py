"""Picking a Session: list, filter, look inside, resume, fork, rename, archive, delete."""

from pathlib import Path

from tests.tui.panels_given import Room, room_with
from yeaft.interfaces.orders import Leave
from yeaft.llm.scripted.script import Line, Says
from yeaft.store.index import Index

TALK = Line(steps=(Says(text="Understood."),), repeat=True)


async def test_a_session_is_found_by_what_was_said_in_it_and_resumed(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room:
        await room.holds("paint the fence")
        wanted = await room.holds("修理屋顶 please", name="屋顶")
        async with room.desk() as desk:
            await desk.presses("f4")
            await desk.shows("paint the fence", "屋顶")
            await desk.types("屋顶")
            await desk.hides("paint the fence")
            await desk.shows(f"Session: {wanted}", "修理屋顶 please", "Understood.")
            await desk.presses("enter")

            await desk.until(lambda: bool(desk.host.deeds))

    assert desk.deed == Leave(resume=wanted)


async def test_what_is_looked_into_is_laid_out_and_its_code_stays_as_it_is(tmp_path: Path) -> None:
    answer = "**首先**要检查 `retry.py`。\n\n```python\nexcept OSError:\n    raise  # 绝不能吞掉\n```\n"
    async with room_with(tmp_path, Line(steps=(Says(text=answer),), repeat=True)) as room:
        await room.holds("retry.py 这个文件夹里的代码是做什么的，请你先仔细检查一遍再回答我的这个问题")
        async with room.desk() as desk:
            await desk.presses("f4")

            text = await desk.shows("│ except OSError:", "│     raise  # 绝不能吞掉", "首先要检查 retry.py。")

    assert "```" not in text
    assert any(line.rpartition("│")[2].strip().startswith("retry.py 这个") for line in text.splitlines()), text


async def test_sessions_of_other_folders_are_listed_when_asked_for(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room:
        other = tmp_path / "other"
        other.mkdir()
        await room.holds("in another place", folder=other)
        async with room.desk(size=(40, 16)) as desk:
            await desk.orders("/resume")
            await desk.shows("There are no Sessions of this folder")
            await desk.presses("alt+e")

            await desk.shows("in another place")


async def test_a_fork_is_what_one_goes_on_with(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room:
        original = await room.holds("plan the trip")
        async with room.desk() as desk:
            await desk.presses("f4")
            await desk.shows("plan the trip")
            await desk.presses("alt+f")
            await desk.until(lambda: bool(desk.host.deeds))

    assert isinstance(desk.deed, Leave)
    assert desk.deed.resume not in (None, original)
    assert {meta.title for meta in Index(room.home).rows()} == {"plan the trip"}


async def test_sessions_are_renamed_and_archived_where_they_stand(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room:
        await room.holds("first one")
        async with room.desk() as desk:
            await desk.says("the current one")
            await desk.presses("f4")
            await desk.shows("first one", "the current one")
            await desk.types("first")
            await desk.hides("the current one")
            await desk.presses("alt+r")
            await desk.shows("Another name for this Session")
            await desk.presses("ctrl+u")
            await desk.types("renamed\n")
            await desk.shows("renamed")
            await desk.presses("alt+a")
            await desk.hides("renamed  ")

    assert _names(room) == {("renamed", True), ("", False)}


async def test_a_session_is_deleted_only_once_that_was_agreed_to(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room:
        gone = await room.holds("throw this away")
        async with room.desk() as desk:
            await desk.says("here I am")
            await desk.presses("f4")
            await desk.shows("throw this away")
            await desk.types("here I am")
            await desk.hides("throw this away")
            await desk.presses("alt+d")
            await desk.until(lambda: "This is the Session you are in" in desk.toasts)
            await desk.presses("ctrl+u")
            await desk.types("throw")
            await desk.hides("here I am")
            await desk.presses("alt+d")
            await desk.shows("Delete this Session for good?", "Delete it, with its files and logs")
            assert (room.home / "sessions" / gone).exists()
            await desk.shows("Type a number")
            await desk.types("2")
            await desk.hides("Delete this Session for good?")

            await desk.until(lambda: not (room.home / "sessions" / gone).exists())


async def test_a_thousand_sessions_narrow_down_as_one_types(tmp_path: Path) -> None:
    async with room_with(tmp_path, TALK) as room:
        copies(room, await room.holds("needle in a haystack"), 1_000)
        async with room.desk() as desk:
            await desk.presses("f4")
            await desk.shows("(1001)")
            await desk.types("copy 777")
            await desk.presses("enter")
            await desk.until(lambda: bool(desk.host.deeds))

    assert desk.deed == Leave(resume="copy0777")


def copies(room: Room, session_id: str, count: int) -> None:
    """Put many more Sessions there, which differ in their metas alone."""
    import json
    import shutil

    source = room.home / "sessions" / session_id
    meta = json.loads((source / "meta.json").read_text())
    for number in range(count):
        target = room.home / "sessions" / f"copy{number:04}"
        target.mkdir()
        shutil.copy(source / "session.db", target / "session.db")
        (target / "meta.json").write_text(json.dumps(meta | {"session_id": target.name, "name": f"copy {number}"}))


def _names(room: Room) -> set[tuple[str, bool]]:
    return {(meta.name, meta.archived) for meta in Index(room.home).rows(include_archived=True)}
