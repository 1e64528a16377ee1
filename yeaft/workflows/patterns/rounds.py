"""What graphs of patterns think after each round: is it good, does it get better, what was best, and is it over.

Functions that graphs call by their import path. Each is given a mapping and gives one, with `state`: `done`, `again`,
`stuck` (nothing has changed since the round before) or `spent` (there are no more rounds).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

_EXIT_CODE = re.compile(r"Exit code: (\d+)")
_FAILURE = re.compile(
    r"(?i)\b(?:fail(?:ed|ure|s)?|errors?|exception|panic(?:ked)?|assert\w*|not ok|undefined|traceback)\b"
)
_CHANGING = (
    (re.compile(r"0x[0-9a-fA-F]+"), "0x#"),
    (re.compile(r"(?<=[/\\])pytest-\S+"), "tmp"),
    (re.compile(r"\b\d+(?:\.\d+)?\s?(?:s|ms|us|seconds?|minutes?)\b"), "#s"),
    (re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d(?::\d\d)?"), "#"),
)
"""What differs from one run of a command to the next though the failure is the same."""
MOST_SHOWN_CHARS = 6000


def reviewed(given: Mapping[str, Any]) -> dict[str, Any]:
    """Weigh a review: `review` {verdict, issues} of a `draft`, in one of `rounds`; `before` is what this gave last.

    Where `accepted` is given, that counts in place of the verdict.
    It is `stuck` if the issues are those of the round before. `best` is the draft with the fewest issues so far.
    """
    before = _mapping(given.get("before"))
    review = _mapping(given["review"])
    number = int(before.get("round", 0)) + 1
    accepted = bool(given.get("accepted", review.get("verdict") == "accept"))
    issues = [] if accepted else [str(one) for one in review.get("issues") or ["(none was named)"]]
    best, fewest, best_round = given["draft"], len(issues), number
    if before and before["fewest"] < fewest:
        best, fewest, best_round = before["best"], before["fewest"], before["best_round"]
    state, why = "again", ""
    if accepted:
        state = "done"
    elif before and _folded(before["issues"]) == _folded(issues):
        state, why = "stuck", f"no progress: round {number} left the same issues as the one before"
    elif number >= given["rounds"]:
        state, why = "spent", f"not accepted within {given['rounds']} rounds"
    if why:
        why += f" ({'; '.join(issues)}); the result is that of round {best_round}, issues: {fewest}"
    return {
        "state": state,
        "round": number,
        "issues": issues,
        "best": best,
        "best_round": best_round,
        "fewest": fewest,
        "why": why,
    }


def tried(given: Mapping[str, Any]) -> dict[str, Any]:
    """Weigh a run of `command`: what it printed (`output`) after a try of `tries`, about which `report` tells.

    It is `stuck` if the failures are those of the try before. `best` is the try with the fewest of them. Raises
    `ValueError` if the command did not come to an end of its own.
    """
    before = _mapping(given.get("before"))
    number = int(before.get("round", 0)) + 1
    output = _printed(given["output"])
    found = _EXIT_CODE.match(output)
    signature = [] if found is None else signature_of(output)
    best_round, fewest = number, len(signature)
    if before and before["fewest"] < fewest:
        best_round, fewest = before["best_round"], before["fewest"]
    state, why = "again", ""
    if found is None:
        state = "done"
    elif before and before["signature"] == signature:
        state, why = "stuck", f"no progress: try {number} left the same failure as the one before"
    elif number >= given["tries"]:
        state, why = "spent", f"it still fails after {given['tries']} tries"
    if why:
        why += f" (fewest lines about failures: {fewest}, in try {best_round}); the result is that of the last try"
    shown = output if len(output) <= MOST_SHOWN_CHARS else f"…{output[-MOST_SHOWN_CHARS:]}"
    said = f"{given['report']}\n\n" if given.get("report") else ""
    ended = f"`{given['command']}` succeeds, try {number}." if found is None else f"`{given['command']}`:\n{shown}"
    return {
        "state": state,
        "round": number,
        "signature": signature,
        "best_round": best_round,
        "fewest": fewest,
        "output": shown,
        "text": f"{said}{ended}",
        "why": why,
    }


def _printed(output: Any) -> str:
    """What a command printed: text if it succeeded, else how its step failed."""
    failure = _mapping(output)
    error = str(failure.get("error", ""))
    if failure and _EXIT_CODE.match(error) is None:
        raise ValueError(error)
    return error if failure else str(output)


def signature_of(output: str) -> list[str]:
    """What tells one failure from another: the lines that speak of it, without times, addresses and places of a day."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    speaking = [line for line in lines if _FAILURE.search(line)] or lines
    kept: dict[str, None] = {}
    for line in speaking:
        plain = line
        for pattern, sign in _CHANGING:
            plain = pattern.sub(sign, plain)
        kept[re.sub(r"[-=_. ]{3,}", " ", plain)] = None
    return sorted(kept)


def _folded(issues: list[str]) -> set[str]:
    return {" ".join(re.findall(r"\w+", one.casefold())) for one in issues}


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
