"""Packer of weights of float32 as sums of three numbers of bfloat16, which matrix tiles (AMX) multiply (kernels/split_product.py)."""

from __future__ import annotations

from sol.codegen.kernels.split_product import NUMBER, SIDE, STEP
from sol.codegen.packers.panels import round_up
from sol.codegen.packing import RESULT, SOURCE, Recipe, Shape, count, packer
from sol.codegen.plan import Kernel
from sol.ir.graph import Attrs

PARTS = Kernel(
    "pack_parts", "pack_parts.c.j2", Attrs({}), (("in", "const float"), ("out", "uint16_t")), ("K", "N", "in_k", "in_n", "slice")
)
FLOAT = 4
"""Bytes of a number of float32, of which the packed array has NUMBER."""


def _parts_shape(shape: Shape, transposed: bool, slice: int) -> Shape:
    k, n = (count(shape[1:]), shape[0]) if transposed else shape
    return (round_up(k, STEP) * round_up(n, SIDE) * NUMBER // FLOAT,)


@packer("matrix_parts", _parts_shape, floats=True)
def matrix_parts(recipe: Recipe, *, transposed: bool, slice: int) -> None:
    """``B[K, N]`` (transposed: ``[N, K]``) as ``[slice][panel of 32 columns][step of 32][part][tile][16][16 pairs]``.

    K may be several dimensions if transposed. A slice is so many steps. The last panel has one tile if that takes its columns. The array
    has the type of the constant, but its bits are not numbers of it.
    """
    shape = recipe.shape
    k, n = (count(shape[1:]), shape[0]) if transposed else shape
    recipe.scales = False
    recipe.written = count(_parts_shape(shape, transposed, slice)) * recipe.itemsize
    recipe.launch(PARTS, (SOURCE, RESULT), (k, n, *((1, k) if transposed else (n, 1)), slice))
