"""`yeaft tool`: the 33 built-in tools, what models are told of them, and why one is not offered."""

import json

from tests.cli.commands_given import Given

NAMES = [
    "Skill",
    "EnterWorktree",
    "ExitWorktree",
    "AskUser",
    "WebSearch",
    "WebFetch",
    "HistorySearch",
    "Bash",
    "FileRead",
    "FileWrite",
    "FileEdit",
    "Glob",
    "Grep",
    "ListDir",
    "DiskUsage",
    "ApplyPatch",
    "ListTasks",
    "ReadTaskLog",
    "CancelTask",
    "SpawnAgent",
    "PromptAgent",
    "WaitAgent",
    "CloseAgent",
    "ListAgents",
    "RouteForward",
    "TodoWrite",
    "StartPlan",
    "CreateWorkItem",
    "JsRepl",
    "JsReplReset",
    "NotebookEdit",
    "ImageGeneration",
    "ViewImage",
]


def reasons(given: Given, *words: str, **variables: str) -> dict[str, str]:
    """The tools that are not offered, and why."""
    rows = given.yeaft("tool", "ls", "--json", *words, **variables).json
    assert all(row["offered"] == (not row["reason"]) for row in rows)
    return {row["name"]: row["reason"] for row in rows if not row["offered"]}


def test_there_are_exactly_the_thirty_three(given: Given) -> None:
    rows = given.yeaft("tool", "ls", "--json").json

    assert sorted(row["name"] for row in rows) == sorted(NAMES)
    assert {row["guard"] for row in rows} == {"read", "local", "verify", "unsafe"}
    assert all(row["description"] for row in rows)
    assert not given.home.exists()


def test_where_vps_may_start_flows_the_tool_for_it_is_listed_too(given: Given) -> None:
    rows = given.yeaft("--set", "graphs.vps_may_start=true", "tool", "ls", "--json").json

    assert {row["name"] for row in rows} - set(NAMES) == {"RunFlow"}
    assert "flow" in given.yeaft("--set", "graphs.vps_may_start=true", "tool", "show", "RunFlow").out


def test_a_tool_that_cannot_work_says_what_it_needs(given: Given) -> None:
    alone = reasons(given, PATH="/nowhere")
    (given.folder.parent / "yeaft").mkdir()
    given.says("config", "set", "images.url", "https://images.example/v1/images/generations")
    both = reasons(given, "--vp", "omni", "--vp", "skeptic")

    assert "images.url" in alone["ImageGeneration"]
    assert "nobody else" in alone["RouteForward"]
    assert {"ImageGeneration", "RouteForward"}.isdisjoint(both)


def test_the_file_of_a_vp_narrows_its_tools(given: Given) -> None:
    (given.home / "vps").mkdir(parents=True)
    text = "---\nname: Reader\ntools: {allow: [FileRead, Grep]}\n---\nYou read.\n"
    (given.home / "vps" / "reader.md").write_text(text, encoding="utf-8")

    kept_back = reasons(given, "--vp", "reader")

    assert set(NAMES) - set(kept_back) == {"FileRead", "Grep", "AskUser", "TodoWrite"}
    assert "@reader" in kept_back["Bash"]


def test_a_model_without_eyes_is_not_offered_pictures(talking: Given) -> None:
    model = '[[providers.box.models]]\nid = "m"\ntools = true\nimages = false\n'
    talking.home.mkdir()
    config = '[providers.box]\nprotocol = "anthropic"\nbase_url = "http://127.0.0.1:9"\n' + model
    (talking.home / "config.toml").write_text(config, encoding="utf-8")

    rows = talking.yeaft("-m", "box/m", "tool", "ls", "--json").json

    assert [row["reason"] for row in rows if row["name"] == "ViewImage"] == ["The model cannot see images."]


def test_one_tool_is_shown_with_its_schema_whatever_the_case(given: Given) -> None:
    shown = given.yeaft("tool", "show", "fileread", "--json").json

    assert (shown["name"], shown["guard"], shown["offered"]) == ("FileRead", "read", True)
    assert shown["schema"]["required"] == ["file_path"]
    text = given.says("--lang", "zh", "tool", "show", "FileRead")
    assert json.loads(text[text.index("{") :]) == shown["schema"]
    unknown = given.yeaft("tool", "show", "Bsh")
    assert (unknown.code, "Did you mean Bash?" in unknown.err) == (66, True)


def test_the_list_is_readable(given: Given) -> None:
    lines = given.says("tool", "ls").splitlines()

    assert len(lines) == len(NAMES) + 1
    assert next(line for line in lines if line.startswith("Bash")).split()[1:3] == ["anything", "yes"]
