"""How well scans are read: characters right by file and engine, seconds a page.

    python -m benchmarks.bench_ocr CORPUS/scans

Beside each PDF stands `NAME.truth.json`: `text` has the true text of each page. Accuracy is
1 - edit distance / length, whitespace and line-end hyphens normalised; `words` is the share of
the true words that are found, wherever on the page they stand.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import unicodedata
from collections import Counter
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from citeloom.application.ports.conversion import ConverterOptions, OcrEngine, SourceFile
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.policies import OcrOptions
from citeloom.infrastructure.conversion.ocr.rapidocr import RapidOcrEngine
from citeloom.infrastructure.conversion.ocr.tesseract import TesseractEngine
from citeloom.infrastructure.conversion.pdf.converter import PdfConverter

_HYPHEN = re.compile(r"(?<=\w)[-\u2010\u00ad\ufffe\x02]\s*\n\s*")
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d\u201e", '\'\'"""')


def normalised(text: str) -> str:
    joined = _HYPHEN.sub("", unicodedata.normalize("NFKC", text).replace("\r\n", "\n"))
    return " ".join(joined.translate(_QUOTES).split())


def page_texts(result: ConversionResult) -> dict[int, str]:
    texts: dict[int, list[str]] = {}
    for fragment in (f for block in result.blocks for f in block.fragments):
        text = result.plain_text[fragment.start : fragment.end]
        texts.setdefault(fragment.page or 0, []).append(text)
    return {page: "\n".join(parts) for page, parts in texts.items()}


def measure(path: Path, engine: OcrEngine) -> str:
    truth = json.loads(path.with_suffix(".truth.json").read_text(encoding="utf-8"))
    ocr = OcrOptions(languages=(truth["lang"],))
    begun = time.perf_counter()
    result = PdfConverter(ConverterOptions(engines=(engine,))).convert(
        SourceFile(path=path, doc_id="doc", content_hash="", ocr=ocr)
    )
    seconds = (time.perf_counter() - begun) / max(1, len(result.ocr_pages))
    found = page_texts(result)
    wrong = length = seen = words = 0
    for page in result.ocr_pages:
        true, read = normalised(truth["text"][page - 1]), normalised(found.get(page, ""))
        wrong += Levenshtein.distance(true, read)
        length += len(true)
        seen += (Counter(true.split()) & Counter(read.split())).total()
        words += len(true.split())
    sure = sum(result.ocr_pages.values()) / max(1, len(result.ocr_pages))
    return (
        f"{path.stem:45} {engine.version:18} {1 - wrong / max(1, length):9.4f} "
        f"{seen / max(1, words):7.3f} {sure:7.3f} {seconds:6.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scans", type=Path)
    folder = parser.parse_args().scans
    print(f"{'file':45} {'engine':18} accuracy   words    sure   s/page")
    for engine in (TesseractEngine(), RapidOcrEngine()):
        if engine.readable(("en",)):
            for path in sorted(folder.glob("*.pdf")):
                print(measure(path, engine), flush=True)


if __name__ == "__main__":
    main()
