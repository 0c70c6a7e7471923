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


def test_channels_of_images_that_were_joined() -> None:
    """As a DenseNet reads them: their blocks lie one behind the other, and neither joining nor reading some of them computes anything."""
    after = run(
        lambda g: repeat_reads(assign_layout(g, 16)),
        f"""graph(%k: f32[2,1,6,6,16], %l: f32[2,3,6,6,16], %g: {IMAGE}, %m: f32[1,32,1,1]) {{
  %j: f32[2,4,6,6,16] = concat(%k, %l){{dim=1}}
  %y: f32[2,64,6,6] = from_blocks(%j){{border=((0, 0), (0, 0)), channels=64, layout=layout(0)}}
  %z: {IMAGE} = slice(%y){{dim=1, start=0, step=1, stop=32}}
  %a: {IMAGE} = sub(%z, %m)
  %c: {IMAGE} = mul(%a, %g)
  %d: {IMAGE} = add(%g, %a)
  return %c, %d
}}""",
    )
    assert ops(after).count("sub") == 2


@pytest.mark.parametrize(
    "line",
    [f"%a: {IMAGE} = exp(%y)", f"%a: {IMAGE} = add(%y, %g)", f"%a: {IMAGE} = relu(%g)"],
    ids=["costly", "two images", "not kept"],
)
def test_all_else_has_one_place(line: str) -> None:
    body = f"{line}\n  %c: {IMAGE} = mul(%a, %y)\n  %d: {IMAGE} = sub(%a, %y)"
    before = ops(run(lambda g: assign_layout(g, 16), text(body, "%c, %d")))
    assert ops(repeated(body, "%c, %d")) == before
