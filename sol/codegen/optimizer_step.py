"""Kernels that change all parameters by one step of an optimizer, a kernel for each choice of its options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product

from sol.codegen.plan import Kernel
from sol.ir.graph import Attrs

COLUMNS = ("parameter", "gradient", "first", "second", "largest", "steps", "elements", "before", "fresh")
"""Of the table of tensors: int64 addresses, elements of the tensor and of those before it, and whether its state is not there yet."""
NUMBERS = {"sgd": ("lr", "momentum", "dampening", "weight_decay"), "adam": ("lr", "beta1", "beta2", "eps", "weight_decay")}
"""Rule → what the table of float64 has for each tensor."""
ROW = max(map(len, NUMBERS.values()))
"""Numbers of a tensor in that table."""


@dataclass(frozen=True)
class Rule:
    """The options that decide what is computed.

    rule: "sgd" or "adam". decay: "" for none, "l2" (added to the gradient) or "decoupled" (the parameter shrinks, AdamW). momentum and
    nesterov belong to SGD, amsgrad to Adam. maximize: gradients are climbed.
    """

    rule: str
    decay: str = ""
    momentum: bool = False
    nesterov: bool = False
    amsgrad: bool = False
    maximize: bool = False


def step_kernel(rule: Rule) -> Kernel:
    """The kernel of a rule: buffers are the two tables, arguments the number of tensors and the sum of their elements.

    Tensors are float32, and the elements of a parameter, its gradient and its states lie in the same order in memory without gaps. The
    count of steps, which Adam has, is a float32 that the kernel raises by one.
    """
    buffers = (("tensors", "const int64_t"), ("numbers", "const double"))
    options = [rule.decay, *(name for name in ("momentum", "nesterov", "amsgrad", "maximize") if getattr(rule, name))]
    name = "_".join(["optimizer", rule.rule, *filter(None, options)])
    return Kernel(name, "optimizer_step.c.j2", Attrs(asdict(rule)), buffers, ("count", "total"))


def all_rules() -> Iterator[Rule]:
    """Every choice of options that there is a kernel for."""
    for decay, maximize in product(("", "l2"), (False, True)):
        for momentum, nesterov in ((False, False), (True, False), (True, True)):
            yield Rule("sgd", decay, momentum, nesterov, maximize=maximize)
    for decay, amsgrad, maximize in product(("", "l2", "decoupled"), (False, True), (False, True)):
        yield Rule("adam", decay, amsgrad=amsgrad, maximize=maximize)
