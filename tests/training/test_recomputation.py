"""What a backward pass computes again: the segments of a forward graph, and steps at several memory budgets."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import fx, nn
from torch.utils.checkpoint import CheckpointPolicy

import sol
from sol.runtime.torch import differentiation, recomputation
from sol.runtime.torch.recomputation import Segment, _held, _recomputed
from tests.training.steps import check_gradients, check_loss, graphs_of, pair, step

IMAGES = (torch.randn(4, 3, 32, 32),)


def chain(depth: int, *more: nn.Module) -> nn.Module:
    """Equal convolutions with normalisation, one behind the other."""
    blocks = [nn.Sequential(nn.Conv2d(16, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.SiLU()) for _ in range(depth)]
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), *more, *blocks, nn.Flatten(2))


def kept_bytes(model: nn.Module) -> int:
    """Bytes that the forward graph hands to the backward graph, inputs excepted."""
    (output,) = graphs_of(model)[0].module.graph.find_nodes(op="output")
    values = {n: n.meta["val"] for n in output.args[0][1:] if isinstance(n, fx.Node) and n.op != "placeholder"}
    return sum(v.numel() * v.element_size() for v in values.values())


def arena_bytes(model: nn.Module) -> int:
    """Bytes of the backward pass's arena."""
    (executable,) = graphs_of(model)[1].program.runner.executables
    return executable.memory_bytes()["arena"]


def test_a_smaller_budget_keeps_less_to_the_same_gradients() -> None:
    kept, held = [], []
    for budget in (1.0, 0.0):
        fast, eager = pair(chain(32), IMAGES)
        with sol.config.override(training_memory_budget=budget):
            for _ in range(2):
                check_loss(step(fast, IMAGES), step(eager, IMAGES))
            check_gradients(fast, eager)
        kept.append(kept_bytes(fast))
        held.append(kept[-1] + arena_bytes(fast))
    assert kept[-1] < kept[0] / 3
    assert held[-1] < 0.6 * held[0]  # what is computed again is not held all at once


@pytest.mark.parametrize(
    "first", [nn.MaxPool2d(2, return_indices=False), nn.Dropout(0.4), nn.Sequential(nn.ReLU(), nn.Dropout(0.4), nn.MaxPool2d(2))]
)
def test_random_numbers_are_not_drawn_again(first: nn.Module) -> None:
    fast, eager = pair(chain(8, first), IMAGES)
    with sol.config.override(training_memory_budget=0.0):
        results = []
        for model in (fast, eager):
            torch.manual_seed(3)
            results.append(step(model, IMAGES))
    check_loss(*results)
    check_gradients(fast, eager)


def test_running_statistics_count_a_step_once() -> None:
    fast, eager = pair(chain(8), IMAGES)
    with sol.config.override(training_memory_budget=0.0):
        for _ in range(3):
            check_loss(step(fast, IMAGES), step(eager, IMAGES))
    for (name, ours), theirs in zip(fast.named_buffers(), eager.buffers()):
        assert torch.allclose(ours, theirs, atol=1e-5), name


def marked(monkeypatch: pytest.MonkeyPatch, budget: float, make: Callable[[], nn.Module]) -> list[fx.Node]:
    """Nodes of a model's joint graph that are marked."""
    found: list[fx.Node] = []
    choose = recomputation.choose_recomputed

    def noted(joint: fx.GraphModule, own: int, budget: float) -> bool:
        chosen = choose(joint, own, budget)
        found.extend(n for n in joint.graph.nodes if "recompute" in n.meta)
        return chosen

    monkeypatch.setattr(differentiation, "choose_recomputed", noted)
    fast, _ = pair(make(), IMAGES)
    with sol.config.override(training_memory_budget=budget):
        step(fast, IMAGES)
    return found


def test_nothing_is_marked_at_the_whole_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not marked(monkeypatch, 1.0, lambda: chain(8))


def test_what_crosses_segments_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    found = marked(monkeypatch, 0.0, lambda: chain(16))
    images = [n.meta["recompute"] for n in found if isinstance(x := n.meta["val"], torch.Tensor) and x.shape == (4, 16, 32, 32)]
    assert 2 <= images.count(CheckpointPolicy.MUST_SAVE) < images.count(CheckpointPolicy.PREFER_RECOMPUTE) / 4


def test_nothing_is_marked_where_it_would_not_help(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not marked(monkeypatch, 0.0, lambda: nn.Sequential(nn.Conv2d(3, 16, 3), nn.Tanh(), nn.Flatten(2)))


SEGMENTS = [Segment((), 10, 100, 40), Segment((), 20, 200, 10), Segment((), 0, 50, 7)]


def test_held_bytes() -> None:
    assert _held(SEGMENTS, SEGMENTS) == 30 + 200 + 3 * 10
    assert _held(SEGMENTS, SEGMENTS[:1]) == 30 + 250 + 100 + 3 * 40
    assert _held(SEGMENTS, ()) == 30 + 350 + 3 * 40


def test_segments_within_a_budget() -> None:
    """The fewest, of those that hold most."""
    assert _recomputed(SEGMENTS, 1) == []
    assert _recomputed(SEGMENTS, 0) == SEGMENTS
    assert _recomputed(SEGMENTS, 0.99) == SEGMENTS[1:2]
    assert _recomputed(SEGMENTS, 0.8) == SEGMENTS[:2]


def test_budgets_between() -> None:
    """The smaller the budget, the less a step holds, what it works in included."""
    held = []
    for budget in (1.0, 0.75, 0.5, 0.0):
        fast, eager = pair(chain(24), IMAGES)
        with sol.config.override(training_memory_budget=budget):
            check_loss(step(fast, IMAGES), step(eager, IMAGES))
            check_gradients(fast, eager)
        held.append(kept_bytes(fast) + arena_bytes(fast))
    assert held[1] < 0.85 * held[0] and held[2] < 0.7 * held[0] and held[3] <= held[2]
