"""The languages of files, of which some are made to exhaust whoever reads them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from citeloom.infrastructure.conversion import first_words
from citeloom.infrastructure.conversion.first_words import languages_of_files

ENGLISH = (
    "The rye is sown in the fields in autumn and harvested in the summer after that, when the ears "
    "are ripe and the weather is dry for some days, which it is not in every year."
)


def form_of(name: int, content: str, inner: int) -> str:
    """A form that draws another one."""
    return (
        f"{name} 0 obj <</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length {len(content)}"
        f"/Resources<</XObject<</X {inner} 0 R>>>>>> stream\n{content}\nendstream endobj\n"
    )


def write_nested_forms(path: Path) -> None:
    """A page of a form that is drawn ten times in each of ten forms, and so on, nine deep."""
    forms = "".join(form_of(number, "/X Do " * 10, number + 1) for number in range(5, 14))
    path.write_text(
        "%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n"
        "2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n"
        "3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R"
        "/Resources<</XObject<</X 5 0 R>>>>>> endobj\n"
        "4 0 obj <</Length 5>> stream\n/X Do\nendstream endobj\n"
        f"{forms}14 0 obj <</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 9>> stream\n"
        "0 0 m 1 1 l S\nendstream endobj\ntrailer <</Root 1 0 R>>\n%%EOF\n"
    )


def test_a_file_that_takes_any_time_ends_the_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_words, "_SECONDS", 5.0)
    (tmp_path / "a.md").write_text(ENGLISH)
    write_nested_forms(tmp_path / "b.pdf")
    began = time.monotonic()
    assert languages_of_files([tmp_path], {".md", ".pdf"}) == {"en": 1}
    assert time.monotonic() - began < 20
