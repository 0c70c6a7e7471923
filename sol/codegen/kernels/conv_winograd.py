"""3x3 convolution with fewer multiplications: Winograd's minimal filtering, transformed tile by tile within the cache.

Not a number, infinity: an infinite or NaN input makes every output of the tiles that read it NaN, where direct
convolution has infinities and NaN in the outputs that read it only. ``config["conv_max_error"] = 0`` keeps direct
convolution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import sqrt
from typing import Any

import numpy as np

from sol.codegen.emit import c_float
from sol.codegen.epilogue import Epilogue, make_epilogue
from sol.codegen.kernels.conv_direct import (
    Conv,
    check_border,
    is_heavy,
    is_pointwise_tail,
    needs_mask,
    operand_params,
    operand_step,
    pixels_per_tile,
    read_conv,
    serves_blocked_input,
    spatial_strides,
    tile_cycles,
    traffic,
)
from sol.codegen.kernels.winograd_matrices import Winograd, winograd
from sol.codegen.lowering import Candidate, Lowering, TargetLike
from sol.codegen.packing import packer
from sol.codegen.plan import View
from sol.config import config
from sol.ir.dim import DimLike

UNROLL = 4
"""Input channels per step of the products, which the last input block is padded to."""
LINE = 16
"""Floats between the end of one frequency and the start of the next."""
ERROR = {2: (3e-7, 4e-8), 4: (1.2e-6, 1.6e-7), 6: (7e-6, 1e-6)}
"""Bound a + b * sqrt(C) of the error against float64, in units of the largest output, per outputs of a tile.

Measured on normally distributed data with and without ReLU, C = 16 … 512, and rounded up by a quarter or more; the
largest seen at C = 64 / 512: F(2) 2.2e-7 / 7.1e-7, F(4) 1.5e-6 / 3.8e-6, F(6) 7.3e-6 / 2.3e-5, direct convolution
7e-7 / 2.6e-6.
"""
WEIGHT_BYTE = 0.27
"""Vector multiply-adds in the time that one byte of weights takes from memory (518 GFLOP/s of 16 lanes, 60 GB/s)."""


def max_error(m: int, channels: int) -> float:
    """Bound on the error of F(m, 3) over ``channels`` input channels, in units of the largest output."""
    constant, growth = ERROR[m]
    return constant + growth * sqrt(channels)


@dataclass(frozen=True)
class Products:
    """Register tiles of the products: ``ocb`` vectors x one of ``widths`` tiles (widest first).

    first: for t < len(first) tiles, the width that starts the cheapest cover; cycles: what it costs per input channel.
    slack: tiles that the last of a cover may reach beyond t.
    """

    ocb: int
    widths: tuple[int, ...]
    first: tuple[int, ...]
    cycles: tuple[float, ...]
    slack: int

    def cost(self, tiles: int) -> float:
        """Cycles per input channel and frequency for so many tiles."""
        whole = max(0, -(-(tiles - len(self.first) + 1) // self.widths[0]))
        return whole * tile_cycles(self.ocb, self.widths[0]) + self.cycles[tiles - whole * self.widths[0]]


@cache
def products(target: TargetLike, vectors: int) -> Products:
    """Register tiles for so many output vectors: a divisor of them, else two, where an odd number is large."""
    ocb = next((n for n in (2, 3) if vectors % n == 0), 1 if vectors < 8 else 2)
    widest = pixels_per_tile(target, ocb)
    widths = tuple(sorted({widest, -(-widest * 4 // 7), widest // 2, -(-widest * 2 // 7)} - {0}, reverse=True))
    cycles, first, excess = [0.0], [0], [0]
    for tiles in range(1, 2 * widest):
        costs = {w: tile_cycles(ocb, w) + cycles[max(0, tiles - w)] for w in widths}
        best = min(costs, key=lambda w: (costs[w], w))
        cycles.append(costs[best])
        first.append(best)
        excess.append(excess[tiles - best] if tiles > best else best - tiles)
    return Products(ocb, widths, tuple(first), tuple(cycles), max(excess))


def _combination(coefficients: Sequence[Fraction], names: Sequence[str]) -> str:
    """C text of a linear combination; a plain positive term goes first, so that the others are fused multiply-adds."""
    terms = [(c < 0, abs(c) != 1, name if abs(c) == 1 else f"{c_float(float(abs(c)))} * {name}")
             for c, name in zip(coefficients, names) if c]  # fmt: skip
    if not terms:
        return "vf_zero()"
    terms.sort(key=lambda t: t[:2])
    (negative, _, head), *rest = terms
    return ("-" if negative else "") + head + "".join(f" {'-' if n else '+'} {text}" for n, _, text in rest)


def apply_row_pairs(
    matrix: Sequence[Sequence[Fraction]], names: Sequence[str], assign: Callable[[int, str], str]
) -> list[str]:
    """C statements for matrix * names. Rows of opposite points, alike up to signs, share their even and odd halves.

    assign: (row, C text) -> statement.
    """
    lines, done = [], set()
    for i, row in enumerate(matrix):
        if i in done:
            continue
        for j in range(i + 1, len(matrix)):
            other = matrix[j]
            even = [a if a == b else Fraction(0) for a, b in zip(row, other)]
            odd = [a if a == -b else Fraction(0) for a, b in zip(row, other)]
            if any(even) and any(odd) and all(e or o or not (a or b) for e, o, a, b in zip(even, odd, row, other)):
                lines += [f"const vf even{i} = {_combination(even, names)}, odd{i} = {_combination(odd, names)};"]
                lines += [assign(i, f"even{i} + odd{i}"), assign(j, f"even{i} - odd{i}")]
                done |= {i, j}
                break
        else:
            lines.append(assign(i, _combination(row, names)))
    return lines


def apply_column_pairs(
    matrix: Sequence[Sequence[Fraction]], names: Sequence[str], assign: Callable[[int, str], str]
) -> list[str]:
    """C statements for matrix * names. Columns of opposite points, alike up to signs, share sum and difference."""
    columns = list(zip(*matrix))
    lines: list[str] = []
    texts: list[str] = []
    parts: list[list[Fraction]] = []
    done = set()
    for i, column in enumerate(columns):
        if i in done:
            continue
        opposite = [j for j in range(i + 1, len(columns)) if j not in done and columns[j] != column
                    and all(abs(a) == abs(b) for a, b in zip(column, columns[j]))]  # fmt: skip
        if not opposite:
            texts.append(names[i])
            parts.append(list(column))
            continue
        j = opposite[0]
        done.add(j)
        lines.append(f"const vf sum{i} = {names[i]} + {names[j]}, difference{i} = {names[i]} - {names[j]};")
        texts += [f"sum{i}", f"difference{i}"]
        parts.append([a if a == b else Fraction(0) for a, b in zip(column, columns[j])])
        parts.append([a if a != b else Fraction(0) for a, b in zip(column, columns[j])])
    rows = list(zip(*parts))
    return lines + [assign(i, _combination(row, texts)) for i, row in enumerate(rows)]


def _block(lines: Sequence[str]) -> list[str]:
    return ["{", *(f"    {line}" for line in lines), "}"]


def input_lines(f: Winograd) -> list[str]:
    """v = B^T in B: columns from ``in`` to t[SIDE][SIDE], then rows to ``v``."""
    lines, n = [], range(f.n)
    for x in n:
        loads = [f"const vf x{y} = vf_load(in + {y} * in_row + {x} * LANES);" for y in n]
        names = [f"x{y}" for y in n]
        lines += _block(loads + apply_row_pairs(f.bt, names, lambda i, t: f"t[{i}][{x}] = {t};"))  # noqa: B023
    for y in n:
        names = [f"t[{y}][{x}]" for x in n]
        at = y * f.n
        lines += _block(
            apply_row_pairs(f.bt, names, lambda i, t: f"vf_store(v + {at + i} * v_frequency, {t});")  # noqa: B023
        )
    return lines


def output_columns(f: Winograd) -> list[str]:
    """A^T m: columns from ``m`` to t[TILE][SIDE]."""
    lines, n = [], range(f.n)
    for x in n:
        loads = [f"const vf m{y} = vf_load(m + {y * f.n + x} * c->m_frequency);" for y in n]
        names = [f"m{y}" for y in n]
        lines += _block(loads + apply_column_pairs(f.at, names, lambda i, t: f"t[{i}][{x}] = {t};"))  # noqa: B023
    return lines


def output_row(f: Winograd, y: int, bias: bool) -> list[str]:
    """Row y of (A^T m) A as variables y0 …, with the bias."""
    names = [f"t[{y}][{x}]" for x in range(f.n)]
    return apply_column_pairs(f.at, names, lambda i, t: f"const vf y{i} = {t}{' + bias' if bias else ''};")


@cache
def transform_texts(m: int, bias: bool) -> dict[str, Any]:
    """The transforms of F(m, 3) as the template wants them."""
    f = winograd(m)
    rows = [output_row(f, y, bias) for y in range(m)]
    return {"input_lines": input_lines(f), "output_columns": output_columns(f), "output_rows": rows}


def _stores(epilogue: Epilogue, m: int, masked: bool) -> list[list[str]]:
    """C text of what is stored at (y, x)."""

    def value(y: int, x: int) -> str:
        if epilogue.is_identity:
            return f"y{x}"
        operands = [
            e.load(f"{e.name} + {y} * c->{e.name}_row + {x} * {operand_step(e)}") if e.kind == "tile" else e.name
            for e in epilogue.operands
        ]
        result = f"finish({', '.join([f'y{x}', *operands])})"
        return f"keep({result}, c->K - kb * LANES)" if masked else result

    return [[value(y, x) for x in range(m)] for y in range(m)]


def _operand_context(epilogue: Epilogue) -> list[dict[str, Any]]:
    """Operands as the template wants them; ``load``: what is hoisted out of the tile."""
    return [
        {"name": e.name, "kind": e.kind, "step": operand_step(e),
         "load": e.load(f"c->{e.name} + p.n * c->{e.name}_n + kb * c->{e.name}_cb")}
        for e in epilogue.operands
    ]  # fmt: skip


def is_candidate(conv: Conv) -> bool:
    """3x3, dense, neither strided nor dilated."""
    return (conv.kernel, conv.stride, conv.dilation, conv.groups) == ((3, 3), (1, 1), (1, 1), 1)


def _known(size: DimLike, otherwise: int) -> int:
    """A size for the cost model, where it may be symbolic."""
    return size if isinstance(size, int) else otherwise


def tile_count(conv: Conv, m: int) -> int:
    """Tiles of the whole batch, for symbolic sizes those of one image of 56 x 56."""
    return _known(conv.n, 1) * -(-_known(conv.oh, 56) // m) * -(-_known(conv.ow, 56) // m)


def direct_cost(conv: Conv, lanes: int) -> float:
    """Vector multiply-adds of direct convolution, or the time of its weights if that is longer."""
    pixels = _known(conv.n, 1) * _known(conv.oh, 56) * _known(conv.ow, 56)
    return max(-(-conv.k // lanes) * conv.reduction * pixels, WEIGHT_BYTE * conv.weight_bytes)


def winograd_cost(conv: Conv, target: TargetLike, m: int) -> float:
    """The same of F(m, 3); a transform takes the time of four multiply-adds per frequency."""
    frequencies, tiles = (m + 2) ** 2, tile_count(conv, m)
    vectors, blocks = -(-conv.k // target.lanes), -(-conv.c // target.lanes)
    tile = products(target, vectors)
    groups = -(-vectors // tile.ocb)
    compute = frequencies * (2 * groups * conv.c * tile.cost(tiles) + 4 * tiles * (blocks + vectors))
    return max(compute, WEIGHT_BYTE * 4 * frequencies * conv.c * groups * tile.ocb * target.lanes)


def choose_variant(conv: Conv, target: TargetLike, error: float) -> int:
    """Outputs m per tile and dimension of the cheapest F(m, 3) whose error is within bounds; 0: direct convolution."""
    costs = {m: winograd_cost(conv, target, m) for m in ERROR if max_error(m, conv.c) <= error}
    best = min(costs, key=costs.__getitem__, default=0)
    return best if best and costs[best] < 0.9 * direct_cost(conv, target.lanes) else 0


def _serves(lowering: Lowering) -> bool:
    lanes = lowering.target.lanes
    if not serves_blocked_input(lowering) or not is_pointwise_tail(lowering, lowering.output, lanes):
        return False
    conv = read_conv(lowering)
    assert conv is not None
    if not is_candidate(conv) or spatial_strides(lowering.view(lowering.output).strides)[3:] != (lanes, 1):
        return False
    return choose_variant(conv, lowering.target, config["conv_max_error"]) > 0


@dataclass(frozen=True)
class Organisation:
    """How the threads share the work.

    split_channels: where a team is too large for the tiles, share out the channels; the memory for it is reserved.
    block: tiles that a thread holds at a time.
    """

    split_channels: bool
    block: int


def organise(conv: Conv, target: TargetLike, m: int) -> Organisation:
    """Blocks of one register tile while the weights stay in the cache; of more, the longer it takes to fetch them."""
    widest = products(target, -(-conv.k // target.lanes)).widths[0]
    tiles = tile_count(conv, m)
    frequency_bytes = 4 * conv.c * (m + 2) ** 2
    block = widest
    if 2 * frequency_bytes * conv.k > target.l2:
        block *= 2 if 2 * frequency_bytes * 2 * widest <= target.l2 else 4
    if not all(isinstance(size, int) for size in (conv.n, conv.oh, conv.ow)):
        return Organisation(False, block)
    return Organisation(tiles <= 5 * widest, min(tiles, block))


def _lower(lowering: Lowering) -> None:
    conv, target, lanes = read_conv(lowering), lowering.target, lowering.target.lanes
    assert conv is not None
    f = winograd(choose_variant(conv, target, config["conv_max_error"]))
    source, out = lowering.view(conv.node.inputs[0]), lowering.view(lowering.output)
    check_border(lowering, conv, source)
    epilogue = make_epilogue(lowering, conv.node.name, channel_axis=1, block=lanes)
    masked = needs_mask(epilogue, conv.k, lanes)
    vectors, blocks = -(-conv.k // lanes), -(-conv.c // lanes)
    tile, how = products(target, vectors), organise(conv, target, f.m)
    reads: dict[str, View] = {
        "in": source,
        "w": lowering.weight(conv.node.inputs[1], "winograd_panels", lanes=lanes, vectors=tile.ocb, m=f.m),
    }
    if len(conv.node.inputs) == 3:
        reads["bias"] = lowering.weight(conv.node.inputs[2], "channels", block=lanes)
    in_n, in_cb, in_row, in_column, _ = spatial_strides(source.strides)
    out_n, out_cb, out_row = spatial_strides(out.strides)[:3]
    last = conv.c - (blocks - 1) * lanes
    params = {
        "N": conv.n, "OH": conv.oh, "OW": conv.ow, "vectors": vectors,
        "split_channels": int(how.split_channels), "block": how.block,
        "in_blocks": blocks, "in_last": -(-last // UNROLL) * UNROLL, "in_n": in_n, "in_cb": in_cb, "in_row": in_row,
        "in_start": -(in_row * conv.padding[0] + in_column * conv.padding[1]),
        "out_n": out_n, "out_cb": out_cb, "out_row": out_row, **operand_params(epilogue),
        **({"K": conv.k} if masked else {}),
    }  # fmt: skip
    v, shared = (
        4 * (f.n**2 * (blocks * held * lanes + LINE) + tile.slack * lanes)
        for held in (how.block, tile_count(conv, f.m))
    )
    products_bytes = 4 * f.n**2 * ((how.block + tile.slack) * tile.ocb * lanes + LINE)
    steps, result = ([], "a") if epilogue.is_identity else epilogue.trace("a", lambda e: e.name, "t")
    stem = f"conv_f{f.m}_{tile.ocb}x{tile.widths[0]}"
    lowering.emit(
        "conv_winograd.c.j2", stem + (f"_{epilogue.stem}" if epilogue.stem else ""),
        reads=reads | {e.name: e.view for e in epilogue.operands}, writes={"out": out}, params=params,
        scratch=products_bytes + v, common=shared if how.split_channels else 0,
        flops=conv.flops, bytes=traffic(conv, [source, out, *(e.view for e in epilogue.operands)]),
        m=f.m, n=f.n, ocb=tile.ocb, widths=tile.widths, first=tile.first, slack=tile.slack, unroll=UNROLL,
        **transform_texts(f.m, "bias" in reads), stores=_stores(epilogue, f.m, masked),
        has_bias="bias" in reads, masked=masked, heavy=is_heavy(epilogue), operands=_operand_context(epilogue),
        tail=epilogue.stem, tail_lines=steps, tail_result=result,
    )  # fmt: skip


@packer("winograd_panels")
def pack_winograd(array: np.ndarray, *, lanes: int, vectors: int, m: int) -> np.ndarray:
    """w[K, C, 3, 3] -> G w G^T as [panel][frequency][channel][vectors * lanes], transformed in float64.

    K is padded with zeros to whole panels, C so that the last input block is a multiple of ``UNROLL``.
    """
    k, c = array.shape[:2]
    g = np.array([[float(x) for x in row] for row in winograd(m).g])
    transform = np.kron(g, g).T  # [9, frequencies]
    width, padded = vectors * lanes, -(-c // UNROLL) * UNROLL
    packed = np.zeros((-(-k // width), transform.shape[1], padded, width), np.float32)
    for panel, first in zip(packed, range(0, k, width)):
        part = array[first : first + width].reshape(-1, c, 9)
        panel[:, :c, : len(part)] = (part.astype(np.float64) @ transform).transpose(2, 1, 0)
    return packed


CANDIDATES: tuple[Candidate, ...] = (Candidate("winograd", _serves, _lower),)
