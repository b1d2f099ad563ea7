"""What differs between two runs of the same code, replaced by what it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

_RULES: tuple[tuple[str, str], ...] = (
    # identifiers that are drawn
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b", "<uuid>"),
    (
        r'("(?:(?:correlation|request|run|query|session|job)_id|session)\\?": ?\\?")[^"\\{}]+',
        r"\1<id>",
    ),
    (r"\b(correlation_id|run_id|session|request|job)([ =])[0-9a-f]{12,16}\b", r"\1\2<id>"),
    (r'("id": ?)"[0-9a-f]{12}"', r'\1"<id>"'),
    (r'("generation": ?)"[0-9a-f]{32}"', r'\1"<id>"'),
    (r"\b(id: |job )(?:[0-9a-f]{12}\b|[\w-]{22}(?=:))", r"\1<id>"),
    (r"(?m)^[0-9a-f]{12}(?=  )", "<id>"),
    (r"(?i)(x-request-id: |etag: ).*", r"\1<id>"),
    (r"/jobs/[\w-]{22}", "/jobs/<id>"),
    # what begins a session in the reading room, and what its forms send
    (r"\b(citeloom_session=)[\w.]+", r"\1<id>"),
    (r'("X-CSRF-Token": "|name="csrf" value=")[0-9a-f]{64}', r"\1<id>"),
    (r"\b(127\.0\.0\.1|localhost):\d{4,5}\b", r"\1:<port>"),
    # durations and what a machine is
    (r'("\w*(?:_ms|seconds|duration\w*|elapsed\w*)\\?": ?)-?\d[\d.e-]*', r'\1"<time>"'),
    (
        r'("(?:convert|match|chunk|embed|store|total|median|p95)": ?)\d+\.\d+',
        r'\1"<time>"',
    ),
    (r"\b\d+(?:\.\d+)? s (?=\(seconds of work)", "<time> "),
    (r"\bin \d+(?:\.\d+)? m?s\b", "in <time>"),
    (r"\b\d+(?:\.\d+)? ms\b", "<time>"),
    (r"\(seconds of work: [^)]*\)", "(seconds of work: <time>)"),
    (r"(?m)^.*pages? converted, .* documents? done.*\n", ""),
    (r"\bprocess \d+\b", "process <pid>"),
    (r'("(?:pid|bytes|disk_bytes|free_bytes)": ?)\d+', r'\1"<size>"'),
)
_STAMP = re.compile(
    r"\b(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?Z|[+-]\d\d:?\d\d)?)?"
)
_PRECISE = re.compile(r"(?<![\w.])-?\d+\.\d{7,}(?:e-?\d+)?(?![\w.])")
_DOCUMENT_LINES = re.compile(r"(?m)(?:^\[\d+/\d+\] .*\n)+")


class Cleaner:
    """Replaces drawn identifiers, times, paths and ports; long numbers keep five digits.

    `places` are texts with the names that stand for them, such as the folder of the library.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = sorted(places.items(), key=lambda place: -len(place[0]))
        self._began = datetime.now(UTC)
        self._rules = [(re.compile(pattern), name) for pattern, name in _RULES]

    def hide(self, text: str, name: str) -> None:
        """Replace a text by a name from now on."""
        self._places.append((text, name))

    def __call__(self, text: str) -> str:
        for place, name in self._places:
            text = text.replace(place, name)
        for pattern, name in self._rules:
            text = pattern.sub(name, text)
        text = _STAMP.sub(self._stamp, text)
        text = _PRECISE.sub(lambda number: f"{float(number[0]):.5g}", text)
        return _DOCUMENT_LINES.sub(_sorted_lines, text)

    def _stamp(self, match: re.Match[str]) -> str:
        """A time of this run is volatile, any other belongs to the library."""
        days = {f"{self._began + timedelta(days=n):%Y-%m-%d}" for n in (-1, 0, 1)}
        return "<now>" if match[1] in days else match[0]


def _sorted_lines(block: re.Match[str]) -> str:
    """The lines on single documents, which end in any order."""
    lines = (line.partition("] ")[2] for line in block[0].splitlines())
    return "".join(f"[<n>] {line}\n" for line in sorted(lines))
