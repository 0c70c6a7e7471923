"""ResNet-50: compile, check against torch, measure against eager, and show where the time goes. This is `make demo`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import torch
from networks import randomize_statistics, torchvision_models

import sol


def median_ms(run: Callable[[], object], seconds: float = 2.0) -> float:
    """Median time of a call in milliseconds."""
    for _ in range(3):
        run()
    samples: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(samples) < 5:
        start = time.perf_counter()
        run()
        samples.append(time.perf_counter() - start)
    return 1e3 * statistics.median(samples)


def main() -> None:
    torch.manual_seed(0)
    model = randomize_statistics(torchvision_models().resnet50(weights=None))
    image = torch.rand(1, 3, 224, 224)

    start = time.perf_counter()
    fast = sol.optimize(model, [image])
    print(f"compiled in {time.perf_counter() - start:.1f} s (a second run takes the kernels from the cache)\n")

    print(sol.verify(fast, [image]), "\n")

    with torch.inference_mode():
        eager, ours = [], []
        for _ in range(3):  # in turns: the machine's speed changes over time
            eager.append(median_ms(lambda: model(image)))
            ours.append(median_ms(lambda: fast(image)))
    ratio = min(eager) / min(ours)
    print(f"eager torch {min(eager):.1f} ms, sol {min(ours):.1f} ms: {ratio:.2f} times as fast, {torch.get_num_threads()} threads\n")

    profile = sol.profile(fast, [image])
    print(profile)
    print("\nthe ten most expensive launches")
    print(profile.table(sorted(profile.rows, key=lambda row: -row.seconds)[:10]))


if __name__ == "__main__":
    main()
