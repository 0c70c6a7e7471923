"""Every op has what it needs: a converter or pass that makes it, a reference, a kernel, and tests that run these and name the op as an op.

Where an op is named is found in syntax trees (tests/named_ops.py): a word somewhere in a file proves nothing.
"""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Iterable
from pathlib import Path

import pytest

from sol.codegen.kernels.dfp_move import KERNELS as MOVES
from sol.codegen.kernels.dfp_move import PARTS
from sol.codegen.kernels.dfp_terms import COMPOSITES, REDUCTIONS
from sol.codegen.kernels.families import FAMILIES, candidates
from sol.ir.builder import GraphBuilder
from sol.ir.graph import SOURCES
from sol.ir.ops import REGISTRY
from sol.ir.ops.pointwise import POINTWISE
from tests.codegen.test_emit import ATTRS
from tests.named_ops import Module, NamedOps

ROOT = Path(__file__).parent.parent
REWRITTEN = {
    "group_norm": "canonicalize_ops: layer_norm over groups",
    "batch_norm": "fold_batchnorm: scale and shift",
    "turned_filters": "turn_transposed: a constant, which is computed when weights are packed",
    "quantize_weight": "quantize_weights: constants, which are computed when weights are packed",
    "torch_call": "runs in torch",
    "region": "what kernels are made for",
    "if": "its bodies are launches of the network around it (codegen/control.py)",
    "loop": "its body is launches of the network around it (codegen/control.py)",
}
"""Computing ops that no kernel needs to know, and why."""
NOT_EVALUATED = {
    "torch_call": "only torch can say what it gives; the interpreter asks torch",
    "custom": "it is C of the user, for which there is no other reference",
    "region": "its reference is its body's, and every test of a kernel evaluates the graph before fusion",
    **{source: "the interpreter is given its value" for source in SOURCES},
}
"""Ops without a reference to compare with another one, and why."""
RUNNERS = {"run_region", "Executable", "load_c", "run_program"}
"""Who imports one of these, or a module of the tests that does, runs kernels."""


@functools.cache
def named(*folders: str) -> NamedOps:
    paths = [p for folder in folders for p in sorted((ROOT / folder).rglob("*.py"))]
    return NamedOps({p: dotted(p) for p in paths}, REGISTRY)


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@functools.cache
def made_by_compiler() -> set[str]:
    """Ops that a converter or a pass makes."""
    found = named("sol/frontend", "sol/passes")
    return found.made(found.modules)


@functools.cache
def named_by_tests(folder: str) -> set[str]:
    found = named("tests")
    paths = [p for p in found.modules if folder in p.relative_to(ROOT / "tests").parts]
    return found.made(running(found.modules.values(), paths) if folder == "codegen" else paths)


def running(modules: Iterable[Module], paths: Iterable[Path]) -> set[Path]:
    """Those files whose tests run kernels: the same folder has files that only look at plans or texts."""
    by_name = {m.name: m for m in modules}
    found: set[str] = set()
    while more := {
        n for n, m in by_name.items()
        if n not in found and any(name in RUNNERS or origin in found for origin, name in m.origins.values())
    }:  # fmt: skip
        found |= more
    return {p for p in paths if dotted(p) in found}


def computing() -> list[str]:
    return sorted(n for n, s in REGISTRY.items() if s.kind not in ("source", "view"))


@pytest.mark.parametrize("op", sorted(REGISTRY))
def test_a_converter_or_pass_makes_an_op(op: str) -> None:
    assert hasattr(GraphBuilder, op) if op in SOURCES else op in made_by_compiler(), f"no converter and no pass makes {op}"


@pytest.mark.parametrize("op", sorted(REGISTRY))
@pytest.mark.budget(10)
def test_an_op_has_a_reference_and_a_test_of_it(op: str) -> None:
    reference = POINTWISE[op].function if op in POINTWISE else REGISTRY[op].reference
    assert callable(reference) and reference.__module__.startswith("sol.ir.ops.")
    assert REGISTRY[op].reference.__doc__ or op in POINTWISE, f"the reference of {op} does not say what it computes"
    tested = op in named_by_tests("ops")
    assert tested != (op in NOT_EVALUATED), f"{op} has {'a test and an entry in NOT_EVALUATED' if tested else 'no test in tests/ops'}"


@pytest.mark.parametrize("op", computing())
def test_a_computing_op_has_a_kernel(op: str) -> None:
    served = op in POINTWISE or op in FAMILIES or op in (*REDUCTIONS, *COMPOSITES) or op in MOVES or op in PARTS
    assert served != (op in REWRITTEN), f"{op} has {'a kernel and an entry in REWRITTEN' if served else 'no kernel'}"
    if op in FAMILIES:
        assert candidates(op), f"{op} has no candidate"


EMITTED = {op for op in POINTWISE if ATTRS.get(op, [{}])}
"""What tests/codegen/test_emit.py runs: the whole table of pointwise ops, but for those that it leaves to others."""


@pytest.mark.parametrize("op", [op for op in computing() if op not in REWRITTEN and op not in EMITTED])
def test_a_kernel_has_a_test_that_runs_it(op: str) -> None:
    assert op in named_by_tests("codegen"), f"no test of tests/codegen runs a kernel of {op}"


# -- the search itself -----------------------------------------------------------------------------------------------

FORMS: dict[str, tuple[str, set[str]]] = {
    "a call": ('def f(ctx, x):\n    return ctx.add("relu", x)', {"relu"}),
    "a word": ('NAMES = ("relu",)\ndef f(x):\n    return x.sum("sum")', set()),
    "a set": ('seen = set()\nseen.add("relu")', set()),
    "a choice": ('def f(ctx, x, up):\n    return ctx.add("ceil" if up else "floor", x)', {"ceil", "floor"}),
    "a table": ('TABLE = {"a": "exp", "b": "log"}\ndef f(ctx, x, k):\n    return ctx.add(TABLE[k], x)', {"exp", "log"}),
    "a factory": (
        'def make(op):\n    def convert(ctx, x):\n        return ctx.add(op, x)\nfor _op in ("sin", "cos"):\n    make(_op)',
        {"sin", "cos"},
    ),
    "a factory that nobody calls": ("def make(op):\n    def convert(ctx, x):\n        return ctx.add(op, x)", set()),
    "a name put together": ('def make(kind):\n    return lambda ctx, x: ctx.add(f"arg{kind}", x, dim=0)\nmake("max")', {"argmax"}),
    "a pair": ('def f(ctx, x, n):\n    a, b = ("mul", "div") if n else ("add", "sub")\n    return ctx.add(b, ctx.add(a, x, x), x)',
               {"mul", "div", "add", "sub"}),
    "a method": ('class C:\n    def of(self, op, x):\n        self.ctx.add(op, x)\ndef f(c, x):\n    c.of("abs", x)', {"abs"}),
    "a node": ('def f(x):\n    return Node("y", "copy", (x,), ())', {"copy"}),
    "a test": ('import pytest\n@pytest.mark.parametrize(("x", "op"), [(1, "tan")])\ndef test(x, op):\n    b.add(op, [x])', {"tan"}),
    "a text": ('G = """graph(%x: f32[3]) {\\n  %y: f32[3] = neg(%x)\\n  return %y\\n}"""', {"neg"}),
    "a text with a hole": ('def f(op):\n    return f"%y: f32[3] = {op}(%x)"\nf("erf")', {"erf"}),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_name_counts_where_a_node_is_made(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, expected = FORMS[form]
    path = tmp_path / f"form_{list(FORMS).index(form)}.py"
    path.write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(tmp_path)
    found = NamedOps({path: path.stem}, REGISTRY)
    assert found.made([path]) == expected
