"""The 44 networks that every release must compile whole, built with random weights."""

from __future__ import annotations

import os
from collections.abc import Callable

import torch
from torch import nn

from examples.networks import randomize_statistics, torchvision_models

os.environ.setdefault("HF_HUB_OFFLINE", "1")

Inputs = tuple[torch.Tensor, ...]
Network = tuple[nn.Module, Callable[[int], Inputs]]


class Perceptron(nn.Module):
    """Three wide linear layers with ReLU."""

    def __init__(self, width: int = 8192) -> None:
        super().__init__()
        self.layers = nn.Sequential(*[m for _ in range(3) for m in (nn.Linear(width, width), nn.ReLU())])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


class LogisticRegression(nn.Module):
    """One linear layer and a softmax."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(784, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x).softmax(-1)


class Recurrent(nn.Module):
    """Two recurrent layers and a classifier on the last step."""

    def __init__(self, kind: type[nn.RNNBase]) -> None:
        super().__init__()
        self.layers = kind(128, 256, num_layers=2, batch_first=True)
        self.head = nn.Linear(256, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.layers(x)[0][:, -1])


class TorchBert(nn.Module):
    """BERT-base on nn.TransformerEncoder."""

    def __init__(self, width: int = 768, layers: int = 12) -> None:
        super().__init__()
        self.tokens, self.positions, self.norm = nn.Embedding(30522, width), nn.Embedding(512, width), nn.LayerNorm(width)
        layer = nn.TransformerEncoderLayer(width, width // 64, 4 * width, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.encoder(self.norm(self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))))


class OneField(nn.Module):
    """A transformers model reduced to one field of its result."""

    def __init__(self, model: nn.Module, field: str) -> None:
        super().__init__()
        self.model, self.field = model, field

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        extra = {"use_cache": False} if self.field == "logits" else {}
        return getattr(self.model(input_ids=ids, **extra), self.field)


def _image(size: int) -> Callable[[int], Inputs]:
    return lambda batch: (torch.rand(batch, 3, size, size),)


def _tokens(vocabulary: int, length: int = 128) -> Callable[[int], Inputs]:
    return lambda batch: (torch.randint(0, vocabulary, (batch, length)),)


def _torchvision(name: str, size: int = 224, **options: object) -> Callable[[], Network]:
    return lambda: (getattr(torchvision_models(), name)(weights=None, **options), _image(size))


def _mobilenet_v1() -> Network:
    torchvision_models()  # timm looks for torchvision
    import timm

    return timm.create_model("mobilenetv1_100", pretrained=False), _image(224)


def _bert() -> Network:
    torchvision_models()  # transformers looks for torchvision
    from transformers import BertConfig, BertModel

    config = BertConfig()
    return OneField(BertModel(config), "last_hidden_state"), _tokens(config.vocab_size)


def _gpt2() -> Network:
    torchvision_models()
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config()
    return OneField(GPT2LMHeadModel(config), "logits"), _tokens(config.vocab_size)


def _flat(width: int) -> Callable[[int], Inputs]:
    return lambda batch: (torch.rand(batch, width),)


def _sequence(batch: int) -> Inputs:
    return (torch.rand(batch, 50, 128),)


NETWORKS: dict[str, Callable[[], Network]] = {
    **{n: _torchvision(n) for n in ("alexnet", "squeezenet1_0", "squeezenet1_1")},
    **{f"vgg{n}{s}": _torchvision(f"vgg{n}{s}") for n in (11, 13, 16, 19) for s in ("", "_bn")},
    **{f"resnet{n}": _torchvision(f"resnet{n}") for n in (18, 34, 50, 101, 152)},
    **{f"densenet{n}": _torchvision(f"densenet{n}") for n in (121, 161, 169, 201)},
    "inception_v3": _torchvision("inception_v3", 299, init_weights=False),
    "googlenet": _torchvision("googlenet", init_weights=False),
    "mobilenet_v1": _mobilenet_v1,
    "mobilenet_v2": _torchvision("mobilenet_v2"),
    **{f"mnasnet{a}": _torchvision(f"mnasnet{a}") for a in ("0_5", "0_75", "1_0", "1_3")},
    **{f"shufflenet_v2_{a}": _torchvision(f"shufflenet_v2_{a}") for a in ("x0_5", "x1_0", "x1_5", "x2_0")},
    "resnext50": _torchvision("resnext50_32x4d"),
    "resnext101": _torchvision("resnext101_32x8d"),
    "wide_resnet50": _torchvision("wide_resnet50_2"),
    "wide_resnet101": _torchvision("wide_resnet101_2"),
    "mlp": lambda: (Perceptron(), _flat(8192)),
    "linreg": lambda: (nn.Linear(784, 1), _flat(784)),
    "logreg": lambda: (LogisticRegression(), _flat(784)),
    "bert": _bert,
    "bert_torch": lambda: (TorchBert(), _tokens(30522)),
    "gpt2": _gpt2,
    "lstm": lambda: (Recurrent(nn.LSTM), _sequence),
    "gru": lambda: (Recurrent(nn.GRU), _sequence),
}

FAMILIES = ("alexnet", "squeezenet1_1", "vgg11_bn", "resnet18", "resnet50", "densenet121", "inception_v3", "googlenet", "mobilenet_v1",
            "mobilenet_v2", "mnasnet0_5", "shufflenet_v2_x0_5", "resnext50", "wide_resnet50", "mlp", "linreg", "logreg", "bert",
            "bert_torch", "gpt2", "lstm", "gru")  # fmt: skip
"""One network of each family."""

QUICK = ("squeezenet1_1", "resnet50", "densenet121", "mobilenet_v1", "mobilenet_v2", "mnasnet0_5", "shufflenet_v2_x0_5", "linreg", "logreg",
         "bert", "lstm", "gru")  # fmt: skip
"""Networks that every test run compiles at batch 1; what others add to these costs more than it tells."""


def build(name: str, seed: int = 0) -> Network:
    """A network in eval mode and its input maker (batch size → inputs)."""
    torch.manual_seed(seed)
    model, inputs = NETWORKS[name]()
    return randomize_statistics(model), inputs
