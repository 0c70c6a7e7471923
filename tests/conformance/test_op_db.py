"""A choice of torch's operator database in every test run, the whole of it in ``make conformance``."""

from __future__ import annotations

import warnings

import pytest
import torch

import sol
from tests.conformance.op_db import Trial, arguments, failures, sweep
from tests.conformance.op_db_cases import Case, Together, cases, entries, expected, judge, name_of, spread, with_gradients

CHOICE = (  # entries that share a compilation
    ("add", "atan2", "clamp", "div.floor_rounding", "copysign", "erfc", "fmod", "heaviside", "hypot", "logaddexp", "logit", "nextafter"),
    ("sum", "mean", "var", "std", "logsumexp", "cumsum", "cumprod", "cummax", "logcumsumexp", "amax", "argmax", "linalg.vector_norm"),
    ("sort", "topk", "kthvalue", "mode", "median", "searchsorted", "bucketize", "histc", "msort", "argsort", "quantile"),
    ("gather", "scatter", "scatter_add", "scatter_reduce.amax", "index_add", "index_copy", "index_fill", "index_put", "take", "put"),
    ("unfold", "diff", "roll", "rot90", "tril", "diag_embed", "diagonal", "as_strided", "expand", "repeat", "split", "flip"),
    ("nn.functional.cosine_similarity", "nn.functional.huber_loss", "nn.functional.cross_entropy", "nn.functional.embedding_bag",
     "nn.functional.grid_sample", "nn.functional.interpolate.bicubic", "nn.functional.max_unpool2d", "nn.functional.unfold",
     "nn.functional.pad.circular", "nn.functional.adaptive_avg_pool2d", "nn.functional.layer_norm", "nn.functional.group_norm"),
    ("matmul", "addmm", "baddbmm", "einsum", "linalg.multi_dot", "inner", "outer", "nn.functional.conv2d", "nn.functional.conv_transpose1d",
     "nn.functional.max_pool1d", "nn.functional.batch_norm", "cdist"),
)  # fmt: skip
GRADIENTS = ("atan2", "cumprod", "diag_embed", "diagonal_scatter", "gather", "index_fill", "linalg.inv", "logsumexp", "masked_select",
             "sgn", "nn.functional.conv2d", "nn.functional.max_pool2d")  # fmt: skip
SAMPLES = 3


@pytest.mark.parametrize("names", CHOICE, ids=lambda names: names[0])
@pytest.mark.budget(10)
def test_samples_of_entries_compiled_together(names: tuple[str, ...]) -> None:
    """The first samples, and the last, which tend to be the odd ones."""
    numbers = [number for number in range(len(entries())) if name_of(number) in names]
    assert len(numbers) == len(names)
    chosen = []
    for number in numbers:
        samples = cases(number, "plain")
        samples = samples[: SAMPLES - 1] + samples[SAMPLES - 1 :][-1:]
        chosen += [(name_of(number), case, want) for case in samples if (want := expected(case)) is not None]
    module = Together([case for _, case, _ in chosen]).eval()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fast = sol.optimize(module, [t for _, case, _ in chosen for t in case.copies()], fallback="error")
        operands = [t for _, case, _ in chosen for t in case.copies()]
        results = fast(*operands)
    wrong, at = [], 0
    for (name, case, want), result in zip(chosen, results):
        after = operands[at : at + len(case.tensors)]
        at += len(case.tensors)
        text = judge(name, case, want, result, after)
        wrong += [f"{name} {case.number} ({case.note}): {text}"] if text else []
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", GRADIENTS)
@pytest.mark.budget(10)
def test_gradients_of_samples(name: str) -> None:
    """Also where Dynamo's graph has no gradient that can be traced, or parts of it run in torch."""
    (number,) = [n for n in range(len(entries())) if name_of(n) == name]
    trial = Trial(number, "gradient", SAMPLES, None, failures=1)
    trial.run(alone=False, report=lambda case: None)
    assert trial.tried >= len(trial.cases) > 0 and not trial.failures


def test_a_wrong_gradient_is_found() -> None:
    """Twice the gradient is a difference, and so is none."""
    x = torch.linspace(-1, 1, 6)
    case = Case(0, lambda t: t.sin(), (x,), "", (True,))
    want = expected(case)
    assert want is not None
    (operand,) = case.copies()
    result, (gradient,) = with_gradients(operand.sin(), [operand])
    assert not judge("sin", case, want, (result, [gradient]), [operand])
    assert "off by" in judge("sin", case, want, (result, [2 * gradient]), [operand])
    assert judge("sin", case, want, (result, [None]), [operand])


def test_a_choice_of_samples_spreads_over_the_list():
    """The first and the last among them, none twice."""
    assert spread(range(5), None) == spread(range(5), 5) == [0, 1, 2, 3, 4]
    assert spread(range(100), 4) == [0, 33, 66, 99] and spread(range(9), 1) == [0]
    assert len(set(spread(range(41), 40))) == 40


@pytest.mark.conformance
def test_all_samples_in_all_forms() -> None:
    """Hours; goes on where it stopped (build/op_db.jsonl)."""
    found = failures(sweep(arguments([])))
    assert not found, "\n".join(found)
