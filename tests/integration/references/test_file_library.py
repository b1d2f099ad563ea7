from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from citeloom.domain.documents.conversion import EmbeddedMetadata
from citeloom.domain.errors import InvalidReferences
from citeloom.infrastructure.references.file_library import FileReferenceLibrary

ITEM = {
    "id": "moor",
    "title": "\u00c9tudes of the tides",
    "author": [{"family": "M\u00f6\u00f6r"}],
    "URL": "https://example.org",
    "issued": "2019",
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_every_unicode_encoding_is_read_without_a_word(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "library.json"
    path.write_text(json.dumps([ITEM], ensure_ascii=False), encoding=encoding)
    library = FileReferenceLibrary(path)
    assert library.references()[0].title == ITEM["title"]
    assert library.diagnostics() == ()


@pytest.mark.parametrize(
    "content", ["\u00c9tude \u201cof\u201d".encode("cp1252"), b"\xc9tude \x81of"]
)
def test_a_file_that_is_not_unicode_is_read_and_reported(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "library.bib"
    path.write_bytes(b"@misc{a, title={" + content + b"}}")
    library = FileReferenceLibrary(path)
    assert library.references()[0].title.startswith("\u00c9tude")
    assert library.diagnostics()[0] == (
        "library.bib is not UTF-8; it was read as Western European text."
    )


def test_the_fingerprint_needs_no_parsing_and_follows_the_content(tmp_path: Path) -> None:
    path = tmp_path / "library.json"
    path.write_text("[broken")
    first = FileReferenceLibrary(path).fingerprint
    assert first == FileReferenceLibrary(path).fingerprint
    path.write_text("[]")
    assert FileReferenceLibrary(path).fingerprint != first


def test_a_missing_file_is_told_when_it_is_needed(tmp_path: Path) -> None:
    library = FileReferenceLibrary(tmp_path / "none.json")
    with pytest.raises(InvalidReferences, match=r"none\.json cannot be read") as raised:
        library.match("a.pdf", EmbeddedMetadata())
    assert raised.value.hint


def test_an_unknown_suffix_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    path = tmp_path / "library.xml"
    path.write_text("<xml/>")
    with pytest.raises(InvalidReferences, match=r"library\.xml") as raised:
        FileReferenceLibrary(path).references()
    assert ".bib" in raised.value.hint


def test_an_empty_library_and_a_mapping_to_nowhere_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "library.json"
    path.write_text("[]")
    assert FileReferenceLibrary(path, mapping={"a.pdf": "x"}).diagnostics() == (
        "library.json has no references.",
        "The mapping gives 'a.pdf' the citekey 'x', which no reference has.",
    )


def test_importing_the_library_loads_no_parser() -> None:
    program = (
        "import sys, citeloom.infrastructure.references.file_library;"
        "print(sorted({'pybtex', 'rispy', 'rapidfuzz'} & set(sys.modules)))"
    )
    paths = ":".join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": paths},
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
