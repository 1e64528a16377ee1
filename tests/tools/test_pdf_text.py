"""The text of PDF documents comes page by page; what has none, is locked or broken says so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.session.attachments_given import encrypted, pdf
from yeaft.kernel.errors import ToolFailed
from yeaft.tools.files.pdf_text import LIMIT_PAGES, PdfText, is_pdf, pdf_text

THREE = pdf("One", "Two", "Three")


def test_every_page_is_told_with_its_number() -> None:
    found = pdf_text(THREE, "a.pdf")

    text = "--- page 1 ---\nOne\n\n--- page 2 ---\nTwo\n\n--- page 3 ---\nThree"
    assert found == PdfText(text=text, first=1, last=3, total=3)


def test_a_range_of_pages_is_all_that_is_read() -> None:
    assert pdf_text(THREE, "a.pdf", 2, 2) == PdfText(text="--- page 2 ---\nTwo", first=2, last=2, total=3)
    assert pdf_text(THREE, "a.pdf", 2, 9).last == 3


@pytest.mark.parametrize("pages", [(4, 5), (3, 2)])
def test_pages_that_are_not_there_are_refused(pages: tuple[int, int]) -> None:
    with pytest.raises(ToolFailed, match=r"a\.pdf has 3 pages; there are no pages"):
        pdf_text(THREE, "a.pdf", *pages)


def test_a_scanned_document_has_no_text() -> None:
    assert pdf_text(pdf("", ""), "scan.pdf") == PdfText(text="", first=1, last=2, total=2)


def test_a_document_behind_a_password_says_so_and_one_that_everybody_may_open_is_read() -> None:
    with pytest.raises(ToolFailed, match=r"a\.pdf is encrypted"):
        pdf_text(encrypted(THREE, "secret"), "a.pdf")
    assert "Two" in pdf_text(encrypted(THREE, ""), "a.pdf").text


def test_a_long_document_is_cut_at_the_limits_of_bytes_and_pages() -> None:
    by_bytes, by_letters = (pdf_text(THREE, "a.pdf", limit_bytes=size) for size in (30, 10))
    by_pages = pdf_text(pdf(*["x"] * (LIMIT_PAGES + 5)), "a.pdf")

    assert (by_bytes.text, by_bytes.last, by_bytes.cut) == ("--- page 1 ---\nOne", 1, True)
    assert (by_letters.text, by_letters.last, by_letters.cut) == ("--- page 1", 1, True)
    assert (by_pages.last, by_pages.total, by_pages.cut) == (LIMIT_PAGES, LIMIT_PAGES + 5, True)


def test_a_document_that_takes_too_long_is_cut_after_a_page() -> None:
    assert pdf_text(THREE, "a.pdf", within_s=0) == PdfText(
        text="--- page 1 ---\nOne", first=1, last=1, total=3, cut=True
    )


def test_a_document_is_known_by_its_beginning_and_not_by_what_it_mentions() -> None:
    assert is_pdf(THREE)
    assert is_pdf(b"\xef\xbb\xbf\n" + THREE)
    assert not is_pdf(b'MAGIC = b"%PDF-"\n')


def read_or_refused(raw: bytes) -> PdfText | str:
    try:
        return pdf_text(raw, "a.pdf")
    except ToolFailed as error:
        return str(error)


@given(st.integers(0, len(THREE)), st.binary(max_size=40))
def test_damage_is_said_or_mended_and_never_an_error_of_ours(place: int, junk: bytes) -> None:
    outcome = read_or_refused(THREE[:place] + junk + THREE[place + len(junk) :])

    if isinstance(outcome, PdfText):
        assert outcome.first <= outcome.last <= outcome.total
    else:
        assert outcome.startswith("a.pdf ")


def test_half_a_document_is_damaged() -> None:
    with pytest.raises(ToolFailed, match=r"a\.pdf is damaged: it cannot be read as a PDF document"):
        pdf_text(THREE[:40], "a.pdf")
