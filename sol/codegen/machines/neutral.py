"""Any other processor: measured on two cores of an Intel Xeon of the Emerald Rapids kind with AVX-512, else as on Zen 4.

Additions are not counted on, as most processors compute them where they multiply.
"""

from __future__ import annotations

from dataclasses import replace

from sol.codegen.machines.table import Core, Fetch, Level, Memory
from sol.codegen.machines.zen4 import ZEN4

WINOGRAD = replace(
    ZEN4.winograd, operation=2.0, fetch=Fetch(byte=0.3, shared=0.3), again=0.15, hidden=0.3, hidden_direct=0.0, beyond=1.3,
)  # fmt: skip
"""Such a core computes faster and fetches more slowly, so that tiles with many products, whose weights and transformed inputs are larger,
are worth less. Of F(2) … F(8) on nine layers with one thread, the tiles that are taken are 2 % slower than the fastest on average; by the
figures of Zen 4 they are 15 % slower. With two threads, of F(3), F(5), F(6), F(8) on ten layers: 3 % on average, 13 % on the worst (256
to 512 channels of 28 x 28)."""

NEUTRAL = replace(
    ZEN4,
    name="neutral",
    measured_on="two cores of an Intel Xeon (Emerald Rapids) with AVX-512; direct products, fusion and teams as on Zen 4",
    core=Core(clock=3.0e9, multiply_adds=2.0, additions=0.0, loads=2.0, broadcasts=2.0),
    memory=Memory(
        l1=Level(32 << 10, 0.0, 0.0), l2=Level(1 << 20, 0.0, 0.0), l3=Level(32 << 20, 0.0, 0.0), main=Level(0, 0.0, 0.0), threads=2,
    ),
    winograd=WINOGRAD,
)  # fmt: skip
