"""Choosing a kernel: what the selector takes, and that looking at a region changes nothing."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from sol.codegen.decision import Candidate, Decision, sole
from sol.codegen.kernels import families
from sol.codegen.lowering import KernelLibrary, Lowering
from sol.codegen.placement import GraphPlacement
from sol.codegen.schedule import make_plan
from sol.codegen.targets import by_name
from sol.errors import UnsupportedError
from sol.passes.choices import first
from tests.codegen.networks import NETWORKS, fused_graph

ISA = "avx512"
FIELDS = ("kernels", "weights", "checks", "path")


def state(library: KernelLibrary, placement: GraphPlacement) -> Any:
    return copy.deepcopy(([getattr(library, f) for f in FIELDS], placement.by_rows, placement.borders))


def look_at_everything(lowering: Lowering) -> list[Decision]:
    """What every candidate of a region offers."""
    return [d for c in families.candidates(lowering.region.attrs["anchor"]) for d in c.decisions(lowering)]


@pytest.mark.parametrize("name", NETWORKS)
def test_looking_changes_nothing(name, monkeypatch):
    graph, target = fused_graph(NETWORKS[name], ISA), by_name(ISA)
    want = make_plan(graph, target)
    lower, seen = families.lower_region, 0

    def after_looking(lowering: Lowering, choose=first) -> None:
        nonlocal seen
        before = state(lowering.library, lowering.placement)
        seen += len(look_at_everything(lowering))
        assert state(lowering.library, lowering.placement) == before
        assert not lowering.launches and not lowering.shares
        lower(lowering, choose)

    monkeypatch.setattr("sol.codegen.schedule.lower_region", after_looking)
    assert make_plan(graph, target) == want
    assert seen >= sum(n.op == "region" for n in graph.nodes)


def offers(name: str, *variants: str, pays: bool = True, seconds: float | None = None) -> Candidate:
    def match(lowering: Lowering) -> Iterator[Decision]:
        yield from (Decision(name, (name, v), v, pays) for v in variants)

    return Candidate(name, match, lambda lowering, found: None, None if seconds is None else lambda found, target: seconds)


def a_region() -> Lowering:
    graph = fused_graph(NETWORKS["direct"], ISA)
    node = next(n for n in graph.nodes if n.op == "region")
    return Lowering(node, GraphPlacement(graph), KernelLibrary(), by_name(ISA))


@pytest.mark.parametrize("table,choice", [
    ([offers("a", ""), offers("b", "")], "a"),
    ([offers("a"), offers("b", "")], "b"),
    ([offers("a", "", pays=False), offers("b", "")], "b"),
    ([offers("a", "", seconds=2.0), offers("b", "", seconds=1.0)], "b"),
    ([offers("a", "", seconds=1.0), offers("b", "", seconds=1.0)], "a"),
    ([offers("a", ""), offers("b", "", seconds=1.0)], "a"),
    ([offers("a", "", seconds=2.0), offers("b", ""), offers("c", "", seconds=1.0)], "c"),
    ([offers("a", "", seconds=2.0), offers("b", "", pays=False, seconds=1.0)], "a"),
    ([offers("a", "", seconds=2.0), replace(offers("b", "", seconds=1.0), ranked=False)], "a"),
    ([replace(offers("a", "", seconds=2.0), ranked=False), offers("b", "", seconds=1.0)], "a"),
    ([sole("a", lambda lowering: None, lambda lowering, found: None), offers("b", "")], "b"),
    ([sole("a", lambda lowering: 1, lambda lowering, found: None, lambda found, target: found > 1), offers("b", "")], "b"),
])  # fmt: skip
def test_the_first_that_pays_or_the_cheapest(table, choice, monkeypatch):
    monkeypatch.setattr(families, "candidates", lambda anchor: tuple(table))
    assert families.preferred(a_region()).name == choice


def test_without_any_the_region_is_named(monkeypatch):
    monkeypatch.setattr(families, "candidates", lambda anchor: (offers("a"),))
    with pytest.raises(UnsupportedError, match="no kernel"):
        families.preferred(a_region())


def test_alternatives_stand_by_promise(monkeypatch):
    table = (offers("a", "", "1", "2", pays=False), offers("b", "", "3", "4"), offers("c", ""), offers("d"))
    monkeypatch.setattr(families, "candidates", lambda anchor: table)
    assert [d.name for d in families.decisions(a_region())] == ["b", "b/3", "a", "c", "a/1", "b/4", "a/2"]
