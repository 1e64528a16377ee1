"""The tools that look beyond the work folder: the web, earlier Sessions, skills, a JavaScript runtime."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from msgspec import Struct

from yeaft.config.settings import Config
from yeaft.skills.library import SkillLibrary
from yeaft.tools.create_work_item import create_work_item
from yeaft.tools.files.locks import PathLocks
from yeaft.tools.files.reads import Reads
from yeaft.tools.history_search import history_search
from yeaft.tools.js.js_runtimes import JsRuntimes
from yeaft.tools.js_repl import js_repl, js_repl_reset
from yeaft.tools.paths import Paths
from yeaft.tools.skill import skill
from yeaft.tools.start_plan import start_plan
from yeaft.tools.tool import AnyTool
from yeaft.tools.web.web_client import WebClient
from yeaft.tools.web_fetch import web_fetch
from yeaft.tools.web_search import web_search
from yeaft.vp.library import Library


class Outside(Struct, frozen=True, kw_only=True):
    """What they need. JsRepl is there only with `runtimes` (Node is found), ImageGeneration only with `images.url`.

    `visits` says whether a VP may be sent on to a domain.
    """

    config: Config
    environ: Mapping[str, str]
    home: Path
    session_id: str
    lang: str
    web: WebClient
    skills: SkillLibrary
    library: Library
    visits: Callable[[str, str], bool]
    runtimes: JsRuntimes | None = None


def outside_tools(
    vp_id: str, outside: Outside, *, paths: Paths, reads: Reads, locks: PathLocks, turn: Callable[[], str]
) -> Iterator[AnyTool]:
    """Yield the tools of this kind that can work here; `turn` is the id of the VP's turn, empty between turns."""
    vp = outside.library.get(vp_id)
    yield skill(outside.skills, turn)
    yield web_search(outside.config.search, outside.environ)
    yield web_fetch(outside.web, outside.config.web, permits=partial(outside.visits, vp_id))
    yield history_search(outside.home, outside.session_id, str(paths.folder))
    yield start_plan(outside.lang, vp.plan if vp else "")
    yield create_work_item(vp_id, paths)
    if outside.runtimes is not None:
        runtime = outside.runtimes.of(vp_id)
        yield js_repl(runtime)
        yield js_repl_reset(runtime)
    if outside.config.images.url:  # loading what it needs takes milliseconds that nobody else should wait
        from yeaft.tools.image_generation import image_generation
        from yeaft.tools.web.image_service import ImageService

        yield image_generation(ImageService(outside.config.images, outside.environ, outside.web), paths, reads, locks)
