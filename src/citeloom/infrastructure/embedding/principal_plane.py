"""Vectors on the plane of their two principal components."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from citeloom.domain.retrieval.passage import DenseVector

_DIMENSIONS = 2


def principal_plane(vectors: Sequence[DenseVector]) -> list[tuple[float, float]]:
    """The principal component scores (Pearson 1901) of vectors. The sign of a component, which is
    arbitrary, is such that its greatest loading is positive; places are rounded to six digits.
    """
    centred = np.asarray(vectors, dtype=np.float64)
    centred -= centred.mean(axis=0)
    count, dimensions = centred.shape
    # Of the two Gram matrices that have the same eigenvalues, the smaller one.
    if count > dimensions:
        axes = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :_DIMENSIONS]
    else:
        vectors_of_rows = np.linalg.eigh(centred @ centred.T)[1][:, ::-1][:, :_DIMENSIONS]
        axes = centred.T @ vectors_of_rows
        axes /= np.maximum(np.linalg.norm(axes, axis=0), np.finfo(float).tiny)
    greatest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    scores = np.zeros((count, _DIMENSIONS))
    scores[:, : axes.shape[1]] = centred @ (axes * np.where(greatest < 0, -1.0, 1.0))
    return [(round(float(x), 6) + 0.0, round(float(y), 6) + 0.0) for x, y in scores]
