"""The documentation is a library: every page is a source, and has a reference with its title."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts.make_docs_references import FILE, citekey, references, sources

from tests.architecture.repository import ROOT

NO_SOURCES = {"CHANGELOG.md"}
"""What changed, not what is."""
PAGE = Path("docs/adr/0007-mowing-by-hand.md")


def pages() -> set[str]:
    """The pages of the repository but those that the code writes."""
    found = (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/adr").glob("*.md"))
    return {page.relative_to(ROOT).as_posix() for page in found}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one decision."""
    (tmp_path / PAGE).parent.mkdir(parents=True)
    (tmp_path / PAGE).write_text("# 7. Mowing by hand\n\n**Status.** Accepted.\n", "utf-8")
    (tmp_path / "LICENSE").write_text("Copyright (c) 2031 The mowers\n", "utf-8")
    (tmp_path / "citeloom.toml").write_text(
        '[project."citeloom/clean-arch"]\nsources = ["docs/adr/"]\n', "utf-8"
    )
    return tmp_path


def test_every_page_is_a_source_of_the_library() -> None:
    named = {page.as_posix() for page in sources(ROOT)}
    assert len(named) > 70
    assert sorted(pages() - named) == sorted(NO_SOURCES), "name it in citeloom.toml"
    assert named <= pages()


def test_the_references_agree_with_the_pages() -> None:
    assert (ROOT / FILE).read_text("utf-8") == references(ROOT), "`make docs` writes them anew"


def test_every_page_has_a_citekey_of_its_own_which_names_it() -> None:
    citekeys = [citekey(page) for page in sources(ROOT)]
    assert len(set(citekeys)) == len(citekeys)
    assert {"citeloomReadme", "citeloomFrontMatter", "adr19DeletionNeedsProof"} <= {*citekeys}


def test_a_reference_has_the_title_of_its_page(repository: Path) -> None:
    assert references(repository) == (
        '[\n{"id": "adr7MowingByHand", "type": "document", "title": "7. Mowing by hand", '
        '"author": [{"literal": "The mowers"}], "issued": {"date-parts": [[2031]]}, '
        '"language": "en", "file": "docs/adr/0007-mowing-by-hand.md"}\n]\n'
    )


def test_a_page_without_a_title_is_refused(repository: Path) -> None:
    (repository / PAGE).write_text("Mowing by hand\n", "utf-8")
    with pytest.raises(SystemExit, match="0007-mowing-by-hand"):
        references(repository)
