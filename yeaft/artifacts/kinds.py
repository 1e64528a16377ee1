"""Which type of artifact something is by its name and content, and what files of a type are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, get_args

from yeaft.events.artifact import ArtifactType

if TYPE_CHECKING:
    from typing import Final

TYPES: tuple[ArtifactType, ...] = get_args(ArtifactType)
TEXTUAL: Final[frozenset[ArtifactType]] = frozenset({"text", "json", "table", "diff", "url"})
"""Types whose content is UTF-8 text."""
_MIB = 1024 * 1024
LIMITS_BYTES: Mapping[ArtifactType, int] = {
    "text": 16 * _MIB,
    "json": 16 * _MIB,
    "table": 32 * _MIB,
    "image": 20 * _MIB,
    "diff": 16 * _MIB,
    "file": 64 * _MIB,
    "url": 8192,
    "model": 256 * _MIB,
}
"""How large an artifact may be."""
_ENDINGS: Mapping[str, ArtifactType] = {
    **dict.fromkeys(("csv", "tsv"), "table"),
    "json": "json",
    **dict.fromkeys(("png", "jpg", "jpeg", "gif", "webp"), "image"),
    **dict.fromkeys(("diff", "patch"), "diff"),
    "url": "url",
    **dict.fromkeys(
        ("pkl", "pickle", "joblib", "pt", "pth", "ckpt", "onnx", "safetensors", "gguf", "h5", "keras", "tflite"),
        "model",
    ),
}
_USUAL_ENDING: Mapping[ArtifactType, str] = {
    "text": ".txt",
    "json": ".json",
    "table": ".csv",
    "diff": ".diff",
    "url": ".url",
}
_IMAGES: tuple[tuple[bytes, str, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png", ".png"),
    (b"\xff\xd8\xff", "image/jpeg", ".jpg"),
    (b"GIF87a", "image/gif", ".gif"),
    (b"GIF89a", "image/gif", ".gif"),
)
_MIMES: Mapping[ArtifactType, str] = {
    "text": "text/plain",
    "json": "application/json",
    "table": "text/csv",
    "diff": "text/x-diff",
    "url": "text/uri-list",
    "file": "application/octet-stream",
    "model": "application/octet-stream",
}
_TEXT_MIMES: Mapping[str, str] = {"md": "text/markdown", "html": "text/html", "svg": "image/svg+xml"}


def type_of(name: str, content: bytes) -> ArtifactType:
    """Return the type that fits: what the ending says if the content may be that, else text or file.

    Content that a type refuses for its form (a table with uneven rows) still is of that type, so that it is told.
    """
    said = _ENDINGS.get(_ending(name))
    if said == "model":
        return "model"
    if image_mime(content):
        return "image"
    if not is_text(content):
        return "file"
    return said if said is not None and said != "image" else "text"


def mime_of(kind: ArtifactType, name: str, content: bytes) -> str:
    """Return the media type of an artifact."""
    if kind == "image":
        return image_mime(content)
    return _TEXT_MIMES.get(_ending(name), "text/plain") if kind == "text" else _MIMES[kind]


def with_ending(kind: ArtifactType, name: str, content: bytes) -> str:
    """Return `name` with an ending, if it has none, or one that says it were of another type."""
    ending = _ending(name)
    if kind == "image":
        usual = next(suffix for _, mime, suffix in (*_IMAGES, _WEBP) if mime == image_mime(content))
    else:
        usual = _USUAL_ENDING.get(kind, "")
    is_fitting = _ENDINGS.get(ending) == kind or (kind == "text" and ending and ending not in _ENDINGS)
    if kind == "table" and ending == "tsv":
        return f"{name[: -len(ending)]}csv"
    return name if is_fitting or not usual else f"{name}{usual}"


def image_mime(content: bytes) -> str:
    """Return the media type of a picture by how it begins; empty for what is none that can be shown."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for start, mime, _ in _IMAGES if content.startswith(start)), "")


def is_text(content: bytes) -> bool:
    """Whether it is UTF-8 text without NUL."""
    if b"\0" in content:
        return False
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


_WEBP = (b"RIFF", "image/webp", ".webp")


def _ending(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    return ending.lower() if dot and stem else ""
