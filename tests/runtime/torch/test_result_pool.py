"""Memory of large results: used again only when nobody holds it, given back when nobody asks for it."""

import gc
import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import sol
from sol.codegen.plan import Port
from sol.errors import CompilerError
from sol.ir.types import DType
from sol.runtime.torch import result_pool
from sol.runtime.torch.result_pool import FIRST_CHUNK, KEPT_STEPS, LARGE_RESULT, ResultPool, are_alone, joined, without
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


def test_pages_are_touched_ahead_of_the_first_call():
    """They are the call's, hold what it writes meanwhile, and no more are touched once it is over."""
    pool, size = ResultPool(), 3 * FIRST_CHUNK
    before = resident()
    pool.expect(size)
    loan = pool.lend(size)
    block = pool._chunks[0].block
    assert len(pool._chunks) == 1 and loan.address == block.address
    block.bytes[: size // 2 : 4096] = 7
    touching = [t for t in threading.enumerate() if t.name == "sol-pages"]
    for thread in touching:
        thread.join(60)
    assert (block.bytes[: size // 2 : 4096] == 7).all() and (block.bytes[size // 2 : size] == 0).all()
    assert resident() - before > size * 0.9
    loan.end()
    assert resident() - before < size / 2, "a first step gives back what nobody has"


def test_nothing_is_touched_behind_the_first_call(monkeypatch):
    """Or where it is little, or memory is there."""
    begun = []
    monkeypatch.setattr(threading.Thread, "start", lambda thread: begun.append(thread))
    pool = ResultPool()
    pool.expect(FIRST_CHUNK - 4096)
    pool.expect(-1)
    pool.expect(1 << 60)  # more than the system gives
    assert not begun and not pool._chunks
    pool.expect(FIRST_CHUNK)
    pool.expect(FIRST_CHUNK)
    assert len(begun) == len(pool._chunks) == 1
    before = resident()
    pool.lend(4096).end()
    begun[0].run()
    assert resident() - before < FIRST_CHUNK / 2
    used = ResultPool()
    used.lend(4096)
    used.expect(FIRST_CHUNK)
    assert len(begun) == 1


def test_without_a_thread_or_a_compiler_nothing_is_touched(monkeypatch):
    def fails(*_):
        raise RuntimeError("can't start new thread")

    pool = ResultPool()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fails)
        pool.expect(FIRST_CHUNK)
    assert not pool._chunks
    monkeypatch.setattr(result_pool, "team", lambda: (_ for _ in ()).throw(CompilerError("no compiler")))
    monkeypatch.setattr(threading.Thread, "start", lambda thread: thread.run())
    pool.expect(FIRST_CHUNK)
    pool.lend(FIRST_CHUNK).end()


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
    place = held[3].data_ptr()
    del held[1:]
    tensor = large()
    assert tensor.data_ptr() == place and held[0].data_ptr() == place + 3 * LARGE_RESULT and pool.idle_bytes == 0


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


PORT = Port("x", DType.F32, (ROWS, 64), "x")


def kept_of_a_call(pool, count=4, size=5 * LARGE_RESULT):
    """Results of a call, each with its number in it, and their places."""
    loan = pool.lend(size)
    tensors = [loan.array(k * LARGE_RESULT, PORT).fill_(k) for k in range(count)]
    loan.end()
    return tensors, [k * LARGE_RESULT for k in range(count)]


def addresses(tensors, places):
    return [(t.data_ptr(), place) for t, place in zip(tensors, places)]


def test_a_call_takes_over_what_the_one_before_it_left_for_it():
    pool = ResultPool()
    kept, places = kept_of_a_call(pool)
    base = kept[0].data_ptr()
    assert pool.places([None, *kept], places) == {k + 1: place for k, place in enumerate(places)}
    pool.offer(kept)
    loan = pool.lend(8 * LARGE_RESULT, addresses(kept, places))
    assert loan.address == base and all((t == k).all() for k, t in enumerate(kept))
    gradients = [loan.array(place, PORT).fill_(9) for place in (LARGE_RESULT, 6 * LARGE_RESULT)]
    loan.end()
    del kept
    gc.collect()
    others = [allocator(pool)() for _ in range(100)]
    spans = {t.data_ptr() for t in others}
    assert not spans & {g.data_ptr() for g in gradients} and all((g == 9).all() for g in gradients)
    del others, gradients
    gc.collect()
    assert pool.lend(8 * LARGE_RESULT).address == base


def test_a_call_gets_memory_of_its_own_where_results_are_not_offered_or_a_neighbour_is_held():
    pool = ResultPool()
    kept, places = kept_of_a_call(pool)
    first = pool.lend(8 * LARGE_RESULT, addresses(kept, places))
    assert first.address != kept[0].data_ptr()
    first.end()
    pool.offer(kept[1:])
    assert pool.lend(8 * LARGE_RESULT, addresses(kept, places)).address != kept[0].data_ptr()
    pool.offer(kept)
    foreign = torch.empty(ROWS, 64)
    assert pool.lend(8 * LARGE_RESULT, [*addresses(kept, places), (foreign.data_ptr(), 0)]).address != kept[0].data_ptr()
    moved = [place + LARGE_RESULT for place in places[:1]] + places[1:]
    assert pool.lend(8 * LARGE_RESULT, addresses(kept, moved)).address != kept[0].data_ptr()
    held, kept = kept[:1], kept[1:]  # one that is not offered lies between those that are
    assert pool.lend(8 * LARGE_RESULT, addresses(kept, places[1:])).address != held[0].data_ptr()
    assert all((t == k).all() for k, t in enumerate([*held, *kept]))


def test_results_that_a_call_took_over_are_not_taken_over_again():
    pool = ResultPool()
    kept, places = kept_of_a_call(pool)
    pool.offer(kept)
    loan = pool.lend(5 * LARGE_RESULT, addresses(kept, places))
    assert pool.lend(5 * LARGE_RESULT, addresses(kept, places)).address != loan.address


def test_room_is_left_for_the_next_call():
    pool = ResultPool()
    blocks = [pool.lend(LARGE_RESULT) for _ in range(8)]
    held = blocks[4].array(0, PORT)
    for block in blocks:
        block.end()
    assert pool.lend(2 * LARGE_RESULT).address == blocks[0].address
    assert pool.lend(2 * LARGE_RESULT, room=6 * LARGE_RESULT).address > held.data_ptr()


def test_who_holds_a_tensor_is_known():
    a, b = torch.ones(3), torch.ones(3)
    pair = (a, b)
    del a
    assert are_alone(pair, [0]) and not are_alone(pair, [0, 1])
    view = pair[0][:2]
    assert not are_alone(pair, [0])
    del view
    assert are_alone(pair, [0])


def test_calls_and_results_in_any_order():
    """What calls wrote stays until its tensor is gone; two calls at a time share nothing."""
    pool, draw = ResultPool(), random.Random(1)
    held: list[tuple[list[torch.Tensor], list[int], int]] = []
    for number in range(200):
        count = draw.randrange(1, 5)
        kept, places = kept_of_a_call(pool, count, draw.randrange(count, 8) * LARGE_RESULT)
        for tensor in kept:
            tensor.fill_(number)
        held.append((kept, places, number))
        if len(held) > 4 or draw.random() < 0.5:
            kept, places, expected = held.pop(draw.randrange(len(held)))
            assert all((t == expected).all() for t in kept)
            pool.offer(kept)
            loan = pool.lend(draw.randrange(len(kept), 9) * LARGE_RESULT, addresses(kept, places))
            assert all((t == expected).all() for t in kept)
            held.append(([loan.array(0, PORT).fill_(number)], [0], number))
            loan.end()
        del kept
        if number % 20 == 0:
            pool.step()
    assert all((t == expected).all() for kept, _, expected in held for t in kept)
    del held
    gc.collect()
    for _ in range(KEPT_STEPS + 2):
        pool.step()
    assert pool.idle_bytes == 0


def test_unions_and_differences_of_ranges():
    draw = random.Random(2)

    def spans():
        return [(a, a + draw.randrange(5)) for a in (draw.randrange(30) for _ in range(draw.randrange(6)))]

    def points(found):
        return {p for start, end in found for p in range(start, end)}

    for _ in range(300):
        first, second = joined(spans()), spans()
        assert points(joined(second)) == points(second) and joined(joined(second)) == joined(second)
        left = without(first, second)
        assert points(left) == points(first) - points(second) and left == sorted(left) and all(a < b for a, b in left)


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


def test_the_first_step_keeps_no_memory():
    pool = ResultPool()
    pool.step()
    loan = pool.lend(32 * LARGE_RESULT)
    result = loan.array(0, PORT).fill_(1)
    loan._chunk.block.bytes[loan._start + LARGE_RESULT : loan._end] = 1
    before = resident()
    loan.end()
    assert before - resident() > 28 * LARGE_RESULT and pool.idle_bytes == 0 and (result == 1).all()
    pool.step()
    pool.lend(32 * LARGE_RESULT).end()
    assert pool.idle_bytes == 32 * LARGE_RESULT
