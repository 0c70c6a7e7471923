"""The pointwise epilogue of a register tile of a convolution: written once per accumulator, or as a loop where it is long."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sol.codegen.element import vector_store
from sol.codegen.epilogue import Epilogue, EpilogueOperand
from sol.codegen.kernels.blocked import FINITE
from sol.codegen.kernels.conv_shape import spatial_strides
from sol.codegen.kernels.conv_sums import added_to_sums, kept_sums, sum_declarations
from sol.codegen.kernels.conv_tiling import Panel, Tiling
from sol.errors import SolError
from sol.ir.dim import DimLike
from sol.ir.types import DType

_CALLS = frozenset(
    "exp expm1 log log1p tanh erf sin cos tan pow fmod remainder atan2 sigmoid silu gelu gelu_slope mish softplus elu".split()
)
"""Ops that are many instructions long."""


LONGEST, LONGEST_OF_BYTES = 6, 24
"""Ops of an epilogue that is written once per accumulator; those of bytes are single instructions."""


def is_heavy(epilogue: Epilogue, most: int = LONGEST) -> bool:
    """Is the epilogue too long to be written once per accumulator?"""
    nodes = epilogue._nodes()
    return len(nodes) > most or any(n.op in _CALLS for n in nodes)


def needs_mask(epilogue: Epilogue, channels: int, lanes: int) -> bool:
    """May the epilogue make lanes without a channel infinite or NaN?"""
    return channels % lanes != 0 and any(n.op not in FINITE for n in epilogue._nodes())


def operand_step(operand: EpilogueOperand) -> int:
    """Elements from one pixel's vector to the next one's."""
    step = spatial_strides(operand.strides)[3]
    if not isinstance(step, int):
        raise SolError(f"operand %{operand.value} has a column stride known only at run time")
    return step


@dataclass(frozen=True)
class TileEpilogue:
    """C statements that take accumulators ``a<o>_<y>_<x>`` through the epilogue and store them.

    before: statements ahead of all. pixels: (y, x, statements of each vector); none for a long epilogue, which is written once per vector,
    as a loop: ``loops``. after: statements behind all.
    """

    before: tuple[str, ...]
    pixels: tuple[tuple[int, int, tuple[tuple[str, ...], ...]], ...]
    loops: tuple[str, ...]
    after: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """All of them, vector by vector."""
        vectors = zip(*(statements for _, _, statements in self.pixels))
        return [*self.before, *self.loops, *(line for vector in vectors for pixel in vector for line in pixel), *self.after]

    def steps(self) -> dict[str, Any] | None:
        """``before``, (y, x, statements of all vectors) of each pixel, ``after``: template context; None for a long epilogue."""
        joined = tuple((y, x, tuple(line for vector in vectors for line in vector)) for y, x, vectors in self.pixels)
        return None if self.loops else {"before": self.before, "pixels": joined, "after": self.after}


def tile_epilogue(
    epilogue: Epilogue, ocb: int, th: int, tw: int, masked: bool, stored: DType = DType.F32, pitch: str = "LANES", partial: bool = False,
    sums: DType = DType.F32, by_run: bool = False,
) -> TileEpilogue:  # fmt: skip
    """The epilogue of a tile of ``ocb`` vectors x th rows x tw pixels. stored, pitch, partial, sums, by_run: as for ``tile_variants``."""
    steps = tuple(operand_step(e) for e in epilogue.operands if e.kind == "tile")
    key = epilogue.signature, steps, ocb, th, tw, masked, stored, pitch, partial, by_run
    found = _EPILOGUES.get(key)
    if found is None:
        if len(_EPILOGUES) >= MOST_EPILOGUES:
            _EPILOGUES.clear()  # another thread may compile: it holds what it has found
        vector = "vi" if sums is DType.I32 else "vf"
        found = _EPILOGUES[key] = _traced(epilogue, ocb, th, tw, masked, _Store(stored, pitch, partial), vector, by_run)
    return found


MOST_EPILOGUES = 256
_EPILOGUES: dict[Hashable, TileEpilogue] = {}  # layers with equal epilogues are many, and tracing one takes a millisecond


@dataclass(frozen=True)
class _Store:
    """How results are stored: as what, C text of the elements between neighbouring columns, and whether only lanes that hold a channel
    are."""

    dtype: DType
    pitch: str
    partial: bool

    def statement(self, address: str, value: str, valid: str) -> str:
        """C statement that stores a vector, of which so many lanes hold a channel."""
        whole = vector_store(self.dtype, address, value, result=True)
        if not self.partial:
            return whole
        return f"if ({valid} >= LANES) {whole} else {vector_store(self.dtype, address, value, count=f'(int)({valid})', result=True)}"


def _traced(
    epilogue: Epilogue, ocb: int, th: int, tw: int, masked: bool, stored: _Store, vector: str, by_run: bool
) -> TileEpilogue:
    def one(o: int, y: int | str, x: int | str, accumulator: str, prefix: str) -> tuple[str, ...]:
        first = "!i" if by_run or isinstance(x, str) else y == 0 and x == 0
        return _vector_epilogue(epilogue, (o, y, x), accumulator, prefix, masked, stored, first)

    before, pixels = hoisted_loads(epilogue, ocb, stored.partial), [(y, x) for y in range(th) for x in range(tw)]
    before += sum_declarations(epilogue.sums, ocb)
    after = kept_sums(epilogue.sums, ocb, "(double)run" if by_run else str(th * tw))
    if not is_heavy(epilogue, LONGEST_OF_BYTES if vector == "vi" else LONGEST):
        places = [(y, x, [(o, f"{o}_{y}_{x}") for o in range(ocb)]) for y, x in pixels]
        steps = tuple((y, x, tuple(one(o, y, x, f"a{at}", f"t{at}_") for o, at in vectors)) for y, x, vectors in places)
        return TileEpilogue(before, steps, (), after)
    loops: list[str] = []
    row, column = (f"(i / {tw})", f"(i % {tw})") if th > 1 else ("0", "i")
    for o in range(ocb):
        values = ", ".join(f"a{o}_{y}_{x}" for y, x in pixels)
        loops += ["{", f"    const {vector} a[{th * tw}] = {{{values}}};", f"    for (int64_t i = 0; i < {th * tw}; i++) {{"]
        loops += [f"        {line}" for line in one(o, row, column, "a[i]", "t")]
        loops += ["    }", "}"]
    return TileEpilogue(before, (), tuple(loops), after)


def hoisted_loads(epilogue: Epilogue, ocb: int, partial: bool = False) -> tuple[str, ...]:
    """Statements that load the operands that all pixels of a vector share, as ``<name>_<vector>``. partial: as for ``operand_at``."""
    hoisted = [(o, e) for o in range(ocb) for e in epilogue.operands if e.kind != "tile"]
    return tuple(f"const {e.vector} {e.name}_{o} = {_load(e, f'{e.name} + {o} * c->{e.name}_cb', o, partial)};" for o, e in hoisted)


def operand_at(e: EpilogueOperand, o: int, y: int | str, x: int | str, partial: bool = False) -> str:
    """C text of an operand's vector o at pixel (y, x) of the tile. partial: whether only lanes that hold a channel exist."""
    if e.kind != "tile":
        return f"{e.name}_{o}"
    return _load(e, f"{e.name} + {o} * c->{e.name}_cb + {y} * c->{e.name}_row + {x} * {operand_step(e)}", o, partial)


def _load(e: EpilogueOperand, address: str, o: int, partial: bool) -> str:
    return e.load_n(address, f"sol_lanes(valid, {o})") if partial else e.load(address)


def _vector_epilogue(
    epilogue: Epilogue, place: tuple[int, int | str, int | str], accumulator: str, prefix: str, masked: bool, stored: _Store,
    first: bool | str,
) -> tuple[str, ...]:  # fmt: skip
    """Statements that take the accumulator of ``place`` (vector, C text of y, C text of x) through the epilogue and store it.

    first: whether it is the first pixel of what is summed together, or C text of that."""
    o, y, x = place
    steps, (result, *summed) = epilogue.trace_all(accumulator, lambda e: operand_at(e, o, y, x, stored.partial), prefix)
    valid = f"valid - {o} * LANES"
    value = f"keep({result}, {valid})" if masked and not stored.partial else result
    store = stored.statement(f"out + {o} * c->out_cb + {y} * c->out_row + {x} * {stored.pitch}", value, valid)
    return *steps, store, *added_to_sums(epilogue.sums, o, summed, first)


def tile_variants(
    epilogue: Epilogue, panels: Sequence[Panel], tiling: Tiling, masked: bool, *, by_pixel: bool = False, stored: DType = DType.F32,
    pitch: str = "LANES", partial: bool = False, sums: DType = DType.F32, by_run: bool = False,
) -> list[dict[str, Any]]:
    """Template context of the functions of all tiles: ``steps`` if the epilogue goes by pixel and is short, else ``epilogue``; for tiles of
    a pixel that are taken in runs (by_run), of which pixel ``i`` is one of ``run``, what comes ``before`` and ``after`` each run.

    stored: what results are stored as. pitch: C text of the elements between neighbouring columns of theirs. partial: whether lanes that
    hold no channel are not written. sums: what accumulators hold, float32 or int32.
    """
    found: list[dict[str, Any]] = []
    for p in panels:
        for th, tw in tiling.tiles:
            text = tile_epilogue(epilogue, p.width, th, tw, masked, stored, pitch, partial, sums, by_run)
            steps = text.steps() if by_pixel else None
            kind: dict[str, Any] = {"panel": p.name, "ocb": p.width, "half": p.half, "th": th, "tw": tw}
            if by_run:
                kind |= {"before": text.before, "after": text.after}
                text = replace(text, before=(), after=())
            found.append(kind | {"epilogue": [] if steps else text.lines(), "steps": steps})
    return found


def operand_context(epilogue: Epilogue) -> list[dict[str, Any]]:
    return [{"name": e.name, "step": operand_step(e), "c": e.dtype.c} for e in epilogue.operands]


def operand_params(epilogue: Epilogue) -> dict[str, DimLike]:
    """Strides of the epilogue's operands along image, channel vector and row."""
    params: dict[str, DimLike] = {}
    for e in epilogue.operands:
        n, cb, row = spatial_strides(e.strides)[:3]
        params |= {f"{e.name}_n": n, f"{e.name}_cb": cb, f"{e.name}_row": row}
    return params


