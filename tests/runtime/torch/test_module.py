"""A SolModule is the model: names, objects, modes, checkpoints and changes of parameters."""

from __future__ import annotations

import copy
import io
import math
import pickle
from typing import Any

import pytest
import torch
from torch import nn

import sol
from sol.runtime.torch.module import SolModule
from tests.runtime.models import Counter, Lambda, close, convnet, mlp


def test_same_names_and_objects() -> None:
    model = convnet()
    fast = sol.optimize(model, torch.rand(1, 3, 8, 8))
    for ours, theirs in ((fast.named_parameters(), model.named_parameters()), (fast.named_buffers(), model.named_buffers())):
        ours, theirs = list(ours), list(theirs)
        assert [n for n, _ in ours] == [n for n, _ in theirs]
        assert all(a is b for (_, a), (_, b) in zip(ours, theirs))
    assert [n for n, _ in fast.named_modules()] == [n for n, _ in model.named_modules()]
    assert list(fast.children()) == list(model.children()) and fast[0] is model[0]
    assert isinstance(fast, SolModule) and isinstance(fast, nn.Module)
    assert "compiled from Sequential" in repr(fast)


class TwoShapes(nn.Module):
    """Maps of 6 x 14 and of 14 x 6 pixels, which take the same room, each between depthwise convolutions that read zeros around it."""

    def __init__(self) -> None:
        super().__init__()
        self.wide, self.tall = (self.make() for _ in range(2))

    @staticmethod
    def make() -> nn.Module:
        depthwise = [nn.Sequential(nn.Conv2d(32, 32, 3, padding=1, groups=32), nn.ReLU()) for _ in range(2)]
        return nn.Sequential(nn.Conv2d(3, 32, 1), nn.ReLU(), *depthwise)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first = self.wide(x).mean((2, 3), keepdim=True)
        return self.tall(x.transpose(2, 3).contiguous() + first[:, :3])


def test_maps_of_equal_size_but_another_shape() -> None:
    model, x = TwoShapes().eval(), torch.rand(1, 3, 6, 14)
    fast = sol.optimize(model, x)
    with torch.no_grad():
        for _ in range(3):
            close(fast(x), model(x))


def test_attributes_and_methods_of_the_model() -> None:
    class Model(nn.Linear):
        kind = "linear"

        def double(self_) -> int:  # type: ignore[override]  # noqa: N805
            return 2

    fast = sol.optimize(Model(3, 3).eval(), torch.rand(1, 3))
    assert fast.kind == "linear" and fast.in_features == 3
    fast.note = "set"
    assert fast._model.note == "set"
    del fast.note
    assert not hasattr(fast, "note") and not hasattr(fast._model, "note")
    with pytest.raises(AttributeError):
        _ = fast.missing


def test_state_dict_both_ways() -> None:
    model, other, x = mlp(), mlp(), torch.rand(2, 4)
    fast = sol.optimize(model, x)
    with torch.no_grad():
        for p in other.parameters():
            p.mul_(2)
        assert list(fast.state_dict()) == list(model.state_dict())
        fast.load_state_dict(other.state_dict())
        close(fast(x), other(x))
        model.load_state_dict(mlp().state_dict())
        close(fast(x), mlp()(x))
        other.load_state_dict(fast.state_dict())
        close(other(x), fast(x))
        fast.load_state_dict({k: v * 3 for k, v in model.state_dict().items()}, assign=True)
        close(fast(x), model(x))


def change_in_place(m: nn.Sequential) -> None:
    m[0].weight.mul_(2)


def change_slice(m: nn.Sequential) -> None:
    m[0].weight[0, 1] = 7.0


def change_bias(m: nn.Sequential) -> None:
    m[2].bias.copy_(torch.ones(3))


def replace_parameter(m: nn.Sequential) -> None:
    m[0].weight = nn.Parameter(torch.rand(8, 4))


def replace_layer(m: nn.Sequential) -> None:
    m[2] = nn.Linear(8, 3)


def replace_layer_by_another_kind(m: nn.Sequential) -> None:
    m[1] = nn.ReLU()


def replace_by_another_width(m: nn.Sequential) -> None:
    m[2] = nn.Linear(8, 6)


def replace_by_identity(m: nn.Sequential) -> None:
    m[2] = nn.Identity()


def delete_layer(m: nn.Sequential) -> None:
    del m[2]


def append_layer(m: nn.Sequential) -> None:
    m.append(nn.Tanh())


def step_optimizer(m: nn.Sequential) -> None:
    with torch.enable_grad():
        m(torch.ones(2, 4)).sum().backward()
    torch.optim.SGD(m.parameters(), lr=0.1).step()


@pytest.mark.parametrize(
    "change",
    (
        change_in_place, change_slice, change_bias, replace_parameter, replace_layer, replace_layer_by_another_kind,
        replace_by_another_width, replace_by_identity, delete_layer, append_layer, step_optimizer,
    ),
)  # fmt: skip
def test_change_takes_effect(change: Any) -> None:
    model, x = mlp(), torch.rand(2, 4)
    fast = sol.optimize(model, x)
    with torch.no_grad():
        before = fast(x)
        change(model)
        close(fast(x), model(x))
        assert fast(x).shape != before.shape or not torch.allclose(fast(x), before)
        model[0].bias.add_(1)
        close(fast(x), model(x))


def test_change_through_data_needs_refresh() -> None:
    model, x = mlp(), torch.rand(2, 4)
    fast = sol.optimize(model, x)
    with torch.no_grad():
        model[0].weight.data.mul_(2)
        fast.refresh()
        close(fast(x), model(x))


def test_functional_call() -> None:
    model, x = mlp(), torch.rand(2, 4)
    fast = sol.optimize(model, x)
    other = {k: torch.rand_like(v) for k, v in model.named_parameters()}
    with torch.no_grad():
        before = fast(x)
        close(torch.func.functional_call(fast, other, x), torch.func.functional_call(model, other, x))
        part = {"0.bias": other["0.bias"]}
        close(torch.func.functional_call(fast, part, x), torch.func.functional_call(model, part, x))
        close(fast(x), before)


@pytest.mark.parametrize("convert", ("fast", "model"))
def test_conversion_to_other_dtypes(convert: str) -> None:
    model, x = mlp(), torch.rand(2, 4)
    fast = sol.optimize(model, x)
    target = fast if convert == "fast" else model
    with torch.no_grad():
        target.to(torch.float64)
        result = fast(x.double())
        assert result.dtype is torch.float64
        close(result, model(x.double()))
        target.float()
        close(fast(x), model(x))


def test_conversion_where_inputs_are_integers() -> None:
    model, ids = nn.Sequential(nn.Embedding(5, 4), nn.Linear(4, 3)).eval(), torch.tensor([0, 3, 4])
    fast = sol.optimize(model, ids)
    with torch.no_grad():
        model.double()
        assert fast(ids).dtype is torch.float64
        close(fast(ids), model(ids))


def test_bfloat16() -> None:
    model, x = mlp().bfloat16(), torch.rand(2, 4).bfloat16()
    with torch.no_grad():
        torch.testing.assert_close(sol.optimize(model, x)(x), model(x), rtol=0.05, atol=0.02)


def test_training_runs_in_torch() -> None:
    model, x = convnet(), torch.rand(2, 3, 8, 8)
    fast = sol.optimize(model, x)
    assert fast.train() is fast and fast.training and model.training and model[3].training
    mean = model[1].running_mean.clone()
    fast(x).sum().backward()
    assert model[0].weight.grad is not None and not torch.equal(model[1].running_mean, mean)
    assert fast.eval() is fast and not fast.training and not model[3].training
    with torch.no_grad():
        close(fast(x), model(x))
    model.train()
    assert fast.training


@pytest.mark.parametrize("part", (1, 3))
def test_part_in_training_mode(part: int) -> None:
    model, x = convnet(), torch.rand(2, 3, 8, 8)
    fast = sol.optimize(model, x)
    with torch.no_grad():
        expected = fast(x)
        model[part].train()
        assert not torch.allclose(fast(x), expected)
        model[part].eval()
    assert not fast.training


def test_optimize_in_training_mode() -> None:
    model, x = convnet().train(), torch.rand(2, 3, 8, 8)
    fast = sol.optimize(model, x)
    assert not fast._programs and fast.training
    fast.eval()
    with torch.no_grad():
        close(fast(x), model(x))
    assert len(fast._programs) == 1


def test_deepcopy_shares_code_not_weights() -> None:
    model, x = mlp(), torch.rand(2, 4)
    fast = sol.optimize(model, x)
    twin = copy.deepcopy(fast)
    assert twin._programs[0].runner.executables[0].library is fast._programs[0].runner.executables[0].library
    with torch.no_grad():
        expected = fast(x)
        for p in twin.parameters():
            p.zero_()
        assert twin(x).count_nonzero() == 0
        close(fast(x), expected)


def test_pickle() -> None:
    model, x = mlp(), torch.rand(2, 4)
    fast = sol.optimize(model, x, threads=1)
    buffer = io.BytesIO()
    torch.save(fast, buffer)
    buffer.seek(0)
    for twin in (pickle.loads(pickle.dumps(fast)), torch.load(buffer, weights_only=False)):
        assert twin._options == fast._options
        close(twin(x), fast(x))
        assert twin[0].weight is not model[0].weight


def test_child_of_another_module() -> None:
    model, x = mlp(), torch.rand(2, 4)
    parent = nn.Sequential(sol.optimize(model, x), nn.ReLU())
    assert list(parent.state_dict()) == [f"0.{n}" for n in model.state_dict()]
    parent.train()
    assert model.training and model[1].training
    parent.eval()
    parent.load_state_dict({k: v * 2 for k, v in parent.state_dict().items()})
    with torch.no_grad():
        close(parent(x), torch.relu(model(x)))
        parent.double()
        close(parent(x.double()), torch.relu(model(x.double())))
        close(copy.deepcopy(parent)(x.double()), parent(x.double()))


def test_module_that_holds_a_compiled_one_is_compiled() -> None:
    model, x = mlp(), torch.rand(2, 4)
    outer = sol.optimize(nn.Sequential(sol.optimize(model, x), nn.ReLU()).eval(), x)
    with torch.no_grad():
        close(outer(x), torch.relu(model(x)))
        model[0].weight.mul_(2)
        close(outer(x), torch.relu(model(x)))


def test_hooks() -> None:
    model, x = mlp(), torch.rand(2, 4)
    fast = sol.optimize(model, x)
    handle = fast.register_forward_hook(lambda module, args, output: output * 0)
    before = fast.register_forward_pre_hook(lambda module, args: (args[0] * 2,))
    assert fast(x).count_nonzero() == 0
    assert copy.deepcopy(fast)(x).count_nonzero() == 0
    handle.remove()
    with torch.no_grad():
        close(fast(x), model(x * 2))
    before.remove()


def test_apply_reaches_the_model_itself() -> None:
    fast = sol.optimize(nn.Linear(3, 3).eval(), torch.rand(1, 3))
    with torch.no_grad():
        fast.apply(lambda m: nn.init.zeros_(m.weight) if isinstance(m, nn.Linear) else None)
        fast.apply(lambda m: nn.init.zeros_(m.bias) if isinstance(m, nn.Linear) else None)
    assert fast(torch.rand(1, 3)).count_nonzero() == 0


def test_tied_parameters() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4)).eval()
    model[2].weight = model[0].weight
    fast, x = sol.optimize(model, torch.rand(2, 4)), torch.rand(2, 4)
    with torch.no_grad():
        close(fast(x), model(x))
        model[0].weight.mul_(2)
        close(fast(x), model(x))
    assert copy.deepcopy(fast)[0].weight is not model[0].weight


@pytest.mark.parametrize(("make", "dim", "shape"), ((lambda: nn.Linear(16, 8), 0, (4, 16)), (lambda: nn.Conv1d(8, 8, 3), 2, (2, 8, 9))))
def test_weights_that_are_computed_from_parameters_are_no_work_of_a_call(make: Any, dim: int, shape: tuple[int, ...]) -> None:
    plain, normed, x = make().eval(), nn.utils.parametrizations.weight_norm(make(), dim=dim).eval(), torch.rand(shape)
    fast = sol.optimize(normed, x)
    ours, theirs = (sol.explain(m, x) for m in (fast, plain))
    assert [r.kernels for r in ours.regions] == [r.kernels for r in theirs.regions] and not ours.torch
    with torch.no_grad():
        for _ in range(2):
            close(fast(x), normed(x))
            normed.parametrizations.weight.original0.mul_(2)


@pytest.mark.parametrize("norm", (2.0, 1.0, 3.0, math.inf, 0.0))
@pytest.mark.parametrize("kind", (nn.Embedding, nn.EmbeddingBag))
def test_rows_of_a_table_that_a_call_shortens(kind: Any, norm: float) -> None:
    model = kind(9, 4, max_norm=0.5, norm_type=norm).eval()
    other = copy.deepcopy(model)
    fast = sol.optimize(model, torch.tensor([[1, 2], [2, 3]]))
    assert not sol.explain(model, torch.tensor([[1, 2], [2, 3]])).torch
    with torch.no_grad():
        for rows in ([[1, 2], [2, 8]], [[0, 0], [4, 1]]):
            close(fast(torch.tensor(rows)), other(torch.tensor(rows)))
            close(model.weight, other.weight)
        for rows in ([[1, 9], [2, 3]], [[1, 2], [-1, 3]]):
            with pytest.raises(Exception, match="range|expects"):
                fast(torch.tensor(rows))


@pytest.mark.parametrize("dtype", (torch.float64, torch.bfloat16, torch.float16))
def test_rows_of_tables_of_other_types(dtype: torch.dtype) -> None:
    model = nn.Embedding(50, 24, max_norm=0.7, dtype=dtype).eval()
    other, rows = copy.deepcopy(model), torch.arange(40)
    before = model.weight.detach().clone()
    with torch.no_grad():
        torch.testing.assert_close(sol.optimize(model, rows)(rows), other(rows))
    changed = other.weight != before
    assert changed.any() and not changed[40:].any()
    assert (model.weight == other.weight).double().mean() > 0.98  # the factor is rounded once


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64, torch.bfloat16))
def test_rows_that_training_shortens(dtype: torch.dtype) -> None:
    model = nn.Sequential(nn.Embedding(9, 4, max_norm=0.5, dtype=dtype), nn.Linear(4, 3, dtype=dtype))
    other = copy.deepcopy(model)
    fast = sol.optimize(model, torch.tensor([1, 2, 2]))
    for rows in ([1, 2, 2], [8, 8, 1]):
        for m in (fast, other):
            m(torch.tensor(rows)).square().sum().backward()
        close(model[0].weight, other[0].weight)
        close(model[0].weight.grad, other[0].weight.grad)


def test_mutated_buffer() -> None:
    model = Counter()
    fast, x = sol.optimize(model, torch.zeros(3)), torch.zeros(3)
    assert model.count.count_nonzero() == 0
    for i in range(1, 4):
        close(fast(x), torch.full((3,), float(i)))
    close(model.count, torch.full((3,), 3.0))


@pytest.mark.parametrize("mode", (torch.no_grad, torch.inference_mode))
def test_grad_modes(mode: Any) -> None:
    model, x = mlp(), torch.rand(2, 4)
    fast = sol.optimize(model, x)
    with mode():
        result = fast(x)
        close(result, model(x))
        assert not result.requires_grad and result.is_inference() == (mode is torch.inference_mode)
    assert fast(x).requires_grad


def test_model_and_inputs_of_inference_mode() -> None:
    with torch.inference_mode():
        model, x = mlp(), torch.rand(2, 4)
        close(sol.optimize(model, x)(x), model(x))
    fast = sol.optimize(model, torch.rand(2, 4))
    with torch.no_grad():
        close(fast(x), model(x))


def test_transforms_and_subclasses_run_in_torch() -> None:
    class Tagged(torch.Tensor):
        pass

    model, x = mlp(), torch.rand(2, 4)
    fast = sol.optimize(model, x)
    with torch.no_grad():
        result = fast(x.as_subclass(Tagged))
        assert type(result) is Tagged
        close(result.as_subclass(torch.Tensor), model(x))
        close(torch.func.vmap(fast)(torch.stack((x, x))), torch.stack((model(x), model(x))))
    close(torch.func.grad(lambda v: fast(v).sum())(x), torch.func.grad(lambda v: model(v).sum())(x))
    close(torch.func.jacrev(fast)(x), torch.func.jacrev(model)(x))


def test_inside_of_export_and_compile() -> None:
    model, x = mlp(), torch.rand(2, 4)
    fast = sol.optimize(model, x)
    with torch.no_grad():
        close(torch.export.export(fast, (x,)).module()(x), model(x))
        torch._dynamo.reset()
        close(torch.compile(fast, backend="eager", fullgraph=True)(x), model(x))


def test_fallback_eager(caplog: pytest.LogCaptureFixture) -> None:
    def branching(x: torch.Tensor) -> torch.Tensor:
        return x + 1 if x.sum() > 0 else x - 1

    model = Lambda(branching)
    with pytest.raises(sol.SolError, match="torch.export cannot capture"):
        sol.optimize(model, torch.ones(3))
    fast = sol.optimize(model, torch.ones(3), fallback="eager")
    assert "Lambda is compiled in pieces" in caplog.text
    close(fast(torch.ones(3)), torch.full((3,), 2.0))
    close(fast(-torch.ones(3)), torch.full((3,), -2.0))
    assert "torch.export cannot capture" in str(sol.explain(fast, torch.ones(3)))


def test_same_public_face() -> None:
    import sol.pytorch

    for name in ("optimize", "explain", "verify", "profile", "config", "cache"):
        assert getattr(sol.pytorch, name) is getattr(sol, name)
