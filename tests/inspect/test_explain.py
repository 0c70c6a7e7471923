"""The texts of sol.explain and sol.profile."""

from __future__ import annotations

import torch

import sol
from tests.runtime.models import Lambda, convnet, mlp


def test_explain_names_regions_kernels_and_origin() -> None:
    model, x = convnet(), torch.rand(1, 3, 8, 8)
    found = sol.explain(model, x)
    assert not isinstance(model, sol.runtime.torch.module.SolModule) and found.torch == ()
    assert found.regions[0].ops == ("conv", "relu") and found.regions[0].origin.startswith("0")
    assert found.kernels == len({k for r in found.regions for k in r.kernels}) and found.launches >= len(found.regions)
    assert found.weight_bytes > 0 and found.arena_bytes > 0
    text = str(found)
    assert text.startswith("Sequential: ") and "conv + relu" in text and "in torch: 0 operations" in text and "training mode" in text


def test_weights_take_about_the_room_of_parameters() -> None:
    layers = [torch.nn.Linear(300, 200), torch.nn.ReLU(), torch.nn.Linear(200, 100)]
    model = torch.nn.Sequential(*layers).eval()
    own = sum(p.numel() * p.element_size() for p in model.parameters())
    assert own <= sol.explain(model, torch.rand(4, 300)).weight_bytes <= 1.2 * own


def branches(x: torch.Tensor) -> torch.Tensor:
    """No single graph: which way is taken depends on data."""
    y = x * 2
    return torch.relu(y) if y.sum() > 0 else torch.tanh(y)


def test_pieces_of_a_model_with_sizes_that_changed() -> None:
    fast = sol.optimize(Lambda(branches), torch.ones(8, 4), fallback="eager")
    for size in (8, 5, 3):
        fast(torch.ones(size, 4))
    found = sol.explain(fast, torch.ones(3, 4))
    assert any(note.startswith("captured ") for note in found.notes) and found.regions and not found.torch
    checked = sol.verify(fast, torch.ones(3, 4))
    assert checked.passed and len(checked.outputs) == 1 and "not captured as one graph" in str(checked)


def test_explain_of_a_compiled_module_does_not_compile_again() -> None:
    x = torch.rand(2, 4)
    fast = sol.optimize(mlp(), x)
    sol.explain(fast, [x])
    assert len(fast._programs) == 1
    assert str(sol.explain(fast, x)) == str(sol.explain(fast, {"input": x})) and len(fast._programs) == 2


def test_explain_leaves_modes_alone() -> None:
    model = convnet()
    model[3].train()
    sol.explain(model, torch.rand(1, 3, 8, 8))
    assert [m.training for m in model] == [False, False, False, True, False, False, False]


def test_explain_gives_the_reason_for_torch() -> None:
    text = str(sol.explain(Lambda(lambda x: torch.linalg.det(torch.relu(x))), torch.rand(3, 3)))
    assert "in torch: 1 operations:" in text and "linalg_det: aten.linalg_det.default has no converter" in text


def test_profile() -> None:
    model, x = convnet(), torch.rand(1, 3, 8, 8)
    found = sol.profile(model, x, runs=3)
    assert len(found.rows) == sol.explain(model, x).launches and found.seconds > 0
    assert all(r.seconds >= 0 and r.flops >= 0 and r.bytes >= 0 for r in found.rows)
    text = str(found)
    assert "GFLOP/s" in text and "share" in text
    assert sum(r.seconds for r in found.by_kernel()) == sum(r.seconds for r in found.rows) or abs(found.seconds) < 1


def test_profile_across_torch_calls() -> None:
    found = sol.profile(Lambda(lambda x: torch.linalg.det(torch.relu(x)) * 2), torch.rand(5, 3, 3), runs=2)
    assert len(found.rows) == 2


def test_a_part_in_torchscript_is_named():
    class Partly(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.traced = torch.jit.trace(torch.nn.Linear(4, 4).eval(), torch.zeros(2, 4))

        def forward(self, x):
            return self.traced(x).relu() + 1

    model, x = Partly().eval(), torch.randn(2, 4)
    fast = sol.optimize(model, [x], fallback="eager")
    assert torch.equal(fast(x), model(x))
    with torch.no_grad():
        model.traced.weight.zero_()
    assert torch.equal(fast(x), model(x))
    assert any("traced is TorchScript" in note for note in sol.explain(fast, x).notes)
