"""`yeaft help`: short texts about one topic each, kept in `templates/help`."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from yeaft.interfaces.cli.commands.parsing import Action, argument, run_action, show_help
from yeaft.interfaces.cli.commands.printing import put, put_help, put_json, table
from yeaft.interfaces.cli.options import COMMANDS
from yeaft.kernel.errors import UsageError
from yeaft.kernel.outcome import EXIT_ANSWERED

if TYPE_CHECKING:
    from yeaft.interfaces.cli.commands.desk import Desk
    from yeaft.interfaces.cli.options import Options

TOPICS = (
    "start",
    "vps",
    "sessions",
    "tui",
    "keys",
    "line",
    "checkpoints",
    "models",
    "permissions",
    "tools",
    "web",
    "hooks",
    "sandbox",
    "tasks",
    "agents",
    "artifacts",
    "graphs",
    "graph-examples",
    "flows",
    "skills",
    "pipes",
    "attach",
    "instructions",
    "exit-codes",
    "config",
    "files",
    "troubleshooting",
)


def run(options: Options, words: list[str]) -> int:
    """Run `yeaft help ...` and return the exit code."""
    return run_action("help", ACTION, options, words)


def show(desk: Desk, *, topic: str) -> int:
    """Print a topic, the help of a command, or the list of topics."""
    if not topic:
        return _list_topics(desk)
    if topic in TOPICS:
        from yeaft.prompts.find import read_template

        text = read_template(f"help/{topic}", desk.lang)
        if desk.as_json:
            put_json({"topic": topic, "text": text})
        else:
            put_help(text)
        return EXIT_ANSWERED
    if topic in COMMANDS:
        return show_help(desk, topic)
    near = difflib.get_close_matches(topic, (*TOPICS, *COMMANDS), n=1)
    remedy = f"Did you mean `yeaft help {near[0]}`?" if near else f"Topics: {', '.join(TOPICS)}."
    raise UsageError(f"There is no help on {topic!r}. {remedy}")


def _list_topics(desk: Desk) -> int:
    lines = [(topic, _title(desk, topic)) for topic in TOPICS]
    if desk.as_json:
        put_json([{"topic": topic, "title": title} for topic, title in lines])
        return EXIT_ANSWERED
    put(desk.text("help.topics"))
    for line in table(("", ""), lines)[1:]:
        put(f"  {line}")
    put(desk.text("help.more"))
    return EXIT_ANSWERED


def _title(desk: Desk, topic: str) -> str:
    from yeaft.prompts.find import read_template

    return read_template(f"help/{topic}", desk.lang).partition("\n")[0].lstrip("# ")


ACTION = Action(run=show, params=(argument("TOPIC", default=""),))
