"""AMD's Zen 3, which has AVX2 and no AVX-512: two cores at 3.2 GHz.

Measured there, by loops of instructions and by ``sol tune --calibrate``: a core starts two multiply-adds, two additions and two loads or
broadcasts of 256-bit vectors per cycle, 104 GFLOP/s; a thread reads 69 GB/s of the second-level cache, 20 of the third and 19 of main
memory, two threads 130, 36 and 31. Additions have units of their own, but sixteen registers and two loads per cycle leave the fast inner
product nothing to gain: with two output vectors by four pixels, a step takes 0.8 to 0.95 of the time of multiply-adds, and packing takes
the rest.

A multiply-add takes four cycles; a register tile whose sums are needed again after four takes five. Transforms of words take 180 cycles for
eight channels of a tile of 4 x 4, and as many back. Gradients for weights take 512 pixels at once: with 1024, those of 3x3 convolutions in
steps of two and of 7x7 maps take 1.3 to 1.4 times as long. In chunks (kernels/matmul_chunks.py), gradients of weights of linear layers,
768 to 3072 by 768 of 512 or 2048 rows, take 0.81 to 0.93 of the time that they take in blocks (smallest of three processes in turns). Other
coefficients of kernels are those of Zen 4 and were not fitted on Zen 3. With Winograd's coefficients of the neutral table, ResNet-18 and
VGG-16 took 4 and 5 % longer.
"""

from __future__ import annotations

from dataclasses import replace

from sol.codegen.machines.table import Core, Level, Memory
from sol.codegen.machines.zen4 import ZEN4

ZEN3 = replace(
    ZEN4,
    name="zen3",
    measured_on="two cores of AMD Zen 3 with AVX2; coefficients of kernels as on Zen 4",
    core=Core(clock=3.24e9, multiply_adds=2.0, additions=2.0, loads=2.0, broadcasts=2.0),
    memory=Memory(
        l1=Level(32 << 10, 149e9, 290e9), l2=Level(512 << 10, 69e9, 130e9), l3=Level(32 << 20, 20e9, 36e9), main=Level(0, 19e9, 31e9),
        threads=2,
    ),
    direct=replace(ZEN4.direct, latency=5.0),
    products=replace(ZEN4.products, chunks=0.55),
    winograd=replace(ZEN4.winograd, words=0.65),
    weight_gradients=replace(ZEN4.weight_gradients, pixels=512),
    team=replace(ZEN4.team, barrier=0.22e-6, wake=60e-6),
)  # fmt: skip
