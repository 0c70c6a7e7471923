"""Captures the layers of `torch.nn.Transformer` as they are computed where nothing is traced.

Padded places of an encoder's result are zero where no gradient is needed: `torch.nn.TransformerEncoder` then packs what a padding mask
keeps into a nested tensor, and gives zeros for the rest. Where it computes gradients, and where torch traces it, padded places are computed
like others. What packs is decided as in its ``forward``.

Encoder and decoder look whether a mask of attention is causal, which only tells that a faster way gives the same: no trace depends on it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn import TransformerEncoder
from torch.nn.modules import transformer


@contextmanager
def transformers_as_untraced(note: Callable[[], None]) -> Iterator[None]:
    """Inside, encoders that this thread traces give zeros for padded places, and no mask is a hint. note: is called where they do."""
    forward, looking, thread = TransformerEncoder.forward, transformer._detect_is_causal_mask, threading.get_ident()

    def asked(mask: torch.Tensor | None, is_causal: bool | None = None, size: int | None = None) -> bool:
        return is_causal is True if threading.get_ident() == thread else looking(mask, is_causal, size)

    def padded(self: Any, src: torch.Tensor, mask: Any = None, src_key_padding_mask: Any = None, is_causal: Any = None) -> torch.Tensor:
        if threading.get_ident() != thread or not _packs(self, src, mask, src_key_padding_mask):
            return forward(self, src, mask, src_key_padding_mask, is_causal)
        note()
        norm, checks = self.norm, self.mask_check
        self.norm, self.mask_check = None, True  # padded places are zero before the norm; with a check torch does not pack while it traces
        try:
            result = forward(self, src, mask, src_key_padding_mask, is_causal)
        finally:
            self.norm, self.mask_check = norm, checks
        result = torch.where(_empty(src_key_padding_mask, checks)[..., None], 0.0, result)
        return result if norm is None else norm(result)

    TransformerEncoder.forward, transformer._detect_is_causal_mask = padded, asked  # type: ignore[method-assign]
    try:
        yield
    finally:
        TransformerEncoder.forward, transformer._detect_is_causal_mask = forward, looking  # type: ignore[method-assign]


def _packs(encoder: Any, src: torch.Tensor, mask: Any, padding: Any) -> bool:
    """Whether torch packs, if the mask's kept places come first and nothing needs a gradient."""
    able = torch.backends.mha.get_fastpath_enabled() and encoder.use_nested_tensor and not encoder.layers[0].training
    asked = padding is not None and mask is None and src.dim() == 3
    return bool(able and asked and not torch.is_autocast_enabled())


def _empty(padding: torch.Tensor, checks: bool) -> torch.Tensor:
    """What is zero in the result: padded places, if there are no kept ones behind them."""
    gone = padding if padding.dtype is torch.bool else padding != 0
    return gone & ~(gone[:, :-1] & ~gone[:, 1:]).any() if checks else gone
