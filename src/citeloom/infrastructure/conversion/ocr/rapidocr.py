"""RapidOCR with its bundled models: nothing else to install or download."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from citeloom.application.ports.conversion import OcrEngine, OcrLine, PageImage
from citeloom.domain.text.lexicon import most_frequent

if TYPE_CHECKING:
    from rapidocr import RapidOCR

# languages in scripts its models lack; they have Latin, Greek, Chinese and Kana
_UNKNOWN = frozenset(
    "am ar as be bg bn fa gu he hi hy ka kk km kn ko ky lo mk ml mn mr my ne or pa ps ru si sr ta "
    "te tg th ug uk ur yi".split()
)
_LONGEST_SIDE = 4000  # pixels
_DETECTION_SIDE = 1280  # finds as many lines as larger images do, in a third of the time
_EM = 0.9  # of the height of a line's box, which has a margin
# the end of a sentence and a word right behind it: the models miss spaces that are narrow there
_UNSPACED = re.compile(
    r"(?<![^\s(])([^\W\d_]*[a-zß-ÿ]{2}[.,;:!?])([A-Z\u00c0-\u00de][a-zß-ÿ]+)(?=[,;:)]?\s|$)"
)
_SPACES = 2  # of the readings of one version: what is put between words has changed so often
_USUAL = 1000  # of the words of a language: one of these ends the name of no file, as `Debian` does


class RapidOcrEngine(OcrEngine):
    """Reads with RapidOCR's bundled models on ONNX Runtime, loaded at the first image."""

    @cached_property
    def version(self) -> str:
        return f"rapidocr-{version('rapidocr')}-{_SPACES}"

    def readable(self, languages: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(code for code in languages if code.lower().split("-")[0] not in _UNKNOWN)

    def read(
        self,
        image: PageImage,
        languages: tuple[str, ...],  # of words alone: the models are not per language
    ) -> tuple[OcrLine, ...]:
        import numpy as np  # noqa: PLC0415 - where images are read only

        grey = np.frombuffer(image.pixels, np.uint8).reshape(image.height, image.width)
        output: Any = self._reader(np.repeat(grey[:, :, None], 3, axis=2))
        if output.boxes is None or output.txts is None:
            return ()
        return tuple(
            _line(corners, spaced(text.strip(), languages), float(score), image)
            for corners, text, score in zip(output.boxes, output.txts, output.scores)
            if text.strip()
        )

    @cached_property
    def _reader(self) -> RapidOCR:
        from rapidocr import RapidOCR  # noqa: PLC0415 - where images are read only

        return RapidOCR(
            params={
                "Global.use_cls": False,
                "Global.max_side_len": _LONGEST_SIDE,
                "Det.limit_type": "max",
                "Det.limit_side_len": _DETECTION_SIDE,
                "Global.log_level": "error",
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            }
        )


def spaced(text: str, languages: Iterable[str]) -> str:
    """A line with a space between the end of a sentence and the usual word of one of these
    languages that begins the next: `end.The`, not `changelog.Debian`.
    """

    def parted(found: re.Match[str]) -> str:
        word = found[2].lower()
        is_usual = any(word in most_frequent(code, _USUAL) for code in languages)
        return f"{found[1]} {found[2]}" if is_usual else found[0]

    return _UNSPACED.sub(parted, text)


def _line(corners: Any, text: str, score: float, image: PageImage) -> OcrLine:
    across, down = corners[:, 0], corners[:, 1]
    height = float(corners[3, 1] - corners[0, 1] + corners[2, 1] - corners[1, 1]) / 2
    return OcrLine(
        text=text,
        box=image.box(float(min(across)), float(min(down)), float(max(across)), float(max(down))),
        size=_EM * height * 72.0 / image.dpi,
        confidence=min(1.0, max(0.0, score)),
    )
