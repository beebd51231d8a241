"""What a foreign model answered, checked: as many vectors as texts, all of one length, finite, none of them zero; brought to length one."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Any

from beebread.errors import ModelMismatch, Unavailable
from beebread.ports import Vector


def vectors(found: Any, texts: int, dimensions: int, source: str) -> list[Vector]:
    """The vectors in the answer `found` of `source`; `dimensions` is 0 while their length is not known.

    Raises Unavailable for what is no list of vectors, and ModelMismatch for vectors of another length; the message names `source`.
    """
    if not _is_list(found) or len(found) != texts:
        count = f"{len(found)} vectors" if _is_list(found) else "no list of vectors"
        raise Unavailable(f"{source} gave {count} for {texts} texts; check that it is a model of embeddings")
    made = [_vector(row, source) for row in found]
    expected = dimensions or (len(made[0]) if made else 0)
    for vector in made:
        if len(vector) != expected:
            raise ModelMismatch(
                f"{source} gave a vector of {len(vector)} numbers where {expected} were expected; "
                "name the model that made the stored vectors, or move the folder to this one: beebread reembed"
            )
    return made


def _is_list(value: Any) -> bool:
    return hasattr(value, "__len__") and hasattr(value, "__iter__") and not isinstance(value, (str, bytes, dict))


def _vector(row: Any, source: str) -> Vector:
    try:
        numbers: Sequence[float] = [float(value) for value in row]
    except (TypeError, ValueError, OverflowError):
        raise Unavailable(f"{source} gave something that is no vector of numbers; check that it is a model of embeddings") from None
    largest = max(map(abs, numbers), default=0.0)
    if not numbers or not all(map(math.isfinite, numbers)):
        raise Unavailable(f"{source} gave a vector with NaN or infinity in it, or none; restart the model, or use another one")
    if largest == 0.0:
        raise Unavailable(f"{source} gave a vector of zeros, which points nowhere; restart the model, or use another one")
    scaled = [value / largest for value in numbers]  # so that no square is too large or too small for a float
    length = math.sqrt(sum(value * value for value in scaled))
    return array("f", [value / length for value in scaled])
