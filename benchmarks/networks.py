"""Which networks to time: the list of the tests, or any other that torchvision, timm or a function of yours makes."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from examples.networks import randomize_statistics, torchvision_models
from tests.models.networks import NETWORKS

Inputs = tuple[torch.Tensor, ...]
Maker = Callable[[int], Inputs]

HELP = """a network is one of the list, or torchvision:NAME, timm:NAME, module:function or file.py:function, each with @SIZE for images of
another size. A function returns (model, inputs) or (model, function of the batch size that makes inputs)."""


def build(spec: str, seed: int = 0) -> tuple[torch.nn.Module, Maker]:
    """The network in eval mode with random weights, and a function batch size → inputs.

    Raises SystemExit, which says what can be named, if there is no such network.
    """
    torch.manual_seed(seed)
    name, _, size = spec.partition("@")
    kind, colon, rest = name.rpartition(":")
    if kind == "torchvision":
        model, inputs = _torchvision(rest, int(size or _torchvision_size(rest)))
    elif kind == "timm":
        model, inputs = _timm(rest, int(size or 0))
    elif colon:
        model, inputs = _function(kind, rest)
    elif name in NETWORKS:
        model, inputs = NETWORKS[name]()
    elif name in dir(torchvision_models()):
        model, inputs = _torchvision(name, int(size or _torchvision_size(name)))
    elif importlib.util.find_spec("timm") is not None:
        model, inputs = _timm(name, int(size or 0))
    else:
        raise SystemExit(f"no network is called {spec!r}: {HELP}")
    if size and colon == "" and name in NETWORKS:
        inputs = _image(int(size))
    return randomize_statistics(model), inputs


def _image(size: int, channels: int = 3) -> Maker:
    return lambda batch: (torch.rand(batch, channels, size, size),)


def _torchvision_size(name: str) -> int:
    """The image size of its weights, as torchvision's own documentation gives it."""
    with_weights = {"inception_v3": 299, "efficientnet_b1": 240, "efficientnet_b2": 288, "efficientnet_b3": 300, "efficientnet_b4": 380,
                    "efficientnet_b5": 456, "efficientnet_b6": 528, "efficientnet_b7": 600, "swin_v2_t": 256, "swin_v2_s": 256,
                    "swin_v2_b": 256}  # fmt: skip
    return with_weights.get(name, 224)


def _torchvision(name: str, size: int) -> tuple[torch.nn.Module, Maker]:
    models = torchvision_models()
    options = {"init_weights": False} if name in ("inception_v3", "googlenet") else {}
    try:
        model = getattr(models, name)(weights=None, **options)
    except AttributeError:
        raise SystemExit(f"torchvision has no network {name!r}") from None
    return model, _image(size)


def _timm(name: str, size: int) -> tuple[torch.nn.Module, Maker]:
    torchvision_models()  # timm looks for torchvision
    import timm

    try:
        model = timm.create_model(name, pretrained=False, **({"img_size": size} if size and "vit" in name else {}))
    except (RuntimeError, ValueError) as error:
        raise SystemExit(f"timm has no network {name!r} ({error})") from None
    channels, height, _ = model.default_cfg.get("input_size", (3, 224, 224))
    return model, _image(size or height, channels)


def _function(place: str, name: str) -> tuple[torch.nn.Module, Maker]:
    if place.endswith(".py"):
        spec = importlib.util.spec_from_file_location(Path(place).stem, place)
        if spec is None or spec.loader is None or not Path(place).is_file():
            raise SystemExit(f"there is no file {place}")
        module: Any = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(place)
    model, inputs = getattr(module, name)()
    if callable(inputs):
        return model, inputs
    fixed = tuple(inputs) if isinstance(inputs, (list, tuple)) else (inputs,)
    return model, lambda batch: tuple(torch.cat([t[:1]] * batch) for t in fixed)
