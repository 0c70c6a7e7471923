"""Training steps as C libraries: a C program's losses, parameters and buffers are those of torch after fifty steps."""

from __future__ import annotations

import copy
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import sol
from sol.deploy.training import rule_of, step_of
from sol.errors import ConfigError, InputError, UnsupportedError
from tests.deploy.support import X86

pytestmark = X86
STEPS, BATCH = 50, 16
FILES = ("-Wl,--no-as-needed", "libNet.so", "-Wl,-rpath,$ORIGIN")
PROGRAM = r"""
#include "Net.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    void *x = malloc(atoi(argv[1])), *y = malloc(atoi(argv[2]));
    if (argc != 4 || !x || !y) return 1;
    void *ctx = net_create(), *other = net_create();
    net_threads(atoi(argv[3]));
    for (int step = 0; step < STEPS; step++) {
        float loss, again;
        if (!fread(x, atoi(argv[1]), 1, stdin) || !fread(y, atoi(argv[2]), 1, stdin)) return 2;
        if (step == STEPS / 2) net_set_lr(ctx, net_lr(ctx) / 2);
        if (net_train_step(ctx, x, y, &loss) != 0) return 3;
        if (step == 0 && (net_train_step(other, x, y, &again) != 0 || again != loss)) return 4;
        fwrite(&loss, sizeof loss, 1, stdout);
    }
    for (int i = 0; i < net_parameter_count(); i++) {
        const size_t each = strstr(net_parameter_name(i), "num_batches") ? 8 : 4, size = each * (size_t)net_parameter_size(i);
        void *copied = malloc(size);
        if (!copied || net_get(ctx, net_parameter_name(i), copied) || memcmp(copied, net_parameter(ctx, i), size)) return 5;
        memset(net_parameter(ctx, i), 0, size);
        if (net_set(ctx, net_parameter_name(i), copied) || memcmp(copied, net_parameter(ctx, i), size)) return 6;
        fwrite(net_parameter(ctx, i), size, 1, stdout);
        free(copied);
    }
    if (net_parameter(ctx, -1) || net_parameter(ctx, net_parameter_count()) || net_get(ctx, "none", x) != -1) return 7;
    net_destroy(ctx), net_destroy(other), free(x), free(y);
    return 0;
}
"""


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(20, 33), nn.GELU(), nn.LayerNorm(33), nn.Linear(33, 17), nn.Tanh(), nn.Linear(17, 5))


def convolutional() -> nn.Module:
    model = nn.Sequential(
        nn.Conv2d(1, 9, 3, padding=1, bias=False), nn.BatchNorm2d(9), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(9, 16, 3, padding=1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5),
    )  # fmt: skip
    model[4].bias.requires_grad = False
    return model


Optimizer = Callable[[Any], torch.optim.Optimizer]
OPTIMIZERS: dict[str, Optimizer] = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.05),
    "nesterov": lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9, nesterov=True, weight_decay=0.01),
    "adam": lambda p: torch.optim.Adam(p, lr=0.002, weight_decay=0.01, eps=1e-4),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.002, betas=(0.8, 0.95), eps=1e-4),
}


def trained_by_torch(model: nn.Module, make: Optimizer, xs: torch.Tensor, ys: torch.Tensor, loss: Any) -> list[float]:
    optimizer, losses = make([p for p in model.parameters() if p.requires_grad]), []
    for step, (x, y) in enumerate(zip(xs, ys)):
        if step == STEPS // 2:
            optimizer.param_groups[0]["lr"] /= 2
        optimizer.zero_grad()
        value = loss(model(x), y)
        value.backward()
        optimizer.step()
        losses.append(float(value.detach()))
    return losses


def trained_by_c(folder: Path, xs: torch.Tensor, ys: torch.Tensor, threads: int) -> bytes:
    (folder / "main.c").write_text(PROGRAM)
    line = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", f"-DSTEPS={STEPS}", *FILES, "main.c", "-o", "main"]
    subprocess.run(line, check=True, cwd=folder)
    sizes = [str(t[0].numel() * t.element_size()) for t in (xs, ys)]
    data = b"".join(x.numpy().tobytes() + y.numpy().tobytes() for x, y in zip(xs, ys))
    done = subprocess.run([folder / "main", *sizes, str(threads)], input=data, capture_output=True, env={})
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


def test_nothing_of_a_step_with_poolings_runs_in_torch() -> None:
    rule = rule_of(torch.optim.SGD(convolutional().parameters(), lr=0.1))
    network, _, _ = step_of(convolutional(), [torch.rand(2, 1, 12, 12), torch.zeros(2, dtype=torch.int64)], F.cross_entropy, rule)
    ops = {n.op for n in network.graph}
    assert not network.torch_calls and "max_pool_taps" in ops, ops


CASES = [(mlp, name, isa) for name in OPTIMIZERS for isa in ("native",)]
CASES += [(convolutional, "nesterov", "native"), (convolutional, "adam", "native"), (convolutional, "nesterov", "generic")]
CASES += [(mlp, "adam", "multi")]


@pytest.mark.parametrize("make, optimizer, isa", CASES, ids=lambda v: getattr(v, "__name__", v))
def test_fifty_steps(make: Callable[[], nn.Module], optimizer: str, isa: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = make().eval()
    shape = (20,) if make is mlp else (1, 12, 12)
    xs, ys = torch.randn(STEPS, BATCH, *shape), torch.randint(0, 5, (STEPS, BATCH))
    sol.deploy(
        model, [xs[0], ys[0]], training=True, loss=F.cross_entropy, lib_name="Net", func_name="net", path=tmp_path, isa=isa,
        optimizer=OPTIMIZERS[optimizer]([p for p in model.parameters() if p.requires_grad]),
    )  # fmt: skip
    assert not model.training
    start = copy.deepcopy(model)
    wanted = trained_by_torch(model.train(), OPTIMIZERS[optimizer], xs, ys, F.cross_entropy)
    found = trained_by_c(tmp_path, xs, ys, threads=2)
    np.testing.assert_allclose(np.frombuffer(found, np.float32, STEPS), wanted, rtol=1e-4, atol=1e-4)
    at = 4 * STEPS
    trained = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
    frozen = [(n, p) for n, p in model.named_parameters() if not p.requires_grad]
    for name, tensor in [*trained, *frozen, *model.named_buffers()]:
        dtype = np.float32 if tensor.is_floating_point() else np.int64
        values = np.frombuffer(found, dtype, tensor.numel(), at).reshape(tensor.shape)
        np.testing.assert_allclose(values, tensor.detach().numpy(), rtol=1e-4, atol=1e-4, err_msg=name)
        at += values.nbytes
    assert at == len(found) and not torch.equal(start[0].weight, model[0].weight)


def test_a_loss_of_one_s_own_and_the_example(tmp_path: Path) -> None:
    model = mlp()
    made = sol.deploy(
        model, [torch.rand(4, 20), torch.rand(4, 5)], training=True, loss=lambda y, target: (y - target).abs().mean() * 2,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1), lib_name="Net", func_name="net", path=tmp_path, threads=1,
    )  # fmt: skip
    assert set(made.files) == {"libNet.so", "Net.h", "Net_example.c"} == {p.name for p in tmp_path.iterdir()}
    line = ["gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "Net_example.c", *FILES, "-o", "example"]
    subprocess.run(line, check=True, cwd=tmp_path)
    printed = subprocess.run([tmp_path / "example"], capture_output=True, text=True, check=True, env={}).stdout
    losses = [float(text.split()[-1]) for text in printed.splitlines() if text.startswith("step")]
    assert len(losses) == 10 and losses[-1] < losses[0] and "5.bias: 5 elements" in printed


def deploy(tmp_path: Path, model: nn.Module | None = None, inputs: Any = None, **options: Any) -> None:
    model = model or mlp()
    inputs = [torch.rand(4, 20), torch.arange(4)] if inputs is None else inputs
    options = {"loss": F.cross_entropy, "optimizer": torch.optim.SGD(model.parameters(), lr=0.1), "training": True, **options}
    sol.deploy(model, inputs, path=tmp_path, **options)


def test_what_is_not_built(tmp_path: Path) -> None:
    parameters = list(mlp().parameters())
    with pytest.raises(UnsupportedError, match="RMSprop as C is not built"):
        deploy(tmp_path, optimizer=torch.optim.RMSprop(parameters))
    with pytest.raises(UnsupportedError, match="Adam with amsgrad as C is not built"):
        deploy(tmp_path, optimizer=torch.optim.Adam(parameters, amsgrad=True))
    with pytest.raises(UnsupportedError, match="several parameter groups"):
        deploy(tmp_path, optimizer=torch.optim.SGD([{"params": [parameters[0]]}, {"params": parameters[1:]}], lr=0.1))
    with pytest.raises(UnsupportedError, match=r"would run in torch(.|\n)*bernoulli"):
        deploy(tmp_path, nn.Sequential(nn.Linear(20, 5), nn.Dropout()))
    with pytest.raises(UnsupportedError, match="the parameter 0.weight is torch.float64"):
        deploy(tmp_path, nn.Sequential(nn.Linear(20, 5, dtype=torch.float64)))
    with pytest.raises(ConfigError, match="shared library"):
        deploy(tmp_path, target="static_lib")
    with pytest.raises(ConfigError, match="no dynamic_shapes"):
        deploy(tmp_path, dynamic_shapes=({0: 4},))
    with pytest.raises(InputError, match="needs a loss and an optimizer"):
        deploy(tmp_path, loss=None)
    with pytest.raises(InputError, match="must be one number"):
        deploy(tmp_path, loss=lambda y, target: F.cross_entropy(y, target, reduction="none"))
    with pytest.raises(InputError, match="needs tensors as examples"):
        deploy(tmp_path, inputs=[torch.rand(4, 20)])
    with pytest.raises(ConfigError, match="loss and optimizer are for a training step"):
        deploy(tmp_path, training=False)
    assert list(tmp_path.iterdir()) == []
