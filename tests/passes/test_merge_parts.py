"""Which sums become concatenations; results are compared by ``run``."""

from __future__ import annotations

import pytest

from sol.passes.merge_parts import merge_parts
from tests.passes.support import ops, run

HEAD = "graph(%x: f32[1,4,16], %y: f32[1,4,16], %z: f32[3,4,16]) {\n%zero = constant{dtype=f32, value=array(f32[1], [0.0])}: f32[1]\n"
HEAD += "%zeros: f32[3,4,16] = expand(%zero){shape=(3, 4, 16)}\n"


def _mask(name: str, *values: int) -> str:
    return f"%{name} = constant{{dtype=bool, value=array(bool[3,1,1], [{', '.join(map(str, values))}])}}: bool[3,1,1]\n"


def _sum(first: tuple, second: tuple, third: tuple, operand: str = "z", other: str = "zeros") -> str:
    return (
        HEAD + _mask("m0", *first) + _mask("m1", *second) + _mask("m2", *third)
        + "%a: f32[3,4,16] = where(%m0, %x, %zeros)\n%b: f32[3,4,16] = where(%m1, %y, %zeros)\n"
        + f"%c: f32[3,4,16] = where(%m2, %{operand}, %{other})\n"
        + "%d: f32[3,4,16] = add(%a, %b)\n%e: f32[3,4,16] = add(%d, %c)\n"
    )  # fmt: skip


@pytest.mark.parametrize("order", [((1, 0, 0), (0, 1, 0), (0, 0, 1)), ((0, 0, 1), (0, 1, 0), (1, 0, 0)), ((0, 1, 0), (0, 0, 1), (1, 0, 0))])
def test_parts_that_fill_a_dimension(order: tuple) -> None:
    found = run(merge_parts, _sum(*order) + "return %e\n}")
    assert [op for op in ops(found) if op not in ("slice", "expand")] == ["concat"]


@pytest.mark.parametrize(
    "text",
    [
        _sum((1, 0, 0), (0, 1, 0), (0, 1, 0)),  # one part twice, one not at all
        _sum((1, 0, 0), (0, 1, 0), (0, 1, 1)),  # parts overlap
        _sum((1, 0, 1), (0, 1, 0), (0, 0, 1)),  # no range
        _sum((1, 0, 0), (0, 1, 0), (0, 0, 1), other="z"),  # not zero elsewhere
    ],
)
def test_other_sums_stay(text: str) -> None:
    assert ops(run(merge_parts, text + "return %e\n}")).count("add") == 2


def test_a_sum_that_others_read_stays() -> None:
    text = _sum((1, 0, 0), (0, 1, 0), (0, 0, 1)) + "return %e, %d\n}"
    assert "add" in ops(run(merge_parts, text))


def test_slices_of_zeros() -> None:
    text = (
        HEAD + "%p: f32[2,4,16] = slice(%zeros){dim=0, start=0, step=1, stop=2}\n"
        "%q: f32[1,4,16] = slice(%zeros){dim=0, start=2, step=1, stop=3}\n"
        "%s: f32[2,4,16] = slice(%z){dim=0, start=1, step=1, stop=3}\n%a: f32[3,4,16] = concat(%p, %x){dim=0}\n"
        "%b: f32[3,4,16] = concat(%s, %q){dim=0}\n%e: f32[3,4,16] = add(%a, %b)\nreturn %e\n}"
    )
    assert ops(run(merge_parts, text)) == ["slice", "concat"]


def test_a_concatenation_is_made_where_it_is_read() -> None:
    text = (
        "graph(%x: f32[1,4,2,8], %y: f32[2,4,2,8]) {\n%c: f32[3,4,2,8] = concat(%x, %y){dim=0}\n"
        "%p: f32[4,3,2,8] = permute(%c){order=(1, 0, 2, 3)}\n%r: f32[4,48] = reshape(%p){shape=(4, 48)}\nreturn %r\n}"
    )
    assert ops(run(merge_parts, text)) == ["permute", "permute", "concat", "reshape"]
    viewed = text.replace("(1, 0, 2, 3)", "(0, 1, 2, 3)").replace("%p: f32[4,3,2,8]", "%p: f32[3,4,2,8]").replace("[4,48]", "[12,16]")
    assert ops(run(merge_parts, viewed.replace("(4, 48)", "(12, 16)"))) == ["concat", "permute", "reshape"]


CONV = "conv(%x, %w){dilation=(1, 1), groups=1, padding=((0, 0), (0, 0)), stride=(1, 1)}"


def _statistics(first: str = CONV, second: str = CONV, dim: int = 1, keepdims: bool = True, batch: bool = True) -> str:
    """Of two maps one beside the other, or one above the other."""
    joined, size = ("f32[2,8,5,5]", 8) if dim == 1 else ("f32[2,4,10,5]", 4)
    found = f"f32[{1 if batch else 2},{size},1,1]" if keepdims else f"f32[{size}]"
    dims = "(0, 2, 3)" if batch else "(2, 3)"
    return (
        "graph(%x: f32[2,4,5,5]) {\n%w = parameter{target=\"w\"}: f32[4,4,1,1]\n"
        f"%a: f32[2,4,5,5] = {first}\n%b: f32[2,4,5,5] = {second}\n%c: {joined} = concat(%a, %b){{dim={dim}}}\n"
        f"%v: {found} = var(%c){{correction=0, dims={dims}, keepdims={keepdims}}}\n"
        f"%m: {found} = mean(%c){{dims={dims}, keepdims={keepdims}}}\nreturn %c, %v, %m\n}}"
    )


@pytest.mark.parametrize("second", [CONV, "relu(%x)"])
def test_statistics_of_a_concatenation_are_found_of_its_parts(second: str) -> None:
    found = ops(run(merge_parts, _statistics(second=second)))
    assert found.count("var") == found.count("mean") == 2 and found.count("concat") == 3


NO_PARTS = [{"dim": 2}, {"keepdims": False}, {"batch": False}, {"first": "exp(%x)", "second": "relu(%x)"}]


@pytest.mark.parametrize("options", NO_PARTS, ids=str)
def test_other_statistics_are_found_at_once(options) -> None:
    """Along the dimension of the parts, of another shape, of single images, and of what no convolution made."""
    assert ops(run(merge_parts, _statistics(**options))).count("var") == 1
