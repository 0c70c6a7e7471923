"""Odd networks of the sweep: small modules of unusual structure. What builds them is here, the tables are in files beside this one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from tests.conformance.sweep_trial import Inputs, Make

NETWORKS: dict[str, Make] = {}
"""Name → function that builds the network with its inputs."""

Value = Any
"""An input: a shape (normally distributed numbers) or a function without arguments that makes it."""


class Network(nn.Module):
    """A function with layers, parameters and buffers at hand."""

    def __init__(self, function: Callable[..., Any], layers: dict[str, Callable[[], Any]]) -> None:
        super().__init__()
        self.function = function
        for name, make in layers.items():
            made = make()
            if isinstance(made, torch.Tensor) and not isinstance(made, nn.Parameter):
                self.register_buffer(name, made)
            else:
                setattr(self, name, made)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(self, *args, **kwargs)


def odd(*values: Value, **layers: Callable[[], Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enters a function (network, *inputs) → result in NETWORKS under its name. layers: what the network has, name → what makes it."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        def make() -> tuple[nn.Module, Inputs]:
            network = Network(function, layers)
            return settled(network), tuple(value_of(v) for v in values)

        _enter(function.__name__, make)
        return function

    return enter


def odd_module(*values: Value) -> Callable[[type[nn.Module]], type[nn.Module]]:
    """Enters a class of modules that takes no arguments."""

    def enter(kind: type[nn.Module]) -> type[nn.Module]:
        _enter(kind.__name__, lambda: (settled(kind()), tuple(value_of(v) for v in values)))
        return kind

    return enter


def _enter(name: str, make: Make) -> None:
    assert name not in NETWORKS, f"two odd networks are called {name}"
    NETWORKS[name] = make


def settled(model: nn.Module) -> nn.Module:
    """Statistics of normalisation as after training."""
    for module in model.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm) and module.running_mean is not None:
            module.running_mean.uniform_(-0.1, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    return model


def value_of(value: Value) -> Any:
    """An input of its description."""
    return torch.randn(value) if isinstance(value, tuple) and all(isinstance(n, int) for n in value) else value()


def ids(*shape: int, most: int = 50) -> Callable[[], torch.Tensor]:
    """Integers from 0 to most - 1."""
    return lambda: torch.randint(0, most, shape)


def linear(a: int, b: int, **options: Any) -> Callable[[], nn.Module]:
    """Makes a linear layer."""
    return lambda: nn.Linear(a, b, **options)


def conv(a: int, b: int, *sizes: Any, **options: Any) -> Callable[[], nn.Module]:
    """Makes a convolution over images."""
    return lambda: nn.Conv2d(a, b, *sizes, **options)


from tests.conformance import odd_algorithms, odd_images, odd_sequences, odd_structures  # noqa: E402, F401  (they enter their networks)
