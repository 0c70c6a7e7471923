"""Which takes become picks, and which picks become slices or one pick."""

from __future__ import annotations

import pytest

from sol.passes.merge_takes import merge_takes
from tests.passes.support import ops, run

INDEX = "%i = constant{{dtype=i64, value=array(i64[{n}], [{places}])}}: i64[{n}]"
CASES = {
    "reflected": ([(2, "1, 0, 1, 2, 3, 2")], ["pick"]),
    "from_the_end": ([(1, "-1, 0, 1")], ["pick"]),
    "two_dimensions": ([(2, "1, 0, 1"), (1, "2, 2, 0, 0")], ["pick"]),
    "twice_along_one": ([(2, "3, 1, 0"), (2, "2, 2, 1")], ["pick"]),
    "even": ([(2, "1, 3")], ["slice"]),
    "even_beside_another": ([(1, "2, 0"), (2, "0, 1, 2")], ["pick", "slice"]),
    "out_of_range": ([(1, "0, 3")], ["take"]),
}


@pytest.mark.parametrize("name", CASES)
def test_rules(name: str) -> None:
    takes, expected = CASES[name]
    shape, lines, value = [2, 3, 4], [], "x"
    for k, (dim, places) in enumerate(takes):
        shape[dim] = len(places.split(","))
        lines += [INDEX.format(n=shape[dim], places=places).replace("%i", f"%i{k}")]
        lines += [f"%t{k}: f32[{','.join(map(str, shape))}] = take(%{value}, %i{k}){{dim={dim}}}"]
        value = f"t{k}"
    text = "graph(%x: f32[2,3,4]) {\n  " + "\n  ".join(lines) + f"\n  return %{value}\n}}"
    if name == "out_of_range":
        from sol.ir.text import parse_graph

        assert ops(merge_takes(parse_graph(text))) == expected
    else:
        assert sorted(ops(run(merge_takes, text))) == expected


@pytest.mark.parametrize(
    "middle,wide,result,expected",
    [
        ((2, 3, 4, 1), (2, 3, 4, 2), (2, 3, 8), ["pick"]),  # every element twice
        ((2, 3, 1, 4), (2, 3, 2, 4), (2, 3, 8), ["pick"]),  # every row twice
        ((2, 3, 1, 4, 1), (2, 3, 2, 4, 3), (2, 6, 12), ["pick"]),
        ((1, 2, 3, 4), (5, 2, 3, 4), (10, 12), ["pick"]),
        ((24, 1), (24, 5), (24, 5), []),  # nothing is merged
        ((2, 12, 1), (2, 12, 5), (24, 5), []),
    ],
)
def test_repetition(middle: tuple, wide: tuple, result: tuple, expected: list[str]) -> None:
    def dims(shape: tuple) -> str:
        return ",".join(map(str, shape))

    text = f"""graph(%x: f32[2,3,4]) {{
      %m: f32[{dims(middle)}] = reshape(%x){{shape={middle}}}
      %w: f32[{dims(wide)}] = expand(%m){{shape={wide}}}
      %y: f32[{dims(result)}] = reshape(%w){{shape={result}}}
      return %y
    }}"""
    assert [op for op in ops(run(merge_takes, text)) if op == "pick"] == expected
