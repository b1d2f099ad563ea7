"""What the doctor found, for people."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from citeloom.application.zotero.diagnosis import Diagnosis, Symptom
from citeloom.domain.bibliography import plain
from citeloom.domain.validation import Severity
from citeloom.domain.zotero_checks import ZOTERO_CHECKS
from citeloom.infrastructure.interfaces.cli.console import out, painter
from citeloom.infrastructure.interfaces.cli.counting import by_severity, counted
from citeloom.infrastructure.serialisation.text import one_line

_STYLES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "dim"}


def show_diagnosis(diagnosis: Diagnosis, limit: int) -> None:
    """Print the findings check by check, at most `limit` of each, with what mends them."""
    paint = painter(sys.stdout)
    for check, found in groupby(diagnosis.symptoms, key=lambda symptom: symptom.check):
        symptoms = [*found]
        severity = ZOTERO_CHECKS[check].severity
        mark = paint(severity.value, _STYLES[severity])
        promise = ZOTERO_CHECKS[check].promise
        out(f"{mark}  {check}: {len(symptoms)} found; expected that {promise}")
        out("\n".join(_lines(symptoms, limit)))
        if hint := diagnosis.hint(check):
            out(f"    {hint}")
    if diagnosis.sends_text_to:
        out(f"text is sent to {diagnosis.sends_text_to}")
    out(_verdict(diagnosis))


def _lines(symptoms: list[Symptom], limit: int) -> Iterator[str]:
    for symptom in symptoms[:limit]:
        key = symptom.item_key or symptom.attachment_key or ""
        name = symptom.citekey or plain(symptom.title)
        told = "  ".join(filter(None, ("   ", key, name))) + f": {plain(symptom.message)}"
        yield one_line(told)
    if len(symptoms) > limit:
        yield f"     and {len(symptoms) - limit} more (--limit {len(symptoms)} shows them)"


def _verdict(diagnosis: Diagnosis) -> str:
    paint = painter(sys.stdout)
    found = Counter(symptom.severity for symptom in diagnosis.symptoms)
    verdict = paint("passed", "green") if diagnosis.passed else paint("failed", "red")
    return (
        f"{diagnosis.project or 'Zotero'}: {verdict}; {counted(diagnosis.items, 'item')} with "
        f"{counted(diagnosis.documents, 'document')}, {by_severity(found)}"
    )
