"""Vectors on the plane of their two principal components."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from citeloom.domain.retrieval.passage import DenseVector

_DIMENSIONS = 2


def principal_plane(vectors: Sequence[DenseVector]) -> list[tuple[float, float]]:
    """The principal component scores (Pearson 1901) of vectors. The sign of a component, which is
    arbitrary, is such that its greatest loading is positive; a component along which they differ by
    no more than rounding is 0; places are rounded to six digits.
    """
    centred = np.asarray(vectors, dtype=np.float64)
    centred -= centred.mean(axis=0)
    count, dimensions = centred.shape
    # Of the two Gram matrices that have the same eigenvalues, the smaller one.
    if count > dimensions:
        values, axes = _largest(centred.T @ centred)
    else:
        values, vectors_of_rows = _largest(centred @ centred.T)
        axes = centred.T @ vectors_of_rows
        axes /= np.maximum(np.linalg.norm(axes, axis=0), np.finfo(float).tiny)
    axes[:, values <= values[0] * max(centred.shape) * np.finfo(float).eps] = 0.0
    greatest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    scores = np.zeros((count, _DIMENSIONS))
    scores[:, : axes.shape[1]] = centred @ (axes * np.where(greatest < 0, -1.0, 1.0))
    return [(round(float(x), 6) + 0.0, round(float(y), 6) + 0.0) for x, y in scores]


def _largest(gram: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The largest eigenvalues of a symmetric matrix, in descending order, and their vectors, (n, 2)
    or, of a matrix of one row, (1, 1).
    """
    values, vectors = np.linalg.eigh(gram)
    return values[::-1][:_DIMENSIONS], vectors[:, ::-1][:, :_DIMENSIONS]
