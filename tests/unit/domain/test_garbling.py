from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.documents.quality import garbled_share


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t\f",
        "Plain words, 12 of them.",
        "Größe, naïveté — “quoted” … 20 °C ± 2 µm",
        "Ελληνικά, русский, 中文, العربية, ∀x: x² ≥ 0 🌾",
        "soft­hyphen and a zero‍width joiner",
    ],
)
def test_text_is_not_garbled(text: str) -> None:
    assert garbled_share(text) == 0.0


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("ab\ufffd\ufffd", 0.5),
        ("abcdefgh(cid:12)", 0.5),
        ("abcdefgh GLYPH<7>", 0.5),
        ("ab\ue000\uf8ff", 0.5),
        ("ab\x02\x9d", 0.5),
        ("GrÃ¶ÃŸe", 4 / 7),
        ("â€œab", 0.6),
        ("\ud800a", 0.5),
        ("\U0010fffeab\ufdd0", 0.5),
        ("(cid:1)(cid:2)", 1.0),
    ],
)
def test_what_a_faulty_decoding_leaves_is_counted(text: str, share: float) -> None:
    assert garbled_share(text) == pytest.approx(share)


@given(st.text())
def test_it_is_a_share(text: str) -> None:
    assert 0.0 <= garbled_share(text) <= 1.0


@given(st.text("äöüßÄÖÜéèñç", min_size=2, max_size=8))
def test_utf_8_read_as_windows_1252_is_found(text: str) -> None:
    mistaken = text.encode().decode("cp1252", errors="ignore")
    assert garbled_share(text) == 0.0
    assert len(mistaken) < 2 * len(text) or garbled_share(mistaken) == 1.0
