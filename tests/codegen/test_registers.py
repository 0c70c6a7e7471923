"""Register tiles keep their sums in registers where there are no more registers than they need (AVX2)."""

from __future__ import annotations

import re
import subprocess

import pytest

from sol.codegen.kernels import conv_direct, conv_weight_dense, families
from sol.codegen.kernels.conv_tiling import named_tiling
from sol.ir.graph import Graph
from tests.codegen.conv_cases import conv_graph
from tests.codegen.test_conv_weight import build
from tests.harness import as_region, texts_of
from tests.toolchains import shared_library, target_of

LEAST = 8
"""Multiply-adds of a loop from which on it is a register tile's."""
WEIGHT_GRADIENTS = {
    "1x1": build((2, 64, 8, 8), 64, (1, 1)),
    "3x3 in steps of two": build((2, 64, 9, 9), 64, (3, 3), (2, 2), ((1, 1), (1, 1))),
}


def loops(code: str) -> list[list[str]]:
    """Innermost loops of disassembled functions that multiply and add vectors, each as its instructions."""
    found = []
    for function in re.split(r"\n(?=[0-9a-f]+ <)", code):
        lines = re.findall(r"^\s*([0-9a-f]+):\s+(.*)$", function, re.MULTILINE)
        places = {int(at, 16): i for i, (at, _) in enumerate(lines)}
        jumps = [(places.get(int(m[1], 16), i + 1), i) for i, (_, text) in enumerate(lines) if (m := re.match(r"j\w+\s+([0-9a-f]+)", text))]
        back = [(begin, end) for begin, end in jumps if begin <= end]
        inner = [(b, e) for b, e in back if not any(b <= x and y <= e and (x, y) != (b, e) for x, y in back)]
        found += [[text for _, text in lines[b : e + 1]] for b, e in inner]
    return [loop for loop in found if sum(text.startswith("vfmadd") for text in loop) >= LEAST]


def check(graph: Graph, anchor: str) -> None:
    """No vector is moved between registers and the stack where sums are added to."""
    target = target_of("avx2")
    text = texts_of(as_region(graph, "dnn", anchor, target.lanes, graph.outputs if anchor != "conv" else ()), "avx2")
    library = shared_library({"k": text}, target)
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(library)], capture_output=True, text=True, check=True).stdout
    tiles = loops(code)
    assert tiles
    moved = [t for loop in tiles for t in loop if re.match(r"vmov\w+\s.*\(%r[sb]p\)", t) and "%ymm" in t]
    assert not moved, "\n".join(moved)


@pytest.mark.parametrize("case", WEIGHT_GRADIENTS)
def test_gradients_for_weights(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "candidates", lambda anchor: conv_weight_dense.CANDIDATES)
    check(WEIGHT_GRADIENTS[case], "conv_weight_grad")


@pytest.mark.parametrize("tile", ["2x1x6", "3x1x4", "1x1x14"])
@pytest.mark.parametrize("channels", [64, 768])
def test_direct_convolutions(tile: str, channels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With few input channels, and so many that sums are put aside."""
    monkeypatch.setattr(families, "candidates", lambda anchor: conv_direct.CANDIDATES)
    monkeypatch.setattr(conv_direct, "choose_tiling", lambda *_, **__: named_tiling(tile, 1, 49, True))
    graph, _, _, _ = conv_graph((1, channels, 7, 7), 96, (1, 1), bias=False)
    check(graph, "conv")
