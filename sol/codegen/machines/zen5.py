"""AMD's Zen 5 with full-width AVX-512: two cores at about 4.05 GHz.

Measured there: 518 GFLOP/s of two threads (259 each), 50 GB/s of main memory and 200 GB/s of the second-level cache for both, a barrier in
0.42 µs (OpenMP's; spinning 0.25), 33 to 106 µs until a team that has slept works. A core starts two multiply-adds, two additions and two
loads or broadcasts per cycle, all together and without a visible drop of the clock. So a fast inner product with one output vector per
broadcast is bound by loads (88 to 95 % of the peak of multiply-adds), one with two output vectors is not (126 to 143 %).
"""

from __future__ import annotations

from dataclasses import replace

from sol.codegen.machines.table import Core, Fetch, Level, Memory
from sol.codegen.machines.zen4 import ZEN4

FETCH = Fetch(byte=0.3, shared=0.3)
"""More than a fit to single layers gives (0.19 and 0.21): in networks, weights come from memory more often."""

ZEN5 = replace(
    ZEN4,
    name="zen5",
    measured_on="two cores of AMD Zen 5 with AVX-512; but for the fast inner product and Winograd's tiles, coefficients are those of Zen 4",
    core=Core(clock=4.05e9, multiply_adds=2.0, additions=2.0, loads=2.0, broadcasts=2.0),
    memory=Memory(
        l1=Level(48 << 10, 0.0, 0.0), l2=Level(1 << 20, 100e9, 200e9), l3=Level(32 << 20, 0.0, 0.0), main=Level(0, 0.0, 50e9), threads=2,
    ),
    team=replace(ZEN4.team, barrier=0.42e-6, wake=50e-6),
    inner_product=replace(
        ZEN4.inner_product, step=12.0, tile=30.0, pixel=4.0, packed=12.0, made=3.0, packed_once=10.0, fetch=FETCH, hidden=0.85, again=0.16,
        longest=48, both=1.28, both_gain=1.08,
    ),
    winograd=replace(
        ZEN4.winograd, moved=3.7, operation=2.9, words=0.25, fetch=FETCH, again=0.04, hidden=0.6, hidden_direct=0.0, beyond=1.0, call=0.6,
        words_gain=0.95,
    ),
    products=replace(ZEN4.products, dots=2.0, asked_twice=False, values_in_place=4),
)  # fmt: skip
"""Winograd's tiles were fitted to F(2), F(4), F(5) and F(7) on 19 layers of 3x3 filters of VGG, ResNet, DenseNet and GoogLeNet, two
threads, weights driven out of the caches between calls. The tiles that are taken are 4 % slower than the fastest of these on average; by
the figures of the neutral table it was 9 %.

Tiles of words were fitted on twelve layers of 3x3 filters of 64 to 512 channels, whose weights caches held. Eleven take 0.62 to 0.89 of the
time of dot products of bytes, 0.83 to 0.91 of what is predicted. That of 64 channels of 28 x 28 takes 1.48 times as long, where 1.02 is
predicted, and is left to dot products.

Chunks of the fast inner product: linear layers of 3072 inputs, 768 outputs and 128 rows, whose weights come from memory, reach 390 GFLOP/s
at once, 500 in three chunks of 64 steps, 565 in four of 48, and as much in eight of 24; where caches hold the weights, chunks of 24 are
10 % slower than those of 48.

Products of two operands that change from call to call take about 1.28 times what tiles and packing do by these figures (512 x 768 x 768 and
3136 x 256 x 64); usual products of such operands reach 85 to 92 % of the peak. Where 1.08 times their multiply-adds are more, pairs take
0.77 to 1.0 times as long as these (15 sizes; 1.09 for one of three forms of 200 rows, 256 columns and 256 steps)."""
