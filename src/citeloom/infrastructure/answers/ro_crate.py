"""An evidence bundle as files: its JSON, and the metadata of an RO-Crate that repositories read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from io import TextIOWrapper
from typing import IO, Any
from urllib.parse import quote

from pydantic import TypeAdapter, ValidationError

from citeloom.domain.errors import UnreadableDocument
from citeloom.domain.manuscript.evidence_bundle import (
    EVIDENCE,
    FORMAT,
    BundledDraft,
    BundledSource,
    BundleReplay,
    CitationEvidence,
    EvidenceBundle,
)
from citeloom.infrastructure.answers.json import json_text
from citeloom.infrastructure.answers.model import Model

METADATA = "ro-crate-metadata.json"
_PROFILE = "https://w3id.org/ro/crate/1.1"
_RIGHTS = (
    "The passages and pages of the cited works belong to their rights holders. They are here as "
    "evidence for the quotations of the drafts."
)


def bundle_files(bundle: EvidenceBundle, pictures: Mapping[str, int]) -> dict[str, bytes]:
    """The files of a bundle besides its pictures, whose sizes by name are given."""
    evidence = _bytes(asdict(bundle))
    sizes = {**pictures, EVIDENCE: len(evidence)}
    return {EVIDENCE: evidence, METADATA: _bytes(ro_crate(bundle, sizes))}


def bundle_of(file: IO[bytes], name: str) -> EvidenceBundle:
    """The bundle that a `passages.json` holds, read piece by piece, so that a file of something
    else takes no more memory than a bundle would. Raises `UnreadableDocument` for such a file.
    """
    read: dict[str, object] = {}
    try:
        for key, value in members(file):
            if isinstance(value, Iterator):
                listed = _LISTED[key]
                read[key] = [listed.validate_python(item) for item in value]
            elif key in _SINGLE:
                read[key] = value
        bundle = _BUNDLE.validate_python(read)
    except (ValidationError, ValueError, KeyError, RecursionError) as error:
        where = ""
        if isinstance(error, ValidationError):
            where = ".".join(map(str, error.errors()[0]["loc"]))
        raise UnreadableDocument(
            f"{EVIDENCE} in {name} is not what a bundle has" + (f": {where}" if where else ""),
            "Use the file that citeloom bundle wrote, or make a new one.",
        ) from error
    if bundle.format != FORMAT:
        raise UnreadableDocument(
            f"{name} has format {bundle.format}; this version reads {FORMAT}",
            f"It was made by citeloom {bundle.versions.get('citeloom', '?')}: verify it with that.",
        )
    return bundle


def _bytes(value: object) -> bytes:
    return f"{json_text(value)}\n".encode()


# JSON read piece by piece.

_BUNDLE = TypeAdapter(EvidenceBundle)
_LISTED: Mapping[str, TypeAdapter[Any]] = {
    "drafts": TypeAdapter(BundledDraft),
    "sources": TypeAdapter(BundledSource),
    "evidence": TypeAdapter(CitationEvidence),
}
_SINGLE = frozenset({"format", "project", "date", "versions"})
_PIECE = 1 << 16
_LONGEST_VALUE = 1 << 20
_SPACE = re.compile(r"[ \t\r\n]*")


def members(file: IO[bytes]) -> Iterator[tuple[str, object]]:
    """The members of a JSON object in a file, each with its value; a list is an iterator of its
    values, to be read to its end before the next member.

    Raises `ValueError` for any other file, and for a value of more than a million characters.
    """
    values = _Values(file)
    values.expect("{")
    is_first = True
    while not values.skip("}"):
        if not is_first:
            values.expect(",")
        is_first = False
        key = values.value()
        values.expect(":")
        if not isinstance(key, str):
            raise ValueError("a key is no text")  # noqa: TRY004 - the file is wrong
        yield key, values.items() if values.skip("[") else values.value()


class _Values:
    """The values of a JSON file, in turn; what has been read is forgotten."""

    def __init__(self, file: IO[bytes]) -> None:
        self._reader = TextIOWrapper(file, encoding="utf-8", newline="")
        self._decoder = json.JSONDecoder()
        self._text = ""
        self._at = 0

    def value(self) -> object:
        self._next_sign()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError:
                if not self._more():
                    raise
                continue
            # A number may go on in the next piece.
            if end < len(self._text) or not self._more():
                self._at = end
                return value

    def items(self) -> Iterator[object]:
        """The values of the list that has begun."""
        if self.skip("]"):
            return
        yield self.value()
        while self.skip(","):
            yield self.value()
        self.expect("]")

    def skip(self, sign: str) -> bool:
        """Whether this sign comes next; it is passed then."""
        found = self._next_sign() == sign
        self._at += found
        return found

    def expect(self, sign: str) -> None:
        """Pass this sign. Raises `ValueError` where another one comes."""
        if not self.skip(sign):
            raise ValueError(f"there is no {sign}")

    def _next_sign(self) -> str:
        while True:
            match = _SPACE.match(self._text, self._at)
            assert match is not None
            self._at = match.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _more(self) -> bool:
        """Read on; whether there was anything."""
        self._text, self._at = self._text[self._at :], 0
        if len(self._text) > _LONGEST_VALUE:
            raise ValueError("a value is too long")
        # Twice as much each time, so that a long value is not looked through too often.
        piece = self._reader.read(max(_PIECE, len(self._text)))
        self._text += piece
        return bool(piece)


# The metadata of an RO-Crate.


def ro_crate(bundle: EvidenceBundle, sizes: Mapping[str, int]) -> dict[str, object]:
    """The metadata of a bundle as RO-Crate 1.1: its files, the cited works, and what made it."""
    described = _descriptions(bundle)
    files = [
        {"@id": name, "@type": "File", "contentSize": str(size), **described[name]}
        for name, size in sorted(sizes.items())
    ]
    works = [_work(source) for source in bundle.sources]
    programs: list[dict[str, object]] = [
        {
            "@id": f"#software-{quote(name)}",
            "@type": "SoftwareApplication",
            "name": name,
            "softwareVersion": version,
        }
        for name, version in bundle.versions.items()
    ]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Evidence for the citations of {', '.join(draft.name for draft in bundle.drafts)}",
        "description": "For each citation the passage of the cited work, a picture of its page and "
        "the hash of the work's file.",
        "dateCreated": bundle.date,
        "datePublished": bundle.date,
        "license": {"@id": "#rights"},
        "hasPart": _ids(files),
        "mentions": _ids([*works, {"@id": "#bundling"}]),
    }
    action = {
        "@id": "#bundling",
        "@type": "CreateAction",
        "name": "citeloom bundle",
        "endTime": bundle.date,
        "instrument": _ids(programs),
        "object": _ids(works),
        "result": {"@id": "./"},
    }
    rights = {
        "@id": "#rights",
        "@type": "CreativeWork",
        "name": "Rights of the cited works",
        "description": _RIGHTS,
    }
    descriptor = {
        "@id": METADATA,
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": _PROFILE},
    }
    return {
        "@context": [f"{_PROFILE}/context", {"sha256": "https://schema.org/sha256"}],
        "@graph": [descriptor, root, *files, *works, *programs, action, rights],
    }


def _descriptions(bundle: EvidenceBundle) -> dict[str, dict[str, object]]:
    """What each file of a bundle is, by its name."""
    sources = {source.doc_id: source for source in bundle.sources}
    described: dict[str, dict[str, object]] = {
        EVIDENCE: {
            "name": "The citations, each with its passage, page and verdict",
            "encodingFormat": "application/json",
        }
    }
    for evidence in bundle.evidence:
        for picture in evidence.pictures:
            source = sources[evidence.doc_id or ""]
            described.setdefault(
                picture.file,
                {
                    "name": f"Page {picture.page} of {source.citekey or source.file}",
                    "encodingFormat": "image/png",
                    "isPartOf": {"@id": _work_id(source)},
                },
            )
    return described


def _work(source: BundledSource) -> dict[str, object]:
    entity: dict[str, object] = {
        "@id": _work_id(source),
        "@type": "CreativeWork",
        "name": source.title or source.file,
        "alternateName": source.file,
        "sha256": source.sha256,
    }
    if source.authors:
        entity["creditText"] = "; ".join(source.authors)
    if source.year is not None:
        entity["datePublished"] = str(source.year)
    if source.doi is not None:
        entity["identifier"] = f"https://doi.org/{quote(source.doi)}"
    return entity


def _work_id(source: BundledSource) -> str:
    return f"#document-{quote(source.doc_id, safe='')}"


def _ids(entities: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{"@id": entity["@id"]} for entity in entities]


# What has changed, in words.

_CHANGES = {
    "words_changed": "the work no longer has these words",
    "page_changed": "the words are on another page",
    "file_changed": "the file has changed",
    "file_gone": "the file is gone",
    "gone": "the work is no longer in the library",
}


def replay_text(replay: BundleReplay, *, everything: bool = False) -> Iterator[str]:
    """A line for each damaged file, and each citation that has changed, or for every one."""
    for name in replay.damaged:
        yield f"{name}: damaged: it is not the file that the bundle was made with"
    for citation in replay.citations:
        if not citation.changes and not everything:
            continue
        place = f"{citation.draft}:{citation.line}:{citation.column}"
        words = f"“{citation.quote}” " if citation.quote else ""
        state = "; ".join(_CHANGES[change.value] for change in citation.changes)
        state = state or ("unchanged" if citation.replayed else "without evidence")
        if "page_changed" in citation.changes:
            state += f" ({citation.locator} before, {citation.locator_now} now)"
        yield f"{place}: {words}[@{citation.citekey}]: {state}"
    for name, (before, now) in replay.versions.items():
        yield f"note: {name} was {before}, and is {now or 'not there'}"


class BundleReplayAnswer(
    Model, of=BundleReplay, keys=("citations", "damaged", "versions", "counts", "passed")
):
    """A bundle replayed against the library: that of `bundle verify --json`."""
