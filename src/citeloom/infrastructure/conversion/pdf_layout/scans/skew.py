"""Deskewing scanned pages."""

from __future__ import annotations

import math

from PIL import Image, ImageChops

from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import Rect
from citeloom.infrastructure.conversion.pdf_layout.elements.page import PageLayout

_STEEPEST, _TURN = 4.0, 0.25  # degrees: the largest skew, and the steps tried
_SKETCH = 700  # pixels: the longer side of the image used to measure it
_CLEARLY = 1.1  # times the contrast of the rows without rotation
_EDGE = 0.08  # of the image: what rotation moves out or leaves empty
_WHITE = 255


def skew_of(image: Image.Image) -> float:
    """The skew in degrees, positive if lines rise to the right; 0 if it cannot be measured.

    On a straight page, rows of pixels run either through a line of text or between two.
    """
    sketch = ImageChops.invert(image)
    sketch.thumbnail((_SKETCH, _SKETCH))
    steps = round(_STEEPEST / _TURN)
    contrast = {step: _contrast(sketch, step * _TURN) for step in range(-steps, steps + 1)}
    best = max(contrast, key=lambda step: (contrast[step], -abs(step)))
    clear = contrast[best] > _CLEARLY * contrast[0]
    return best * _TURN if clear and abs(best) < steps else 0.0


def _contrast(sketch: Image.Image, angle: float) -> float:
    width, height = sketch.size
    across, down = round(_EDGE * width), round(_EDGE * height)
    turned = sketch.rotate(-angle, Image.Resampling.BILINEAR)
    turned = turned.crop((across, down, width - across, height - down))
    rows = turned.resize((1, turned.height), Image.Resampling.BOX).tobytes()
    return sum((upper - lower) ** 2 for upper, lower in zip(rows, rows[1:]))


def straightened(image: Image.Image, skew: float) -> Image.Image:
    """The image rotated so that its lines are horizontal."""
    if not skew:
        return image
    return image.rotate(-skew, Image.Resampling.BILINEAR, fillcolor=_WHITE)


def askew(layout: PageLayout, skew: float) -> PageLayout:
    """The layout of a straightened page with its boxes mapped back to the original page."""
    sine, cosine = math.sin(math.radians(skew)), math.cos(math.radians(skew))
    for block in layout.blocks:
        box = block.box
        across, down = box.middle_x - layout.width / 2, box.middle_y - layout.height / 2
        right = across * cosine + down * sine - across
        lower = down * cosine - across * sine - down
        block.box = Rect(box.left + right, box.top + lower, box.right + right, box.bottom + lower)
    return layout
