"""Graphs from the command line: run, followed, stopped, gone on with, tried again; and what of them stays."""

import json
import os
import signal
from asyncio.subprocess import Process

from e2e.conftest import Serve
from e2e.given import Ran, Yeaft
from e2e.graphs_given import ANSWERS, ASKING, CHAIN, HELD, held, put, runs, visits
from e2e.typist import Typist
from yeaft.interfaces.cli.terminal_text import width
from yeaft.llm.scripted.script import Calls, Fails, Line, Says, Script, call


async def test_standard_output_has_the_result_and_nothing_else(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(ANSWERS)
    put(yeaft, CHAIN)

    ran = await yeaft.run("graph", "run", "g.yaml", "tea")

    assert (ran.code, ran.out.decode()) == (0, "A report of three facts.\n")
    lines = ran.err.splitlines()
    assert [line.partition("  ")[0] for line in lines[1:]] == ["▸ gather", "✓ gather", "▸ write", "✓ write"]
    assert len(server.requests) == 2
    (row,) = runs(yeaft)
    assert (row["graph"], row["state"], row["steps"]) == ("report", "completed", 2)
    assert f"run {row['id']}" in lines[0]
    logged = (await yeaft.run("graph", "logs", row["id"][:8])).out.decode()
    assert "✓ gather  @omni" in logged
    assert "    three facts\n" in logged
    assert logged.endswith("= completed\n")
    detail = yeaft.here("graph", "logs", "last", "--step", "write").out.decode()
    assert "  > Write from three facts" in detail
    assert "gather" not in detail


async def test_stream_json_has_every_event_of_the_run_and_its_steps_and_one_result(yeaft: Yeaft, serve: Serve) -> None:
    await serve(ANSWERS)
    put(yeaft, CHAIN)

    ran = await yeaft.run("graph", "run", "g.yaml", "tea", "-q", "--output-format", "stream-json")

    assert ran.result["exit_code"] == ran.code == 0
    lines = ran.lines
    assert [line["seq"] for line in lines] == list(range(len(lines)))
    of_run = [line["type"] for line in lines if line.get("stream", "").startswith("graph/")]
    step = ["step.ready", "step.started", "step.finished"]
    assert of_run == ["graph.started", *step, *step, "graph.ended"]
    of_steps = [line for line in lines if line.get("stream", "").startswith("step/")]
    assert [line["type"] for line in of_steps].count("turn.ended") == 2
    assert {line["vp"] for line in of_steps if line["type"] == "turn.ended"} == {"omni", "skeptic"}


async def test_what_is_piped_in_is_the_input_or_goes_with_it_and_quiet_says_only_the_result(
    yeaft: Yeaft, serve: Serve
) -> None:
    server = await serve(ANSWERS)
    put(yeaft, CHAIN)

    piped = await yeaft.run("graph", "run", "g.yaml", "-q", given=b"tea and milk")
    both = await yeaft.run("graph", "run", "g.yaml", "compare", "-q", given=b"tea and milk")

    assert piped == both == Ran(0, b"A report of three facts.\n", "")
    first, second = (str(server.requests[at].body) for at in (0, 2))
    assert "Gather: tea and milk" in first
    assert "Gather: compare" in second
    assert "tea and milk" in second


async def test_parameters_and_the_name_of_a_graph_choose_what_is_run(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(Script(lines=(Line(steps=(Says(text="ok"),), repeat=True),)))
    put(
        yeaft,
        """
        graphs:
          one: {params: {tone: dry}, steps: [{id: a, agent: omni, prompt: "Be {{ params.tone }}"}]}
          two: {steps: [{id: b, agent: omni, prompt: "Second"}]}
        """,
    )

    unnamed = await yeaft.run("graph", "run", "g.yaml")
    named = await yeaft.run("graph", "run", "g.yaml", "--graph", "one", "-p", "tone=merry")
    unknown = await yeaft.run("graph", "run", "g.yaml", "--graph", "one", "-p", "tune=merry")

    assert (unnamed.code, named.code, unknown.code) == (66, 0, 65)
    assert "say --graph NAME" in unnamed.err
    assert "no parameter 'tune'; it has tone" in unknown.err
    assert len(server.requests) == 1
    assert "Be merry" in str(server.requests[0].body)


async def test_a_file_with_a_mistake_begins_nothing(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(ANSWERS)
    put(yeaft, CHAIN.replace("skeptic", "sceptik"))

    ran = await yeaft.run("graph", "run", "g.yaml", "tea")

    assert (ran.code, ran.out) == (65, b"")
    assert "g.yaml:6: there is no VP or agent named 'sceptik'. Did you mean 'skeptic'?" in ran.err
    assert server.requests == []
    assert runs(yeaft) == []
    assert not (yeaft.dir / "sessions").exists()


async def test_what_only_a_human_can_say_stops_the_run_until_it_is_said(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(ANSWERS)
    put(yeaft, ASKING)

    first = await yeaft.run("graph", "run", "g.yaml", "tea")
    second = await yeaft.run("graph", "resume", "last", "--answer", "yes")
    third = await yeaft.run("graph", "resume", "last", "--answer", "2")
    again = await yeaft.run("graph", "resume", "last")

    assert (first.code, second.code, third.code, again.code) == (3, 3, 0, 0)
    assert first.out == b""
    assert "ok asks: Send three facts?" in first.err
    assert "yeaft graph resume r_" in first.err
    assert "who asks: To whom?\n  1. Ada\n  2. Bob" in second.err
    assert third.out == again.out == b"A report of three facts.\n"
    assert len(server.requests) == 2
    assert "Write from three facts to Bob" in str(server.requests[1].body)
    (row,) = runs(yeaft)
    assert (row["state"], row["steps"]) == ("completed", 4)


async def test_a_no_to_an_approval_fails_the_run(yeaft: Yeaft, serve: Serve) -> None:
    await serve(ANSWERS)
    put(yeaft, ASKING)
    waits = await yeaft.run("graph", "run", "g.yaml", "tea", "--json")

    ran = await yeaft.run("graph", "resume", "last", "--answer", "no")

    assert waits.result["questions"][0]["next"].endswith("--answer yes")
    assert ran.code == 1
    assert "Step 'ok' declined" in ran.err


async def test_a_call_that_needs_a_yes_goes_on_once_it_is_allowed(yeaft: Yeaft, serve: Serve) -> None:
    writes = Calls(calls=(call("FileWrite", file_path="made.txt", content="hello\n"),))
    script = Script(
        lines=(
            Line(when="interrupted", steps=(writes, Says(text="made it")), repeat=True, order="round"),
            Line(when="Make", steps=(writes, Says(text="made it")), repeat=True, order="round"),
        )
    )
    await serve(script)
    put(yeaft, "graph: {name: make, steps: [{id: make, agent: omni, prompt: 'Make {{ input }}'}]}")

    first = await yeaft.run("graph", "run", "g.yaml", "it", "--json")
    flag = first.result["questions"][0]["flag"]
    second = await yeaft.run("graph", "resume", "last", *flag.replace("'", "").split(" ", 1), "-q")

    assert first.code == 3
    assert (second.code, second.out.decode()) == (0, "made it\n")
    assert (yeaft.folder / "made.txt").read_text() == "hello\n"


async def started(yeaft: Yeaft, serve: Serve) -> Process:
    process, _ = await held(yeaft, serve, "--json")
    return process


async def test_a_run_is_cancelled_from_another_terminal(yeaft: Yeaft, serve: Serve) -> None:
    process = await started(yeaft, serve)

    (row,) = runs(yeaft)
    cancelled = await yeaft.run("graph", "cancel", "last", "--reason", "not needed")
    ran = await yeaft.ended(process)

    assert (row["state"], row["running"]) == ("running", ["write"])
    assert (cancelled.code, cancelled.out.decode()) == (0, f"{row['id']} cancelled\n")
    assert (ran.code, ran.result["outcome"], ran.result["exit_code"]) == (130, "cancelled", 130)
    assert [one["state"] for one in visits(yeaft)] == ["ok", "cancelled"]
    again = await yeaft.run("graph", "cancel", "last")
    assert again.code == 0
    assert "ended before" in again.err


async def test_ctrl_c_cancels_a_run_in_good_order(yeaft: Yeaft, serve: Serve) -> None:
    process = await started(yeaft, serve)

    os.killpg(process.pid, signal.SIGINT)
    ran = await yeaft.ended(process)

    assert (ran.code, ran.result["outcome"]) == (130, "cancelled")
    assert [one["state"] for one in visits(yeaft)] == ["ok", "cancelled"]
    checked = yeaft.here("session", "check", "last")
    assert checked.code == 0, checked


async def test_a_killed_run_is_open_and_goes_on_without_paying_twice(yeaft: Yeaft, serve: Serve) -> None:
    process = await started(yeaft, serve)
    os.killpg(process.pid, signal.SIGKILL)
    await process.wait()

    (row,) = runs(yeaft)
    server = await serve(ANSWERS)
    ran = await yeaft.run("graph", "resume", "last", "-q")

    assert (row["state"], row["steps"]) == ("open", 1)
    assert (ran.code, ran.out.decode()) == (0, "A report of three facts.\n")
    assert len(server.requests) == 1


async def test_resuming_a_run_that_somebody_drives_follows_it(yeaft: Yeaft, serve: Serve) -> None:
    process, server = await held(yeaft, serve, "-q")
    follower = await yeaft.start("graph", "resume", "last")
    assert follower.stderr is not None
    said = await follower.stderr.readline()

    server.release("g")
    ran, followed = await yeaft.ended(process), await yeaft.ended(follower)

    assert b"only follows it" in said
    assert (ran.code, ran.out) == (followed.code, followed.out) == (0, b"never\n")


async def test_a_step_that_failed_is_tried_again_and_nothing_else(yeaft: Yeaft, serve: Serve) -> None:
    refused = Fails(status=400, type="invalid_request_error", message="no")
    broken = Script(lines=(Line(when="Gather:", steps=(Says(text="three facts"),), repeat=True),), fallback=refused)
    await serve(broken)
    put(yeaft, CHAIN)
    failed = await yeaft.run("graph", "run", "g.yaml", "tea")
    server = await serve(ANSWERS)

    unknown = await yeaft.run("graph", "retry", "last", "wriet")
    ran = await yeaft.run("graph", "retry", "last", "write")

    assert failed.code == 1
    assert "yeaft graph retry r_" in failed.err
    assert failed.err.rstrip().endswith(" write")
    assert unknown.code == 66
    assert "Did you mean 'write'?" in unknown.err
    assert (ran.code, ran.out.decode()) == (0, "A report of three facts.\n")
    assert "results of steps: 1." in ran.err
    assert len(server.requests) == 1
    newest, first = runs(yeaft)
    assert (newest["state"], newest["forked_from"], first["state"]) == ("completed", first["id"], "failed")


async def test_a_fork_does_a_step_anew_with_another_model(yeaft: Yeaft, serve: Serve) -> None:
    await serve(ANSWERS)
    put(yeaft, CHAIN)
    first = await yeaft.run("graph", "run", "g.yaml", "tea", "-q")
    other = Script(lines=(Line(model="other", steps=(Says(text="Another report."),), repeat=True),))
    server = await serve(other)

    forked = await yeaft.run("graph", "fork", "last", "--at", "write", "-m", "other", "-q")

    assert first.code == forked.code == 0
    assert forked.out == b"Another report.\n"
    assert [request.body["model"] for request in server.requests] == ["other"]
    assert "three facts" in str(server.requests[0].body)


async def test_a_limit_ends_the_run_with_what_it_had_come_to(yeaft: Yeaft, serve: Serve) -> None:
    await serve(ANSWERS)
    put(yeaft, CHAIN)

    ran = await yeaft.run("graph", "run", "g.yaml", "tea", "--max-steps", "1", "--json")

    assert (ran.code, ran.result["outcome"], ran.result["limit"]) == (4, "limit", "steps")
    assert ran.result["text"] == "three facts"
    assert "limit of steps (1); the result is what it had come to by then." in ran.err


async def test_most_of_a_limit_is_told_before_it_is_reached(yeaft: Yeaft, serve: Serve) -> None:
    await serve(Script(lines=(Line(steps=(Says(text="ok"),), repeat=True),)))
    steps = "\n".join(f"    - {{id: s{number}, agent: omni, prompt: go}}" for number in range(5))
    put(yeaft, f"graph:\n  steps:\n{steps}\n")

    ran = await yeaft.run("graph", "run", "g.yaml", "--max-steps", "5")

    assert ran.code == 0
    assert ran.err.count("80 % of the 5 steps") == 1


async def test_a_list_survives_elements_that_fail_and_keeps_its_order(yeaft: Yeaft, serve: Serve) -> None:
    broken = Fails(status=400, type="invalid_request_error", message="no")
    lines = [
        Line(when=f"Do {one}.", steps=(broken if one in (2, 5) else Says(text=f"did {one}"),), repeat=True)
        for one in range(8)
    ]
    await serve(Script(lines=tuple(lines)))
    put(
        yeaft,
        """
        graph:
          steps:
            - {id: work, agent: omni, prompt: "Do {{ input }}.", on_error: skip}
            - {id: count, call: counting.joined}
          edges:
            - {from: start, to: work, map: true, max_parallel: 3}
            - {from: work, to: count, join: true}
        """,
    )
    put(yeaft, "def joined(values):\n    return ', '.join(values)\n", "counting.py")

    ran = await yeaft.run("graph", "run", "g.yaml", "[0,1,2,3,4,5,6,7]", "-q")

    assert (ran.code, ran.out.decode()) == (0, "did 0, did 1, did 3, did 4, did 6, did 7\n"), ran.err
    assert [one["state"] for one in visits(yeaft)].count("failed") == 2


async def test_a_tool_does_a_step_under_the_users_rules(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(ANSWERS)
    put(
        yeaft,
        """
        graph:
          steps:
            - {id: look, tool: FileRead, args: {file_path: "{{ input }}"}}
            - {id: act, tool: Bash, args: {command: "touch made && echo done"}}
        """,
    )
    (yeaft.folder / "notes.txt").write_text("milk\n")

    first = await yeaft.run("graph", "run", "g.yaml", "notes.txt", "--json")
    flag = first.result["questions"][0]["flag"]
    denied = await yeaft.run("graph", "resume", "last", "--deny", "Bash", "--json")
    again = await yeaft.run("graph", "run", "g.yaml", "notes.txt", "-q", "--mode", "auto")

    assert first.code == 3
    assert flag.startswith("--allow")
    assert (denied.code, denied.result["outcome"]) == (1, "failed")
    assert "act" in denied.result["error"]
    assert "denied" in denied.result["error"]
    assert again.code == 0
    assert "done" in again.out.decode()
    assert (yeaft.folder / "made").exists()
    assert server.requests == []


TABLE = """
graph:
  name: prices
  steps:
    - {id: collect, agent: omni, prompt: "Collect", out: table}
    - {id: ok, approve: "Use it?"}
    - {id: each, call: counting.shown}
  edges:
    - {from: collect, to: ok}
    - {from: [collect, ok], to: each}
"""


async def test_a_typed_output_is_kept_as_an_artifact_of_the_session(yeaft: Yeaft, serve: Serve) -> None:
    hands_over = Calls(
        calls=(call("FinishStep", value={"content": "item,price\n豆腐,3\nmilk,2\n", "name": "prices.csv"}),)
    )
    await serve(Script(lines=(Line(steps=(hands_over, Says(text="Done.")), order="round", repeat=True),)))
    put(yeaft, TABLE)
    put(yeaft, "def shown(values):\n    return values[0]\n", "counting.py")

    waits = await yeaft.run("graph", "run", "g.yaml", "-q")
    (artifact,) = json.loads(yeaft.here("artifact", "ls", "--json").out)
    ran = await yeaft.run("graph", "resume", "last", "--answer", "yes", "--json")

    assert (waits.code, ran.code) == (3, 0), ran
    assert (artifact["type"], artifact["path"], artifact["created_by"]) == ("table", "collect/prices.csv", "vp:omni")
    assert (artifact["step"], artifact["run"]) == ("collect", ran.result["run"])
    assert ran.result["value"] == [{"item": "豆腐", "price": 3}, {"item": "milk", "price": 2}]
    (collect, *_) = visits(yeaft)
    assert collect["artifacts"] == [artifact["id"]]
    checked = yeaft.here("session", "check", "last")
    assert checked.code == 0, checked


async def test_at_a_terminal_a_table_is_shown_as_one_and_a_pipe_gets_its_values(yeaft: Yeaft, serve: Serve) -> None:
    content = "item,price,note\n豆腐,3,\nmilk,12,cold\n"
    hands_over = Calls(calls=(call("FinishStep", value={"content": content, "name": "prices.csv"}),))
    await serve(Script(lines=(Line(steps=(hands_over, Says(text="Done.")), order="round", repeat=True),)))
    put(yeaft, 'graph:\n  name: prices\n  steps:\n    - {id: collect, agent: omni, prompt: "Collect", out: table}\n')

    piped = await yeaft.run("graph", "run", "g.yaml", "-q")
    user = Typist(yeaft, "graph", "run", "g.yaml", "-q")
    shown = await user.ends_with()

    assert json.loads(piped.out) == [
        {"item": "豆腐", "price": 3, "note": None},
        {"item": "milk", "price": 12, "note": "cold"},
    ]
    assert shown[-3:] == ["item  price  note", "豆腐  3", "milk  12     cold"]


async def test_a_step_refuses_an_artifact_that_was_edited(yeaft: Yeaft, serve: Serve) -> None:
    hands_over = Calls(calls=(call("FinishStep", value={"content": "item,price\nmilk,2\n", "name": "prices.csv"}),))
    await serve(Script(lines=(Line(steps=(hands_over, Says(text="Done.")), order="round", repeat=True),)))
    put(yeaft, TABLE)
    put(yeaft, "def shown(values):\n    return values[0]\n", "counting.py")
    await yeaft.run("graph", "run", "g.yaml", "-q")
    (kept,) = yeaft.dir.glob("sessions/*/out/collect/prices.csv")
    kept.write_text("item,price\nmilk,99\n")

    ran = await yeaft.run("graph", "resume", "last", "--answer", "yes", "--json")

    assert ran.code == 1
    assert "was changed after it was kept" in ran.result["error"]


async def test_what_is_not_of_its_type_is_sent_back_while_the_vp_can_mend_it(yeaft: Yeaft, serve: Serve) -> None:
    wrong = Calls(calls=(call("FinishStep", value={"path": "missing.png"}),))
    outside = Calls(calls=(call("FinishStep", value={"path": "../../etc/passwd"}),))
    server = await serve(
        Script(
            lines=(
                Line(when="There is no file", steps=(outside, Says(text="Now it is there.")), order="round"),
                Line(when="leads out", steps=(Says(text="I cannot."),), repeat=True),
                Line(steps=(wrong, Says(text="There it is.")), order="round", repeat=True),
            )
        )
    )
    put(yeaft, "graph: {name: draw, steps: [{id: draw, agent: omni, prompt: Draw, out: image}]}")

    ran = await yeaft.run("graph", "run", "g.yaml", "--json")

    assert ran.code == 1
    assert "'path' is a required property" in ran.result["error"]
    told = [str(request.body) for request in server.requests]
    assert any("There is no file 'missing.png'" in body for body in told)
    assert any("leads out of the work folder" in body for body in told)
    assert yeaft.here("artifact", "ls", "--json").out == b"[]\n"


ISOLATED = "graph: {name: edit, steps: [{id: edit, agent: omni, prompt: Edit, workspace: isolated}]}"
EDITS = Script(
    lines=(
        Line(
            steps=(Calls(calls=(call("FileWrite", file_path="made.txt", content="hello\n"),)), Says(text="edited")),
            order="round",
            repeat=True,
        ),
    )
)


async def test_an_isolated_step_changes_a_worktree_of_its_own(yeaft: Yeaft, serve: Serve) -> None:
    await serve(EDITS)
    put(yeaft, ISOLATED)
    user = ("-c", "user.name=u", "-c", "user.email=u@example.com")
    for words in (("init", "-q"), ("add", "."), (*user, "commit", "-qm", "begin")):
        done = await yeaft.ended(await yeaft.start_program("git", *words))
        assert done.code == 0, done

    ran = await yeaft.run("graph", "run", "g.yaml", "-q", "--mode", "edits")

    assert (ran.code, ran.out) == (0, b"edited\n"), ran
    assert not (yeaft.folder / "made.txt").exists()
    (made,) = yeaft.folder.glob(".yeaft/worktrees/*/made.txt")
    assert made.read_text() == "hello\n"
    branches = await yeaft.ended(await yeaft.start_program("git", "branch", "--list", "yeaft-wt/graph-*"))
    assert made.parent.name in branches.out.decode()


async def test_an_isolated_step_outside_of_git_is_refused_in_a_sentence(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(EDITS)
    put(yeaft, ISOLATED)

    ran = await yeaft.run("graph", "run", "g.yaml", "--json", "--mode", "edits")

    assert ran.code == 1
    assert "is not in a git repository" in ran.result["error"]
    assert server.requests == []


async def test_json_says_all_at_once_and_what_it_used_is_counted_once_and_what_was_said_is_found(
    yeaft: Yeaft, serve: Serve
) -> None:
    await serve(ANSWERS)
    put(yeaft, CHAIN)
    ran = await yeaft.run("graph", "run", "g.yaml", "tea", "--json")
    forked = await yeaft.run("graph", "fork", "last", "--at", "write", "--json")

    used = json.loads(yeaft.here("usage", "--json").out)
    found = json.loads((await yeaft.run("search", "three facts", "--json")).out)

    result = ran.result
    assert (result["exit_code"], result["outcome"], result["value"]) == (0, "completed", "A report of three facts.")
    assert (result["graph"], result["steps"], result["questions"]) == ("report", 2, [])
    assert ran.code == forked.code == 0
    assert used["total"]["replies"] == 3, used
    assert {one["from"] for one in found} >= {"vp:omni", "vp:skeptic"}, found


PRICED = """
[[providers.env.models]]
id = "scripted"
price_usd_per_mtok = {in = 10.0, out = 20.0}
[graphs]
confirm_usd = 0.5
"""


async def test_a_run_that_may_cost_more_than_the_user_wants_is_asked_about_first(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(Script(lines=(Line(steps=(Says(text="ok"),), repeat=True),)))
    yeaft.dir.mkdir()
    (yeaft.dir / "config.toml").write_text(PRICED)
    put(
        yeaft,
        """
        graph:
          steps: [{id: work, agent: omni}, {id: sum, agent: omni}]
          edges: [{from: start, to: work, map: true}, {from: work, to: sum, join: true}]
        """,
    )

    few = await yeaft.run("graph", "run", "g.yaml", "[1,2]")
    many = await yeaft.run("graph", "run", "g.yaml", str(list(range(20))))
    agreed = await yeaft.run("graph", "run", "g.yaml", str(list(range(20))), "-y")
    tight = await yeaft.run("graph", "run", "g.yaml", "[1,2]", "--max-cost", "0.01")

    assert (few.code, many.code, agreed.code, tight.code) == (0, 3, 0, 3)
    assert "about $0.20: 3 requests" in few.err
    assert "about $1.39, which is more than $0.50" in many.err
    assert many.out == b""
    assert "about $1.39: 21 requests" in agreed.err
    assert "more than $0.01" in tight.err
    assert len(server.requests) == 3 + 21


async def test_nothing_is_begun_without_a_model(yeaft: Yeaft) -> None:
    put(yeaft, CHAIN)

    ran = await yeaft.run("graph", "run", "g.yaml", "tea")

    assert ran.code == 77, ran
    assert not (yeaft.dir / "sessions").exists()


async def test_two_hundred_elements_are_worked_on_four_at_a_time(yeaft: Yeaft, serve: Serve) -> None:
    broken = Fails(status=400, type="invalid_request_error", message="no")
    failing = tuple(Line(when=f"Do {one}.", steps=(broken,), repeat=True) for one in range(0, 200, 20))
    await serve(Script(lines=(*failing, Line(steps=(Says(text="done"),), repeat=True))))
    put(
        yeaft,
        """
        graph:
          limits: {max_steps: 300, max_parallel: 8}
          steps:
            - {id: work, agent: omni, prompt: "Do {{ input }}.", on_error: continue}
            - {id: all, call: counting.counted}
          edges:
            - {from: start, to: work, map: true, max_parallel: 4, max_items: 200}
            - {from: work, to: all, join: true}
        """,
    )
    code = "def counted(values):\n    return [n for n, one in enumerate(values) if one != 'done']\n"
    put(yeaft, code, "counting.py")

    ran = await yeaft.run("graph", "run", "g.yaml", str(list(range(200))), "-q", "--output-format", "stream-json")

    assert ran.code == 0, ran
    assert ran.result["value"] == list(range(0, 200, 20))
    assert ran.result["steps"] == 201
    at_once, most = 0, 0
    for line in ran.lines:
        at_once += {"step.started": 1, "step.finished": -1}.get(line["type"], 0)
        most = max(most, at_once)
    assert most == 4


async def test_at_a_terminal_what_is_said_of_steps_stands_in_columns(yeaft: Yeaft, serve: Serve) -> None:
    await serve(ANSWERS)
    put(yeaft, CHAIN.replace("id: gather", "id: 收集").replace("id: write", "id: w"))
    user = Typist(yeaft, "graph", "run", "g.yaml", "tea")

    shown = await user.ends_with()

    first, second = (
        next(line for line in reversed(shown) if line.startswith(start)) for start in ("├─ ✓ 收集", "└─ ✓ w")
    )
    assert (width(first.partition("@")[0]), width(second.partition("@")[0])) == (11, 11)
    assert width(first) == width(second)


async def test_at_a_terminal_a_tree_shows_who_does_what(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(HELD)
    put(yeaft, CHAIN)
    user = Typist(yeaft, "graph", "run", "g.yaml", "tea")

    await user.sees("├─ ✓ gather  @omni")
    await user.sees("└─ ▸ write   @skeptic")
    server.release("g")
    await user.sees("└─ ✓ write   @skeptic")
    shown = await user.sees("never\r\n")

    assert "\x1b" not in shown.replace("\x1b[?25h", "")
    assert await user.leaves() == 0


async def test_a_command_with_another_exit_code_than_0_fails_its_step(yeaft: Yeaft, serve: Serve) -> None:
    server = await serve(ANSWERS)
    put(
        yeaft,
        """
        graph:
          steps:
            - {id: publish, tool: Bash, args: {command: "echo no network; exit 3"}}
            - {id: tell, agent: omni, prompt: "Tell everyone"}
        """,
    )

    ran = await yeaft.run("graph", "run", "g.yaml", "now", "--mode", "auto", "--json")

    assert (ran.code, ran.result["outcome"]) == (1, "failed")
    assert "no network" in ran.result["error"]
    assert server.requests == []
