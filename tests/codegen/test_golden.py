"""Generated C as people will read it: one instance of every template, kept under tests/golden.

After a wanted change: ``pytest tests/codegen/test_golden.py --refresh-golden``, and read the difference.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path

import pytest

from sol.codegen.machines import ZEN5
from sol.codegen.optimizer_step import all_rules, step_kernel
from sol.codegen.packing import all_kernels
from sol.codegen.plan import Kernel
from sol.codegen.program import kernel_source, render_program
from sol.codegen.render import TEMPLATES
from sol.ir.text import graph_text
from tests.codegen.networks import (
    BYTE_FILTERS,
    BYTE_IMAGES,
    INNER_PRODUCT,
    INNER_PRODUCT_OF_TWO,
    NARROW,
    NARROW_GRADIENT,
    NETWORKS,
    PAIRED_GRADIENT,
    PAIRED_PRODUCT,
    POOLED,
    of_matrix_tiles,
    plan_in_chunks,
    plan_of,
)
from tests.ops.test_control import looped

GOLDEN = Path(__file__).parent.parent / "golden"
ENTRY = sorted(p.name for p in TEMPLATES.glob("*.c.j2") if "entry }}" in p.read_text())
SOURCES = (
    "conv_direct.c.j2:prologue", "conv_direct.c.j2:selected", "conv_direct.c.j2:plain",
    "conv_inner_product.c.j2:prologue", "conv_inner_product.c.j2:selected", "conv_inner_product.c.j2:grouped",
    "conv_inner_product.c.j2:rows", "conv_inner_product.c.j2:two",
)  # fmt: skip
NARROWED = (
    "conv_direct.c.j2:bf16", "conv_direct.c.j2:plain_bf16", "conv_direct.c.j2:pairs_bf16",
    "matmul_gemm.c.j2:bf16", "matmul_gemm.c.j2:pairs_bf16",
)  # fmt: skip
OF_BYTES = (
    "conv_direct.c.j2:quads", "conv_direct.c.j2:words", "conv_winograd.c.j2:words", "zero_border.c.j2:filled",
    "conv_plain.c.j2:tiles", "matmul_int.c.j2:tiles", "matmul_int.c.j2:words", "conv_tiles.c.j2:quads", "conv_tiles.c.j2:thin",
    "dfp_pointwise.c.j2:table", "matmul_weight_only.c.j2:digits_8", "matmul_weight_only.c.j2:digits_4",
    "matmul_weight_only.c.j2:parts",
)  # fmt: skip
KINDS = ("conv_plain.c.j2:dwords", "conv_plain.c.j2:transposed", "conv_small.c.j2:grouped")


@functools.cache
def instances() -> dict[str, str]:
    """Template → the first kernel made from it, by the networks in their order, or that packs weights or is an optimizer's step.

    ``template:tiles`` is for matrix tiles that multiply bytes, ``template:table`` for results of bytes that are looked up.
    ``template:source`` and ``template:kind`` are for other sources and kinds of a convolution, for groups too, ``template:bf16`` for
    elements of bfloat16.
    """
    plans = [plan_of(text) for text in NETWORKS.values()] + [plan_of(text, independent_adders=True) for text in INNER_PRODUCT.values()]
    found: dict[str, Kernel] = {}
    for plan in plans:
        for kernel in plan.kernels:
            source = "grouped" if kernel.context.get("banded") else kernel.context.get("source")
            key = f"{kernel.template}:{source}"
            kinds = [k for k in KINDS if k.startswith(f"{kernel.template}:") and kernel.context[k.partition(":")[2]]]
            found.setdefault(next(iter(kinds), key if key in SOURCES else kernel.template), kernel)
    for kernel in (*all_kernels(), *map(step_kernel, reversed([*all_rules()]))):
        found.setdefault(kernel.template, kernel)
    for kernel in plan_of(NARROW).kernels:
        plain = "plain_" if kernel.context.get("source") == "plain" else ""
        found.setdefault(f"{kernel.template}:{plain}bf16", kernel)
    for kernel in plan_of(NARROW, matrix_tiles=True).kernels:
        found.setdefault(kernel.template, kernel)
    for text, kind in ((BYTE_FILTERS, "quads"), (BYTE_IMAGES, "thin")):
        for kernel in plan_of(text, matrix_tiles=True, byte_dots=True).kernels:
            found.setdefault(f"{kernel.template}:{kind}", kernel)
    for kernel in plan_of(NARROW, narrow_dots=True).kernels:
        if kernel.context.get("pairs") or kernel.context.get("dots"):
            found.setdefault(f"{kernel.template}:pairs_bf16", kernel)
    for text in (PAIRED_GRADIENT, PAIRED_PRODUCT):
        for kernel in plan_of(text, narrow_dots=True).kernels:
            found.setdefault(kernel.template, kernel)
    for kernel in plan_of(BYTE_IMAGES, byte_dots=True).kernels:
        kind = next((f":{k}" for k in ("quads", "filled") if kernel.context.get(k)), "")
        found.setdefault(f"{kernel.template}{kind}", kernel)
    for name in ("weights of 8 bits", "weights of 4 bits"):
        for kernel in plan_of(NETWORKS[name], byte_dots=True).kernels:
            found.setdefault(f"{kernel.template}:digits_{kernel.context['bits']}", kernel)
    for kernel in plan_of(NETWORKS["weights of 4 bits, bfloat16"], matrix_tiles=True, byte_dots=True).kernels:
        found.setdefault(f"{kernel.template}:parts", kernel)
    for name in ("bytes", "images of many channels"):
        for kernel in plan_of(NETWORKS[name], matrix_tiles=True).kernels:
            found.setdefault(f"{kernel.template}:tiles", kernel)
    for text in (NETWORKS["bytes"], BYTE_IMAGES, BYTE_FILTERS):
        for kernel in plan_of(text, "avx2").kernels:
            if kernel.context.get("words"):
                found.setdefault(f"{kernel.template}:words", kernel)
    for kernel in plan_of(INNER_PRODUCT_OF_TWO, independent_adders=True, machine=ZEN5).kernels:
        found.setdefault(f"{kernel.template}:two", kernel)
    for kernel in plan_in_chunks().kernels:
        found.setdefault(kernel.template, kernel)
    for kernel in plan_of(NETWORKS["table"]).kernels:
        found.setdefault(f"{kernel.template}:table", kernel)
    for text in (NARROW_GRADIENT, *of_matrix_tiles()):
        for kernel in plan_of(text, matrix_tiles=True).kernels:
            found.setdefault(kernel.template, kernel)
    return {key: kernel_source(replace(kernel, name=golden_name(key).removesuffix(".c"))).text for key, kernel in found.items()}


def golden_name(key: str) -> str:
    """The file of an instance."""
    template, _, source = key.partition(":")
    return f"{template.removesuffix('.c.j2')}{f'_{source}' if source else ''}.c"


def compare(name: str, text: str, refresh: bool) -> None:
    path = GOLDEN / name
    if refresh:
        path.write_text(text)
    assert path.exists(), f"{path} is missing: run pytest with --refresh-golden"
    assert path.read_text() == text, f"{name} changed: if that is wanted, run pytest with --refresh-golden"


@pytest.mark.parametrize("template", (*ENTRY, *SOURCES, *KINDS, *NARROWED, *OF_BYTES))
def test_template(template, refresh_golden):
    assert template in instances(), f"no network of tests/codegen/networks.py uses {template}"
    compare(golden_name(template), instances()[template], refresh_golden)


def test_network(refresh_golden):
    compare("network.c", render_program(plan_of(NETWORKS["windows"]), "windows")[-1].text, refresh_golden)


def test_network_of_symbolic_batch(refresh_golden):
    compare("network_symbolic.c", render_program(plan_of(NETWORKS["batched"]), "batched")[-1].text, refresh_golden)


def test_network_of_a_loop(refresh_golden):
    text = graph_text(looped(conditional=True, scanned=True))
    compare("network_loop.c", render_program(plan_of(text), "looped")[-1].text, refresh_golden)


def test_convolution_relu_and_average_of_the_whole_map_is_one_kernel(refresh_golden):
    """Conv2d(512, 256, 1) + ReLU + AvgPool2d(13) on 13x13 pixels: one kernel, one launch, nothing in the arena."""
    plan = plan_of(POOLED)
    assert [x.kernel for x in plan.launches] == [k.name for k in plan.kernels] and len(plan.launches) == 1
    assert plan.arena == 0 and not any(x.barrier for x in plan.launches)
    compare("conv_relu_avgpool.c", kernel_source(plan.kernels[0]).text, refresh_golden)


def test_no_stale_files():
    known = {golden_name(t) for t in (*ENTRY, *SOURCES, *KINDS, *NARROWED, *OF_BYTES)}
    known |= {"network.c", "network_symbolic.c", "network_loop.c", "conv_relu_avgpool.c"}
    known |= {"network.c", "network_symbolic.c", "network_loop.c", "conv_relu_avgpool.c"}
    assert {p.name for p in GOLDEN.glob("*")} == known
