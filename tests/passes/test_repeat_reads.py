"""What is made of one kept image by cheap steps is made again for each reader; all else has one place."""

from __future__ import annotations

import pytest

from sol.ir.graph import Graph
from sol.passes.assign_layout import assign_layout
from sol.passes.repeat_reads import repeat_reads
from tests.passes.support import ops, run

IMAGE = "f32[2,32,6,6]"


def text(body: str, results: str) -> str:
    return f"""graph(%k: f32[2,2,6,6,16], %g: {IMAGE}, %m: f32[1,32,1,1]) {{
  %y: {IMAGE} = from_blocks(%k){{border=((0, 0), (0, 0)), channels=32, layout=layout(0)}}
  {body}
  return {results}
}}"""


def repeated(body: str, results: str) -> Graph:
    return run(lambda g: repeat_reads(assign_layout(g, 16)), text(body, results))


def test_each_reader_makes_it_of_the_image() -> None:
    body = f"""%a: {IMAGE} = sub(%y, %m)
  %b: {IMAGE} = relu(%a)
  %c: {IMAGE} = mul(%b, %g)
  %d: {IMAGE} = sub(%g, %b)"""
    after = repeated(body, "%c, %d")
    assert ops(after).count("sub") == 3 and ops(after).count("relu") == 2
    assert all(len(after.users(n.name)) == 1 for n in after.nodes if n.op == "relu")


@pytest.mark.parametrize(
    "line",
    [f"%a: {IMAGE} = exp(%y)", f"%a: {IMAGE} = add(%y, %g)", f"%a: {IMAGE} = relu(%g)"],
    ids=["costly", "two images", "not kept"],
)
def test_all_else_has_one_place(line: str) -> None:
    body = f"{line}\n  %c: {IMAGE} = mul(%a, %y)\n  %d: {IMAGE} = sub(%a, %y)"
    before = ops(run(lambda g: assign_layout(g, 16), text(body, "%c, %d")))
    assert ops(repeated(body, "%c, %d")) == before
