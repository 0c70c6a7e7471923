"""AMD's Zen 4, and Zen 3, which has no AVX-512: two cores of an EPYC of the fourth generation, with AVX-512 unless said otherwise.

A core computes 512 bits at half the rate of 256; additions have units of their own, and broadcasts are cheap. Source of what a core starts:
AMD, Software Optimization Guide for the AMD Zen4 Microarchitecture, floating-point unit; the rest was measured: 118 GFLOP/s and 31 GB/s of
main memory per thread. Levels of cache were not timed.
"""

from __future__ import annotations

from sol.codegen.machines.table import (
    Calls,
    Core,
    DirectConvolution,
    Fetch,
    InnerProduct,
    Level,
    Machine,
    MatrixProducts,
    MatrixTiles,
    Memory,
    Streams,
    Team,
    WeightGradients,
    WinogradTiles,
)
from sol.passes.sizes import GraphSizes

FETCH = Fetch(byte=0.12, shared=0.8)
"""The quotient of the measured rates, 3.7 G multiply-adds and 31 GB per second; two threads share about 35 GB/s."""

STREAMS = Streams(resident=0.5, ahead=0.9, again=0.95, again_once=0.8, overflow=0.8, lines=0.6, started=0.3e-6, elementary=10.0, soon=2048)
"""Shares chosen by 137 ways of Winograd's tiles in 35 layers, measured on the machine of the neutral table: the mean error is 8 %. What an
elementary function takes, how a launch starts, and lines of other cores are estimates."""

ZEN4 = Machine(
    name="zen4",
    measured_on="two cores of AMD Zen 4 with AVX-512",
    core=Core(clock=3.7e9, multiply_adds=1.0, additions=1.0, loads=1.0, broadcasts=2.0),
    memory=Memory(
        l1=Level(32 << 10, 0.0, 0.0), l2=Level(1 << 20, 0.0, 0.0), l3=Level(32 << 20, 0.0, 0.0), main=Level(0, 31e9, 35e9), threads=2,
    ),
    team=Team(barrier=0.4e-6, wake=50e-6, grain=32768, step_grain=16384, alone=4, remote=2, apart=32 << 20),
    calls=Calls(serial=15e-6, flops=50e9, bytes=10e9, packed=1 << 17, watched=500),
    direct=DirectConvolution(
        multiply_adds=2.0, loads=2.0, latency=4.0, tile=20.0, change=40.0, alike=1.03, fetched_from=64, depthwise_ahead=2, stem_ahead=16,
    ),
    inner_product=InnerProduct(
        step=7.0, tile=30.0, pixel=2.0, packed=8.0, packed_once=7.0, made=6.0, subtracted=0.4, subtracted_far=3.2, gathered=1.05,
        line=5.0, turned=10.0, written=30.0, gain=0.95, fetch=FETCH, hidden=0.9,
    ),
    winograd=WinogradTiles(
        moved=4.5, operation=1.35, words=0.5, fetch=FETCH, again=0.1, hidden=0.8, hidden_direct=0.8, beyond=1.07, call=0.5, shortest=8,
        inner_product_tile=30.0, inner_product_pixel=2.0, inner_product_moved=5.0, inner_product_sums=10.0, alike=1.02,
        inner_product_alike=1.04, gain=0.9, words_gain=0.9,
    ),
    weight_gradients=WeightGradients(pixels=1024, call=60.0, added=2.0, row=30.0),  # but for pixels, fitted on that of the neutral table
    products=MatrixProducts(prefetch=2048, slice=0.6, run=64, in_place=32, short=64, dot_rows=16, dot_length=64, queries=4, dots=1.0),
    # measured on the machine of the neutral table
    tiles=MatrixTiles(dot=17.5, left=0.45, right=0.9, sum=0.3, pixel=1.3, result=0.4, gain=0.9),
    streams=STREAMS,
    graph=GraphSizes(
        reordered_from=64, chain_map=3 << 18, chain_large_map=4 << 20, chain_expansion=3, chain_weights=3 << 18, chain_rows=14,
        chain_shared_weights=1 << 18, chain_row=1 << 14, byte_weight_rows=4,
    ),
)  # fmt: skip
