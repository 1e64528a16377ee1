"""Bytes of a web page to text: what a mark, the server or the page itself says, and a guess where nothing is said."""

import codecs
import re
from collections.abc import Iterator

FAMILIES = {
    "utf-8": "utf-8 utf8 unicode-1-1-utf-8",
    "utf-16-le": "utf-16 utf-16le unicode ucs-2",
    "utf-16-be": "utf-16be",
    "gb18030": "gb18030 gbk gb2312 x-gbk gb_2312-80 chinese csgb2312 euc-cn",
    "big5hkscs": "big5 big5-hkscs big5hkscs x-x-big5 csbig5 cn-big5",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji windows-31j csshiftjis cp932",
    "euc_jp": "euc-jp x-euc-jp euc_jp",
    "iso2022_jp": "iso-2022-jp csiso2022jp",
    "cp949": "euc-kr ks_c_5601-1987 ksc5601 ks_c_5601 windows-949 cp949 korean cseuckr",
    "cp1252": "iso-8859-1 latin1 latin-1 l1 ascii us-ascii windows-1252 cp1252 iso8859-1",
    "iso8859_2": "iso-8859-2 latin2 iso8859-2",
    "iso8859_5": "iso-8859-5 iso8859-5 cyrillic",
    "iso8859_7": "iso-8859-7 iso8859-7 greek",
    "iso8859_8": "iso-8859-8 iso8859-8 iso-8859-8-i hebrew",
    "iso8859_15": "iso-8859-15 latin9 iso8859-15",
    "cp1250": "windows-1250 cp1250",
    "cp1251": "windows-1251 cp1251 x-cp1251",
    "cp1253": "windows-1253 cp1253",
    "cp1254": "windows-1254 cp1254 iso-8859-9 latin5",
    "cp1255": "windows-1255 cp1255",
    "cp1256": "windows-1256 cp1256 iso-8859-6 arabic",
    "cp1257": "windows-1257 cp1257 iso-8859-13",
    "cp1258": "windows-1258 cp1258",
    "cp866": "ibm866 cp866 866",
    "cp874": "windows-874 cp874 tis-620 iso-8859-11",
    "koi8_r": "koi8-r koi8_r koi8",
    "koi8_u": "koi8-u",
    "mac_roman": "macintosh x-mac-roman mac",
}
"""Labels by the codec that browsers use for them (https://encoding.spec.whatwg.org). No other codec is ever asked."""

CODECS = {label: codec for codec, labels in FAMILIES.items() for label in labels.split()}
GUESSED = ("gb18030", "big5", "cp932", "euc_jp", "cp949", "cp1252", "cp1251", "koi8_r")
MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
DECLARED_IN_TYPE = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
DECLARED_IN_PAGE = re.compile(
    rb"<(?:meta\b[^>]*?charset|\?xml\b[^>]*?encoding)\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE
)
HEAD_BYTES = 4096
GUESS_BYTES = 64 * 1024


def text_of(body: bytes, content_type: str, *, is_cut: bool = False) -> str:
    """The text of `body`, which the server called `content_type`; `is_cut` if it may end inside a character.

    Of several codecs that are claimed the first that fits without error wins, else the one that loses least.
    """
    for mark, codec in MARKS:
        if body.startswith(mark):
            return _decoded(body[len(mark) :], codec, is_cut)
    claimed = list(dict.fromkeys([*_declared(body, content_type), "utf-8"]))
    texts: list[str] = []
    for codec in claimed:
        texts.append(_decoded(body, codec, is_cut))
        if "\ufffd" not in texts[-1]:
            return texts[-1]
    if claimed == ["utf-8"] and (guess := _guessed(body)):
        texts.append(_decoded(body, guess, is_cut))
    return min(texts, key=lambda text: text.count("\ufffd"))


def _declared(body: bytes, content_type: str) -> Iterator[str]:
    labels = [found[1] for found in (DECLARED_IN_TYPE.search(content_type),) if found]
    labels += [found[1].decode("ascii", "replace") for found in (DECLARED_IN_PAGE.search(body[:HEAD_BYTES]),) if found]
    for label in labels:
        if codec := CODECS.get(label.lower()):
            yield codec


def _decoded(body: bytes, codec: str, is_cut: bool) -> str:
    return codecs.getincrementaldecoder(codec)("replace").decode(body, final=not is_cut)


def _guessed(body: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(body[:GUESS_BYTES], cp_isolation=list(GUESSED)).best()
    return best.encoding if best is not None else ""
