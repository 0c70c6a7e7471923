"""Families of networks, told by their names: geometric means are taken over them."""

from __future__ import annotations

import re

FAMILIES = (
    ("VGG", r"vgg"), ("Wide ResNet", r"wide_?resnet"), ("ResNeXt", r"resnext"), ("ResNet-18/34", r"resnet(18|34)"),
    ("ResNet-50/101/152", r"resnet"), ("DenseNet", r"densenet"), ("Inception, GoogLeNet", r"inception|googlenet"),
    ("SqueezeNet", r"squeezenet"), ("MobileNet, MNASNet", r"mobilenet|mnasnet"), ("ShuffleNet", r"shufflenet"), ("AlexNet", r"alexnet"),
    ("EfficientNet", r"efficientnet"), ("RegNet", r"regnet"), ("ConvNeXt", r"convnext"), ("fully connected", r"mlp|linreg|logreg"),
    ("transformer", r"bert|gpt|vit|swin"), ("recurrent", r"lstm|gru|rnn"),
)  # fmt: skip
"""Family and what the names of its networks contain; the first that fits."""


def family_of(spec: str) -> str:
    """The family of a network; "other" if its name says none."""
    name = spec.partition("@")[0].rpartition(":")[2].lower()
    return next((family for family, pattern in FAMILIES if re.search(pattern, name)), "other")
