"""``sol.nn.Custom``: layers of C in eager PyTorch, compiled, in training, deployed, and what is said where they are wrong."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import sol
from sol.errors import CompilerError, ConfigError, InputError
from tests.deploy.support import call, program

GATE = r"""
#include <math.h>
#include "share.h"
static float gate(float x) { return 1 / (1 + expf(-SCALE * x)); }

void forward(const float *x, float *y, const sol_custom *call)
{
    for (int64_t i = FIRST(call), end = LAST(call); i < end; i++) y[i] = x[i] * gate(x[i]);
}

void backward(const float *dy, const float *x, const float *y, float *dx, const sol_custom *call)
{
    for (int64_t i = FIRST(call), end = LAST(call); i < end; i++) {
        const float s = gate(x[i]);
        dx[i] = dy[i] * (s + SCALE * x[i] * s * (1 - s));
    }
}
"""
SHARE = """
#define TOTAL(call) ((call)->shapes[0][0] * (call)->shapes[0][1])
#define FIRST(call) (TOTAL(call) * (call)->thread / (call)->threads)
#define LAST(call) (TOTAL(call) * ((call)->thread + 1) / (call)->threads)
"""
AFFINE = r"""
/* Rows times a vector plus another, and the sum of each row. */
void affine(const float *x, const float *w, const float *b, float *y, float *sums, const sol_custom *call)
{
    const int64_t rows = call->shapes[0][0], columns = call->shapes[0][1];
    for (int64_t r = rows * call->thread / call->threads; r < rows * (call->thread + 1) / call->threads; r++) {
        sums[r] = 0;
        for (int64_t c = 0; c < columns; c++) y[r * columns + c] = x[r * columns + c] * w[c] + b[c], sums[r] += y[r * columns + c];
    }
}

void gradients(const float *dy, const float *dsums, const float *x, const float *w, const float *b, const float *y, const float *sums,
               float *dx, float *dw, float *db, const sol_custom *call)
{
    const int64_t rows = call->shapes[2][0], columns = call->shapes[2][1];
    for (int64_t c = columns * call->thread / call->threads; c < columns * (call->thread + 1) / call->threads; c++) {
        dw[c] = db[c] = 0;
        for (int64_t r = 0; r < rows; r++) {
            const float d = dy[r * columns + c] + dsums[r];
            dx[r * columns + c] = d * w[c], dw[c] += d * x[r * columns + c], db[c] += d;
        }
    }
}
"""


def gate(**options: Any) -> sol.nn.Custom:
    return sol.nn.Custom(GATE, backward="backward", **{"constants": {"SCALE": 1.5}, "include": {"share.h": SHARE}, **options})


def affine(columns: int) -> sol.nn.Custom:
    return sol.nn.Custom(
        AFFINE, "affine", "gradients", shapes=lambda x, w, b: (torch.empty_like(x), x.new_empty(x.shape[0])), flags=["-O3", "-ffast-math"],
        parameters={"w": torch.rand(columns), "b": torch.rand(columns)},
    )  # fmt: skip


class Gate(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.sigmoid(1.5 * x)


class Affine(nn.Module):
    def __init__(self, layer: sol.nn.Custom) -> None:
        super().__init__()
        self.w, self.b = (nn.Parameter(p.detach().clone()) for p in layer.parameters())

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x * self.w + self.b
        return y, y.sum(1)


class Network(nn.Module):
    """Layers of C between others, one of them behind a transposition and before one; with what is computed by torch in their place."""

    def __init__(self, first: nn.Module, second: nn.Module) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.a, self.c, self.first, self.second = nn.Linear(7, 9), nn.Linear(5, 3), first, second

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.first(torch.relu(self.a(x)).t())
        y, sums = self.second(h.t() + 1)
        return self.c(torch.cat([y[:, :4], sums[:, None]], 1))


def networks() -> tuple[Network, Network]:
    torch.manual_seed(1)
    layer = affine(9)
    return Network(gate(), layer), Network(Gate(), Affine(layer))


def gradients(model: nn.Module, x: torch.Tensor) -> list[torch.Tensor]:
    x = x.clone().requires_grad_()
    model(x).pow(2).sum().backward()
    found = [x.grad, *(p.grad for _, p in sorted(model.named_parameters()))]
    model.zero_grad()
    return found  # type: ignore[return-value]


def test_eager() -> None:
    ours, theirs = networks()
    x = torch.randn(33, 7)
    torch.testing.assert_close(ours(x), theirs(x), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(gradients(ours, x), gradients(theirs, x), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("isa", ["native", "generic"])
def test_compiled(isa: str) -> None:
    ours, theirs = networks()
    x = torch.randn(33, 7)
    fast: Any = sol.optimize(ours.eval(), [x], isa=isa, fallback="error", threads=3)
    with torch.no_grad():
        torch.testing.assert_close(fast(x), theirs(x), rtol=1e-5, atol=1e-5)
    assert "in torch: 0 operations" in str(sol.explain(fast, [x]))


def test_training() -> None:
    ours, theirs = networks()
    x = torch.randn(33, 7)
    with sol.config.override(training="compiled"):
        fast: Any = sol.optimize(ours, [x]).train()
        found = gradients(fast, x)
    torch.testing.assert_close(found, gradients(theirs, x), rtol=1e-4, atol=1e-4)
    (piece,) = fast._trainer.pieces
    (variant,) = piece.gradients.variants
    for graph in variant[1].graphs:
        assert graph.failure is None and not graph.program.runner.torch_nodes


def test_under_torch_compile() -> None:
    ours, theirs = networks()
    x = torch.randn(33, 7)
    with torch.no_grad():
        torch.testing.assert_close(torch.compile(ours, backend="sol")(x), theirs(x), rtol=1e-5, atol=1e-5)


def test_deployed(tmp_path: Path) -> None:
    ours, theirs = networks()
    x = torch.randn(33, 7)
    made = sol.deploy(ours.eval(), [x], lib_name="Net", path=tmp_path, isa="multi")
    with torch.no_grad():
        wanted = theirs(x).numpy()
    (found,) = call(program(made), [x.numpy()], [wanted])
    torch.testing.assert_close(torch.from_numpy(found), torch.from_numpy(wanted), rtol=1e-5, atol=1e-5)


def test_copies_and_pickles() -> None:
    ours, theirs = networks()
    ours.second = nn.Identity()
    layer = ours.first
    x = torch.randn(4, 7)
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        torch.testing.assert_close(other(x), theirs.first(x))


def test_other_types_and_headers_in_folders(tmp_path: Path) -> None:
    (tmp_path / "add.h").write_text("#define ADDED 3\n")
    (tmp_path / "count.c").write_text(
        '#include "add.h"\nvoid forward(const int64_t *x, const uint8_t *on, double *y, const sol_custom *call)\n'
        "{\n    if (call->thread == 0) for (int i = 0; i < SIZE; i++) y[i] = on[i] ? x[i] + ADDED : 0;\n}\n"
    )
    layer = sol.nn.Custom(
        tmp_path / "count.c", include=[tmp_path], flags=["-DSIZE=5"], dtypes=[torch.int64, torch.uint8],
        shapes=lambda x, on: torch.empty(x.shape, dtype=torch.float64),
    )  # fmt: skip
    found = layer(torch.arange(5), torch.tensor([1, 0, 1, 1, 0], dtype=torch.uint8))
    assert found.dtype is torch.float64 and found.tolist() == [3, 0, 5, 6, 0]


def test_errors_of_the_source() -> None:
    with pytest.raises(InputError, match="the source of there has no function there"):
        sol.nn.Custom("void forward(void) {}\n", "there")
    with pytest.raises(InputError, match='the header "share.h" of forward is not there'):
        gate(include={})
    with pytest.raises(ConfigError, match="-lm"):
        gate(flags=["-lm"])
    broken = sol.nn.Custom("\nvoid forward(const float *x, float *y, const sol_custom *call)\n{\n    y[0] = z;\n}\n")
    with pytest.raises(CompilerError, match=r"forward\.c:4:\d+: error: .z. undeclared"):
        broken(torch.ones(3))
    other = sol.nn.Custom("void forward(const double *x, float *y, const sol_custom *call) {}\n")
    with pytest.raises(CompilerError, match=r"forward\.c:1:6: error: conflicting types"):
        other(torch.ones(3))


def test_errors_of_calls() -> None:
    with pytest.raises(InputError, match="input 0 of forward is torch.float64, its C takes torch.float32"):
        gate()(torch.ones(3, 4, dtype=torch.float64))
    with pytest.raises(InputError, match="the shapes of forward do not follow from float32"):
        gate(shapes=lambda x: torch.empty(x.shape[0], x.shape[5]))(torch.ones(3, 4))
    with pytest.raises(InputError, match="must be given as tensors"):
        gate(shapes=lambda x: 3)(torch.ones(3, 4))
    with pytest.raises(InputError, match="takes 2 inputs, got 1"):
        gate(dtypes=[torch.float32] * 2)(torch.ones(3, 4))
    forward_only = sol.nn.Custom(GATE, constants={"SCALE": 1.5}, include={"share.h": SHARE})
    with pytest.raises(InputError, match="forward has no gradient"):
        forward_only(torch.ones(3, 4, requires_grad=True)).sum().backward()
