"""Whether the grammar reads a here-document as the shell does."""

import re

from tree_sitter import Node

_START = re.compile(rb"<<(-?)[ \t]*(['\"]?)([A-Za-z_][A-Za-z0-9_]*)\2")
_EXPANSION = re.compile(rb"`|\$[({\[]")


def is_plain(raw: bytes, node: Node) -> bool:
    """Whether the grammar ends the document where the shell does, and has seen every expansion in it.

    It overlooks some: backquotes, and everything in a document that begins with an expansion.
    """
    parts = {child.type: child for child in node.named_children}
    start, body, end = parts.get("heredoc_start"), parts.get("heredoc_body"), parts.get("heredoc_end")
    if start is None or body is None or end is None:
        return False
    opening = _START.fullmatch(raw[node.start_byte : start.end_byte])
    first = raw.find(b"\n", start.end_byte) + 1
    if opening is None or raw[start.end_byte : start.end_byte + 1].strip(b" \t\n;|&<>)") or not first:
        return False
    lines = [line.lstrip(b"\t") if opening[1] else line for line in raw[first:].split(b"\n")]
    text, at = raw[first : end.start_byte], first
    if opening[3] not in lines or text.count(b"\n") != lines.index(opening[3]):
        return False
    unseen = b""
    for child in body.named_children:
        if child.type != "heredoc_content":
            unseen += raw[at : child.start_byte]
            at = child.end_byte
    unseen += raw[at : end.start_byte]
    return bool(opening[2]) or not _EXPANSION.search(unseen)
