"""Cheap values that are made again for readers behind later products, and those that are not."""

from __future__ import annotations

import pytest

import sol
from sol.ir.graph import Graph
from sol.passes.repeat_late import repeat_late
from tests.passes.support import CONV3, ops, run

IMAGE = "f32[2,4,7,7]"


def case(*lines: str) -> str:
    body = "\n".join(f"  %{name}: {IMAGE} = {rest}" for name, rest in (line.split(" = ") for line in lines))
    return f'graph(%x: {IMAGE}, %g: {IMAGE}) {{\n  %w = parameter{{target="w"}}: f32[4,4,3,3]\n{body}\n  return %y\n}}'


def changed(text: str, budget: float = 0.0) -> Graph:
    with sol.config.override(training_memory_budget=budget):
        return run(repeat_late, text)


CONV, NEXT = f"a = conv(%x, %w){CONV3}", f"c = conv(%r, %w){CONV3}"
LAST = f"k = conv(%c, %w){CONV3}"
CHAIN = case(CONV, "s = sigmoid(%a)", "r = mul(%s, %a)", NEXT, LAST, "d = mul(%k, %r)", "e = mul(%s, %d)", "y = add(%a, %e)")


def test_what_late_readers_read_is_made_again() -> None:
    """The product that the second convolution reads, and the sigmoid, are held by nobody then: only what both are made of is."""
    after = changed(CHAIN)
    assert ops(after) == ["conv", "sigmoid", "mul", "conv", "conv", "sigmoid", "mul", "mul", "mul", "add"]
    behind = after.nodes[[n.name for n in after.nodes].index("k") + 1 :]
    assert not any(i in ("s", "r") for n in behind for i in n.inputs)


def test_nothing_is_made_again_where_time_counts() -> None:
    assert ops(changed(CHAIN, budget=1.0)) == ["conv", "sigmoid", "mul", "conv", "conv", "mul", "mul", "add"]


LEFT = {
    "near readers": case(CONV, "r = relu(%a)", "s = square(%r)", "t = add(%r, %s)", f"y = conv(%t, %w){CONV3}"),
    "behind the first reader": case(CONV, "r = relu(%a)", NEXT, "d = mul(%c, %r)", "y = add(%a, %d)"),
    "not pointwise": case(CONV, f"r = conv(%a, %w){CONV3}", NEXT, LAST, "d = mul(%k, %r)", "y = add(%a, %d)"),
    "three sources": case(CONV, f"b = conv(%g, %w){CONV3}", f"f = conv(%b, %w){CONV3}", "h = add(%a, %b)", "r = add(%h, %f)", NEXT, LAST,
                          "d = mul(%k, %r)", "i = add(%a, %d)", "j = add(%b, %i)", "y = add(%f, %j)"),
    "sources that are not held": case(CONV, f"b = conv(%g, %w){CONV3}", "r = add(%a, %b)", NEXT, LAST, "y = add(%k, %r)"),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT)
def test_what_stays(name: str) -> None:
    assert sorted(ops(changed(LEFT[name]))) == sorted(ops(changed(LEFT[name], budget=1.0)))


def test_two_sources_that_are_held() -> None:
    """Something else than cheap values is made of both of them behind the late reader."""
    text = case(CONV, f"b = conv(%g, %w){CONV3}", "r = add(%a, %b)", NEXT, LAST, "d = mul(%k, %r)", f"e = conv(%d, %w){CONV3}",
                f"f = conv(%a, %w){CONV3}", f"h = conv(%b, %w){CONV3}", "i = sub(%e, %f)", "y = sub(%i, %h)")  # fmt: skip
    assert ops(changed(text)).count("add") == 2
