"""Models of torchvision and timm for the sweep, with inputs that fit them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import torch

from examples.networks import randomize_statistics, torchvision_models
from tests.conformance.sweep_trial import Inputs, Make


def torchvision_names() -> list[str]:
    """All models that torchvision lists, but those of the same text with quantization left out."""
    return [n for n in torchvision_models().list_models() if not n.startswith("quantized_")]


def torchvision_maker(name: str) -> Make:
    """The model with random weights, and images, videos, pairs or lists of images."""

    def make() -> tuple[torch.nn.Module, Inputs]:
        models = torchvision_models()
        builder = models.get_model_builder(name)
        kind = builder.__module__.split(".")[2]
        options: dict[str, Any] = {"weights": None}
        if kind in ("detection", "segmentation"):
            options["weights_backbone"] = None
        if name in ("inception_v3", "googlenet"):
            options["init_weights"] = False
        return randomize_statistics(builder(**options)), _images(name, kind)

    return make


def _images(name: str, kind: str) -> Inputs:
    if kind == "detection":
        return ([torch.rand(3, 240, 320)],)
    if kind == "optical_flow":
        return torch.rand(1, 3, 128, 160), torch.rand(1, 3, 128, 160)
    if kind == "video":
        return (torch.rand(1, 3, 16, *((224, 224) if re.match("mvit|swin3d|s3d", name) else (112, 112))),)
    size = 299 if name == "inception_v3" else 224
    return (torch.rand(1, 3, size, size),)


# -- timm --------------------------------------------------------------------------------------------------------------


def _timm() -> Any:
    torchvision_models()  # timm looks for torchvision
    import timm

    return timm


def timm_modules() -> Iterator[str]:
    """Every module of timm that has models."""
    for module in _timm().list_modules():
        if _of_module(module):
            yield module


def _of_module(module: str) -> list[str]:
    """Models of a module but those made for timm's own tests."""
    return [n for n in _timm().list_models(module=module) if not n.startswith("test_")]


def timm_maker(module: str) -> Make:
    """The smallest model of a module by parameters and size of images, with random weights."""
    smallest: list[str] = []

    def make() -> tuple[torch.nn.Module, Inputs]:
        if not smallest:
            smallest.append(min(_of_module(module), key=_extent))
        model = _timm().create_model(smallest[0], pretrained=False)
        return randomize_statistics(model), (torch.rand(1, *_size(model)),)

    return make


def _extent(name: str) -> float:
    """Parameters times rows of an image; infinite for what cannot be built without memory."""
    try:
        with torch.device("meta"):
            model = _timm().create_model(name, pretrained=False)
    except Exception:
        return math.inf
    return float(sum(p.numel() for p in model.parameters())) * _size(model)[-1]


def _size(model: Any) -> tuple[int, ...]:
    """[channels, height, width] of its images."""
    return tuple(model.default_cfg.get("input_size", (3, 224, 224)))
