"""What kernels over blocked values (NCHWc) share: the shifted input under a padding, and the pointwise epilogue as one C function."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from sol.codegen.epilogue import ChannelSum, Epilogue, EpilogueOperand, make_epilogue
from sol.codegen.kernels.conv_sums import added_to_sums, kept_sums, sum_declarations
from sol.codegen.lowering import Lowering
from sol.codegen.plan import View
from sol.errors import SolError
from sol.ir.dim import DimLike
from sol.ir.types import DType

T = TypeVar("T")

#: Ops that give a finite result for every finite operand of ordinary size: they keep the lanes beyond C finite.
FINITE = frozenset(
    "neg abs relu sigmoid tanh erf sin cos tan floor ceil round trunc sign gelu gelu_slope silu hardswish hardsigmoid mish leaky_relu "
    "elu softplus clamp add sub mul maximum minimum where eq ne lt le gt ge logical_and logical_or logical_xor logical_not isnan isinf "
    "cast".split()
)


@dataclass(frozen=True)
class EpilogueText:
    """A blocked kernel's epilogue as C text.

    A template writes ``function`` before its entry, ``unit`` once per channel block (with C variables n and c in scope), and
    ``call(acc, axes)`` for the finished vector at a position, or ``stored`` where it is summed as well (``sums``).
    """

    function: str
    unit: tuple[str, ...]
    hoisted: tuple[str, ...]
    tiles: tuple[tuple[str, str, tuple[str, ...]], ...]
    sums: tuple[ChannelSum, ...] = ()

    def call(self, accumulator: str, *axes: str) -> str:
        """C expression of the stored vector; ``axes``: C expressions of the spatial position, outermost first."""
        if not self.function:
            return accumulator
        loads = []
        for name, pattern, strides in self.tiles:
            terms = [f"({a}) * {s}" for a, s in zip(axes, strides) if s != "0"]
            loads.append(pattern.format(" + ".join([f"{name}_c", *terms])))
        return f"epilogue({', '.join([accumulator, *self.hoisted, *loads, *(f'&summed{i}' for i in range(len(self.sums)))])})"

    def stored(self, store: str, accumulator: str, first: bool | str, *axes: str) -> str:
        """C statements that store the vector at a position, and add it up.

        store: statement with %s for the vector. first: whether it is the first of those that are summed together, or C text of that."""
        statement = store % self.call(accumulator, *axes)
        if not self.sums:
            return statement
        summed = [f"summed{i}" if self.function else accumulator for i in range(len(self.sums))]
        before = f"vf {', '.join(summed)}; " if self.function else ""
        return f"{{ {before}{' '.join([statement, *added_to_sums(self.sums, 0, summed, first)])} }}"

    @property
    def sum_declarations(self) -> tuple[str, ...]:
        """Statements ahead of vectors that are summed together."""
        return sum_declarations(self.sums, 1)

    def kept_sums(self, count: str) -> tuple[str, ...]:
        """Statements behind so many of them."""
        return kept_sums(self.sums, 1, count)


@dataclass(frozen=True)
class BlockedEpilogue:
    """A blocked kernel's epilogue: its text for the template, and what the launch has to pass."""

    text: EpilogueText
    stem: str
    reads: tuple[tuple[str, View], ...]
    params: tuple[tuple[str, DimLike], ...]


def blocked_epilogue(
    lowering: Lowering, start: str, axes: Sequence[str], result: str | None = None, sums: tuple[ChannelSum, ...] = ()
) -> BlockedEpilogue:
    """The epilogue behind value ``start``; ``axes`` names the kernel's spatial loops, e.g. ("y", "x"), at least as many as the value has.

    result: the value that is stored, the region's output if not given. sums: of what is computed with it.

    Lanes beyond C are set to zero where the ops could make them infinite or NaN.
    """
    lanes = lowering.target.lanes
    epilogue = make_epilogue(lowering, start, result, channel_axis=1, block=lanes, sums=sums)
    if epilogue.is_identity:
        return BlockedEpilogue(EpilogueText("", (), (), (), sums), "", (), ())
    hoisted, tiles, unit, params = [], [], [], []
    for operand in epilogue.operands:
        name, strides = operand.name, _axis_strides(operand, len(axes))
        params += [(f"{name}_n", operand.strides[0]), (f"{name}_b", operand.strides[1])]
        base = f"{name} + n * {name}_n + c * {name}_b"
        if operand.kind != "tile":
            unit.append(f"const vf {name}_v = {operand.load(base)};")
            hoisted.append(f"{name}_v")
            continue
        unit.append(f"const float *{name}_c = {base};")
        texts = []
        for axis, stride in zip(axes, strides):
            fixed = isinstance(stride, int) and stride in (0, lanes)
            texts.append(str(stride) if fixed else f"{name}_{axis}")
            params += [] if fixed else [(f"{name}_{axis}", stride)]
        tiles.append((name, operand.load("{}"), tuple(texts)))
    masked = not _stays_finite(lowering, epilogue)
    if masked:
        numbers = ", ".join(map(str, range(lanes)))
        unit.append(
            f"const vi live = (vi){{{numbers}}} < vi_set((int32_t)(C - c * LANES < LANES ? C - c * LANES : LANES));"
        )
        hoisted.append("live")
        params.append(("C", lowering.type_of(epilogue.result).shape[1]))
    lines, (stored, *summed) = epilogue.trace_all("a", lambda o: o.name, "t")
    ordered = (
        [o.name for o in epilogue.operands if o.kind != "tile"],
        [o.name for o in epilogue.operands if o.kind == "tile"],
    )
    arguments = [
        "vf a",
        *(f"vf {o}" for o in ordered[0]),
        *(["vi live"] if masked else []),
        *(f"vf {o}" for o in ordered[1]),
        *(f"vf *summed{i}" for i in range(len(sums))),
    ]
    lines += [f"*summed{i} = {value};" for i, value in enumerate(summed)]
    value = f"vf_select(live, {stored}, vf_zero())" if masked else stored
    body = "\n".join(f"    {line}" for line in [*lines, f"return {value};"])
    title = epilogue.stem.replace("_", " ")
    function = f"/* The pointwise ops behind the anchor: {title}. */\nSOL_INLINE vf epilogue({', '.join(arguments)})\n{{\n{body}\n}}"
    reads = tuple((o.name, o.view) for o in epilogue.operands)
    text = EpilogueText(function, tuple(unit), tuple(hoisted), tuple(tiles), sums)
    return BlockedEpilogue(text, f"_{epilogue.stem}", reads, tuple(params))


def _axis_strides(operand: EpilogueOperand, axes: int) -> tuple[DimLike, ...]:
    spatial = operand.strides[2:-1]
    return (*(0,) * (axes - len(spatial)), *spatial)


def _stays_finite(lowering: Lowering, epilogue: Epilogue) -> bool:
    channels = lowering.type_of(epilogue.result).shape[1]
    if isinstance(channels, int) and channels % lowering.target.lanes == 0:
        return True
    return all(n.op in FINITE for n in epilogue._nodes())


def spatial3(values: Sequence[T], fill: T) -> tuple[T, ...]:
    """One to three entries per spatial dimension, completed in front to three."""
    return (*(fill,) * (3 - len(values)), *values)


def need_blocked(lowering: Lowering, *values: str, dtypes: Collection[DType] = (DType.F32,)) -> None:
    """SolError unless each value is one of ``dtypes`` in blocks of the target's lanes, with its channels' lanes and columns adjacent."""
    for value in values:
        view = lowering.view(value)
        if view.layout.block != lowering.target.lanes or view.dtype not in dtypes:
            needed = f"{' or '.join(map(str, dtypes))} in blocks of {lowering.target.lanes}"
            raise SolError(
                f"%{value} of region {lowering.region.name} is {lowering.type_of(value)}, needs {needed}",
                origin=str(lowering.region.origin),
            )
        if view.strides[-1] != 1 or (view.strides[-2] != view.shape[-1] and view.shape[-2] != 1):
            raise SolError(
                f"%{value} of region {lowering.region.name} has gaps between its columns",
                origin=str(lowering.region.origin),
            )


def padded_view(lowering: Lowering, value: str, padding: Sequence[tuple[int, int]]) -> View:
    """The view whose element (0, 0, 0, …) is the first that a window over the padded input reads.

    The padding must exist physically as a zero border; SolError otherwise.
    """
    view = lowering.view(value)
    border = view.border or ((0, 0),) * len(padding)
    if any(lo > have[0] or hi > have[1] for (lo, hi), have in zip(padding, border)):
        raise SolError(
            f"%{value} of region {lowering.region.name} has border {border}, its consumer needs {tuple(padding)}",
            origin=str(lowering.region.origin),
        )
    shift: DimLike = 0
    for (lo, _), stride in zip(padding, view.strides[2:-1]):
        shift = shift + lo * stride
    return replace(view, offset=view.offset - shift)
