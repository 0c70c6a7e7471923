"""Products of float32 matrices by matrix tiles (AMX), see split_product.py."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sol.codegen.decision import Candidate, sole
from sol.codegen.kernels.matmul_blocks import ceil_div, is_streamed, streamed
from sol.codegen.kernels.matmul_cost import fixed, product_seconds
from sol.codegen.kernels.matmul_product import (
    Product,
    batch_text,
    float32_product,
    kernel_stem,
    packed,
    right_strides,
    run_time_arguments,
)
from sol.codegen.kernels.matmul_tile import Tile, matrix_tile_of, tile_signature
from sol.codegen.kernels.split_product import GROUPS, LINE, SIDE, STEPS, WIDTH, Sizes, Split, Stream, split_of
from sol.codegen.lowering import Lowering, TargetLike
from sol.codegen.plan import View


@dataclass(frozen=True)
class Way:
    """A product, and how it goes on."""

    product: Product
    split: Split


def find_split(lowering: Lowering) -> Way | None:
    """float32 operands of known sizes on a processor with matrix tiles; the right one a constant matrix, or of any strides."""
    target = lowering.target
    if not target.matrix_tiles or target.lanes != SIDE:
        return None
    p = float32_product(lowering)
    if p is None or p.c_n != 1 or (p.constant and len(p.b.shape) != 2):
        return None
    sizes = fixed(p.loops.batch_size, p.loops.rows, p.n, p.k)
    if sizes is None or 0 in sizes:
        return None
    ways = [Way(p, split_of(Sizes(*sizes), _is_along(p), target, p.constant and not target.repacks))]
    if not p.constant and right_strides(p)[0] == 1:
        ways.append(Way(p, split_of(Sizes(*sizes), False, target, turned=True)))
    return min(ways, key=lambda way: way.split.cycles(target))


def lower_split(lowering: Lowering, found: Way) -> None:
    """See templates/matmul_split.c.j2."""
    p, split = found.product, found.split
    parameters, arguments = tile_signature(p, False, False, p.constant_bias, False)
    stream = is_streamed(split.sizes.results, p.target)
    arguments = ", ".join(["sums", "rows", *arguments.split(", ")[4:], *["stream"] * stream])
    right = p.b
    if split.ready:
        right = packed(p.b, "matrix_parts", transposed=p.transposed, slice=STEPS)
    elif p.constant:
        right = packed(p.b, "gemm_panels", width=WIDTH, lanes=SIDE, transposed=p.transposed)
    reads: dict[str, View] = {"A": p.a, "B": right}
    if p.bias:
        reads["bias"] = packed(p.bias, "channels", block=p.target.lanes) if p.constant_bias else p.bias
    reads |= {o.name: o.view for o in p.epilogue.operands}
    whole, rest = divmod(split.sizes.n, WIDTH)
    widths = [WIDTH] * (whole > 0) + [rest] * (rest > 0)
    tiles = tuple(_finish(p, columns) for columns in widths)
    if stream:
        parameters, tiles = parameters + ", int stream", tuple(map(streamed, tiles))
    lowering.emit(
        "matmul_split.c.j2",
        kernel_stem(p, f"{p.op}_split{'_stream' if stream else ''}"),
        reads=reads,
        writes={"C": p.out},
        params=run_time_arguments(p, 0, p.constant_bias) | split.params,
        scratch=split.scratch,
        flops=p.flops,
        bytes=p.bytes,
        constant=p.constant, column="1" if p.constant else "B_n", tiles=tiles, full=whole > 0, ragged=rest > 0,
        streams=_streams(found), stream=stream, next_step="512" if p.constant else "4 * B_k" if _has_rows(found) else "4 * B_n",
        signature=parameters, arguments=arguments,
        batch=len(p.loops.batch), batch_size=batch_text(p), bias=bool(p.bias), tail_ops=p.epilogue.stem,
        a_k="A_k" if p.a_k != 1 else "1", tile_operands=tuple((o.name, o.lane_stride, o.pointer) for o in p.tiles),
        **split.context(p.target),
    )  # fmt: skip


def _streams(found: Way) -> tuple[Stream, ...]:
    """What is asked for: of the right operand, and of results that no cache holds."""
    p, split = found.product, found.split
    if split.ready:
        ahead = split.parts_ahead
    else:
        ahead = Stream("next", "what is split next", split.ahead, 2 if _has_rows(found) else 8)
    lines = WIDTH * p.target.lanes * 4 // LINE  # of a block's results, two vectors wide
    results = Stream("result", "results", ceil_div(2 * lines, GROUPS), 2, True)
    results_bytes, held = 4 * split.sizes.results, p.target.team * p.target.l2
    return (ahead,) if results_bytes <= held or is_streamed(split.sizes.results, p.target) else (ahead, results)


def _finish(p: Product, columns: int) -> Tile:
    """What becomes of a block of sums of so many columns."""
    vectors = ceil_div(columns, SIDE)
    tile = matrix_tile_of(p, WIDTH, vectors, columns < WIDTH, vectors)
    return replace(tile, name="finish_ragged" if columns < WIDTH else "finish")


def _has_rows(way: Way) -> bool:
    """Whether a panel's steps lie apart in memory, two cache lines each; else its columns do, eight lines of each, or it is packed."""
    return way.split.along and not way.product.constant


def _is_along(p: Product) -> bool:
    """Whether neighbours in a row of the right operand are neighbours in memory, so that they need not be transposed."""
    return p.constant or right_strides(p)[1] == 1


def pays(found: Way, target: TargetLike) -> bool:
    """Whether the tiles take clearly less time than multiply-adds of vectors would at best."""
    s = found.split.sizes
    vectors = s.batch * s.rows * ceil_div(s.n, target.lanes) * s.k / target.machine.core.multiply_adds
    return found.split.cycles(target) < target.machine.tiles.gain * vectors


def split_seconds(found: Way, target: TargetLike) -> float | None:
    """Products of tiles and splitting, against reading from main memory."""
    return product_seconds(found.product, found.split.cycles(target), found.split.sizes.multiply_adds)


CANDIDATE: Candidate = sole("split", find_split, lower_split, pays, split_seconds)
