"""Where a search looks: the folder and glob a model gave, made one, and refused if it is the whole machine."""

from pathlib import Path, PurePath

from msgspec import Struct

from yeaft.kernel.errors import ToolFailed
from yeaft.tools.paths import Paths
from yeaft.tools.search.globs import PathGlob, compile_glob
from yeaft.tools.search.walk import Scope, skipped_folders

STOPPED = "(stopped because it took too long: results are partial; narrow path or pattern)"


class Place(Struct, frozen=True, kw_only=True):
    """A resolved search: `glob` judges paths relative to the root of `scope`."""

    scope: Scope
    glob: PathGlob


def written_folder(path: str, pattern: str) -> str:
    """The folder that `path` and `pattern` together name, as the model wrote them."""
    folder = compile_glob(pattern).folder
    return folder if folder.startswith("~") else str(PurePath(path, folder))


def place_of(paths: Paths, path: str, pattern: str, *, hidden: bool, no_ignore: bool) -> Place:
    """Resolve a folder and a glob; raises `ToolFailed` if it is no folder, or is `/` or the home searched in depth."""
    glob = compile_glob(pattern)
    written = written_folder(path, pattern)
    root = paths.resolve(written)
    if not root.exists():
        raise ToolFailed(f"No folder {written}.")
    if not root.is_dir():
        raise ToolFailed(f"{written} is not a folder.")
    _refuse_everything(root, glob, paths)
    skipped = skipped_folders(glob.words, no_ignore=no_ignore) | glob.exclusions.folders
    scope = Scope(root=root, hidden=hidden, no_ignore=no_ignore, skipped=skipped, depth=glob.depth)
    return Place(scope=scope, glob=glob)


def _refuse_everything(root: Path, glob: PathGlob, paths: Paths) -> None:
    if glob.depth is None and root in {Path("/"), paths.resolve("~")}:
        raise ToolFailed(
            f"Searching all of {root} would take too long; give a path below it, or a pattern that names a folder "
            "('Documents/**/*.md') or stays at the top ('./*.md')."
        )
