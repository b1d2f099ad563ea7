"""Greek letters by the names that LaTeX and Typst have for them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

_SMALL: Mapping[str, str] = {
    name: unicodedata.lookup(f"GREEK SMALL LETTER {'LAMDA' if name == 'lambda' else name}")
    for name in (
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
        "upsilon phi chi psi omega"
    ).split()
}
GREEK: Mapping[str, str] = {
    **_SMALL,
    **{name.capitalize(): letter.upper() for name, letter in _SMALL.items()},
}
"""`sigma` and `Sigma` with their letters."""
