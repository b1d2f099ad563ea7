"""The prompt of an answer: passages as data, never as instructions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePath

from citeloom.application.answering.claim_format import CLAIM_SCHEMA
from citeloom.application.answering.instructions import instructions
from citeloom.application.ports.answer_model import Prompt
from citeloom.domain.answers.wording import AnswerWording
from citeloom.domain.passage import StoredChunk


def prompt_of(
    question: str,
    passages: Mapping[str, StoredChunk],
    wording: AnswerWording,
    *,
    quote_first: bool = False,
) -> Prompt:
    """The prompt of a question with its passages by id, for claims or for quotations alone; of a
    source without a citekey, the file's name alone is told.

    They are JSON, so that no passage can end its own quotation.
    """
    listed = [
        {
            "id": name,
            "source": stored.cited or PurePath(stored.source_path).name,
            "text": stored.chunk.text,
        }
        for name, stored in passages.items()
    ]
    user = json.dumps({"question": question, "passages": listed}, ensure_ascii=False, indent=1)
    return Prompt(
        system=instructions(wording, quote_first=quote_first), user=user, schema=CLAIM_SCHEMA
    )
