"""Memory of large results: used again only when nobody holds it, given back when nobody asks for it."""

import gc
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import sol
from sol.codegen.plan import Port
from sol.ir.types import DType
from sol.runtime.torch.result_pool import KEPT_STEPS, LARGE_RESULT, ResultPool
from sol.runtime.torch.tensors import TORCH
from tests.runtime.test_memory import resident

ROWS = LARGE_RESULT // (4 * 64)


def allocator(pool, shape=(ROWS, 64), dtype=DType.F32):
    allocate = pool.arrays.allocator(Port("x", dtype, shape, "x"))
    return lambda: allocate({})


def test_memory_is_used_again_when_the_tensor_is_gone():
    new = allocator(ResultPool())
    first = new()
    place = first.data_ptr()
    del first
    assert new().data_ptr() == place


@pytest.mark.parametrize(
    "holder", [lambda t: t[3:5], lambda t: t.numpy(), lambda t: t.untyped_storage(), lambda t: t.detach(), torch.nn.Parameter]
)
def test_memory_is_not_used_again_while_somebody_holds_it(holder):
    pool = ResultPool()
    new = allocator(pool)
    first = new()
    place, held = first.data_ptr(), holder(first)
    del first
    assert pool.idle_bytes == 0 and new().data_ptr() != place
    del held
    gc.collect()
    assert place in {t.data_ptr() for t in [new(), new()]}


def test_what_nobody_asks_for_is_given_back():
    pool = ResultPool()
    new = allocator(pool)
    for _ in range(3):
        pool.step()
        held = [new(), new()]
        del held
    assert pool.idle_bytes == 2 * LARGE_RESULT
    for _ in range(KEPT_STEPS):
        pool.step()
        new()
    pool.step()
    assert pool.idle_bytes == LARGE_RESULT
    for _ in range(KEPT_STEPS + 1):
        pool.step()
    assert pool.idle_bytes == 0


def test_pieces_of_a_model_count_steps_together():
    """A step has each piece once: what the first needs stays while the others run, and goes when the first is called no more."""
    pool, pieces = ResultPool(), [object() for _ in range(4)]
    new = allocator(pool)
    for _ in range(3):
        for piece in pieces:
            pool.step(piece)
            if piece is pieces[0]:
                new()
        assert pool.idle_bytes == LARGE_RESULT
    for _ in range(KEPT_STEPS + 2):
        pool.step(pieces[3])
    assert pool.idle_bytes == 0


def test_memory_serves_tensors_of_other_sizes():
    pool = ResultPool()
    small, large = allocator(pool), allocator(pool, (3 * ROWS, 64))
    held = [small() for _ in range(4)]
    place = held[1].data_ptr()
    del held[1:]
    tensor = large()
    assert tensor.data_ptr() == place and held[0].data_ptr() == place - LARGE_RESULT and pool.idle_bytes == 0


def test_no_two_tensors_share_memory():
    """Tensors of many sizes that come and go in any order, in several chunks."""
    pool, draw = ResultPool(), random.Random(0)
    new = {n: allocator(pool, (n * LARGE_RESULT // 4 + 1,)) for n in (1, 2, 5, 40)}
    held: list[tuple[torch.Tensor, int]] = []
    for number in range(400):
        if len(held) > 20 or (held and draw.random() < 0.4):
            tensor, expected = held.pop(draw.randrange(len(held)))
            assert tensor[0] == expected and tensor[-1] == expected
            del tensor
        tensor = new[draw.choice(list(new))]()
        tensor[0] = tensor[-1] = number
        held.append((tensor, number))
        if number % 50 == 0:
            pool.step()
    spans = sorted((t.data_ptr(), t.data_ptr() + t.nbytes) for t, _ in held)
    assert all(end <= begin for (_, end), (begin, _) in zip(spans, spans[1:]))
    assert all(t[0] == n and t[-1] == n for t, n in held)


def test_pages_that_nobody_needs_leave_memory():
    pool = ResultPool()
    for _ in range(3):
        pool.step()
        new = allocator(pool, (32 * ROWS, 64))
        new().fill_(1)
    before = resident()
    for _ in range(KEPT_STEPS + 1):
        pool.step()
    assert before - resident() > 30 * LARGE_RESULT and pool.idle_bytes == 0


@pytest.mark.parametrize("dtype", [DType.F32, DType.F64, DType.F16, DType.BF16, DType.I64, DType.BOOL, DType.F8E4M3FN])
def test_all_types_have_their_own(dtype):
    tensor = allocator(ResultPool(), (LARGE_RESULT, 2), dtype)()
    assert tensor.dtype is TORCH[dtype] and tensor.shape == (LARGE_RESULT, 2) and tensor.is_contiguous() and not tensor._is_view()


def test_small_results_are_not_pooled():
    pool = ResultPool()
    allocator(pool, (LARGE_RESULT // 8,))()
    assert pool.idle_bytes == 0


def test_threads_get_memory_of_their_own():
    pool = ResultPool()
    new = allocator(pool)

    def work(number):
        for _ in range(50):
            tensor = new().fill_(number)
            if not bool((tensor == number).all()):
                return False
        return True

    with ThreadPoolExecutor(4) as executor:
        assert all(executor.map(work, range(4)))
    assert pool.idle_bytes <= 8 * LARGE_RESULT  # each thread has one tensor while it asks for the next


def test_gradients_of_earlier_steps_stay_as_they_are():
    """Results of one step are not overwritten by the next ones, whoever holds them: gradients, results, what backward needs."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(512, 1024), nn.ReLU(), nn.Linear(1024, 512))
    x = torch.randn(512, 512)
    with sol.config.override(training="compiled"):
        fast = sol.optimize(model, [x]).train()
        kept, losses = [], []
        for step in range(4):
            model.zero_grad()
            y = fast(x * (step + 1))
            losses.append((y, F.mse_loss(y, x)))
            if step % 2:  # two graphs alive at once
                (losses[-2][1] + losses[-1][1]).backward()
                kept.append([p.grad for p in model.parameters()])
        for step in (1, 3):
            model.zero_grad()
            for s in (step - 1, step):
                F.mse_loss(y := model(x * (s + 1)), x).backward()
                torch.testing.assert_close(losses[s][0], y, rtol=1e-4, atol=1e-4)
            for found, p in zip(kept[step // 2], model.parameters()):
                torch.testing.assert_close(found, p.grad, rtol=1e-3, atol=1e-5)
