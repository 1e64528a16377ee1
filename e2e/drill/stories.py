"""What the scripted model says in the drills. Every story goes by rounds, so any number of Sessions can share it."""

from pathlib import Path

from yeaft.llm.scripted.script import Calls, Line, Says, Script, ScriptedCall, Step, call

START, NEXT, CHECK, CHECKED = "drill-start", "drill-next", "drill-check", "drill-checked"
EFFECTS = "effects.txt"
RECORD = f'echo "$YEAFT_CALL" >> {EFFECTS}'
VPS = ("omni", "skeptic")
PEER = "tester"


def lay_out(folder: Path) -> None:
    """Write the files that the story is about."""
    (folder / "notes.txt").write_text("milk\neggs\n")
    for vp in VPS:
        (folder / f"{vp}.txt").write_text(f"{vp} says old words\n")


def tool_loop(delay_s: float = 0.0) -> Script:
    """Two VPs with every kind of tool at once, both handing on to a third; `delay_s` slows the words down."""
    next_turn = Line(when=NEXT, order="round", steps=(Calls(calls=(_read("notes.txt"),)), Says(text="next is done")))
    peer: tuple[Step, ...] = (
        Calls(calls=(_read("notes.txt"), call("ListDir"))),
        Calls(calls=(_bash(RECORD),)),
        Says(text=f"I looked at it: {CHECKED}. ", times=4, delay_s=delay_s),
    )
    lines = [next_turn, Line(vp=PEER, when=CHECK, order="round", steps=peer)]
    for vp in VPS:
        lines.append(Line(vp=vp, when=CHECKED, order="round", steps=_after_handoff(vp, delay_s)))
        lines.append(Line(vp=vp, when=START, order="round", steps=_rounds(vp, delay_s)))
    return Script(lines=tuple(lines))


def _rounds(vp: str, delay_s: float) -> tuple[Step, ...]:
    own = f"{vp}.txt"
    looking = (_read("notes.txt"), _read(own), call("Grep", pattern="words"), call("ListDir"))
    todo = {"content": f"{vp} works", "status": "in_progress", "activeForm": f"{vp} is working"}
    return (
        Calls(text="I look around first. ", thinking="What is there?", calls=looking, delay_s=delay_s),
        Calls(calls=(_bash(RECORD),)),
        Calls(text="Now I edit. ", calls=(call("FileEdit", file_path=own, old_string="old", new_string="new"),)),
        Calls(calls=(call("TodoWrite", todos=[todo]), _bash(f"{RECORD}; sleep 0.1; echo slow"))),
        Calls(calls=(call("FileWrite", file_path=f"{vp}-new.txt", content=f"written by {vp}\n"), _bash(RECORD))),
        Calls(text="I hand on. ", calls=(call("RouteForward", to=PEER, text=f"{CHECK} for {vp}"),), delay_s=delay_s),
    )


def _after_handoff(vp: str, delay_s: float) -> tuple[Step, ...]:
    return (Calls(calls=(_bash(RECORD),)), Says(text=f"{vp} is done. ", times=10, delay_s=delay_s))


def _read(path: str) -> ScriptedCall:
    return call("FileRead", file_path=path)


def _bash(command: str) -> ScriptedCall:
    return call("Bash", command=command)
