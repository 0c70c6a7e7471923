"""The plan of a network for a device of OpenCL: everything decided, nothing rendered."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.plan import Buffer, BufferRef, Kernel, Port, Weight
from sol.codegen.render import INCLUDE, render
from sol.ir.graph import Graph, Origin

Items = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class GridLaunch:
    """A kernel's launch. buffers: what its addresses are. items: work items in all; group: those of a group. region, origin: the value that
    it computes, and the place in the model. ops: what is done in it. flops: multiplications and additions of its product. bytes: of what it
    reads and writes."""

    kernel: str
    buffers: tuple[BufferRef, ...]
    items: Items
    group: Items
    region: str
    origin: Origin
    ops: tuple[str, ...]
    flops: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class HostStep:
    """An operation without a kernel: it runs on the CPU, on copies. node: its name in the graph, whose results are buffers, as are operands
    that do not depend on parameters alone."""

    node: str
    op: str
    origin: Origin


@dataclass(frozen=True)
class GridPlan:
    """kernels: templates and contexts. steps: in the order of the queue. buffers: kind "input", "output", "weight" or "arena".
    weights: values that depend on parameters alone, row-major, each in the buffer of its name. arena: bytes of the block in which
    intermediate buffers lie."""

    kernels: tuple[Kernel, ...]
    steps: tuple[GridLaunch | HostStep, ...]
    buffers: tuple[Buffer, ...]
    weights: tuple[Weight, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    arena: int

    @property
    def launches(self) -> tuple[GridLaunch, ...]:
        """Steps of the device."""
        return tuple(s for s in self.steps if isinstance(s, GridLaunch))


@dataclass(frozen=True)
class GridCompiled:
    """A network on its way to a device: the graph whose values buffers are called after, every decision, and the program in OpenCL C."""

    graph: Graph
    plan: GridPlan
    text: str


def kernel_text(kernel: Kernel) -> str:
    """One kernel in OpenCL C."""
    parameters = ", ".join(f"__global {c} *{b}_base, ulong {b}_offset" for b, c in ((b, _bytes(c)) for b, c in kernel.buffers))
    pointers = tuple(f"__global {c} *{b} = (__global {c} *)({b}_base + {b}_offset);" for b, c in kernel.buffers)
    return render(kernel.template, name=kernel.name, parameters=parameters, pointers=pointers, **kernel.context)


def _bytes(type: str) -> str:
    return "const uchar" if type.startswith("const") else "uchar"


def program_text(plan: GridPlan, title: str) -> str:
    """All kernels of a plan in OpenCL C. Same plan, same bytes."""
    kernels = [kernel_text(k) for k in plan.kernels]
    integers = (INCLUDE / "sol_integers.h").read_text()
    safe = title.replace("*/", "* /")
    return render("opencl_program.cl.j2", title=safe, kernels=kernels, integers=integers, doubles=any("double" in k for k in kernels))
