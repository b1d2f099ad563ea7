"""How the image of a page lay on the scanner: tilted, on its side or upside down; and without its
specks.
"""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from citeloom_pdf.parsing.text_layers import STEEPEST

_TURN = 0.25  # degrees: the steps tried
_SKETCH = 700  # pixels: the longer side of the image used to measure it
_CLEARLY = 1.1  # times the contrast of the rows without rotation
_EDGE = 0.08  # of the image: what rotation moves out or leaves empty
_WHITE = 255  # of 255
# pixels: at 300 dots an inch the strokes of letters of 8 points are 4 wide, and specks 1 to 3
_SPECK = 5


def measure_skew(image: Image.Image) -> float:
    """The skew in degrees, positive if lines rise to the right; 0 if it cannot be measured.

    On a straight page, rows of pixels run either through a line of text or between two.
    """
    sketch = _negative(image, _SKETCH)
    steps = round(STEEPEST / _TURN)
    contrast = {step: _contrast(sketch, step * _TURN) for step in range(-steps, steps + 1)}
    best = max(contrast, key=lambda step: (contrast[step], -abs(step)))
    clear = contrast[best] > _CLEARLY * contrast[0]
    return best * _TURN if clear and abs(best) < steps else 0.0


def _contrast(sketch: Image.Image, angle: float) -> float:
    turned = _within(sketch.rotate(-angle, Image.Resampling.BILINEAR))
    rows = turned.resize((1, turned.height), Image.Resampling.BOX).tobytes()
    return sum((upper - lower) ** 2 for upper, lower in zip(rows, rows[1:]))


def deskew(image: Image.Image, skew: float) -> Image.Image:
    """The image rotated so that its lines are horizontal."""
    if not skew:
        return image
    return image.rotate(-skew, Image.Resampling.BILINEAR, fillcolor=_WHITE)


def without_specks(image: Image.Image) -> Image.Image:
    """The image with each pixel as most of those around it are."""
    return image.filter(ImageFilter.MedianFilter(_SPECK))


def _negative(image: Image.Image, side: int) -> Image.Image:
    """The image with its letters white on black, the longer side of so many pixels at most."""
    sketch = ImageChops.invert(image)
    sketch.thumbnail((side, side))
    return sketch


def _within(image: Image.Image) -> Image.Image:
    width, height = image.size
    across, down = round(_EDGE * width), round(_EDGE * height)
    return image.crop((across, down, width - across, height - down))


# On its side, or upside down.

_STRIPS = 8  # side by side, in each of which a line of one column runs across
_FINE = 1600  # pixels: the longer side of the image in which the heights of letters are seen
_INKED = 0.5  # of the ink in the densest rows: those between the base line and the height of an x
_BEYOND = 0.5  # of that height: how far above and below it ascenders and descenders are looked for


def turned(image: Image.Image, quarters: int) -> Image.Image:
    """The image turned counter-clockwise."""
    return image.rotate(90 * quarters, expand=True)


def likely_turns(image: Image.Image) -> tuple[int, ...]:
    """By how many quarters the image may have to be turned counter-clockwise so that its text
    stands upright, the likeliest first; `(0,)` where nothing speaks against it as it is.

    Lines make the rows of an upright page differ, not its columns. In scripts with small letters
    there is more ink above their x-height, of ascenders and capitals, than below the base line.
    """
    if _row_contrast(turned(image, 1)) > _row_contrast(image):
        return (1, 3, 0) if _rise(turned(image, 1)) >= 0 else (3, 1, 0)
    return (2, 0) if _rise(image) < 0 else (0,)


def _row_contrast(image: Image.Image) -> float:
    return float(np.square(np.diff(_strips(_negative(image, _SKETCH)))).sum())


def _rise(image: Image.Image) -> float:
    """How much more ink the lines have above the height of an x than below, from -1 to 1."""
    above = below = 0.0
    for strip in _strips(_negative(deskew(image, measure_skew(image)), _FINE)):
        ground, most = np.percentile(strip, (5, 95))
        ink = np.maximum(strip - ground, 0.0)
        inked = ink > max(1.0, _INKED * (most - ground))
        edges = np.diff(np.concatenate([[False], inked, [False]]).astype(np.int8))
        tops, bottoms = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
        if not len(tops):
            continue
        reach = max(1, round(_BEYOND * float(np.median(bottoms - tops))))
        for top, bottom in zip(tops, bottoms):
            if reach <= top and bottom + reach <= len(ink):
                above += float(ink[top - reach : top].sum())
                below += float(ink[bottom : bottom + reach].sum())
    return (above - below) / ((above + below) or 1.0)


def _strips(negative: Image.Image) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The ink of the rows of pixels in each of the strips."""
    inner = _within(negative)
    return np.asarray(inner.resize((_STRIPS, inner.height), Image.Resampling.BOX), float).T
