"""Plan → C: one translation unit per kernel and one that calls them in order."""

from __future__ import annotations

from dataclasses import dataclass

from sol.codegen.plan import Buffer, BufferRef, Launch, Plan, Port
from sol.codegen.render import render
from sol.ir.dim import Dim, dim_text


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A C translation unit; ``name`` without the suffix."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class _LaunchText:
    comment: str
    barrier: bool
    storage: str
    buffers: tuple[str, ...]
    args: tuple[str, ...]
    kernel: str


def render_program(plan: Plan, title: str) -> tuple[SourceFile, ...]:
    """All C files of a network; the last one defines ``sol_run``. Same plan, same bytes."""
    kernels = tuple(SourceFile(k.name, k.source) for k in plan.kernels)
    network = render(
        "network.c.j2",
        title=_comment(title),
        inputs=[_port_text(p) for p in plan.inputs],
        outputs=[_port_text(p) for p in plan.outputs],
        target=plan.target,
        arena=dim_text(plan.arena) if not plan.symbols else "set at run time",
        kernels=[k.name for k in plan.kernels],
        symbols=plan.symbols,
        launches=_launch_texts(plan),
    )
    return (*kernels, SourceFile("network", network))


def _comment(text: str) -> str:
    return text.replace("*/", "* /").replace("\n", " ")


def _port_text(port: Port) -> str:
    return _comment(f"{port.value}: {port.dtype}[{','.join(dim_text(d) for d in port.shape)}]")


def _launch_texts(plan: Plan) -> list[_LaunchText]:
    where = _pointers(plan)
    texts = []
    for launch in plan.launches:
        fixed = not any(isinstance(a, Dim) for a in launch.args)
        texts.append(
            _LaunchText(
                comment=_comment(_describe(launch)),
                barrier=launch.barrier,
                storage="static const" if fixed else "const",
                buffers=tuple(_pointer(ref, where) for ref in launch.buffers),
                args=tuple(dim_text(a) for a in launch.args) or ("0",),
                kernel=launch.kernel,
            )
        )
    return texts


def _describe(launch: Launch) -> str:
    origin = str(launch.origin)
    return f"{launch.region}: {origin}" if origin else launch.region


def _pointers(plan: Plan) -> dict[str, str]:
    where = {p.buffer: f"(char *)in[{i}]" for i, p in enumerate(plan.inputs)}
    where |= {p.buffer: f"(char *)out[{i}]" for i, p in enumerate(plan.outputs)}
    where |= {w.name: f"(char *)w[{i}]" for i, w in enumerate(plan.weights)}
    arena = [b for b in plan.buffers if b.kind == "arena"]
    for i, buffer in enumerate(arena):
        where[buffer.name] = f"arena + {buffer.offset}" if not plan.symbols else f"arena + call->offsets[{i}]"
    return where


def _pointer(ref: BufferRef, where: dict[str, str]) -> str:
    base = where[ref.buffer]
    return base if ref.offset == 0 else f"{base} + {dim_text(ref.offset)}"


def arena_buffers(plan: Plan) -> tuple[Buffer, ...]:
    """Arena buffers in the order of the C ``offsets`` array."""
    return tuple(b for b in plan.buffers if b.kind == "arena")
