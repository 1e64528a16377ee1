"""Files that are not text by their name, and where the model should look instead."""

from pathlib import Path

from yeaft.kernel.errors import ToolFailed

IMAGES = "png jpg jpeg jfif gif webp bmp ico tif tiff heic heif avif"
OTHERS = (
    "mp3 wav ogg flac aac m4a mp4 m4v mov avi mkv webm wmv zip gz tgz bz2 xz zst 7z rar tar jar war whl exe dll so "
    "dylib a o lib obj class pyc wasm pdf doc docx xls xlsx ppt pptx odt ods odp woff woff2 ttf otf eot sqlite "
    "sqlite3 db"
)
IMAGE_SUFFIXES = frozenset(f".{name}" for name in IMAGES.split())
BINARY_SUFFIXES = frozenset(f".{name}" for name in OTHERS.split()) | IMAGE_SUFFIXES


def refuse_binary_name(path: Path, shown: str) -> None:
    """Raise `ToolFailed` for a file whose extension says that it is not text (SVG is text)."""
    suffix = path.suffix.lower()
    if suffix in IMAGE_SUFFIXES:
        raise ToolFailed(f"{shown} is a picture; use ViewImage.")
    if suffix in BINARY_SUFFIXES:
        raise ToolFailed(f"{shown} is a binary file ({suffix}); use Bash with a program that understands it.")
