"""What shell commands leave behind: cleared away once their result is safe, told to the model when it is not."""

from collections.abc import Mapping
from pathlib import Path

from yeaft.engine.closing import Known
from yeaft.events.call import CallFinished, Facts
from yeaft.events.codec import Recorded, Transient
from yeaft.prompts.fill import fill
from yeaft.store.task_files import read_record, task_id_of
from yeaft.tools.shell.wrapper import forget, probe


def probe_command(calls: Path, phrases: Mapping[str, str], call_id: str) -> Known | None:
    """Return what the traces of a call below `calls` tell; None when they tell nothing more than that it began."""
    task = read_record(calls / task_id_of(call_id))
    if task is not None and task.is_kept:
        return Known(status="ok", text=fill(phrases["call_found_as_task"], {"task": task.task_id}))
    found = probe(calls, call_id)
    output = found.output_tail or phrases["no_output"]
    match found.state:
        case "never":
            return Known(status="not_run", text=phrases["call_not_run"])
        case "finished":
            text = fill(phrases["call_found_finished"], {"exit_code": str(found.exit_code), "output": output})
            facts = Facts(exit_code=found.exit_code, pid=found.pid)
            return Known(status="ok", text=text, output=found.output_tail, facts=facts)
        case "running":
            text = fill(phrases["call_found_running"], {"pid": str(found.pid), "output": output})
            return Known(status="unknown", text=text, output=found.output_tail, facts=Facts(pid=found.pid))
        case "gone":
            text = phrases["call_unknown"]
            if found.output_tail:
                text += f"\n{found.output_tail}"
            return Known(status="unknown", text=text, output=found.output_tail, facts=Facts(pid=found.pid))


class Traces:
    """Clears away what a command left on disk as soon as its result is in the journal; see `tools.wrapper`."""

    def __init__(self, calls: Path) -> None:
        self._calls = calls

    def hear(self, heard: Recorded | Transient) -> None:
        """Take in one event."""
        event = heard.event if isinstance(heard, Recorded) else None
        if isinstance(event, CallFinished) and event.tool == "Bash" and event.status != "unknown":
            is_needed = bool(event.facts.log or event.facts.survivors)
            forget(self._calls, event.call_id, keep_log=is_needed)
