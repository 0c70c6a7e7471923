"""Register tiles of matrix products: their size, what happens to sums after the reduction, and the arguments of calls."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.element import Element, element, vector_load, vector_store
from sol.codegen.kernels.conv_tiling import matrix_runs
from sol.codegen.kernels.matmul_product import Product
from sol.codegen.lowering import TargetLike
from sol.ir.types import DType


@dataclass(frozen=True)
class Types:
    """Elements in memory: of the left operand as it comes (source) and as tiles read it, of the right one, and of results."""

    source: Element = element(DType.F32)
    a: Element = element(DType.F32)
    b: Element = element(DType.F32)
    c: Element = element(DType.F32)


@dataclass(frozen=True)
class Step:
    """What happens to one accumulator after the reduction: statements, then the store."""

    lines: tuple[str, ...]
    store: str


@dataclass(frozen=True)
class Tile:
    """A register tile: ``mr`` rows x ``nv`` vectors, ``parts`` sets of accumulators.

    ragged: not all columns exist. masked: not all lanes do. first: statements before everything else. hoisted: those before the results.
    runs: rows of the matrix tiles, as ``matrix_runs`` gives them; then ``finish`` is written once for all rows, as a loop over ``i``.
    """

    name: str
    mr: int
    nv: int
    parts: int
    unroll: int
    ragged: bool
    masked: bool
    first: tuple[str, ...]
    hoisted: tuple[str, ...]
    finish: tuple[Step, ...]
    runs: tuple[tuple[int, int, int], ...] = ()


MATRIX_STEP = 32
"""Steps of a reduction that one multiplication of matrix tiles takes."""


def reach(target: TargetLike, pairs: bool = False) -> int:
    """Bytes of the next panel of weights that tiles ask for at most: with the one that is multiplied, half of the second-level cache; three
    quarters where pairs are multiplied (two cores of Zen 5: 3,072 numbers of 48 columns and 128 rows, 951 GFLOP/s within half of it, 1020
    so)."""
    return target.l2 * 3 // 8 if pairs else target.l2 // 4


def panel_columns(p: Product, nv: int, lanes: int) -> tuple[bool, bool, int]:
    """Are there full panels, is there a narrower one, and how many vectors has that."""
    width = nv * lanes
    if not isinstance(p.n, int):
        return True, True, nv
    rest = p.n % width
    ragged_nv = -(-rest // lanes) if p.constant else nv
    return p.n >= width, rest > 0, ragged_nv if rest else nv


def tile_of(p: Product, rows: int, nv: int, ragged: bool, panel_nv: int) -> Tile:
    parts = 1
    while rows * panel_nv * parts < 8:  # the same for narrow panels: equal columns get equal sums wherever they lie
        parts *= 2
    masked = ragged and not (isinstance(p.n, int) and p.n % p.target.lanes == 0 and p.constant)
    counts = masked or (p.bias and not p.constant_bias) or p.c_n != 1
    lanes_of = [f"const int n{j} = sol_lanes(count, {j});" for j in range(nv)] if counts else []
    hoisted = []
    if ragged and not lanes_of:
        lanes_of = ["(void)count;"]
    for j in range(nv):
        if p.bias and p.constant_bias:
            hoisted.append(f"const vf bias{j} = {vector_load(p.bias.dtype, f'bias + {j} * LANES')};")
        elif p.bias:
            hoisted.append(f"const vf bias{j} = sol_load_strided(bias + {j} * LANES * bias_n, bias_n, n{j});")
        for o in p.epilogue.operands:
            if o.kind == "tile":
                continue
            address = f"{o.name} + {j} * LANES" if o.lane_stride else o.name
            whole = not masked or (p.constant and o.kind == "channel" and o.name in p.packed_operands)
            hoisted.append(f"const {o.vector} {o.name}_{j} = {o.load(address) if whole else o.load_n(address, f'n{j}')};")
    finish = tuple(_finish(p, i, j, masked) for i in range(rows) for j in range(nv))
    name = f"tile_{rows}_ragged" if ragged else f"tile_{rows}"
    return Tile(name, rows, nv, parts, max(4, parts), ragged, masked, tuple(lanes_of), tuple(hoisted), finish)


def matrix_tile_of(p: Product, rows: int, nv: int, ragged: bool, panel_nv: int) -> Tile:
    """The same where matrix tiles multiply."""
    tile = tile_of(p, 1, nv, ragged, panel_nv)
    finish = tuple(_finish(p, "i", j, tile.masked) for j in range(nv))
    return replace(tile, name=tile.name.replace("_1", f"_{rows}"), mr=rows, finish=finish, runs=matrix_runs(1, rows))


def _finish(p: Product, i: int | str, j: int, masked: bool) -> Step:
    lines: list[str] = []
    value = f"c{i}_{j}"
    if p.bias:
        value = f"y{i}_{j}"
        lines.append(f"const vf {value} = c{i}_{j} + bias{j};")

    def load(o: Any) -> str:
        if o.kind != "tile":
            return f"{o.name}_{j}"
        address = f"{o.name} + {i} * {o.name}_m" + (f" + {j} * LANES" if o.lane_stride else "")
        return o.load_n(address, f"n{j}") if masked else o.load(address)

    steps, result = p.epilogue.trace(value, load, f"t{i}_{j}_")
    dtype = p.out.dtype
    if p.c_n != 1:
        lane = f"{dtype.c} lane[LANES]; {vector_store(dtype, 'lane', result, result=True)}"
        return Step((*lines, *steps), f"{lane} for (int l = 0; l < n{j}; l++) c[{i} * ldc + ({j} * LANES + l) * C_n] = lane[l];")
    return Step((*lines, *steps), vector_store(dtype, f"c + {i} * ldc + {j} * LANES", result, count=f"n{j}" if masked else "", result=True))


def tile_signature(
    p: Product, k_block: bool, pack_a: bool, constant_bias: bool, in_place: bool, pitch: str = "K"
) -> tuple[str, str]:  # fmt: skip
    """Parameters of a tile function beyond (a0, lda, b, K), and the argument list of its calls. pitch: C text of the elements from one
    row to the next where the left operand is copied first."""
    lda = pitch if pack_a else "lda"
    parameters: list[str] = []
    arguments = [
        f"a_q + m * {lda}" + (" + k0" if k_block else ""),
        lda,
        "panel" + (" + k0 * width" if k_block else ""),
        "kc" if k_block else "K",
    ]
    if in_place:
        parameters.append("int64_t ldb")
        arguments.append("B_k")
    if k_block:
        parameters += ["float *part", "int64_t k0", "int last"]
        arguments += ["partial + (m - r * MR) * WIDTH", "k0", "last"]
    if p.bias:
        parameters += [f"const {p.bias.dtype.c} *bias"] + ([] if constant_bias else ["int64_t bias_n"])
        arguments += ["bias + p * WIDTH" + ("" if constant_bias else " * bias_n")] + ([] if constant_bias else ["bias_n"])
    for o in p.epilogue.operands:
        parameters.append(f"{o.pointer}{o.name}")
        if o.kind == "tile":
            parameters.append(f"int64_t {o.name}_m")
            arguments += [f"{o.name}_q + m * {o.name}_m", f"{o.name}_m"]
        else:
            arguments.append(f"{o.name} + p * WIDTH" if o.lane_stride else o.name)
    parameters += [f"{p.out.dtype.c} *c", "int64_t ldc", "int64_t count"]
    arguments += ["c_q + m * ldc", "ldc", "count"]
    if p.c_n != 1:
        parameters.append("int64_t C_n")
        arguments.append("C_n")
    return "".join(f", {x}" for x in parameters), ", ".join(arguments)
