"""Which poolings between casts read and write narrow elements themselves."""

from __future__ import annotations

import pytest

from sol.ir.text import graph_text, parse_graph
from sol.passes.fold_pool_casts import fold_pool_casts
from tests.passes.support import ops

WINDOW = "{ceil_mode=False, dilation=(1, 1), kernel=(2, 2), padding=((0, 0), (0, 0)), stride=(2, 2)}"


def pooled(source: str, wide: str, result: str, more: str = "", outputs: str = "%o") -> str:
    """Text of max pooling between two casts. source, wide, result: types of the operand, of the pooled map, and of the result."""
    return f"""graph(%x: {source}[1,16,8,8]{{c16}}) {{
  %w: {wide}[1,16,8,8]{{c16}} = cast(%x){{dtype={wide}}}
  %p: {wide}[1,16,4,4]{{c16}} = max_pool(%w){WINDOW}
  %o: {result}[1,16,4,4]{{c16}} = cast(%p){{dtype={result}}}{more}
  return {outputs}
}}"""


def test_the_pooling_of_a_blocked_map_reads_and_writes_bfloat16() -> None:
    folded = fold_pool_casts(parse_graph(pooled("bf16", "f32", "bf16")))
    assert ops(folded) == ["max_pool"]
    assert "bf16[1,16,4,4]{c16} = max_pool(%x)" in graph_text(folded)


@pytest.mark.parametrize(
    "text",
    [
        pooled("bf16", "f32", "bf16").replace("{c16}", ""),
        pooled("f16", "f32", "bf16"),
        pooled("bf16", "f32", "bf16", outputs="%o, %p"),
        pooled("bf16", "f32", "bf16", "\n  %r: f32[1,16,4,4]{c16} = relu(%p)", "%o, %r"),
    ],
    ids=["row-major", "of another type", "a result", "read twice"],
)
def test_others_stay(text: str) -> None:
    assert ops(fold_pool_casts(parse_graph(text)))[:3] == ["cast", "max_pool", "cast"]
