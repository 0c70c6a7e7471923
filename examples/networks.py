"""torchvision beside a CPU-only torch: its compiled ops cannot be loaded, but its import asks for the schemas of two of them."""

from __future__ import annotations

import contextlib
from types import ModuleType

import torch

_library = torch.library.Library("torchvision", "DEF")
_SCHEMAS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)


def torchvision_models() -> ModuleType:
    """``torchvision.models``; no network in it needs the missing ops. A torchvision whose ops load is imported as it is."""
    try:
        from torchvision import models
    except RuntimeError:
        for schema in _SCHEMAS:
            with contextlib.suppress(RuntimeError):
                _library.define(schema)
        from torchvision import models

    return models


def randomize_statistics(model: torch.nn.Module, seed: int = 0) -> torch.nn.Module:
    """Eval mode with what random weights have otherwise than trained ones: statistics of BatchNorm would all be 0 and 1, and weights that
    begin as zeros, as those of the norm at the end of many residual branches, would hide what comes before them.
    """
    generator, weights = torch.Generator().manual_seed(seed), torch.Generator().manual_seed(seed)
    for module in model.modules():
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm) and module.running_mean is not None:
            module.running_mean.uniform_(-0.1, 0.1, generator=generator)
            module.running_var.uniform_(0.5, 1.5, generator=generator)
    for name, parameter in model.named_parameters():
        if name.endswith("weight") and not parameter.any():
            with torch.no_grad():
                if parameter.dim() == 1:
                    parameter.uniform_(0.5, 1.5, generator=weights)
                else:
                    parameter.normal_(0, 0.02, generator=weights)
    return model.eval()
