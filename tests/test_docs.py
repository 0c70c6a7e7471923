"""The worked example of docs/architecture.md is what sol makes of that network: every block of it is made anew and compared.

After a wanted change: ``pytest tests/test_docs.py --refresh-golden``, and read the difference.
"""

from __future__ import annotations

import functools
import inspect
import re
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from sol.codegen.compiled import Compiled
from sol.codegen.targets import by_name
from sol.compiler import compile_graph, plan_text
from sol.config import config
from sol.frontend.torch.export import import_exported
from sol.ir.graph import Graph
from sol.ir.text import graph_text

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(16, 16, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(16)
        self.out = nn.Linear(16, 10)

    def forward(self, x):
        y = F.relu(self.norm(self.conv(x)) + x)
        return self.out(y.mean((2, 3)))


@functools.cache
def imported() -> Graph:
    return import_exported(torch.export.export(Net().eval(), (torch.zeros(1, 16, 14, 14),))).graph


@functools.cache
def compiled() -> Compiled:
    with config.override(conv_max_error=0.0):
        return compile_graph(imported(), isa=by_name("avx2"), threads=2)


def without_origins(text: str) -> str:
    """Without the comments that say where a line comes from in the model."""
    return re.sub(r"  // [^\n]*", "", text)


def computing(text: str) -> str:
    """Graph text without the lines of weights and of what is computed from them when they are packed."""
    constants = "|".join(re.escape(v) for v in compiled().graph.constant_values | imported().constant_values)
    return re.sub(rf"  %(?:{constants}): [^\n]*\n|  %(?:p_\w+|c) = [^\n]*\n", "", text)


def drawing(graph: Graph) -> str:
    """The regions as boxes with their ops, and the values between them, for Mermaid."""
    lines = ["flowchart TB"]
    shown = [n for n in graph.nodes if n.op == "region"]
    for region in shown:
        body = region.attrs["body"]
        ops = " → ".join(n.op for n in body.nodes if n.op not in ("input", "constant", "parameter"))
        lines.append(f'    {region.name}["{region.name}<br/>{region.attrs["kind"]}: {ops}"]')
    names = {n.name for n in shown}
    for region in shown:
        for value in region.inputs:
            source = source_of(graph, value, names)
            if source:
                lines.append(f'    {source} -->|"{graph.type_of(value)}"| {region.name}')
    return "\n".join([*lines, *(f"    {source_of(graph, o, names)} --> result([result])" for o in graph.outputs)])


def source_of(graph: Graph, value: str, regions: set[str]) -> str:
    """The region or input that a value comes from, through views; empty for weights."""
    node = graph.producer(value)
    if node.op == "input":
        return f"{node.name}([{node.name}])"
    if node.name in regions:
        return node.name
    return "" if value in graph.constant_values else source_of(graph, node.inputs[0], regions)


def launch(number: int) -> str:
    """The lines of network.c for one launch."""
    text = compiled().sources[-1].text
    lines = text[text.index(f"    sol_begin(team, call, {number});") :].splitlines()
    return "\n".join(line.removeprefix("    ") for line in lines[: next(i for i, x in enumerate(lines) if "sol_end" in x) + 1])


def heaviest() -> int:
    """The launch that computes most."""
    return max(range(len(compiled().plan.launches)), key=lambda i: compiled().plan.launches[i].flops)


def banner(number: int) -> str:
    """What a kernel says at its beginning."""
    plan = compiled().plan
    text = next(s.text for s in compiled().sources if s.name == plan.launches[number].kernel)
    return text[: text.index("*/") + 2]


BLOCKS = {
    "module": lambda: inspect.getsource(Net),
    "imported": lambda: without_origins(graph_text(imported())),
    "picture": lambda: drawing(compiled().graph),
    "regions": lambda: without_origins(computing(graph_text(compiled().graph))),
    "plan": lambda: without_origins(re.sub(r"; [^)]*\)", "; …)", plan_text(compiled().plan))),
    "launch": lambda: launch(heaviest()),
    "kernel": lambda: banner(heaviest()),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_is_what_sol_makes(name: str, refresh_golden: bool) -> None:
    page = PAGE.read_text()
    form = re.compile(rf"(<!-- example: {name} -->\n```\w*\n)(.*?)(\n```\n)", re.S)
    assert len(form.findall(page)) == 1, f"docs/architecture.md has no block {name}"
    made = BLOCKS[name]().strip("\n")
    if refresh_golden:
        PAGE.write_text(form.sub(lambda m: m[1] + made + m[3], page))
    assert form.search(PAGE.read_text())[2] == made, f"block {name} changed: if that is wanted, run pytest with --refresh-golden"


def test_the_page_has_no_other_blocks() -> None:
    assert re.findall(r"<!-- example: (\w+) -->", PAGE.read_text()) == list(BLOCKS)


def test_files_that_the_page_names_exist() -> None:
    """``ir/text.py`` stands for sol/ir/text.py."""
    named = set(re.findall(r"`((?:\w+/)+\w+\.(?:py|h|j2|c\.j2|md))`", PAGE.read_text()))
    rooms = ("", "sol", "sol/codegen", "sol/frontend", "sol/deploy")
    assert [n for n in sorted(named) if not any((ROOT / room / n).exists() for room in rooms)] == []


def test_words_of_the_glossary_are_in_order() -> None:
    """One entry a word, in the order of the alphabet."""
    section = PAGE.read_text().partition("## Words")[2].partition("\n## ")[0]
    words = re.findall(r"^\| \*\*(.+?)\*\*", section, re.M)
    assert len(words) > 30 and words == sorted(words, key=str.lower) and len(set(words)) == len(words)


