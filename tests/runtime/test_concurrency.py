"""Several threads, forked and spawned processes, and torch's own threads beside compiled code."""

from __future__ import annotations

import copy
import multiprocessing
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from torch import nn

import sol
from sol.config import config
from tests.runtime.models import close, convnet, mlp


def wide() -> nn.Sequential:
    """Enough work that a team of threads is used."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Conv2d(32, 32, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()).eval()


def test_calls_from_several_threads() -> None:
    model = wide()
    inputs = [torch.rand(1, 3, 24, 24) for _ in range(8)]
    fast = sol.optimize(model, inputs[0])
    with torch.no_grad():
        expected = [model(x) for x in inputs]

    def run(i: int) -> None:
        with torch.no_grad():
            for _ in range(20):
                close(fast(inputs[i]), expected[i])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(run, range(8)))
    assert len(fast._programs) == 1


def test_threads_that_all_compile_first() -> None:
    model = mlp()
    reference = copy.deepcopy(model)  # torch.export puts fake tensors into the model itself
    fast = sol.optimize(model, torch.rand(2, 4))
    start = threading.Barrier(4)

    def run(size: int) -> None:
        start.wait()
        with torch.no_grad():
            for batch in (size, 9, size, 10):
                x = torch.rand(batch, 4)
                close(fast(x), reference(x))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(run, (5, 6, 5, 6)))
    assert len(fast._programs) == 3  # for the example, for the first other size, for all sizes


def test_parameters_that_change_while_others_call() -> None:
    model = nn.Linear(64, 64, bias=False).eval().requires_grad_(False)
    x = torch.ones(1, 64)
    fast, stop = sol.optimize(model, x), threading.Event()
    seen: set[float] = set()

    def run() -> None:
        while not stop.is_set():
            result = fast(x)
            seen.update(result.flatten().tolist())

    workers = [threading.Thread(target=run) for _ in range(3)]
    for worker in workers:
        worker.start()
    for value in range(1, 40):
        model.weight.fill_(value / 64)
        fast(x)
    stop.set()
    for worker in workers:
        worker.join()
    close(fast(x), torch.full((1, 64), 39.0))


def test_number_of_threads_is_honoured() -> None:
    """torch's number is followed at each call; memory is laid out for it where a team of that size can be had."""
    model, x = wide(), torch.rand(1, 3, 24, 24)
    before = torch.get_num_threads()
    for team in ("fixed", "free"):
        fast = sol.optimize(model, x)
        (executable,) = fast._programs[0].runner.executables
        try:
            with torch.no_grad(), config.override(team=team):
                for threads in (1, 2, 3, 4):
                    torch.set_num_threads(threads)
                    close(fast(x), model(x))
                    assert executable._team() == threads and (threads,) in executable._state[1]
                    most = threads if team == "fixed" else min(threads, os.cpu_count() or 1)
                    assert executable._state[1][(threads,)][0].call.threads == most
        finally:
            torch.set_num_threads(before)


def test_option_threads() -> None:
    model, x = wide(), torch.rand(1, 3, 24, 24)
    fast = sol.optimize(model, x, threads=3)
    with torch.no_grad():
        close(fast(x), model(x))
    (executable,) = fast._programs[0].runner.executables
    assert list(executable._state[1]) == [(3,)]


def test_beside_torch() -> None:
    """torch's threads, which spin for milliseconds after each operation, and ours take turns."""
    model, x, big = wide(), torch.rand(1, 3, 24, 24), torch.rand(400, 400)
    fast = sol.optimize(model, x)
    with torch.no_grad():
        expected = model(x)
        for _ in range(10):
            (big @ big).sum()
            close(fast(x), expected)


def answer(queue: Any, fast: Any, x: torch.Tensor) -> None:
    with torch.no_grad():
        queue.put(fast(x).tolist())


@pytest.mark.parametrize("method", ("fork", "spawn"))
def test_workers(method: str) -> None:
    model, x = wide(), torch.rand(1, 3, 24, 24)
    fast = sol.optimize(model, x)
    with torch.no_grad():
        expected = fast(x)
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    worker = context.Process(target=answer, args=(queue, fast, x))
    worker.start()
    try:
        close(torch.tensor(queue.get(timeout=120)), expected)
    finally:
        worker.join(30)
    assert worker.exitcode == 0
    with torch.no_grad():
        close(fast(x), expected)


class Features(torch.utils.data.Dataset):
    """Runs the compiled model in the worker."""

    def __init__(self, fast: nn.Module) -> None:
        self.fast = fast

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> torch.Tensor:
        with torch.no_grad():
            return self.fast(torch.full((1, 3, 8, 8), float(index)))[0]


def test_data_loader_workers() -> None:
    model = convnet()
    fast = sol.optimize(model, torch.rand(1, 3, 8, 8))
    data = Features(fast)
    found = torch.cat(list(torch.utils.data.DataLoader(data, batch_size=2, num_workers=2)))
    with torch.no_grad():
        close(found, torch.cat([model(torch.full((1, 3, 8, 8), float(i))) for i in range(6)]))
