"""Dim arithmetic equals integer arithmetic for every binding of the symbols, and its text is a C expression."""

from __future__ import annotations

import operator
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sol.errors import SolError
from sol.ir.dim import (
    Dim,
    DimLike,
    UndecidedError,
    bounds,
    ceil_div,
    deciding_range,
    dim_max,
    dim_min,
    dim_text,
    evaluate,
    floor_div,
    product,
    substitute,
    symbols,
    typical,
    undecided,
)

A, B, C = (Dim.symbol(n, 2, 50) for n in ("a", "b", "c"))
ENVIRONMENTS = st.fixed_dictionaries({n: st.integers(2, 50) for n in ("a", "b", "c")})
OPERATIONS: dict[str, tuple[Callable, Callable]] = {
    "+": (operator.add, operator.add),
    "-": (operator.sub, operator.sub),
    "*": (operator.mul, operator.mul),
    "max": (dim_max, max),
    "min": (dim_min, min),
}
LEAVES = st.one_of(st.integers(-6, 20), st.sampled_from([A, B, C]))
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(sorted(OPERATIONS)), inner, inner),
        st.tuples(st.just("//"), inner, st.one_of(st.integers(1, 7), st.sampled_from([A, B]))),
    ),
    max_leaves=8,
)


def symbolic(tree: Any) -> DimLike:
    if not isinstance(tree, tuple):
        return tree
    op, left, right = tree
    left, right = symbolic(left), symbolic(right)
    return floor_div(left, right) if op == "//" else OPERATIONS[op][0](left, right)


def concrete(tree: Any, env: dict[str, int]) -> int:
    if not isinstance(tree, tuple):
        return evaluate(tree, env)
    op, left, right = tree
    left, right = concrete(left, env), concrete(right, env)
    return left // right if op == "//" else OPERATIONS[op][1](left, right)


@settings(max_examples=600, deadline=None, derandomize=True)
@given(EXPRESSIONS, ENVIRONMENTS)
def test_arithmetic_commutes_with_evaluation(tree: Any, env: Any) -> None:
    value = symbolic(tree)
    assert evaluate(value, env) == concrete(tree, env)
    assert isinstance(value, int) or symbols(value)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(EXPRESSIONS, ENVIRONMENTS)
def test_value_lies_in_bounds(tree: Any, env: Any) -> None:
    value = symbolic(tree)
    low, high = bounds(value)
    assert low <= evaluate(value, env) <= high


@settings(max_examples=300, deadline=None, derandomize=True)
@given(EXPRESSIONS, ENVIRONMENTS, st.sets(st.sampled_from(["a", "b", "c"])))
def test_substitution_commutes_with_evaluation(tree: Any, env: Any, bound: Any) -> None:
    value = symbolic(tree)
    partly = substitute(value, {n: env[n] for n in bound})
    assert evaluate(partly, env) == evaluate(value, env)
    assert {s.name for s in symbols(partly)}.isdisjoint(bound)
    assert substitute(value, {"a": A, "b": B, "c": C}) == value


@settings(max_examples=200, deadline=None, derandomize=True)
@given(EXPRESSIONS, EXPRESSIONS)
def test_sums_are_canonical(x: Any, y: Any) -> None:
    a, b = symbolic(x), symbolic(y)
    assert a + b == b + a
    assert a * b == b * a
    assert a + b - b == a
    assert hash(a + b) == hash(b + a)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(EXPRESSIONS, EXPRESSIONS, ENVIRONMENTS)
def test_decided_comparisons_are_right(x: Any, y: Any, env: Any) -> None:
    a, b = symbolic(x), symbolic(y)
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        try:
            decided = compare(a, b)
        except SolError:
            continue
        assert decided == compare(evaluate(a, env), evaluate(b, env))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(EXPRESSIONS)
def test_text_parses_to_the_same_dim(tree: Any) -> None:
    from sol.ir.builder import GraphBuilder
    from sol.ir.text import graph_text, parse_graph
    from sol.ir.types import DType, TensorType

    builder = GraphBuilder()
    x = builder.input("x", TensorType(DType.F32, (A, B, C, symbolic(tree))))
    graph = builder.build([x])
    assert parse_graph(graph_text(graph)) == graph


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_text_is_c(tmp_path: Path) -> None:
    """Sizes that cannot be negative mean the same in C, where division truncates."""
    candidates = [
        (A - 2) // 3, (A * 4 - B + 50) // 4, (B - 5 + 3) // 2 + 1, dim_max(A, B) // 3, dim_min(A, B + 3) // 2,
        ((A + 1) // 2 + 1) // 2, (A - 1) // 2 + 1, (dim_max(A - 9, B - 20) + 40) // 7, A * B // C,
        ceil_div(A * 3 - 1, 4),
        (A * B - C + 60) % 5, (60 - A) // 7, -dim_max(-A, -B), floor_div(200, A),
    ]  # fmt: skip
    env = [{"a": a, "b": b, "c": c} for a in (2, 3, 7, 50) for b in (2, 5, 50) for c in (2, 9)]
    printing = "".join(f'printf("%ld\\n", (long)({dim_text(d)}));' for d in candidates)
    source = "#include <stdio.h>\nstatic void show(long a, long b, long c) {" + printing + "}\nint main(void) {"
    source += "".join(f"show({e['a']},{e['b']},{e['c']});" for e in env) + "return 0;}"
    (tmp_path / "dims.c").write_text(source)
    subprocess.run(["gcc", "-w", "-o", tmp_path / "dims", tmp_path / "dims.c"], check=True)
    printed = subprocess.run([tmp_path / "dims"], check=True, capture_output=True, text=True).stdout.split()
    assert [int(p) for p in printed] == [evaluate(d, e) for e in env for d in candidates]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (A + 1 + A, "2*a+1"),
        (A * B - B * A, "0"),
        (4 * A // 2, "2*a"),
        (A * B // B, "a"),
        ((2 * A + 4 * B + 5) // 2, "2*b+a+2"),
        ((A - 1) // 2 + 1, "((a+1)/(2))"),
        (((A + 1) // 2 + 1) // 2, "((a+3)/(4))"),
        (A % 1, "0"),
        (floor_div(0, A), "0"),
        (product([A, 2, 1]), "2*a"),
        (dim_max(A, A + 1), "a+1"),
    ],
)
def test_canonical_text(value: DimLike, text: str) -> None:
    assert sorted(dim_text(value).split("+")) == sorted(text.split("+"))


def test_fixed_sizes_are_ints() -> None:
    assert type(A - A) is int
    assert type(A // A) is int
    assert type(substitute(A * 2 + 1, {"a": 3})) is int


def test_undecided_comparison_names_the_sizes_and_a_remedy() -> None:
    with pytest.raises(SolError, match=r"a < b.*\n.*remedy"):
        operator.lt(A, B)


def test_symbolic_is_never_a_number() -> None:
    assert A != 2
    assert A not in (1, 2, 3)


@pytest.mark.parametrize(
    "value",
    [
        A - A // 2, A - (A + 1) // 2, A // 2 - A, (A * 3) // 4 - A // 2, (A + 7) // 8 * 8 - A, A - A // 3 * 3, A // 2 + A // 3 - A,
        A // 4 - 3,
    ],
)  # fmt: skip
def test_bounds_know_that_quotients_follow_what_they_divide(value: DimLike) -> None:
    small = substitute(value, {"a": Dim.symbol("a", 2, 60)})
    low, high = bounds(small)
    values = [evaluate(value, {"a": a}) for a in range(2, 61)]
    assert low <= min(values) and max(values) <= high
    assert low >= min(values) - 2 and high <= max(values) + 2


@pytest.mark.parametrize(
    ("compare", "value", "low", "high"),
    [
        (lambda: A <= 32, 12, 2, 32), (lambda: A <= 32, 40, 33, 50), (lambda: A < 32, 31, 2, 31), (lambda: A > 6, None, 2, 6),
        (lambda: A // 2 <= 6, 12, 2, 13), (lambda: A * 3 - 7 >= 20, 9, 9, 50), (lambda: -A + 10 > 3, 4, 2, 6),
    ],
)  # fmt: skip
def test_a_comparison_has_one_answer_in_a_range(compare: Callable[[], bool], value: int | None, low: int, high: int) -> None:
    with pytest.raises(UndecidedError) as caught:
        compare()
    found = deciding_range(caught.value, value)
    assert found is not None and (found.name, found.lower, found.upper) == ("a", low, high)


def test_a_comparison_of_two_sizes_has_no_range() -> None:
    with pytest.raises(UndecidedError) as caught:
        operator.lt(A, B)
    assert deciding_range(caught.value, 3) is None
    wrapped = SolError("somewhere")
    wrapped.__cause__ = caught.value
    assert undecided(wrapped) is caught.value and undecided(SolError("else")) is None


def test_typical_sizes() -> None:
    """The middle of a range by ratio, and the usual size where it is open; what follows from it is computed as ever."""
    near, far = Dim.symbol("n", 2, 32), Dim.symbol("f")
    assert typical(near, 224) == 8 and typical(far, 224) == 224 and typical(9, 224) == 9
    assert typical(near // 16, 224) == 1 and typical(0, 224) == 0
    assert typical(32 * near + 3, 224) == 259 and typical((far - 1) // 2 + 1, 224) == 112 and typical(near * far, 10) == 80
