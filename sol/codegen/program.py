"""Plan → C: one translation unit per kernel and one that calls them in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from sol.codegen.control_text import closing, opening, pointer_texts
from sol.codegen.plan import NULL, Buffer, BufferRef, Control, Kernel, Launch, Plan, Port, Step
from sol.codegen.render import render, render_kernel
from sol.ir.dim import Dim, dim_text


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A C translation unit; ``name`` without the suffix."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class _Lines:
    """C text between launches. indent: spaces before each line, those of the function excepted."""

    lines: tuple[str, ...]
    indent: str
    number: int = -1


@dataclass(frozen=True, slots=True)
class _LaunchText:
    number: int
    indent: str
    comment: str
    barrier: bool
    storage: str
    buffers: tuple[str, ...]
    args: tuple[str, ...]
    kernel: str
    defines: tuple[tuple[str, int, str], ...]
    once: bool
    last_once: bool


def kernel_source(kernel: Kernel, prefix: str = "") -> SourceFile:
    """The translation unit of a kernel, whose function is called ``<prefix><name>``."""
    text = render_kernel(kernel.template, name=prefix + kernel.name, buffers=kernel.buffers, params=kernel.params, **kernel.context)
    return SourceFile(kernel.name, text)


def render_program(
    plan: Plan, title: str, prefix: str = "", written: Mapping[str, SourceFile] = MappingProxyType({})
) -> tuple[SourceFile, ...]:
    """All C files of a network; the last one defines its entry. Same plan, same bytes.

    prefix: what the names of all functions begin with, so that several networks fit into one library, which then does not export them.
    Without one the entry is ``sol_run``, exported. written: kernels, by name, that are written already.
    """
    kernels = tuple(written.get(k.name) or kernel_source(k, prefix) for k in plan.kernels)
    network = render(
        "network.c.j2",
        prefix=prefix or "sol_",
        exported=not prefix,
        title=_comment(title),
        inputs=[_port_text(p) for p in plan.inputs],
        outputs=[_port_text(p) for p in plan.outputs],
        target=plan.target,
        arena=dim_text(plan.arena) if not plan.symbols else "set at run time",
        kernels=[prefix + k.name for k in plan.kernels],
        packs=bool(plan.packers),
        symbols=plan.symbols,
        launches=plan.launches,
        steps=_Texts(plan, prefix).of(plan.steps or range(len(plan.launches))),
    )
    return (*kernels, SourceFile("network", network))


def _comment(text: str) -> str:
    return text.replace("*/", "* /").replace("\n", " ")


def _port_text(port: Port) -> str:
    return _comment(f"{port.value}: {port.dtype}[{','.join(dim_text(d) for d in port.shape)}]")


class _Texts:
    """The steps of a plan as text for network.c."""

    def __init__(self, plan: Plan, prefix: str) -> None:
        self.plan, self.prefix, self.where = plan, prefix, _pointers(plan)
        self.given = {g.item: f"((sol_packer *)w[{i}])" for i, g in enumerate(plan.given, len(plan.weights)) if g.kind == "packer"}
        self.places = {name: i for i, name in enumerate((*plan.symbols, *(n for n, _ in plan.defined)))}

    def of(self, steps: Sequence[Step], indent: str = "") -> list[_LaunchText | _Lines]:
        """Text of steps in a block."""
        texts: list[_LaunchText | _Lines] = []
        for step in steps:
            if isinstance(step, Control):
                texts += self._control(step, indent)
            else:
                texts.append(self._launch(step, indent))
        return texts

    def _pointer(self, ref: BufferRef) -> str:
        return _pointer(ref, self.where)

    def _launch(self, number: int, indent: str) -> _LaunchText:
        launch = self.plan.launches[number]
        fixed = not any(isinstance(a, Dim) for a in launch.args)
        return _LaunchText(
            number=number,
            indent=indent,
            comment=_comment(_describe(launch)),
            barrier=launch.barrier,
            once=launch.once,
            last_once=launch.once and not (number + 1 < len(self.plan.launches) and self.plan.launches[number + 1].once),
            storage="static const" if fixed else "const",
            buffers=tuple(map(self._pointer, launch.buffers)),
            args=tuple(dim_text(a) for a in launch.args) or ("0",),
            kernel=self.given.get(launch.kernel, self.prefix + launch.kernel),
            defines=tuple((name, self.places.get(name, -1), self._pointer(ref)) for name, ref in launch.defines),
        )

    def _control(self, control: Control, indent: str) -> list[_LaunchText | _Lines]:
        head = ["", f"/* {_comment(_describe(control))} */", "sol_barrier(team);"]
        texts: list[_LaunchText | _Lines] = [_Lines(tuple(head), indent)]
        for i, block in enumerate(control.blocks):
            texts.append(_Lines(tuple(opening(control, i, self._pointer)), indent))
            texts += self.of(block, indent + "    ")
        return [*texts, _Lines(tuple(closing(control, self._pointer, self.places.get(control.symbol))), indent)]


def _describe(launch: Launch | Control) -> str:
    origin = str(launch.origin)
    return f"{launch.region}: {origin}" if origin else launch.region


def _pointers(plan: Plan) -> dict[str, str]:
    where = {p.buffer: f"(char *)in[{i}]" for i, p in enumerate(plan.inputs)}
    where = {p.buffer: f"(char *)out[{i}]" for i, p in enumerate(plan.outputs)} | where
    where |= {w.name: f"(char *)w[{i}]" for i, w in enumerate(plan.weights)}
    where |= {g.name: f"(char *)w[{i}]" for i, g in enumerate(plan.given, len(plan.weights))}
    where[NULL] = "NULL"
    arena = [b for b in plan.buffers if b.kind == "arena"]
    for i, buffer in enumerate(arena):
        where[buffer.name] = f"arena + {buffer.offset}" if not plan.symbols else f"arena + call->offsets[{i}]"
    return where | pointer_texts(plan)


def _pointer(ref: BufferRef, where: dict[str, str]) -> str:
    base = where[ref.buffer]
    return base if ref.offset == 0 else f"{base} + {dim_text(ref.offset)}"


def arena_buffers(plan: Plan) -> tuple[Buffer, ...]:
    """Arena buffers in the order of the C ``offsets`` array."""
    return tuple(b for b in plan.buffers if b.kind == "arena")
