"""A program of LangChain's that knows nothing of citeloom: `write` or `read` a collection."""

from __future__ import annotations

import json
import sys

from langchain_core.documents import Document  # type: ignore[import-not-found, unused-ignore]
from langchain_core.embeddings import Embeddings  # type: ignore[import-not-found, unused-ignore]
from langchain_postgres import PGVector  # type: ignore[import-not-found, unused-ignore]


class Given(Embeddings):  # type: ignore[misc, unused-ignore]
    """The vector that stands in front of each text."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [float(value) for value in text.split("|", maxsplit=1)[0].split(",")]


def main(url: str, task: str, name: str) -> None:
    store = PGVector(embeddings=Given(), collection_name=name, connection=url, use_jsonb=True)
    if task == "write":
        documents = [
            Document(
                page_content=f"1,{number},0,0,0,0,0,1|Página {number} sobre marés.",
                metadata={
                    "source": "document.pdf",
                    "page": number,
                    "chunk_index": number,
                    "topic": "tides" if number % 2 else "moons",
                },
            )
            for number in range(4)
        ]
        store.add_documents(documents)
        return
    found = store.similarity_search_with_score("1,0.5,0.5,0.5,0.5,0.5,0.5,0.5|", k=10)
    filtered = store.similarity_search(
        "1,0.5,0.5,0.5,0.5,0.5,0.5,0.5|", k=10, filter={"source": "doc-1.pdf"}
    )
    rows = [[d.page_content, d.metadata, score] for d, score in found]
    sys.stdout.write(json.dumps({"found": rows, "filtered": len(filtered)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
