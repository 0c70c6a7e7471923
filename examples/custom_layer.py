"""A layer of one's own in C, with its gradient: trained beside others, compiled with them, and deployed in the library of the model."""

from __future__ import annotations

import tempfile

import torch
from torch import nn

import sol
import sol.nn

SOURCE = r"""
#include <math.h>

/* This thread's share of the elements. */
static int64_t border(const sol_custom *call, int thread)
{
    return call->shapes[0][0] * call->shapes[0][1] * thread / call->threads;
}

/* y = x / (1 + |x| * SLOPE) */
void softsign(const float *x, float *y, const sol_custom *call)
{
    for (int64_t i = border(call, call->thread); i < border(call, call->thread + 1); i++) y[i] = x[i] / (1 + fabsf(x[i]) * SLOPE);
}

void softsign_gradient(const float *dy, const float *x, const float *y, float *dx, const sol_custom *call)
{
    for (int64_t i = border(call, call->thread); i < border(call, call->thread + 1); i++) {
        const float divisor = 1 + fabsf(x[i]) * SLOPE;
        dx[i] = dy[i] / (divisor * divisor);
    }
}
"""


def main() -> None:
    torch.manual_seed(0)
    layer = sol.nn.Custom(SOURCE, "softsign", "softsign_gradient", constants={"SLOPE": 0.5}, flags=["-O3"])
    model = nn.Sequential(nn.Linear(2, 64), layer, nn.Linear(64, 1))
    x = torch.rand(256, 2) * 4 - 2
    y = (x[:, :1] * x[:, 1:]).sin()

    sol.config["training"] = "compiled"  # a step as short as this one would else run in PyTorch
    fast = sol.optimize(model.train(), [x])
    optimizer = sol.fuse_optimizer(torch.optim.Adam(fast.parameters(), lr=0.02))
    for step in range(400):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(fast(x), y)
        loss.backward()
        optimizer.step()
        if step in (0, 399):
            print(f"step {step}: loss {float(loss.detach()):.4f}")

    fast.eval()
    print(sol.explain(fast, [x]))
    with tempfile.TemporaryDirectory() as folder:
        print(sol.deploy(model.eval(), [x], lib_name="Product", path=folder))


if __name__ == "__main__":
    main()
