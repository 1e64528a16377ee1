"""What graphs of patterns make of answers: signed, counted, listed. Functions that graphs call by their import path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from yeaft.workflows.graphs.conditions import text_of
from yeaft.workflows.graphs.reducers import REDUCERS

_NOTES = ("(no matches)", "... (more results omitted)", "[Output truncated]")
"""What a list of files may have besides files."""


def signed(answers: Sequence[Mapping[str, Any]]) -> str:
    """Return all answers (each `{vp, answer}`), each below its name; what failed says so.

    Raises `ValueError` if nobody answered.
    """
    if answers and all(_error(one["answer"]) for one in answers):
        raise ValueError(f"nobody answered: {_error(answers[0]['answer'])}")
    return "\n\n".join(f"## @{one['vp']}\n\n{_shown(one['answer'])}" for one in answers)


def counted(ballots: Sequence[Mapping[str, Any]], terms: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Count answers (each `{vp, answer: {answer, reason}}`), blanks and case aside; the earliest wins among equals.

    What is compared is `key` beside an answer, where there is one. By the `terms` (`asked`, how many votes there were
    to be, and whether a majority was to `stop` the rest) it tells what became of those that are missing. Gives
    `answer`, `agreement` from 0 to 1, `votes`, `ballots` and all of it as `text`.

    Raises `ValueError` if nobody answered.
    """
    given = [one for one in ballots if not _error(one["answer"])]
    if not given:
        raise ValueError(f"nobody answered: {_error(ballots[0]['answer'])}")
    said = [_answer(one["answer"]) for one in given]
    keys = [_answer(one["answer"], "key") or text for one, text in zip(given, said, strict=True)]
    count = REDUCERS["majority"](keys, None)
    count["answer"] = said[keys.index(count["answer"])]
    agreeing = round(count["agreement"] * count["votes"])
    rows = [f"- @{one['vp']}: {answer}" for one, answer in zip(given, said, strict=True)]
    rows += [f"- @{one['vp']}: {_shown(one['answer'])}" for one in ballots if _error(one["answer"])]
    untold = _missing(len(ballots), agreeing, terms or {})
    text = f"{count['answer']}\n\n{agreeing} of {count['votes']} agree.{untold}\n" + "\n".join(rows)
    kept = [{"vp": one["vp"], "answer": answer} for one, answer in zip(given, said, strict=True)]
    return {**count, "ballots": kept, "text": text}


def listed(found: Any) -> list[str]:
    """Return the lines of a text such as a list of files, without remarks; raises `ValueError` if there are none."""
    lines = [line.strip() for line in text_of(found).splitlines()]
    items = [line for line in lines if line and line not in _NOTES and not line.startswith("[")]
    if not items:
        raise ValueError("there is nothing to go over")
    return items


def gathered(results: Sequence[Mapping[str, Any]]) -> str:
    """Return what was made of each element of a list (each `{item, result}`), below its name.

    Raises `ValueError` if every one failed.
    """
    if results and all(_error(one["result"]) for one in results):
        raise ValueError(f"all {len(results)} failed; the first: {_error(results[0]['result'])}")
    failed = sum(bool(_error(one["result"])) for one in results)
    parts = [f"## {text_of(one['item'])}\n\n{_shown(one['result'])}" for one in results]
    return "\n\n".join([*parts, *([f"{failed} of {len(results)} failed."] if failed else [])])


def _error(answer: Any) -> str:
    """Why there is no answer; empty if there is one."""
    if not isinstance(answer, Mapping):
        return ""
    one = cast("Mapping[str, Any]", answer)
    return str(one["error"] or one["status"]) if set(one) == {"error", "status", "step"} else ""


def _missing(came: int, agreeing: int, terms: Mapping[str, Any]) -> str:
    """What became of the votes that did not come."""
    missing = int(terms.get("asked", came)) - came
    if missing <= 0:
        return ""
    if terms.get("stop") and 2 * agreeing > came + missing:
        return f" The other {missing} could change nothing, and were stopped."
    return f" {missing} gave no answer."


def _shown(answer: Any) -> str:
    error = _error(answer)
    return f"(failed: {error})" if error else text_of(answer).strip()


def _answer(answer: Any, field: str = "answer") -> str:
    one = cast("Mapping[str, Any]", answer) if isinstance(answer, Mapping) else {"answer": answer}
    return text_of(one.get(field, "")).strip()
