"""A step on the way of the user's words: artifacts that are named in them go along, as much as a budget allows."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from yeaft.artifacts.references import may_refer
from yeaft.events.session import NoticePosted
from yeaft.kernel.errors import BadData, NotFound, SessionBusy, StoreFailed
from yeaft.session.intake import Content

if TYPE_CHECKING:
    from collections.abc import Callable

    from yeaft.artifacts.artifact import Artifact
    from yeaft.artifacts.references import Reference
    from yeaft.artifacts.store import ArtifactStore
    from yeaft.session.intake import Draft, Step
    from yeaft.tools.policy.read_denials import Withholding
    from yeaft.vp.names import Names

MOST_ARTIFACTS = 16
PICTURE_BYTES = 10 * 1024 * 1024


def referring(store: Callable[[], ArtifactStore], names: Callable[[], Names], withholding: Withholding) -> Step:
    """Return the step. `names` are what VPs are called, `withholding` the rules that deny reading the file it was.

    A reference is a hint: what it leads to goes along if it can, else the user is told and the text stays as it is.
    """

    async def step(draft: Draft) -> Draft:
        if not may_refer(draft.text):
            return draft
        return await asyncio.to_thread(_with_artifacts, draft, store(), names, withholding)

    return step


def _with_artifacts(draft: Draft, store: ArtifactStore, names: Callable[[], Names], withholding: Withholding) -> Draft:
    seen: set[str] = set()
    for reference in _meant(draft.text, cache(names)):
        try:
            artifact = store.find(reference.id)
        except NotFound:
            notice = NoticePosted(code="artifact.missing", params={"id": reference.id}, level="warn")
            draft = replace(draft, notices=(*draft.notices, notice))
            continue
        except StoreFailed as error:
            return _refused(draft, str(error))
        if artifact.artifact_id in seen:
            continue
        seen.add(artifact.artifact_id)
        if len(seen) > MOST_ARTIFACTS:
            return _refused(draft, f"At most {MOST_ARTIFACTS} artifacts can go with one message.")
        draft = _with_artifact(draft, store, artifact, withholding)
    return draft


def _with_artifact(draft: Draft, store: ArtifactStore, artifact: Artifact, withholding: Withholding) -> Draft:
    from yeaft.artifacts.excerpt import excerpt, index_line
    from yeaft.prompts.reference import attached_block, in_attribute

    if artifact.source and (rules := withholding(Path(artifact.source))).holds(artifact.source):
        return _refused(draft, f"{artifact.name} stays closed: {', '.join(rules.rules)} denies reading it.")
    try:
        content = store.read(artifact)
    except (NotFound, BadData, SessionBusy) as error:
        return _refused(draft, str(error))
    attributes = {"artifact": artifact.artifact_id, "type": artifact.type, "name": artifact.name}
    if shown := excerpt(artifact, content):
        block = attached_block(f"{index_line(artifact)}\n\n{shown}", attributes)
        return replace(draft, blocks=(*draft.blocks, block))
    is_picture = artifact.type == "image" and len(content) <= PICTURE_BYTES
    hint = "" if is_picture else "; its content is not shown"
    draft = replace(draft, blocks=(*draft.blocks, f"[Artifact: {in_attribute(index_line(artifact))}{hint}]"))
    if not is_picture:
        return draft
    picture = Content(name=artifact.name, raw=content, source=f"artifact {artifact.artifact_id}")
    return replace(draft, contents=(*draft.contents, picture))


def _meant(text: str, names: Callable[[], Names]) -> list[Reference]:
    """Return the references of a text that stand in no code and are no VP's name."""
    from yeaft.artifacts.references import find_references
    from yeaft.session.at_signs import name_at
    from yeaft.session.code_ranges import CodeRanges

    found = find_references(text)
    code = CodeRanges(text) if found else None
    outside = [one for one in found if code is None or not code.hold(one.start)]
    return [one for one in outside if text[one.start] == "<" or name_at(text, one.start + 1, names()) is None]


def _refused(draft: Draft, reason: str) -> Draft:
    notice = NoticePosted(code="artifact.refused", params={"reason": reason}, level="warn")
    return replace(draft, notices=(*draft.notices, notice))
