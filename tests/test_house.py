"""Rules of the house that a reader relies on, each checked: what is not checked decays."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from sol.codegen.render import TEMPLATES
from sol.codegen.targets import by_name
from sol.passes.pipeline import passes

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "sol").rglob("*.py"))
ALL = [*SOURCES, *sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "examples").rglob("*.py"))]
LONGEST = 500

LEAVES = {"errors", "config", "stages", "collector"}
MAY_IMPORT = {
    "errors": set(),
    "config": {"errors"},
    "stages": set(),
    "collector": set(),
    "ir": {"errors"},
    "frontend": LEAVES | {"ir"},
    "frontend/torch": LEAVES | {"ir", "frontend"},
    "frontend/onnx": LEAVES | {"ir", "frontend"},
    "passes": LEAVES | {"ir"},
    "codegen": LEAVES | {"ir", "passes"},
    "compiler": LEAVES | {"ir", "passes", "codegen"},
    "build": LEAVES | {"ir", "codegen", "compiler"},
    "runtime": LEAVES | {"ir", "codegen", "compiler", "build"},
    "tuning": LEAVES | {"ir", "passes", "codegen", "compiler", "build", "runtime"},
    "runtime/numpy": LEAVES | {"ir", "frontend", "frontend/onnx", "codegen", "build", "runtime", "tuning"},
    "runtime/torch": LEAVES
    | {"ir", "frontend", "frontend/torch", "frontend/onnx", "passes", "codegen", "build", "runtime", "tuning", "runtime/numpy"},
    "inspect": LEAVES
    | {"ir", "frontend", "frontend/torch", "frontend/onnx", "codegen", "build", "runtime", "tuning", "runtime/numpy", "runtime/torch"},
    "nn": {"runtime/torch"},
    "pytorch": {"__init__", "config", "deploy", "device"},  # the public names, two of which are called like their stages
    "deploy": LEAVES
    | {"ir", "frontend", "frontend/torch", "frontend/onnx", "codegen", "compiler", "build", "runtime", "tuning", "runtime/torch"},
    "onnx_backend": {"errors", "runtime/numpy"},
    "bench": {"__init__"},
    "report": LEAVES | {"ir", "codegen", "compiler", "runtime", "inspect", "__init__"},
    "commands": LEAVES
    | {"ir", "frontend", "frontend/torch", "frontend/onnx", "codegen", "compiler", "build", "runtime", "tuning", "inspect", "deploy"}
    | {"bench", "report", "__init__"},
    "device": LEAVES | {"build", "deploy", "device/operations", "device/lazy_block"},
    "device/lazy_block": LEAVES | {"runtime/torch"},
    "device/operations": LEAVES | {"runtime/torch"},
    "cli": LEAVES | {"commands", "device", "__init__"},
    "__init__": LEAVES | {"nn", "build", "runtime/numpy", "runtime/torch", "inspect", "deploy", "device"},
}
"""Room (a file or folder of ``sol``) → the rooms it may import, besides itself: the way data takes."""


def room_of(parts: tuple[str, ...]) -> str:
    """The innermost room that a file or module of ``sol`` lies in; what is no room is a public name."""
    rooms = ("/".join(parts[:n]) for n in (2, 1))
    return next((r for r in rooms if r in MAY_IMPORT), "__init__")


def stage_of(path: Path) -> str:
    return room_of(path.relative_to(ROOT / "sol").with_suffix("").parts)


def imported_stages(path: Path) -> set[str]:
    """Rooms of sol that a file imports, also inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        found |= {room_of(tuple(name.split(".")[1:])) for name in names if name.split(".")[0] == "sol"}
    return found


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_imports_follow_the_data(path):
    stage = stage_of(path)
    wrong = imported_stages(path) - MAY_IMPORT[stage] - {stage}
    assert not wrong, f"{name_of(path)} imports {sorted(wrong)}: {stage} may import {sorted(MAY_IMPORT[stage])}"


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_a_file_says_why_it_exists_and_is_short(path):
    text = path.read_text()
    assert len(text.splitlines()) <= LONGEST, f"{name_of(path)} has {len(text.splitlines())} lines, at most {LONGEST} are readable"
    if text.strip():
        assert ast.get_docstring(ast.parse(text)), f"{name_of(path)} has no docstring"


def test_nothing_is_put_off():
    marks = ("TO" + "DO", "FIX" + "ME", "X" * 3)
    texts = [*ALL, *TEMPLATES.glob("*.j2"), *(ROOT / "sol/codegen/include").glob("*.h")]
    assert [name_of(p) for p in texts if any(m in p.read_text() for m in marks)] == []


@pytest.mark.parametrize("path", [p for p in sorted(TEMPLATES.glob("*.j2")) if "entry }}" not in p.read_text()], ids=lambda p: p.name)
def test_a_template_without_entry_is_used(path):
    """Those with an entry are rendered by tests/codegen/test_golden.py."""
    others = [p for p in TEMPLATES.glob("*.j2") if p != path]
    used = any(f'"{path.name}"' in p.read_text() for p in [*others, *SOURCES])
    assert used, f"nothing uses {path.name}"


@pytest.mark.parametrize("name", [n for n, _ in passes(by_name("avx512"))])
def test_a_pass_has_a_file_and_a_test(name):
    assert (ROOT / f"sol/passes/{name}.py").exists() and (ROOT / f"tests/passes/test_{name}.py").exists()


@pytest.mark.parametrize("path", sorted((ROOT / "sol/codegen").glob("*.py")), ids=lambda p: p.stem)
def test_a_room_of_codegen_is_tested(path):
    covered = {
        "plan": "schedule", "lowering": "schedule", "epilogue": "matmul_kernels", "in_place_reuse": "schedule", "control_text": "control",
        "emit_special": "emit", "weight_forms": "packing",
    }  # fmt: skip
    if path.stem != "__init__":
        assert (ROOT / f"tests/codegen/test_{covered.get(path.stem, path.stem)}.py").exists()
