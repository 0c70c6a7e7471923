"""What a kernel family gets to see of one region, and how it hands back launches."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Protocol

from sol.codegen.machines import Machine
from sol.codegen.packing import make_pack
from sol.codegen.plan import BufferRef, Check, Kernel, Launch, Pack, View, Weight
from sol.errors import SolError
from sol.ir.dim import DimLike
from sol.ir.graph import Attrs, Graph, Node, Origin
from sol.ir.strides import contiguous_strides
from sol.ir.types import DType, TensorType
from sol.passes.assign_spaces import transferred_to


class Placement(Protocol):
    """Where the values of the whole graph lie (codegen/placement.py).

    by_rows: whether the threads that wrote a buffer shared out rows (each wrote all channels of some), not channels; by its root.
    """

    @property
    def by_rows(self) -> Mapping[str, bool]: ...

    def root(self, value: str) -> str: ...
    def view(self, value: str) -> View: ...
    def is_constant(self, value: str) -> bool: ...

    def widest(self, value: str) -> str | None: ...
    def filler(self, value: str) -> str | None: ...


class TargetLike(Hashable, Protocol):
    @property
    def name(self) -> str: ...
    @property
    def lanes(self) -> int: ...
    @property
    def registers(self) -> int: ...
    @property
    def l1(self) -> int: ...
    @property
    def l2(self) -> int: ...
    @property
    def team(self) -> int: ...
    @property
    def repacks(self) -> bool: ...
    @property
    def keeps_parameters(self) -> bool: ...
    @property
    def matrix_tiles(self) -> bool: ...
    @property
    def multiplies_pairs(self) -> bool: ...
    @property
    def blocks_bytes(self) -> bool: ...
    @property
    def byte_dots(self) -> bool: ...
    @property
    def word_dots(self) -> bool: ...
    @property
    def independent_adders(self) -> bool: ...
    @property
    def pair_vectors(self) -> int: ...
    @property
    def machine(self) -> Machine: ...
    @property
    def space(self) -> str: ...


def frozen(value: Any) -> Any:
    """What a template is given, unchangeable. SolError for what is no data: templates decide nothing and call nothing."""
    if isinstance(value, Mapping):
        return Attrs({k: frozen(v) for k, v in value.items()})
    if isinstance(value, (list, tuple)):
        parts = tuple(map(frozen, value))
        return type(value)(*parts) if hasattr(value, "_fields") else parts
    if not _is_data(value):
        raise SolError(f"a template is given {value!r}", remedy="give it numbers, text, tuples, mappings and frozen dataclasses of these")
    return value


def _is_data(value: Any) -> bool:
    """Whether a value is a number, text or nothing, or a tuple, frozen mapping or frozen dataclass of such."""
    if value is None or isinstance(value, (int, float, str)):
        return True
    if isinstance(value, (tuple, Attrs)):
        return all(map(_is_data, value.values() if isinstance(value, Attrs) else value))
    parameters = getattr(type(value), "__dataclass_params__", None)
    return parameters is not None and parameters.frozen and all(_is_data(getattr(value, f.name)) for f in fields(value))


def _identity(value: Any) -> Any:
    """Equal for frozen values that make the same text: 1, 1.0 and True, or 0.0 and -0.0, are equal but are written otherwise."""
    if isinstance(value, Mapping):
        return tuple((k, _identity(v)) for k, v in value.items())
    if isinstance(value, tuple):
        return tuple(map(_identity, value))
    return (type(value), repr(value) if isinstance(value, float) else value)


class KernelLibrary:
    """Kernels and packed weights of one network, each distinct one kept once; names are stable and say what the kernel does.

    path: where the graph that is being planned lies, ``loop_1/body/`` for a body: what comes before the names of its constants.
    decided: is told each kernel when it is known.
    """

    def __init__(self, decided: Callable[[Kernel], None] = lambda kernel: None) -> None:
        self.path = ""
        self._decided = decided
        self.kernels: dict[str, Kernel] = {}
        self.weights: dict[str, Weight] = {}
        self.checks: dict[Check, int] = {}
        self._by_weight: dict[tuple[str, Any], str] = {}
        self._by_request: dict[Any, str] = {}

    def kernel(self, stem: str, template: str, buffers: Sequence[tuple[str, str]], params: Sequence[str],
               context: Mapping[str, Any]) -> str:
        """The name of this kernel; another one with the same stem gets a suffix."""
        data = frozen(context)
        request = (stem, template, tuple(buffers), tuple(params), _identity(data))
        if request not in self._by_request:
            name, count = stem, 1
            while name in self.kernels:
                count += 1
                name = f"{stem}_v{count}"
            self.kernels[name] = Kernel(name, template, data, tuple(buffers), tuple(params))
            self._by_request[request] = name
            self._decided(self.kernels[name])
        return self._by_request[request]

    def check(self, op: str, origin: Origin) -> int:
        """The number by which kernels report an index out of range of this operation."""
        return self.checks.setdefault(Check(op, origin), len(self.checks) + 1)

    def placed(self, view: View) -> View:
        """The view of memory that exists when kernels run: that of a packed constant names the buffer which holds it."""
        return view if view.pack is None else replace(view, buffer=self._weight(self.path + view.buffer, view.pack, view.space), pack=None)

    def _weight(self, value: str, pack: Pack, space: str) -> str:
        if (value, pack) not in self._by_weight:
            name = f"@w{len(self.weights)}"  # no name of a value
            self.weights[name] = Weight(name, value, pack, space)
            self._by_weight[(value, pack)] = name
        return self._by_weight[(value, pack)]


class Lowering:
    """One region on its way to launches. Values are named as in the region's body graph.

    Looking changes nothing. ``emit`` adds to ``launches`` and to the library; ``by_rows`` says how threads share out the results, which
    whoever keeps the launches tells the placement (``shares``).
    variant: which way of the candidate that serves it is wanted; "" for the candidate's own choice. problem: what a family
    has read of the region, in a tuple; None before that.
    """

    def __init__(self, region: Node, placement: Placement, library: KernelLibrary, target: TargetLike) -> None:
        self.region, self.placement, self.library, self.target = region, placement, library, target
        self.body: Graph = region.attrs["body"]
        self.launches: list[Launch] = []
        self.by_rows: bool | None = None
        self.problem: Any = None
        self._outer = dict(zip(self.body.inputs, region.inputs)) | dict(zip(self.body.outputs, region.outputs))

    @property
    def anchor(self) -> Node:
        """The heavy node of a "dnn" region."""
        found = [n for n in self.body.nodes if n.op == self.region.attrs["anchor"]]
        if len(found) != 1:
            raise SolError(f"region {self.region.name} has {len(found)} anchors", origin=str(self.region.origin))
        return found[0]

    @property
    def output(self) -> str:
        """The single output value of the body."""
        if len(self.body.outputs) != 1:
            raise SolError(f"region {self.region.name} has {len(self.body.outputs)} outputs", origin=str(self.region.origin))
        return self.body.outputs[0]

    def type_of(self, value: str) -> TensorType:
        return self.body.type_of(value)

    def is_constant(self, value: str) -> bool:
        """Whether a body input is a constant value (parameter, folded weight) and can be packed."""
        return value in self._outer and self.placement.is_constant(self._outer[value])

    def view(self, value: str) -> View:
        """Where a body input or output lies. A constant that was not packed is given row-major."""
        outer = self._outer[value]
        return self.weight(value, "plain") if self.placement.is_constant(outer) else operand_view(self.placement, outer)

    def filled_view(self, value: str) -> View:
        """The view of a body input; one that is the same number everywhere lies where that number does, with strides of zero."""
        number = self.placement.filler(self._outer[value])
        if number is None:
            return self.view(value)
        type = self.type_of(value)
        return View(number, type.dtype, type.shape, (0,) * type.rank, pack=make_pack("plain"), space=self.target.space)

    def weight(self, value: str, kind: str, **attrs: Any) -> View:
        """A constant body input as ``emit`` is to pack it; looking changes nothing.

        The view's shape and strides describe the row-major logical value only for kind "plain".
        """
        type = self.type_of(value)
        strides, pack = contiguous_strides(type.shape), make_pack(kind, **attrs)
        return View(self._outer[value], type.dtype, type.shape, strides, pack=pack, space=self.target.space)

    def is_wide(self, value: str) -> bool:
        """Whether a constant body input is float32, or the rounding of a constant that is."""
        return self.is_constant(value) and self.placement.widest(self._outer[value]) is not None

    def wide_weight(self, value: str, kind: str, **attrs: Any) -> View:
        """``weight`` of the float32 that a constant body input is, or is rounded from (``is_wide``)."""
        found = self.placement.widest(self._outer[value])
        if found is None:
            raise SolError(f"%{value} is not a constant of float32", origin=str(self.region.origin))
        return replace(self.weight(value, kind, **attrs), buffer=found, dtype=DType.F32)

    @property
    def shares(self) -> dict[str, bool]:
        """What the placement's ``by_rows`` is to say of the region's results; empty if its kernels do not say."""
        return {} if self.by_rows is None else {self.placement.root(self._outer[v]): self.by_rows for v in self.body.outputs}

    def set_share(self, by_rows: bool) -> None:
        """The region's results are written by threads that share out rows, or channels."""
        self.by_rows = by_rows

    def followed_share(self, *values: str) -> bool:
        """Whether the region is to share out rows, as those who wrote ``values`` did: what a thread reads is then what it wrote.

        Rows unless all were written by threads that share out channels.
        """
        written = [self.placement.by_rows.get(self.placement.root(self._outer[v])) for v in values if v in self._outer]
        return False not in written or True in written

    def follow_share(self, *values: str) -> int:
        """1 if the region shares out rows as ``followed_share`` says, else 0."""
        self.set_share(self.followed_share(*values))
        return int(self.by_rows or 0)

    def emit(
        self,
        template: str,
        stem: str,
        *,
        reads: Mapping[str, View],
        writes: Mapping[str, View],
        params: Mapping[str, DimLike],
        scratch: DimLike = 0,
        shared_scratch: DimLike = 0,
        flops: DimLike = 0,
        bytes: DimLike = 0,
        table: Sequence[int] = (),
        **context: Any,
    ) -> None:
        """Launch the kernel that ``templates/<template>`` makes of this context; equal contexts share it.

        reads, writes: pointer name in the template → view; the pointer is to element (0, …, 0).
        params: name in the template → run-time integer (int or Dim). table: any number of integers that follow them in ``arg``.
        context: ints, strings and small frozen values for the template.
        """
        self._check_spaces([*reads.values(), *writes.values()])
        reads = {n: self.library.placed(v) for n, v in reads.items()}
        pointers = [(n, f"const {v.dtype.c}") for n, v in reads.items()] + [(n, v.dtype.c) for n, v in writes.items()]
        name = self.library.kernel(stem, template, pointers, list(params), context)
        refs = [BufferRef(v.buffer, v.offset * v.dtype.itemsize) for v in reads.values()]
        refs += [BufferRef(v.buffer, v.offset * v.dtype.itemsize, True) for v in writes.values()]
        self.launches.append(
            Launch(name, tuple(refs), (*params.values(), *table), self.region.name, self.region.origin,
                   scratch=scratch, shared_scratch=shared_scratch, flops=flops, bytes=bytes, space=self.target.space)
        )  # fmt: skip

    def _check_spaces(self, views: Sequence[View]) -> None:
        """Kernels address the target's memory alone; a transfer also that from or to which it takes a value."""
        if transferred_to(self.region) is not None:
            return
        space = self.target.space
        for view in views:
            if view.space != space:
                raise SolError(
                    f"region {self.region.name} meets %{view.buffer} in {view.space} memory, "
                    f"kernels of {self.target.name} work in {space} memory",
                    origin=str(self.region.origin),
                    remedy="take it there with a transfer (sol/passes/assign_spaces.py)",
                )


def operand_view(placement: Placement, value: str) -> View:
    """Where a value of the whole graph lies; a constant is packed row-major."""
    view = placement.view(value)
    if placement.is_constant(view.buffer):  # also one that is expanded to a size that is known at run time
        return replace(view, pack=make_pack("plain"))
    return view


def operand_strides(operand: View, out_shape: Sequence[DimLike], out_block: int = 0) -> tuple[DimLike, ...]:
    """Strides of a broadcast operand along the storage dimensions of the result: 0 where it has size 1 or no dimension.

    out_shape: storage shape of the result; out_block: its channel block, 0 for plain. A plain operand of a blocked result must have one
    channel.
    """
    if out_block and not operand.layout.block:
        rank = len(out_shape) - 1
        missing = rank - len(operand.shape)
        strides = [0] * missing + [0 if s == 1 else st for s, st in zip(operand.shape, operand.strides)]
        if strides[1] != 0:
            raise SolError("a plain operand with several channels meets a blocked result")
        return (*strides, 0)
    missing = len(out_shape) - len(operand.shape)
    aligned = [0] * missing + list(operand.strides)
    sizes = [1] * missing + list(operand.shape)
    return tuple(0 if s == 1 and o != 1 else st for s, st, o in zip(sizes, aligned, out_shape))


def is_float32(view: View) -> bool:
    return view.dtype is DType.F32
