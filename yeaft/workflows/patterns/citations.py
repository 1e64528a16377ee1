"""Whether an answer says where it is from, and rightly so. Functions that graphs call by their import path."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from yeaft.kernel.lists import is_list

_PLACE = re.compile(r"([:-])(\d+)\1")
"""Stands between the name of a file and its line: `:12:`, or `-12-` where the line is only near a hit."""
MOST_TERMS = 12
LEAST_QUOTE_CHARS = 4
SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$#&~-]")


def pattern_of(given: Mapping[str, Any]) -> str:
    """Return a regular expression that finds any of `terms`. Raises `ValueError` if there are none."""
    terms = [str(one).strip() for one in _listed(given.get("terms"))]
    kept = [SPECIAL.sub(r"\\\g<0>", one) for one in terms if one][:MOST_TERMS]
    if not kept:
        raise ValueError("no terms to look for were given")
    return "|".join(kept)


def checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Check the citations (`{file, line, quote}`) of `answer` against the lines that were `found`.

    A citation is right if its quote stands in that file at that line. Gives `state` as `rounds` has it, the citations
    that are `wrong` with the reason, and `best`: the answer with the fewest of them so far, with its sources.
    """
    before = _mapping(given.get("before"))
    answer = _mapping(given["answer"])
    number = int(before.get("round", 0)) + 1
    rows = _rows(str(given["found"]))
    citations = [_mapping(one) for one in _listed(answer.get("citations"))]
    judged = [(one, _mistake(one, rows)) for one in citations]
    wrong = [f"{one.get('file')}:{one.get('line')}: {why}" for one, why in judged if why]
    if not citations:
        wrong = ["the answer cites nothing"]
    right = [one for one, why in judged if not why]
    best, fewest = _text(answer, right), len(wrong)
    if before and before["fewest"] < fewest:
        best, fewest = before["best"], before["fewest"]
    state, why = "again", ""
    if not wrong:
        state = "done"
    elif before and before["wrong"] == wrong:
        state, why = "stuck", "no progress: the same citations are wrong as before"
    elif number >= given["tries"]:
        state, why = "spent", f"not all citations are right after {given['tries']} tries"
    why = f"{why}: {'; '.join(wrong)}" if why else ""
    return {"state": state, "round": number, "wrong": wrong, "best": best, "fewest": fewest, "why": why}


def _rows(found: str) -> dict[tuple[str, int], str]:
    """The lines that a search has found, by file and number; a name of a file may itself look like a place."""
    rows: dict[tuple[str, int], str] = {}
    for line in found.splitlines():
        for place in _PLACE.finditer(line):
            rows.setdefault((line[: place.start()].removeprefix("./"), int(place[2])), line[place.end() :])
    return rows


def _mistake(citation: Mapping[str, Any], rows: Mapping[tuple[str, int], str]) -> str:
    file, quote = str(citation.get("file", "")).removeprefix("./"), " ".join(str(citation.get("quote", "")).split())
    line = int(citation.get("line") or 0)
    if len(quote) < LEAST_QUOTE_CHARS:
        return "the quote is too short to be checked"
    if (file, line) not in rows:
        return "no such line was found"
    return "" if quote in " ".join(rows[file, line].split()) else "the quote does not stand there"


def _text(answer: Mapping[str, Any], right: list[dict[str, Any]]) -> str:
    sources = "\n".join(f"- {one['file']}:{one['line']}: {one['quote']}" for one in right)
    return f"{answer.get('answer', '')}\n\n{sources}".strip()


def _listed(value: Any) -> list[Any]:
    return value if is_list(value) else []


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
