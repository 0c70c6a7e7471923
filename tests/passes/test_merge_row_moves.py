"""Which chains of moves become one pick of rows; results are compared by ``run``."""

from __future__ import annotations

import pytest

from sol.passes.merge_row_moves import merge_row_moves
from tests.passes.support import ops, run

ROLL = "pick(%{x}){{dims=(1, 2), index=((1, 2, 3, 0), (3, 0, 1, 2))}}"
TILES = "(0, 1, 3, 2, 4, 5)"


def _graph(width: int, *lines: str, result: str) -> str:
    return f"graph(%x: f32[2,4,4,{width}]) {{\n" + "\n".join(lines) + f"\nreturn %{result}\n}}"


def _rolled_tiles(width: int) -> str:
    return _graph(
        width,
        f"%a: f32[2,4,4,{width}] = " + ROLL.format(x="x"),
        f"%b: f32[2,2,2,2,2,{width}] = reshape(%a){{shape=(2, 2, 2, 2, 2, {width})}}",
        f"%c: f32[2,2,2,2,2,{width}] = permute(%b){{order={TILES}}}",
        f"%d: f32[8,4,{width}] = reshape(%c){{shape=(8, 4, {width})}}",
        result="d",
    )


def _tiles_rolled(width: int) -> str:
    return _graph(
        width,
        f"%b: f32[2,2,2,2,2,{width}] = reshape(%x){{shape=(2, 2, 2, 2, 2, {width})}}",
        f"%c: f32[2,2,2,2,2,{width}] = permute(%b){{order={TILES}}}",
        f"%a: f32[2,4,4,{width}] = reshape(%c){{shape=(2, 4, 4, {width})}}",
        f"%d: f32[2,4,4,{width}] = " + ROLL.format(x="a"),
        result="d",
    )


@pytest.mark.parametrize("make", [_rolled_tiles, _tiles_rolled])
@pytest.mark.parametrize("width", [16, 17, 48])
def test_long_rows_move_once(make, width: int) -> None:
    found = run(merge_row_moves, make(width))
    assert [op for op in ops(found) if op != "reshape"] == ["pick"]
    (pick,) = (n for n in found.nodes if n.op == "pick")
    assert found.type_of(pick.inputs[0]).shape == (2, 16, width)  # both images by one table


@pytest.mark.parametrize("make", [_rolled_tiles, _tiles_rolled])
def test_short_rows_stay(make) -> None:
    assert sorted(op for op in ops(run(merge_row_moves, make(8))) if op != "reshape") == ["permute", "pick"]


def test_one_pass_over_memory_stays() -> None:
    text = _graph(
        16, "%a: f32[2,4,4,16] = " + ROLL.format(x="x"), "%b: f32[2,16,4,4] = permute(%a){order=(0, 3, 1, 2)}", result="b",
    )  # fmt: skip
    assert ops(run(merge_row_moves, text)) == ["pick", "permute"]


def test_what_others_read_stays() -> None:
    text = _rolled_tiles(16).replace("return %d", "%s: f32[2,4,4,1] = sum(%a){dims=(3,), keepdims=True}\nreturn %d, %s")
    assert "permute" in ops(run(merge_row_moves, text))
