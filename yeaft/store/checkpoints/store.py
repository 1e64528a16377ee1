"""The checkpoints of one Session's work folder: taken before something may change it, and brought back from."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from yeaft.events.fact import BlobRef
from yeaft.store.checkpoints.entries import (
    FORMAT,
    Entry,
    Manifest,
    decode_manifest,
    decode_skipped,
    encode_manifest,
    encode_skipped,
    packed,
    unpacked,
)
from yeaft.store.checkpoints.objects import Objects
from yeaft.store.checkpoints.reading import LEFT_OUT, Keep, decode_seen, encode_seen
from yeaft.store.checkpoints.restoring import restore
from yeaft.store.checkpoints.scanner import GIT, Limits, Rules, Scanned, Scanner, TooManyFiles
from yeaft.store.checkpoints.states import Change, Left, Plan, State, covers, planned, wanted

MIME = "application/vnd.yeaft.manifest"
WHOLE_EVERY = 64
"""After so many manifests that only tell what changed comes one that tells all."""
CACHE_KEY = "seen"


class Taken(Struct, frozen=True, kw_only=True):
    """A checkpoint that was taken: how it is found, how much is new in it, and what it passes over and why.

    `is_new` is False if it tells nothing that the one before did not.
    """

    manifest: BlobRef
    changed: int
    skipped: dict[str, str]
    is_new: bool


class _Unwanted(Exception):
    """Nobody wants to know any more what is in the folder."""


class _Head(NamedTuple):
    """The manifest that further ones build on."""

    digest: bytes
    ref: BlobRef
    scanned: bool
    depth: int
    skipped: bytes
    reasons: dict[str, str]


NOTHING = _Head(b"", BlobRef(sha256="", size_bytes=0, mime=MIME), False, 0, b"", {})


class CheckpointStore:
    """Checkpoints of the absolute folder `root` (without links), kept in the folder `place`.

    `rules` are asked for when the first scan needs them; `never` are absolute paths that belong to nobody's work. What
    was taken counts from `accept` on, which is when its event is recorded. May be used from several threads. Methods
    raise `StoreFailed`.
    """

    def __init__(
        self, place: Path, root: str, rules: Callable[[], Rules], never: Iterable[str], limits: Limits
    ) -> None:
        self._objects = Objects(place, limits.max_total_bytes)
        self._root = root
        self._rules = rules
        self._never = frozenset(never)
        self.limits = limits
        self._scanner: Scanner | None = None
        self._has_too_many = False
        self._last = NOTHING
        self._known: dict[str, Entry | None] = {}
        self._prepared: tuple[_Head, dict[str, Entry | None]] = (NOTHING, {})
        self._lock = threading.Lock()

    def begin_with(self, digest: str) -> None:
        """Go on from the manifest that was accepted last, by an earlier process."""
        with self._lock:
            raw = bytes.fromhex(digest)
            tree, manifest = self._tree(raw), self._manifest(raw)
            if tree is not None and manifest is not None:
                ref = BlobRef(sha256=digest, size_bytes=len(encode_manifest(manifest)), mime=MIME)
                reasons = self._skipped(manifest)
                self._last = _Head(raw, ref, manifest.scanned, manifest.depth, manifest.skipped, reasons)
                self._known = tree

    def scan(self, *, sync: bool = False) -> Taken | None:
        """Take the whole folder; None if it has more files than are looked at. `sync` waits for the disk."""
        if self._has_too_many:
            return None
        with self._lock, self._together(sync=sync):
            scanner = self._eyes()
            found = self._scanned(scanner, self._objects.put_as)
            if found is None:
                return None
            tree: dict[str, Entry | None] = dict(found.tree)
            skipped: dict[str, str] = dict(found.skipped)
            self._look_again(scanner, tree, skipped)
            return self._taken(tree, skipped, scanned=True)

    def read_ahead(self, is_wanted: Callable[[], bool]) -> None:
        """Read what the first scan would have to, as long as that `is_wanted`; the scan looks at all of it again."""

        def keep(digest: bytes, content: bytes) -> bool:
            if not is_wanted():
                raise _Unwanted
            return self._objects.put_as(digest, content)

        with contextlib.suppress(_Unwanted), self._lock, self._together(sync=False):
            self._scanned(self._eyes(), keep)

    def record(self, paths: Iterable[str], *, sync: bool = False) -> Taken | None:
        """Take some absolute paths, and the folders missing above them; None if none of them can be taken."""
        with self._lock, self._together(sync=sync):
            scanner = self._eyes()
            entries: dict[str, Entry | None] = {}
            skipped: dict[str, str] = {}
            for path in dict.fromkeys(paths):
                if GIT in path.split("/") or any(path == one or path.startswith(f"{one}/") for one in self._never):
                    continue
                found = scanner.look_at(path, self._objects.put_as)
                if isinstance(found, str):
                    skipped[self._relative(path)] = found
                    continue
                entries[self._relative(path)] = found
                for parent in _missing_above(path):
                    entries[self._relative(parent)] = None
            return self._taken(entries, skipped, scanned=False) if entries or skipped else None

    def accept(self, taken: Taken) -> None:
        """Let what was taken count: later checkpoints tell how they differ from it."""
        with self._lock:
            head, entries = self._prepared
            if head.ref == taken.manifest:
                self._known = entries if head.scanned else {**self._known, **entries}
                self._last = head

    def plan(self, manifests: Sequence[str], *, only: Callable[[str], bool] = lambda _: True) -> Plan | None:
        """How to come to the state of the first of `manifests`, which follow each other; the last is how it is now.

        None if what they say can no longer be read. `only` says which absolute paths it is about.
        """
        with self._lock:
            states: list[State] = []
            has_scan = False
            for place, digest in enumerate(manifests):
                raw = bytes.fromhex(digest)
                is_whole = place == len(manifests) - 1 or not has_scan
                state = self._state(raw) if is_whole else self._own_state(raw)
                if state is None:
                    return None
                has_scan |= state.scanned
                states.append(state)
            targets = wanted(states[0], states[1:])
            return planned({p: e for p, e in targets.items() if only(self.absolute(p))}, states[-1])

    def paths_of(self, manifests: Sequence[str]) -> list[str]:
        """The absolute paths that manifests speak of by themselves."""
        with self._lock:
            states = (self._own_state(bytes.fromhex(digest)) for digest in manifests)
            return list(dict.fromkeys(self.absolute(path) for state in states if state for path in state.tree))

    def restore(self, changes: Sequence[Change]) -> tuple[Left, ...]:
        """Make the changes of a plan; return what was left as it is. See `restoring.restore`."""
        with self._lock:
            scanner = self._eyes()
            return restore(
                self._root,
                changes,
                self._objects.get,
                lambda path: scanner.look_at(path, self._objects.put_as),
            )

    def content(self, digest: bytes) -> bytes | None:
        """The content of a file entry, if it is there and whole."""
        with self._lock:
            return self._objects.get(digest)

    def absolute(self, path: str) -> str:
        """Where a path of a plan is."""
        return path if path.startswith("/") else f"{self._root.rstrip('/')}/{path}"

    @property
    def files(self) -> int:
        """How many files and links are covered by what was accepted last."""
        return sum(entry is not None and entry.kind != "folder" for entry in self._known.values())

    def close(self) -> None:
        """Keep what was seen for the next process, and close the file."""
        with self._lock:
            if self._scanner is not None and self._scanner.has_news and self._last.digest:
                self._remember(self._scanner)
            self._objects.close()

    @contextlib.contextmanager
    def _together(self, *, sync: bool) -> Generator[None]:
        """Keep all that is taken within, or nothing of it; then what was seen meanwhile must be read again."""
        try:
            with self._objects.together(sync=sync):
                yield
        except BaseException:
            self._scanner = None
            raise

    def _scanned(self, scanner: Scanner, keep: Keep) -> Scanned | None:
        """All that the folder holds; None if it has too many files. What the first scan saw is kept at once."""
        is_first = not scanner.seen
        try:
            found = scanner.scan(keep)
        except TooManyFiles:
            self._has_too_many = True
            return None
        if is_first:
            self._remember(scanner)
        return found

    def _look_again(self, scanner: Scanner, tree: dict[str, Entry | None], skipped: dict[str, str]) -> None:
        """Look at what had been known and is out of the reach of the scan, such as ignored files that a tool wrote."""
        if self._known.keys() <= tree.keys():
            return
        for path, entry in self._known.items():
            is_left_out = skipped.get(path) in LEFT_OUT and not (entry and entry.kind == "folder")
            if path in tree or (path in skipped and not is_left_out) or covers(skipped, path):
                continue
            looked = scanner.look_at(self.absolute(path), self._objects.put_as)
            if isinstance(looked, str):
                skipped[path], tree[path] = looked, entry
            elif looked is None or looked.kind != "folder":
                skipped.pop(path, None)
                tree[path] = looked

    def _taken(self, entries: dict[str, Entry | None], skipped: dict[str, str], *, scanned: bool) -> Taken:
        """Keep the manifest that says this; a scan that finds everything as it was makes none."""
        known, last = self._known, self._last
        listed = last.skipped if skipped == last.reasons else self._kept(encode_skipped(skipped))
        stale = {path: known[path] for path in skipped if path in known}
        tree = {**stale, **entries} if scanned else entries
        if scanned and last.scanned and last.skipped == listed and tree == known:
            return Taken(manifest=last.ref, changed=0, skipped=skipped, is_new=False)
        changed = {path: entry for path, entry in entries.items() if path not in known or known[path] != entry}
        if scanned:
            gone = (path for path, entry in known.items() if entry and path not in entries and path not in skipped)
            changed |= dict.fromkeys(gone)
        is_whole = not last.digest or last.depth + 1 >= WHOLE_EVERY
        manifest = Manifest(
            version=FORMAT,
            scanned=scanned,
            parent=b"" if is_whole else last.digest,
            depth=0 if is_whole else last.depth + 1,
            skipped=listed,
            base=packed(known.items()) if is_whole else (),
            entries=packed((changed if scanned else entries).items()),
        )
        raw = encode_manifest(manifest)
        ref = BlobRef(sha256=self._kept(raw).hex(), size_bytes=len(raw), mime=MIME)
        head = _Head(bytes.fromhex(ref.sha256), ref, scanned, manifest.depth, listed, skipped)
        self._prepared = (head, tree)
        fresh = sum(entry is not None or bool(known.get(path)) for path, entry in changed.items())
        return Taken(manifest=ref, changed=fresh, skipped=skipped, is_new=bool(changed))

    def _kept(self, raw: bytes) -> bytes:
        """Keep something small, whatever the limit; without it what was kept before would be of no use."""
        return self._objects.put(raw) if raw else b""

    def _state(self, digest: bytes) -> State | None:
        """What was the case at a manifest, with all that it and its parents say; None if that cannot be read."""
        manifest = self._manifest(digest)
        if manifest is None or not manifest.scanned:
            return self._own_state(digest)
        tree = self._tree(digest)
        return None if tree is None else State(True, tree, self._skipped(manifest))

    def _own_state(self, digest: bytes) -> State | None:
        """What a manifest says by itself."""
        manifest = self._manifest(digest)
        if manifest is None:
            return None
        return State(manifest.scanned, unpacked(manifest.entries), self._skipped(manifest))

    def _tree(self, digest: bytes) -> dict[str, Entry | None] | None:
        """All that was known at a manifest."""
        chain: list[Manifest] = []
        while True:
            manifest = self._manifest(digest)
            if manifest is None:
                return None
            chain.append(manifest)
            if not manifest.parent:
                break
            digest = manifest.parent
        tree = unpacked(chain[-1].base)
        for manifest in reversed(chain):
            tree.update(unpacked(manifest.entries))
        return tree

    def _manifest(self, digest: bytes) -> Manifest | None:
        raw = self._objects.get(digest) if digest else None
        return decode_manifest(raw) if raw else None

    def _skipped(self, manifest: Manifest) -> dict[str, str]:
        return decode_skipped(self._objects.get(manifest.skipped) or b"") if manifest.skipped else {}

    def _eyes(self) -> Scanner:
        """The scanner, made when it is first needed, with what the last process saw."""
        if self._scanner is None:
            self._scanner = Scanner(self._root, self._rules(), self._never, self.limits)
            self._scanner.seen = decode_seen(self._objects.get_cache(CACHE_KEY) or b"")
        return self._scanner

    def _remember(self, scanner: Scanner) -> None:
        scanner.has_news = False
        self._objects.put_cache(CACHE_KEY, encode_seen(scanner.seen))

    def _relative(self, path: str) -> str:
        inside = path.removeprefix(f"{self._root.rstrip('/')}/")
        return inside if inside != path else path


def _missing_above(path: str) -> list[str]:
    """The folders above an absolute path that are not there."""
    missing: list[str] = []
    for parent in map(str, Path(path).parents):
        if os.path.lexists(parent):
            break
        missing.append(parent)
    return missing
