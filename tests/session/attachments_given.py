"""Files that users attach: pictures and PDF documents, made by hand."""

import struct
import zlib
from io import BytesIO

from PIL import Image
from pypdf import PdfReader, PdfWriter


def picture(colour: str = "red", size: tuple[int, int] = (30, 20), form: str = "PNG") -> bytes:
    """A picture of one colour."""
    stream = BytesIO()
    Image.new("RGB", size, colour).save(stream, form)
    return stream.getvalue()


def bomb() -> bytes:
    """A small file that claims to be a picture of 3.6 billion pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(bytes(1000))), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def pdf(*pages: str) -> bytes:
    """A document with a line of text on each page; a page without text is as if it had been scanned."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        content = f"BT /F1 24 Tf 72 700 Td ({text}) Tj ET" if text else ""
        font = "/Resources << /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {font} /Contents {5 + 2 * number} 0 R >>")
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    body, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{one}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + f"xref\n0 {size}\n0000000000 65535 f \n{table}{end}".encode()


def encrypted(document: bytes, password: str) -> bytes:
    """The document behind a password; with an empty one every reader opens it."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(document)))
    writer.encrypt(password, "owner", algorithm="RC4-128")
    stream = BytesIO()
    writer.write(stream)
    return stream.getvalue()
