"""Layers of nn.Transformer with masks: padded places are zero where eager torch gives zeros, and masks of attention are captured whole."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import sol
from tests.runtime.models import close

pytestmark = pytest.mark.filterwarnings("ignore")
WIDTH = 32
KEPT = torch.arange(7) < torch.tensor([[5], [3], [7]])
SCATTERED = KEPT & (torch.arange(7) != 1)
FLOATS = torch.zeros(3, 7).masked_fill(~KEPT, -torch.inf)


def encoder(norm: bool = False, batch_first: bool = True, **options: Any) -> nn.TransformerEncoder:
    layer = nn.TransformerEncoderLayer(WIDTH, 4, 64, dropout=0.0, batch_first=batch_first)
    return nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(WIDTH) if norm else None, **options).eval()


CASES: dict[str, tuple[dict[str, Any], bool]] = {
    "packed": ({}, True),
    "packed, then normed": ({"norm": True}, True),
    "no check": ({"mask_check": False}, True),
    "not packed": ({"enable_nested_tensor": False}, False),
    "sequences first": ({"batch_first": False}, False),
}


@pytest.mark.parametrize("name", CASES)
def test_as_in_eager_mode(name: str) -> None:
    options, zeros = CASES[name]
    model = encoder(**options)
    x = torch.randn(3, 7, WIDTH) if options.get("batch_first", True) else torch.randn(7, 3, WIDTH)
    fast = sol.optimize(model, {"src": x, "src_key_padding_mask": ~KEPT}, fallback="error")
    for mask in (~KEPT, FLOATS) if "mask_check" in options else (~KEPT, ~SCATTERED, FLOATS):
        with torch.no_grad():
            ours, theirs = (m(x, src_key_padding_mask=mask) for m in (fast, model))
        close(ours, theirs)
        if zeros and not options.get("norm"):
            assert bool((ours[~KEPT] == 0).all()) == bool((theirs[~KEPT] == 0).all())
        close(fast(x, src_key_padding_mask=mask), model(x, src_key_padding_mask=mask))  # parameters need gradients


def test_gradients_go_through_padded_places() -> None:
    model, x = encoder(), torch.randn(3, 7, WIDTH)
    fast = sol.optimize(model, {"src": x, "src_key_padding_mask": ~KEPT}, fallback="error")
    grads = []
    for run in (fast, model):
        leaf = x.clone().requires_grad_()
        run(leaf, src_key_padding_mask=~KEPT).square().sum().backward()
        assert leaf.grad is not None
        grads.append(leaf.grad)
    close(grads[0], grads[1])
    assert bool(grads[0][~KEPT].any())


def test_other_masks_leave_places_computed() -> None:
    """With a mask of attention beside that of padding, torch does not pack."""
    model, x, causal = encoder(), torch.randn(3, 7, WIDTH), torch.ones(7, 7, dtype=torch.bool).triu(1)
    with torch.no_grad():
        call = {"src": x, "mask": causal, "src_key_padding_mask": ~KEPT}
        fast = sol.optimize(model, call, fallback="error")
        ours, theirs = (m(**call) for m in (fast, model))
    close(ours, theirs)
    assert bool(ours[~KEPT].any())


@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("causal", [True, False])
def test_a_transformer_with_masks_is_captured_whole(batch_first: bool, causal: bool) -> None:
    model = nn.Transformer(WIDTH, 4, 1, 1, 64, dropout=0.0, batch_first=batch_first).eval()
    mask = nn.Transformer.generate_square_subsequent_mask(5) if causal else torch.randn(5, 5)
    source, target = torch.randn(3, 7, WIDTH), torch.randn(3, 5, WIDTH)
    if not batch_first:
        source, target = source.transpose(0, 1).contiguous(), target.transpose(0, 1).contiguous()
    call = {"src": source, "tgt": target, "tgt_mask": mask, "src_key_padding_mask": ~KEPT, "memory_key_padding_mask": ~KEPT}
    with torch.no_grad():
        fast = sol.optimize(model, call, fallback="error")
        close(fast(**call), model(**call))
        call["tgt_mask"] = torch.zeros(5, 5).masked_fill(torch.eye(5, dtype=torch.bool).flip(0), -torch.inf)
        close(fast(**call), model(**call))
