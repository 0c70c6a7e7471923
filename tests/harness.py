"""Runs one region alone: lowers it, compiles its kernels, calls them on a team, and gives back logical arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sol.codegen.kernels.families import lower_region
from sol.codegen.lowering import KernelLibrary, Lowering
from sol.codegen.machines import Machine
from sol.codegen.placement import GraphPlacement
from sol.codegen.plan import Launch, View
from sol.codegen.program import kernel_source
from sol.codegen.targets import Target
from sol.ir.builder import graph_of
from sol.ir.dim import evaluate
from sol.ir.graph import Attrs, Graph, Node
from sol.ir.interpret import evaluate_constants
from sol.ir.storage import as_held, as_stored, stored_dtype
from sol.ir.strides import contiguous_strides
from sol.ir.types import Layout
from tests.codegen.reference_packers import apply_pack
from tests.toolchains import run_program, shared_library, target_of, tools_for

DRIVER, PROGRAM = (Path(__file__).parent / "codegen" / name for name in ("region_driver.c", "region_main.c"))


def as_region(graph: Graph, kind: str, anchor: str = "", block: int = 0, plain: Sequence[str] = ()) -> Graph:
    """The graph with everything that is not a source or a constant value inside one region.

    block: channel block given to every non-constant value of rank >= 3 except those named in ``plain``.
    """
    constants = graph.constant_values

    def lay(node: Node) -> Node:
        if not block or node.name in constants:
            return node
        types = tuple(t.with_layout(Layout(block)) if t.rank >= 3 and v not in plain else t for v, t in zip(node.outputs, node.types))
        return replace(node, types=types)

    nodes = [lay(n) for n in graph.nodes]
    inside = [n for n in nodes if n.op != "input" and n.name not in constants]
    literals = [n for n in nodes if n.op == "constant" and n.types[0].rank == 0]
    inner_names = {v for n in inside for v in n.outputs} | {n.name for n in literals}
    operands = list(dict.fromkeys(i for n in inside for i in n.inputs if i not in inner_names))
    types = {v: t for n in nodes for v, t in zip(n.outputs, n.types)}
    sources = [Node(v, "input", (), (types[v],)) for v in operands]
    body = graph_of((*sources, *literals, *inside), operands, graph.outputs)
    region = Node("region", "region", tuple(operands), tuple(types[o] for o in graph.outputs),
                  Attrs({"kind": kind, "anchor": anchor, "body": body}), inside[0].origin)  # fmt: skip
    outer = [n for n in nodes if n.op == "input" or n.name in constants]
    return graph_of((*outer, region), graph.inputs, region.outputs)


class _Placement:
    """Every value in a buffer of its own, with optional borders."""

    def __init__(self, graph: Graph, symbols: Mapping[str, int], borders: Mapping[str, tuple], strides: Mapping[str, tuple]) -> None:
        self.graph, self.symbols, self.borders, self.given = graph, symbols, borders, strides
        self.constants = graph.constant_values
        self.by_rows: dict[str, bool] = {}

    def root(self, value: str) -> str:
        return value

    def is_constant(self, value: str) -> bool:
        return value in self.constants

    def widest(self, value: str) -> str | None:
        return GraphPlacement.widest(self, value)  # type: ignore[arg-type]

    def filler(self, value: str) -> None:
        return None

    def view(self, value: str) -> View:
        t = self.graph.type_of(value)
        block = t.layout.block
        if not block:
            strides = self.given.get(value, contiguous_strides(t.shape))
            return View(value, t.dtype, t.shape, tuple(strides))
        border = tuple(self.borders.get(value, ((0, 0),) * (t.rank - 2)))
        padded = tuple(s + a + b for s, (a, b) in zip(t.shape[2:], border))
        groups = (t.shape[1] + block - 1) // block
        full = contiguous_strides((t.shape[0], groups, *padded, block))
        offset = sum(a * s for (a, _), s in zip(border, full[2:-1]))
        return View(value, t.dtype, (t.shape[0], groups, *t.shape[2:], block), full, offset, t.layout, t.shape[1], border)


def run_region(
    graph: Graph,
    inputs: Mapping[str, np.ndarray],
    parameters: Mapping[str, np.ndarray] | None = None,
    *,
    isa: str = "native",
    threads: int = 2,
    borders: Mapping[str, tuple] | None = None,
    strides: Mapping[str, tuple] | None = None,
    symbols: Mapping[str, int] | None = None,
    machine: Machine | None = None,
) -> list[np.ndarray]:
    """Logical output arrays of the graph's single region, computed by its kernels.

    borders: body value → physical zero border per spatial dimension. strides: plain value → element strides of its buffer.
    machine: whose figures decide between kernels in place of the target's own.
    What lies around and between outputs is filled with a canary and must come back untouched. An ISA of another machine runs in an
    emulator.
    """
    symbols = dict(symbols or {})
    target = target_of(isa)
    if machine is not None:
        target = replace(target, machine=machine)
    region = next(n for n in graph.nodes if n.op == "region")
    body = region.attrs["body"]
    rename = dict(zip(body.outputs, region.outputs))
    borders = {rename.get(k, k): v for k, v in (borders or {}).items()}
    strides = {rename.get(k, k): v for k, v in (strides or {}).items()}
    placement = _Placement(graph, symbols, borders, strides)
    library = KernelLibrary()
    lowering = Lowering(region, placement, library, target)
    lower_region(lowering)
    constants = evaluate_constants(graph, [w.value for w in library.weights.values()], dict(parameters or {}))
    memory = {w.name: as_stored(apply_pack(w.pack, constants[w.value]), graph.type_of(w.value).dtype) for w in library.weights.values()}
    size = {}
    for value in [*graph.inputs, *region.outputs]:
        view = placement.view(value)
        memory[value] = _storage(view, symbols, inputs.get(value))
        size[value] = view
    plan = _plan(lowering.launches, {name: i for i, name in enumerate(memory)}, symbols)
    scratch = max([evaluate(launch.scratch, symbols) for launch in lowering.launches] + [64])
    shared_scratch = max([evaluate(launch.shared_scratch, symbols) for launch in lowering.launches] + [64])
    call = _Call(memory, [launch.kernel for launch in lowering.launches], plan, threads, scratch, shared_scratch)
    sources = {s.name: s.text for s in map(kernel_source, library.kernels.values())}
    if tools_for(target).emulator:
        call.elsewhere(sources, target)
    else:
        driver = shared_library({"driver": DRIVER.read_text()}, target)
        call.here(ctypes.CDLL(str(shared_library(sources, target))), ctypes.CDLL(str(driver)))
    return [_logical(size[o], memory[o], symbols) for o in graph.outputs]


def texts_of(graph: Graph, isa: str, borders: Mapping[str, tuple] | None = None) -> str:
    """C texts of the kernels of the graph's single region."""
    library = KernelLibrary()
    region = next(n for n in graph.nodes if n.op == "region")
    lower_region(Lowering(region, _Placement(graph, {}, borders or {}, {}), library, target_of(isa)))
    return "".join(kernel_source(kernel).text for kernel in library.kernels.values())


CANARY = 12345.0


def _canary(view: View) -> float:
    """What no kernel may overwrite, as it lies in memory."""
    return CANARY if stored_dtype(view.dtype).kind == "f" else 1


def _storage(view: View, symbols: Mapping[str, int], value: np.ndarray | None) -> np.ndarray:
    shape = [evaluate(d, symbols) for d in view.shape]
    strides = [evaluate(d, symbols) for d in view.strides]
    extent = sum((s - 1) * st for s, st in zip(shape, strides)) + 1
    if view.layout.block:
        physical = [shape[0], shape[1], *(s + a + b for s, (a, b) in zip(shape[2:], view.border)), shape[-1]]
        extent = int(np.prod(physical))
    dtype = stored_dtype(view.dtype)
    raw = np.zeros(extent * dtype.itemsize + 128, np.uint8)
    start = -raw.ctypes.data % 64
    flat = raw[start : start + extent * dtype.itemsize].view(dtype)
    flat[:] = 0 if value is not None else _canary(view)
    if value is not None:
        _window(view, flat, shape, strides, symbols)[...] = _blocked(view, as_stored(np.asarray(value), view.dtype))
    return flat


def _window(view: View, flat: np.ndarray, shape: list[int], strides: list[int], symbols: Mapping[str, int]) -> np.ndarray:
    offset = evaluate(view.offset, symbols)
    return np.lib.stride_tricks.as_strided(flat[offset:], shape, [s * flat.itemsize for s in strides])


def _blocked(view: View, value: np.ndarray) -> np.ndarray:
    if not view.layout.block:
        return value
    block, n, c = view.layout.block, value.shape[0], value.shape[1]
    groups = -(-c // block)
    padded = np.zeros((n, groups * block, *value.shape[2:]), value.dtype)
    padded[:, :c] = value
    return np.moveaxis(padded.reshape(n, groups, block, *value.shape[2:]), 2, -1)


def _logical(view: View, flat: np.ndarray, symbols: Mapping[str, int]) -> np.ndarray:
    shape = [evaluate(d, symbols) for d in view.shape]
    strides = [evaluate(d, symbols) for d in view.strides]
    window = _window(view, flat, shape, strides, symbols)
    mark = np.zeros(flat.shape, bool)
    _window(view, mark, shape, strides, symbols)[...] = True
    assert (flat[~mark] == _canary(view)).all(), "the kernel wrote into the border, or between rows"
    if not view.layout.block:
        return as_held(window, view.dtype).copy()
    merged = np.moveaxis(as_held(window, view.dtype), -1, 2)
    return merged.reshape(shape[0], shape[1] * shape[-1], *shape[2:-1])[:, : evaluate(view.channels, symbols)].copy()


@dataclass(frozen=True)
class _Call:
    """One call of the driver (region_driver.c). kernels: of each launch. plan: what the driver passes to them."""

    memory: Mapping[str, np.ndarray]
    kernels: Sequence[str]
    plan: Sequence[int]
    threads: int
    scratch: int
    shared_scratch: int

    def here(self, library: ctypes.CDLL, driver: ctypes.CDLL) -> None:
        """In this process."""
        kernels = (ctypes.c_void_p * len(self.kernels))(*[ctypes.cast(library[name], ctypes.c_void_p).value for name in self.kernels])
        addresses = (ctypes.c_void_p * len(self.memory))(*[a.ctypes.data for a in self.memory.values()])
        plan = (ctypes.c_int64 * len(self.plan))(*self.plan)
        driver.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int64] * 4
        driver.run.restype = None
        driver.run(kernels, addresses, plan, len(self.kernels), self.threads, self.scratch, self.shared_scratch)

    def elsewhere(self, sources: Mapping[str, str], target: Target) -> None:
        """In a program that reads all memory and writes it back; it also finds writes just beyond a buffer."""
        arrays = list(self.memory.values())
        header = [len(arrays), len(self.plan), len(self.kernels), self.threads, self.scratch, self.shared_scratch,
                  *self.plan, *(a.nbytes for a in arrays)]  # fmt: skip
        data = np.array(header, np.int64).tobytes() + b"".join(a.tobytes() for a in arrays)
        after = run_program({**sources, "table": self._table(), "driver": DRIVER.read_text(), "main": PROGRAM.read_text()}, target, data)
        assert len(after) == sum(a.nbytes for a in arrays)
        at = 0
        for array in arrays:
            if array.flags.writeable:
                array.reshape(-1)[:] = np.frombuffer(after, array.dtype, array.size, at)
            at += array.nbytes

    def _table(self) -> str:
        """C text that names the kernels."""
        return f"""#include "sol_team.h"
typedef void kernel(const sol_team *, void *const *, const int64_t *);
kernel {", ".join(dict.fromkeys(self.kernels))};
kernel *const kernels[] = {{{", ".join(self.kernels)}}};
"""


def _plan(launches: Sequence[Launch], places: Mapping[str, int], symbols: Mapping[str, int]) -> list[int]:
    """The launches as region_driver.c reads them. places: of buffers in memory."""
    words: list[int] = []
    for launch in launches:
        words += [len(launch.buffers), len(launch.args)]
        for buffer in launch.buffers:
            words += [places[buffer.buffer], evaluate(buffer.offset, symbols)]
        words += [evaluate(a, symbols) for a in launch.args]
    return words
