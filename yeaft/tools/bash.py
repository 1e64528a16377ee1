"""The tool that runs a shell command and tells the model how it ended and what it printed."""

from typing import Annotated

from msgspec import Meta, Struct, field

from yeaft.events.call import Facts
from yeaft.events.task import TaskStarted
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.noted import Noted
from yeaft.tools.paths import Paths
from yeaft.tools.shell.background import Background, Job
from yeaft.tools.shell.shell import Outcome, Shell, Survivor
from yeaft.tools.tool import AnyTool, Running, Tool, ToolResult, Touches

DEFAULT_TIMEOUT_MS, LEAST_TIMEOUT_MS, MOST_TIMEOUT_MS = 120_000, 1_000, 600_000
MOST_COMMAND_BYTES = 120 * 1024  # Linux takes 128 KiB in one argument
FIRST_SIGNAL_CODE = 128

MEANINGS = {
    124: "the command's own time limit was reached",
    126: "found, but it cannot be executed",
    127: "command not found",
    129: "ended by SIGHUP",
    130: "interrupted by SIGINT",
    134: "aborted, SIGABRT",
    136: "arithmetic error, SIGFPE",
    137: "killed by SIGKILL, often for lack of memory",
    139: "crashed, SIGSEGV",
    141: "its reader went away, SIGPIPE",
    143: "ended by SIGTERM, not by the time limit",
}
SIGNALS = {129: "HUP", 130: "INT", 134: "ABRT", 136: "FPE", 137: "KILL", 139: "SEGV", 141: "PIPE", 143: "TERM"}


class Bash(Struct, frozen=True):
    """What the model says to run a command."""

    command: str
    cwd: Annotated[str, Meta(description="Default: work folder")] = ""
    timeout_ms: Annotated[int, Meta(description="Default 120000, at most 600000")] = DEFAULT_TIMEOUT_MS
    background: bool = False
    task_title: str = field(default="", name="taskTitle")
    survives: Annotated[bool, Meta(description="Outlives the session")] = False


def bash(paths: Paths, shell: Shell, background: Background | None = None) -> AnyTool:
    """Let the model run commands in `shell`, by default in the work folder of `paths`.

    A non-zero exit code and a timeout (code 124) are results like any other, not failures. Without `background` every
    command is waited for, and what it leaves running is only named. In a sandbox commands write only in the folders
    of `paths`; the model is told so, and again where one has failed.
    """
    folders = (paths.folder, *paths.added)

    async def run(args: Bash, running: Running) -> ToolResult:
        _check(args)
        cwd = paths.resolve(args.cwd or ".")
        if not cwd.is_dir():
            raise ToolFailed(f"cwd {args.cwd!r} is not a folder ({cwd}).")
        job = Job(command=args.command, cwd=cwd, folders=folders, title=args.task_title, survives=args.survives)
        try:
            if args.background:
                return await _in_background(background, running.call_id, job)
            timeout_ms = min(max(args.timeout_ms, LEAST_TIMEOUT_MS), MOST_TIMEOUT_MS)
            outcome = await shell.run(
                call_id=running.call_id,
                command=args.command,
                cwd=cwd,
                timeout_s=timeout_ms / 1000,
                show=running.show,
                folders=folders,
            )
        except OSError as error:
            raise ToolFailed(f"The command could not be started: {error}.") from error
        task = _adopted(background, running.call_id, job, outcome)
        text = told(outcome, timeout_ms, task)
        return ToolResult(text=text, facts=_facts(outcome), emits=(task,) if task else ())

    tool = Tool(
        name="Bash",
        args=Bash,
        run=run,
        guard="unsafe",
        touches=lambda args: Touches(command=args.command, command_cwd=args.cwd),
        timeout_s=None,
    )
    confines = shell.confines(folders)
    return Noted(tool, confines) if confines else tool


def _check(args: Bash) -> None:
    if not args.command.strip():
        raise ToolFailed("The command is empty.")
    if "\0" in args.command:
        raise ToolFailed("The command contains a NUL character, which no shell can take; write it without.")
    if len(args.command.encode()) > MOST_COMMAND_BYTES:
        raise ToolFailed("The command is longer than 120 KiB; write it to a script file and run that.")
    if args.survives and not args.background:
        raise ToolFailed("`survives` is for background commands; add background=true. Nothing was run.")


async def _in_background(background: Background | None, call_id: str, job: Job) -> ToolResult:
    if background is None:
        raise ToolFailed("There are no background tasks here; run the command without background.")
    task = await background.start(call_id, job)
    until = "goes on after the session ends" if job.survives else "is stopped when the session ends"
    text = (
        f"Started in the background as task {task.task_id} (pid {task.pid}); it {until}. You are told when it has "
        "ended; ReadTaskLog shows its output so far."
    )
    return ToolResult(text=text, facts=Facts(pid=task.pid), emits=(task,))


def _adopted(background: Background | None, call_id: str, job: Job, outcome: Outcome) -> TaskStarted | None:
    if background is None or not outcome.survivors:
        return None
    try:
        return background.adopt(call_id, job, outcome.survivors)
    except OSError:
        return None  # they are named all the same, and end with the session


def told(outcome: Outcome, timeout_ms: int, task: TaskStarted | None = None) -> str:
    """The text of a result: exit code if not 0, standard output, standard error, and what else there is to know.

    `task` is what became of the processes that are left.
    """
    lines = [_ending(outcome)] if outcome.exit_code else []
    if outcome.stdout:
        lines.append(outcome.stdout.rstrip("\n"))
    if outcome.stderr:
        lines.append("STDERR:\n" + outcome.stderr.rstrip("\n"))
    if outcome.timed_out:
        lines.append(f"[stopped after {timeout_ms / 1000:g} s, with everything it had started]")
    if outcome.unstoppable:
        lines.append(f"[could not be stopped: {_named(outcome.unstoppable)}]")
    if outcome.survivors:
        known_as = f"task {task.task_id}, " if task else ""
        lines.append(f"[still running: {_named(outcome.survivors)}; {known_as}stopped when the session ends]")
    if outcome.log:
        lines.append(f"[all output: {outcome.log}]")
    if outcome.exit_code and lines[1:] and not outcome.timed_out and outcome.confines:
        lines.append(outcome.confines)
    return "\n".join(lines) or "(no output)"


def _ending(outcome: Outcome) -> str:
    meaning = "" if outcome.timed_out else MEANINGS.get(outcome.exit_code, "")
    return f"Exit code: {outcome.exit_code}" + (f" ({meaning})" if meaning else "")


def _named(survivors: tuple[Survivor, ...]) -> str:
    return ", ".join(f"pid {one.pid} ({one.command})" if one.command else f"pid {one.pid}" for one in survivors)


def _facts(outcome: Outcome) -> Facts:
    return Facts(
        exit_code=outcome.exit_code,
        signal="" if outcome.timed_out else SIGNALS.get(outcome.exit_code, ""),
        pid=outcome.pid,
        log=outcome.log,
        survivors=tuple(one.pid for one in outcome.survivors),
        left_out_bytes=outcome.left_out_bytes,
    )
