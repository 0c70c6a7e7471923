"""ONNX operators on strings, whose content is known at import: an input of strings is taken as a constant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sol.frontend.onnx.context import Context
from sol.frontend.onnx.registry import OnnxNode, converter


def strings(values: Any, shape: tuple[int, ...]) -> np.ndarray:
    """A tensor of strings."""
    return np.array([*values, None], object)[:-1].reshape(shape)


@converter("StringConcat")
def string_concat(ctx: Context, node: OnnxNode) -> np.ndarray:
    a, b = np.broadcast_arrays(*node.inputs)
    return strings((f"{x}{y}" for x, y in zip(a.ravel(), b.ravel())), a.shape)


@converter("StringSplit")
def string_split(ctx: Context, node: OnnxNode) -> tuple[np.ndarray, str]:
    """The parts of each string in a new last dimension, padded with empty ones, and their number."""
    (x,) = node.inputs
    most = node.attr("maxsplit", -1)
    parts = [str(s).split(node.attr("delimiter") or None, -1 if most is None else int(most)) for s in x.ravel()]
    longest = max(map(len, parts), default=0)
    padded = [p for part in parts for p in (*part, *[""] * (longest - len(part)))]
    counts = np.array([len(p) for p in parts], np.int64).reshape(x.shape)
    return strings(padded, (*x.shape, longest)), ctx.literal(counts)


_CASES: dict[str, Callable[[str], str]] = {"LOWER": str.lower, "UPPER": str.upper, "NONE": str}


@converter("StringNormalizer")
def string_normalizer(ctx: Context, node: OnnxNode) -> np.ndarray:
    """Words that are no stop words, in another case; one empty string if none is left."""
    (x,) = node.inputs
    stops, change = set(node.attr("stopwords", ())), _CASES[node.attr("case_change_action", "NONE")]
    exact = bool(node.attr("is_case_sensitive", 0))
    folded = stops if exact else {s.lower() for s in stops}
    kept = [change(str(s)) for s in x.ravel() if (str(s) if exact else str(s).lower()) not in folded] or [""]
    return strings(kept, (len(kept),) if x.ndim == 1 else (1, len(kept)))


@converter("RegexFullMatch")
def regex_full_match(ctx: Context, node: OnnxNode) -> None:
    ctx.fail("regular expressions are not evaluated", "match the strings before the model is called")
