"""A step on the way of the user's words: files that are attached or named in them are read, kept and told of."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from yeaft.engine.pictures import MOST_BYTES
from yeaft.events.history import AttachmentAdded
from yeaft.events.session import NoticePosted
from yeaft.kernel import ids
from yeaft.kernel.clock import NowMs
from yeaft.kernel.errors import BadData, NotFound, ToolFailed
from yeaft.prompts.reference import on_one_line
from yeaft.session.at_signs import PathToken
from yeaft.session.attachments.reading import Given, read_content, read_located
from yeaft.session.attachments.references import Located, Missing, find_references, locate, locate_file
from yeaft.session.intake import Draft
from yeaft.session.mentions import may_mention
from yeaft.store.attachments import Attachments
from yeaft.tools.paths import Paths
from yeaft.tools.policy.read_denials import Withholding
from yeaft.vp.names import Names

MIB = 1024 * 1024
MOST_FILES = 16
MOST_TOTAL_BYTES = 50 * MIB
PICTURE_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg"}
"""What a picture is kept as, whatever it was."""


class Attaching(Struct, frozen=True, kw_only=True):
    """The step. `paths` gives the folders as they are now, `names` what VPs are called, `withholding` the deny rules.

    What was attached by name must all be there and fit, or the message is refused with every reason. A path within
    the text is only a hint: what it leads to goes along if it can, else the user is told and the text stays as it is.
    """

    kept: Attachments
    paths: Callable[[], Paths]
    names: Callable[[], Names]
    withholding: Withholding
    now_ms: NowMs

    async def __call__(self, draft: Draft) -> Draft:
        """Take the step. Raises `NotFound` or `BadData` for what was attached and cannot be."""
        tokens = find_references(draft.text, cache(self.names)) if may_mention(draft.text) else ()
        if not (tokens or draft.files or draft.contents):
            return draft
        return await asyncio.to_thread(self._with_files, draft, tokens)

    def _with_files(self, draft: Draft, tokens: Sequence[PathToken]) -> Draft:
        paths = self.paths()
        given = self._attached(draft, paths)
        notices: list[NoticePosted] = []
        for token in tokens:
            named = self._named(token, paths, typed=draft.typed)
            if isinstance(named, Given):
                problem = "" if named in given else too_much((*given, named))
                given += [] if problem or named in given else [named]
                notices += [_refused(problem)] if problem else []
            elif named is not None:
                notices.append(named)
        op_id = draft.op_id or ids.new_ulid(self.now_ms())
        return replace(
            draft,
            files=(),
            contents=(),
            attachments=(*draft.attachments, *self._keep(given, op_id)),
            blocks=(*draft.blocks, *(one.block for one in given)),
            notices=(*draft.notices, *notices),
        )

    def _attached(self, draft: Draft, paths: Paths) -> list[Given]:
        """Read what was attached by name. Raises `NotFound` if files are missing, `BadData` if any cannot be used."""
        if len(draft.files) + len(draft.contents) > MOST_FILES:
            raise BadData(f"At most {MOST_FILES} files can go with one message. Nothing was sent.")
        given: list[Given] = []
        missing: list[str] = []
        unfit: list[str] = []
        for path in draft.files:
            located = locate_file(path, paths)
            try:
                given += [read_located(located, paths, self.withholding)] if isinstance(located, Located) else []
            except ToolFailed as error:
                unfit.append(str(error))
            if isinstance(located, Missing):
                near = f" Did you mean {located.nearest}?" if located.nearest else ""
                missing.append(f"There is no file {on_one_line(str(path))} to attach.{near}")
        for content in draft.contents:
            try:
                given.append(read_content(content.raw, content.name, content.source))
            except ToolFailed as error:
                unfit.append(str(error))
        if not unfit and (problem := too_much(given)):
            unfit.append(problem)
        if missing or unfit:
            problems = " ".join((*missing, *unfit, "Nothing was sent."))
            raise BadData(problems) if unfit else NotFound(problems)
        return given

    def _named(self, token: PathToken, paths: Paths, *, typed: bool) -> Given | NoticePosted | None:
        match locate(token, paths):
            case None:
                return None
            case Missing(text=text, nearest=near):
                code = "attachment.missing_near" if near else "attachment.missing"
                return NoticePosted(code=code, params={"name": text, "nearest": near}, level="warn")
            case Located(path=path) as located:
                if not (typed or paths.inside(path)):
                    return NoticePosted(code="attachment.outside", params={"name": token.text}, level="warn")
                try:
                    return read_located(located, paths, self.withholding)
                except ToolFailed as error:
                    return _refused(str(error))

    def _keep(self, given: Sequence[Given], op_id: str) -> list[AttachmentAdded]:
        return [
            AttachmentAdded(
                attachment_id=ids.derive("f_", op_id, place),
                name=one.name,
                file=self.kept.keep(_name_to_keep(one), one.content),
                mime=one.mime,
                size_bytes=len(one.content),
                sha256=hashlib.sha256(one.content).hexdigest(),
                source=one.source,
                note=one.note,
            )
            for place, one in enumerate(given)
            if one.content is not None
        ]


def too_much(given: Sequence[Given]) -> str:
    """Say why so much cannot go with one message; empty if it can."""
    if len(given) > MOST_FILES:
        return f"At most {MOST_FILES} files can go with one message."
    if sum(one.read_bytes for one in given) > MOST_TOTAL_BYTES:
        return f"The files of one message may have at most {MOST_TOTAL_BYTES // MIB} MiB together."
    if sum(len(one.content or b"") for one in given if one.mime in PICTURE_SUFFIXES) > MOST_BYTES:
        return f"The pictures of one message may have at most {MOST_BYTES // MIB} MiB together once they are scaled."
    return ""


def _name_to_keep(given: Given) -> str:
    suffix = PICTURE_SUFFIXES.get(given.mime, "")
    stem = given.name.rpartition(".")[0] if suffix else given.name
    return f"{stem or given.name}{suffix}"


def _refused(reason: str) -> NoticePosted:
    return NoticePosted(code="attachment.refused", params={"reason": reason}, level="warn")
