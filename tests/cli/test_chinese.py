"""Whoever speaks Chinese is told in Chinese what goes wrong most often, and what a VP wants leave for."""

import os

import pytest

from tests.cli.commands_given import Given
from yeaft.prompts.ui import Ui
from yeaft.store.lock import SessionLock


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("hi",), "没有可用的模型。请选一种："),
        (("--vp", "sceptic", "hi"), "没有名为“sceptic”的 VP。是不是指 skeptic？"),
        (("vp", "show", "nobody"), "没有名为“nobody”的 VP。全部见 `yeaft vp ls`。"),
        (("-r", "zz", "hi"), "没有会话“zz”。还没有任何会话。"),
        (("session", "show", "zz"), "没有会话“zz”。还没有任何会话。"),
        (("-m", "openai/gpt-5", "hi"), "服务方 openai 需要变量 OPENAI_API_KEY 里的密钥，但它没有设置。"),
        (("-m", "clude-sonnet", "hi"), "-m：没有名为“clude-sonnet”的模型。是不是指 anthropic/claude-sonnet"),
        (("",), Ui("zh").text("input.empty")),
    ],
)
def test_what_goes_wrong_before_the_first_request_is_told_in_chinese(
    given: Given, words: tuple[str, ...], said: str
) -> None:
    done = given.yeaft(*words, YEAFT_LANGUAGE="zh")

    assert done.code != 0
    assert done.err.startswith(f"yeaft: {said}")


def test_a_folder_without_sessions_and_a_session_in_use_are_told_in_chinese(talking: Given) -> None:
    none = talking.yeaft("--lang", "zh", "-c", "hi")
    session = talking.session()

    with SessionLock.take(talking.home / "sessions" / session):
        busy = talking.yeaft("--lang", "zh", "-r", session, "hi")

    assert none.err.startswith(f"yeaft: {talking.folder} 里还没有会话。")
    assert busy.code == 75
    assert f"会话 {session} 正在使用，占用者：主机 " in busy.err


def test_what_cannot_be_attached_is_told_in_chinese(talking: Given) -> None:
    os.mkfifo(talking.folder / "pipe")

    done = talking.yeaft("--lang", "zh", "--attach", "pipe", "hi")

    assert (done.code, "pipe 是管道、套接字或设备，不是有内容的文件。什么也没有发送。" in done.err) == (65, True)


def test_a_cost_limit_without_a_price_is_refused_in_chinese(talking: Given) -> None:
    done = talking.yeaft("--lang", "zh", "--max-cost", "1", "hi")

    assert done.code == 78
    assert "不知道 env/scripted 的价格，无法遵守费用上限。" in done.err


def test_why_leave_is_needed_is_told_in_chinese_and_programs_are_told_in_english(given: Given) -> None:
    shown = given.yeaft("--lang", "zh", "perms", "explain", "--", "git push")
    data = given.yeaft("--lang", "zh", "perms", "explain", "--json", "--", "git push").json

    assert "git push 可能不只是读取。" in shown.out
    assert data["reason"] == "git push may do more than read."


def test_slips_in_line_mode_are_told_in_chinese(talking: Given) -> None:
    lines = (
        "/mode sideways\n/mode\n/effort\n/effort 高\n/rename\n/stats\n/attach missing.txt\n/status now\n/effort high\n"
    )

    done = talking.process("--lang", "zh", "--line", stdin=lines)

    for refused in (
        "没有模式“sideways”",
        "模式有 ask, edits, plan, auto；现在是哪一个，见 /status。",
        "强度有 none, minimal,",
        "没有强度“高”；有 none, minimal,",
        "缺少 NAME",
        "是不是指 /status",
        "missing.txt",
        "后面不能再有别的",
    ):
        assert refused in done.err
    assert "所有 VP 用思考强度 high" in done.out
    assert "There is no" not in done.out + done.err


@pytest.mark.parametrize("words", [("mcp", "ls"), ("doctor",), ("trust", "-y"), ("-p", "hi")])
def test_what_is_wrong_with_hooks_and_servers_is_told_in_chinese(talking: Given, words: tuple[str, ...]) -> None:
    talking.home.mkdir(mode=0o700, exist_ok=True)
    (talking.home / "hooks.json").write_text('{"hooks": {"PreToolUs": []}}')
    (talking.folder / ".mcp.json").write_text('{"mcpServers": {"a": {"type": "pigeon", "command": "x"}}}')
    talking.yeaft("trust", "-y")

    done = talking.yeaft(*words, YEAFT_LANGUAGE="zh")

    told = done.out + done.err
    assert "不认识传输方式“pigeon”；请用 stdio 或 http" in told
    assert words[0] not in ("doctor", "-p") or "PreToolUs 不是钩子能监听的事件；是不是指 PreToolUse？" in told
    assert "transport" not in told


@pytest.mark.parametrize(
    ("mode", "command", "said"),
    [
        ("ask", "ls src", "只是在工作文件夹里读取。"),
        ("ask", "ls; cat a.txt", "其中每条命令都可以运行。"),
        ("auto", "mkdir out", "从字面看，它只动工作文件夹里的东西。"),
        ("ask", "cd src", "它留在工作文件夹里。"),
        ("ask", "cd /etc", "它离开工作文件夹。"),
        ("ask", 'echo "open', "无法解析这条命令。"),
        ("ask", "ls > /x", "> /x 通向工作文件夹之外，或看不出通向哪里。"),
        ("ask", "echo ${!x}", "含有无法识别的写法：expansion。"),
        ("ask", "FOO=1; ls", "它设置变量 FOO，可能改变其他命令的作用。"),
        ("plan", "touch a", "计划模式：只允许读取，而这条命令可能不只是读取。"),
    ],
)
def test_why_a_command_may_run_or_not_is_told_in_chinese(given: Given, mode: str, command: str, said: str) -> None:
    (given.folder / "src").mkdir()

    done = given.yeaft("--lang", "zh", "perms", "explain", "--mode", mode, "--", command)

    assert (said in done.out, ": " in done.out) == (True, False)


def test_what_is_shown_of_one_thing_is_chinese_with_chinese_colons(talking: Given) -> None:
    session = talking.session()
    (talking.folder / "a.csv").write_text("a,b\n1,2\n")
    talking.says("artifact", "add", "a.csv")

    shown = talking.says("--lang", "zh", "session", "show", session)
    one = talking.says("--lang", "zh", "artifact", "show", "a.csv")
    row = talking.says("--lang", "zh", "artifact", "ls").splitlines()[1]

    assert f"编号：{session}" in shown.splitlines()
    assert "── @skeptic  已回答，1 轮，0 次调用" in shown.splitlines()
    assert "来自：你" in one.splitlines()
    assert row.split()[4:6] == ["你", session]
    for words in (("vp", "show", "omni"), ("model", "show"), ("skill", "show", "code-review")):
        facts = talking.says("--lang", "zh", *words).partition("\n\n")[0]
        assert ("：" in facts, ": " in facts) == (True, False), words
