"""Any other processor: measured on two cores of an Intel Xeon of the Emerald Rapids kind with AVX-512, else as on Zen 4.

The figures are those of ``sol tune --calibrate`` there: 155 GFLOP/s per thread, as the clock falls from 3.0 to 2.4 GHz while both units
multiply; additions share these units. Sizes of caches are those of a small processor, unless the system tells them.
"""

from __future__ import annotations

from dataclasses import replace

from sol.codegen.machines.table import Core, Fetch, Level, Memory
from sol.codegen.machines.zen4 import ZEN4

WINOGRAD = replace(
    ZEN4.winograd, moved=2.5, operation=2.0, fetch=Fetch(byte=0.3, shared=0.3), again=0.15, hidden=0.3, hidden_direct=0.0, beyond=1.3,
)  # fmt: skip
"""Such a core computes faster and fetches more slowly, so that tiles with many products, whose weights and transformed inputs are larger,
are worth less. Of F(2) … F(8) on nine layers with one thread, the tiles that are taken are 2 % slower than the fastest on average; by the
figures of Zen 4 they are 15 % slower. With two threads, of F(3), F(5), F(6), F(8) on ten layers: 3 % on average, 13 % on the worst (256
to 512 channels of 28 x 28)."""

NEUTRAL = replace(
    ZEN4,
    name="neutral",
    measured_on="two cores of an Intel Xeon (Emerald Rapids) with AVX-512; direct products, fusion and teams as on Zen 4",
    core=Core(clock=2.42e9, multiply_adds=2.0, additions=0.0, loads=2.0, broadcasts=3.0),
    memory=Memory(
        l1=Level(32 << 10, 306e9, 635e9), l2=Level(1 << 20, 64e9, 129e9), l3=Level(32 << 20, 24e9, 36e9),
        main=Level(0, 19e9, 33e9), threads=2,
    ),
    team=replace(ZEN4.team, barrier=0.18e-6, wake=43e-6),
    winograd=WINOGRAD,
    weight_gradients=replace(ZEN4.weight_gradients, pixels=128),
    products=replace(ZEN4.products, dots=0.5, weight_rows=4),
)  # fmt: skip
