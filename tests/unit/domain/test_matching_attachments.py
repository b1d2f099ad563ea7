from __future__ import annotations

import pytest

from citeloom.domain.references.evidence import attached_to, mapped_citekey

MAPPING = {
    "a.pdf": "byName",
    "scans/a.pdf": "byTail",
    "old/*.pdf": "byGlob",
    "*.djvu": "bySuffix",
}


@pytest.mark.parametrize(
    ("path", "citekey"),
    [
        ("/x/a.pdf", "byName"),
        ("/x/scans/A.pdf", "byTail"),
        (r"C:\x\old\b.pdf", "byGlob"),
        ("/x/old/deeper/b.pdf", None),
        ("b.djvu", "bySuffix"),
        ("/x/aa.pdf", None),
        ("", None),
    ],
)
def test_the_longest_pattern_that_fits_names_the_citekey(path: str, citekey: str | None) -> None:
    assert mapped_citekey(path, MAPPING) == citekey


@pytest.mark.parametrize(
    ("path", "citekey"),
    [
        ("/home/b/library/Moor 2019.pdf", "moor"),
        ("/home/b/storage/AAAA1111/fulltext.pdf", "fenn"),
        ("/home/b/storage/BBBB2222/fulltext.pdf", "quint"),
        ("/home/b/elsewhere/fulltext.pdf", None),
        ("/home/b/shared.pdf", None),
        ("/home/b/other.pdf", None),
        ("", None),
    ],
)
def test_an_attachment_is_known_by_its_path_from_the_name_upwards(
    path: str, citekey: str | None
) -> None:
    attachments = [
        ("files/12/Moor 2019.pdf", "moor"),
        ("/home/a/storage/AAAA1111/fulltext.pdf", "fenn"),
        ("C:\\Users\\a\\storage\\BBBB2222\\fulltext.pdf", "quint"),
        ("x/shared.pdf", "fenn"),
        ("y/shared.pdf", "quint"),
    ]
    assert attached_to(path, attachments) == citekey


def test_of_files_with_one_name_the_one_at_that_very_path_is_meant() -> None:
    attachments = [("README.md", "moor"), ("docs/adr/README.md", "fenn")]
    assert attached_to("README.md", attachments) == "moor"
    assert attached_to("docs/adr/README.md", attachments) == "fenn"
    assert attached_to("other/README.md", attachments) is None


def test_a_generic_name_alone_is_no_evidence() -> None:
    assert attached_to("/b/12345.pdf", [("/a/12345.pdf", "moor")]) is None
    assert attached_to("/b/main (2).pdf", [("/a/main (2).pdf", "moor")]) is None
