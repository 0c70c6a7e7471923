"""The pointwise tail of a register tile of a convolution: written once per accumulator, or as a loop where it is long."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from sol.codegen.element import vector_store
from sol.codegen.epilogue import Epilogue, EpilogueOperand
from sol.codegen.kernels.blocked import FINITE
from sol.codegen.kernels.conv_shape import spatial_strides
from sol.codegen.kernels.conv_tiling import Panel, Tiling
from sol.errors import SolError
from sol.ir.dim import DimLike
from sol.ir.types import DType

_CALLS = frozenset(
    "exp expm1 log log1p tanh erf sin cos tan pow fmod remainder atan2 sigmoid silu gelu mish softplus elu".split()
)
"""Ops that are many instructions long."""


def is_heavy(epilogue: Epilogue) -> bool:
    """Is the tail too long to be written once per accumulator?"""
    nodes = epilogue._nodes()
    return len(nodes) > 6 or any(n.op in _CALLS for n in nodes)


def needs_mask(epilogue: Epilogue, channels: int, lanes: int) -> bool:
    """May the tail make lanes without a channel infinite or NaN?"""
    return channels % lanes != 0 and any(n.op not in FINITE for n in epilogue._nodes())


def operand_step(operand: EpilogueOperand) -> int:
    """Elements from one pixel's vector to the next one's."""
    step = spatial_strides(operand.strides)[3]
    if not isinstance(step, int):
        raise SolError(f"operand %{operand.value} has a column stride known only at run time")
    return step


def tail_lines(epilogue: Epilogue, ocb: int, th: int, tw: int, masked: bool, stored: DType = DType.F32) -> list[str]:
    """C statements that take accumulators ``a<o>_<y>_<x>`` through the tail and store them as ``stored``."""
    key = _tail_key(epilogue, ocb, th, tw, masked, stored)
    lines = _STORED_TAILS.get(key)
    if lines is None:
        if len(_STORED_TAILS) >= MOST_TAILS:
            _STORED_TAILS.clear()  # another thread may compile: it holds what it has found
        lines = _STORED_TAILS[key] = _traced_tail(epilogue, ocb, th, tw, masked, stored)
    return lines


def _tail_key(epilogue: Epilogue, ocb: int, th: int, tw: int, masked: bool, stored: DType) -> Hashable:
    return epilogue.signature, tuple(operand_step(e) for e in epilogue.operands if e.kind == "tile"), ocb, th, tw, masked, stored


MOST_TAILS = 256
_STORED_TAILS: dict[Hashable, list[str]] = {}  # layers with equal tails are many, and tracing one takes a millisecond


def _traced_tail(epilogue: Epilogue, ocb: int, th: int, tw: int, masked: bool, stored: DType) -> list[str]:
    lines = _hoisted_loads(epilogue, ocb)

    def one(o: int, y: str, x: str, accumulator: str, prefix: str) -> list[str]:
        return _vector_tail(epilogue, (o, y, x), accumulator, prefix, masked, stored)

    for o in range(ocb):
        if not is_heavy(epilogue):
            for y in range(th):
                for x in range(tw):
                    lines += one(o, str(y), str(x), f"a{o}_{y}_{x}", f"t{o}_{y}_{x}_")
            continue
        values = ", ".join(f"a{o}_{y}_{x}" for y in range(th) for x in range(tw))
        row, column = (f"(i / {tw})", f"(i % {tw})") if th > 1 else ("0", "i")
        lines += ["{", f"    const vf a[{th * tw}] = {{{values}}};", f"    for (int64_t i = 0; i < {th * tw}; i++) {{"]
        lines += [f"        {line}" for line in one(o, row, column, "a[i]", "t")]
        lines += ["    }", "}"]
    return lines


def _hoisted_loads(epilogue: Epilogue, ocb: int) -> list[str]:
    """Operands that all pixels of a vector share."""
    hoisted = [e for e in epilogue.operands if e.kind != "tile"]
    return [f"const vf {e.name}_{o} = {e.load(f'{e.name} + {o} * c->{e.name}_cb')};" for o in range(ocb) for e in hoisted]


def _vector_tail(
    epilogue: Epilogue, place: tuple[int, str, str], accumulator: str, prefix: str, masked: bool, stored: DType
) -> list[str]:
    """Statements that take the accumulator of ``place`` (vector, C text of y, C text of x) through the tail and store it."""
    o, y, x = place

    def load(e: EpilogueOperand) -> str:
        if e.kind != "tile":
            return f"{e.name}_{o}"
        return e.load(f"{e.name} + {o} * c->{e.name}_cb + {y} * c->{e.name}_row + {x} * {operand_step(e)}")

    steps, result = epilogue.trace(accumulator, load, prefix)
    value = f"keep({result}, valid - {o} * LANES)" if masked else result
    return [*steps, vector_store(stored, f"out + {o} * c->out_cb + {y} * c->out_row + {x} * LANES", value)]


@dataclass(frozen=True)
class TailSteps:
    """The tail of a tile by pixel. before: statements ahead of all. pixels: (y, x, statements of all vectors)."""

    before: tuple[str, ...]
    pixels: tuple[tuple[int, int, tuple[str, ...]], ...]


def tail_steps(epilogue: Epilogue, ocb: int, th: int, tw: int, masked: bool, stored: DType = DType.F32) -> TailSteps | None:
    """What ``tail_lines`` gives, by pixel; None for a tail that is written only once."""
    if is_heavy(epilogue):
        return None
    key = _tail_key(epilogue, ocb, th, tw, masked, stored)
    found = _TAIL_STEPS.get(key)
    if found is None:
        if len(_TAIL_STEPS) >= MOST_TAILS:
            _TAIL_STEPS.clear()
        found = _TAIL_STEPS[key] = _traced_steps(epilogue, ocb, th, tw, masked, stored)
    return found


_TAIL_STEPS: dict[Hashable, TailSteps] = {}


def _traced_steps(epilogue: Epilogue, ocb: int, th: int, tw: int, masked: bool, stored: DType) -> TailSteps:
    def pixel(y: int, x: int) -> tuple[str, ...]:
        places = [(o, f"{o}_{y}_{x}") for o in range(ocb)]
        return tuple(
            line for o, at in places for line in _vector_tail(epilogue, (o, str(y), str(x)), f"a{at}", f"t{at}_", masked, stored)
        )

    pixels = tuple((y, x, pixel(y, x)) for y in range(th) for x in range(tw))
    return TailSteps(tuple(_hoisted_loads(epilogue, ocb)), pixels)


def tile_variants(
    epilogue: Epilogue, panels: Sequence[Panel], tiling: Tiling, masked: bool, *, by_pixel: bool = False, stored: DType = DType.F32
) -> list[dict[str, Any]]:
    """Template context of the functions of all tiles: ``steps`` if the tail goes by pixel and is short enough for that, else ``tail``.

    stored: what results are stored as.
    """
    found: list[dict[str, Any]] = []
    for p in panels:
        for th, tw in tiling.tiles:
            steps = tail_steps(epilogue, p.width, th, tw, masked, stored) if by_pixel else None
            tail = [] if steps else tail_lines(epilogue, p.width, th, tw, masked, stored)
            found.append({"panel": p.name, "ocb": p.width, "half": p.half, "th": th, "tw": tw, "tail": tail, "steps": steps})
    return found


def operand_context(epilogue: Epilogue) -> list[dict[str, Any]]:
    return [{"name": e.name, "step": operand_step(e), "c": e.dtype.c} for e in epilogue.operands]


def operand_params(epilogue: Epilogue) -> dict[str, DimLike]:
    """Strides of the tail's operands along image, channel vector and row."""
    params: dict[str, DimLike] = {}
    for e in epilogue.operands:
        n, cb, row = spatial_strides(e.strides)[:3]
        params |= {f"{e.name}_n": n, f"{e.name}_cb": cb, f"{e.name}_row": row}
    return params


