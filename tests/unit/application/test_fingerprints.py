"""What a stored chunk depends on, and what it does not."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from typing import Any

from citeloom.application.ingest.fingerprints import (
    CHUNKER_VERSION,
    EMBEDDED_VERSION,
    citation_fingerprint,
    policy_fingerprint,
)
from citeloom.domain.documents.metadata import MetadataField, MetadataSchema
from citeloom.domain.policies import CharacterParameters, ChunkingPolicy, StrategyName
from citeloom.domain.project import SCHEMA_VERSION, Project
from citeloom.domain.references.citation import CitationMeta
from citeloom.infrastructure.conversion.versions import converter_version, own_versions

PROJECT = Project(id="lab/rye")


def test_documents_stored_with_a_setting_that_is_gone_are_not_processed_again() -> None:
    stored_as = {
        "converter": "1",
        "chunker": CHUNKER_VERSION,
        "embedded": EMBEDDED_VERSION,
        "chunking": {
            "max_tokens": None,
            "overlap_tokens": 60,
            "heading_context": 2,
            "min_chunk_tokens": 50,
            "min_signal_to_noise": 0.3,
            "tokenizer_id": None,
        },
        "dense": PROJECT.embedding_model,
        "sparse": PROJECT.bound_sparse_model,
        "schema": SCHEMA_VERSION,
    }
    digest = hashlib.sha256(json.dumps(stored_as, sort_keys=True).encode()).hexdigest()
    assert policy_fingerprint(PROJECT, "1") == digest[:16]


def test_another_chunk_size_has_documents_processed_again() -> None:
    other = replace(PROJECT, chunking=ChunkingPolicy(max_tokens=200))
    assert policy_fingerprint(other, "1") != policy_fingerprint(PROJECT, "1")


def test_only_parameters_of_the_strategy_in_force_count() -> None:
    default, wide = CharacterParameters(), CharacterParameters(chunk_characters=2000)

    def fingerprint(strategy: StrategyName, characters: CharacterParameters = default) -> str:
        policy = ChunkingPolicy(strategy=strategy, characters=characters)
        return policy_fingerprint(replace(PROJECT, chunking=policy), "1")

    names = {fingerprint(strategy) for strategy in StrategyName}
    assert len(names) == len(StrategyName)
    assert fingerprint(StrategyName.HEADINGS, wide) == fingerprint(StrategyName.HEADINGS)
    changed = fingerprint(StrategyName.CHARACTERS, wide)
    assert changed != fingerprint(StrategyName.CHARACTERS)


def test_a_reference_without_the_fields_added_since_is_not_written_again() -> None:
    reference = CitationMeta(citekey="fenn2001", title="On rye")
    known_at_first = (
        "citekey title authors year doi url tags collections language container pages item_key"
    ).split()
    known = {name: value for name, value in asdict(reference).items() if name in known_at_first}
    digest = hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()
    assert citation_fingerprint(reference) == digest[:16]
    changes: tuple[dict[str, Any], ...] = (
        {"citekey_generated": True},
        {"attachment": "S"},
        {"more_authors": True},
        {"retracted": "2020-01-01"},
        {"item_type": "book"},
        {"added": "2024-05-31"},
        {"collection_keys": ("AAAA2345",)},
        {"libraries": ("library/My Library",)},
        {"aliases": ("fenn01",)},
        {"identifiers": ("pmid:31452104",)},
        {"related": ("BBBB2345",)},
    )
    for change in changes:
        changed = replace(reference, **change)
        assert citation_fingerprint(changed) != citation_fingerprint(reference)


DECLARED = replace(PROJECT, front_matter=MetadataSchema((MetadataField(name="module"),)))


def test_only_what_may_have_front_matter_depends_on_the_declared_fields() -> None:
    assert policy_fingerprint(DECLARED, "1") == policy_fingerprint(PROJECT, "1")
    with_fields = policy_fingerprint(DECLARED, "1", front_matter=True)
    assert with_fields != policy_fingerprint(DECLARED, "1")
    assert with_fields != policy_fingerprint(PROJECT, "1", front_matter=True)


def test_the_documents_of_existing_libraries_are_not_processed_again() -> None:
    version = "docling-2.142.1/heuristic-8/formats-3"
    assert converter_version() == version
    assert policy_fingerprint(PROJECT, version) == "61db8f48c252a351"
    texts, pages = (".md", ".markdown", ".mdx", ".txt"), (".html", ".htm", ".xhtml", ".epub")
    assert own_versions()[".pdf"] == "docling-2.142.1/heuristic-33/doubts-7"
    assert own_versions().keys() == {*texts, *pages, ".docx", ".pptx", ".pdf"}
    assert version not in own_versions().values()
