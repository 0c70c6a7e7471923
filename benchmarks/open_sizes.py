"""Programs whose sizes are open beside one for each size alone: `python benchmarks/open_sizes.py resnet50 --axis 0 --sizes 2,4,7`.

The open program is compiled once, and compiles sizes that come twice in the background; each size is called until that has happened.
Networks are those of `inference.py`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import torch

import sol
from benchmarks.networks import build


def _input(x: torch.Tensor, axes: tuple[int, ...], size: int) -> torch.Tensor:
    """The input with so many elements along the axes: repeated and cut."""
    for axis in axes:
        x = x.repeat_interleave(-(-size // x.shape[axis]), axis).narrow(axis, 0, size)
    return x.contiguous()


def _seconds(call: Callable[[], Any], budget: float) -> tuple[float, float]:
    """Smallest and median time of a call."""
    call()
    times: list[float] = []
    end = time.perf_counter() + budget
    while time.perf_counter() < end or not times:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times), statistics.median(times)


def _settle(call: Callable[[], Any], patience: float) -> None:
    """Calls until none has been faster than before for a while: code for a size comes from the background."""
    best, since = float("inf"), time.perf_counter()
    while time.perf_counter() - since < patience:
        seconds, _ = _seconds(call, 0.1)
        if seconds < 0.97 * best:
            best, since = seconds, time.perf_counter()


def main() -> None:
    """Print the time of the open program over that of each fixed one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network")
    parser.add_argument("--axis", default="0", help="which axes of the first input are open, all with the same size: 0, or 2,3")
    parser.add_argument("--sizes", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--patience", type=float, default=5.0, help="seconds to wait for code of a size's own")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.set_grad_enabled(False)
    model, make = build(args.network)
    model.eval()
    (example,) = make(1)
    axes, sizes = tuple(map(int, args.axis.split(","))), tuple(map(int, args.sizes.split(",")))
    dim = torch.export.Dim.AUTO
    start = time.perf_counter()
    open_ = sol.optimize(model, [_input(example, axes, sizes[len(sizes) // 2])], dynamic_shapes=({axis: dim for axis in axes},))
    print(f"{args.network}: compiled in {time.perf_counter() - start:.1f} s", flush=True)
    for size in sizes:
        x = _input(example, axes, size)
        fixed = sol.optimize(model, [x])
        _settle(lambda: open_(x), args.patience)  # noqa: B023
        turns = [(_seconds(lambda: open_(x), args.seconds), _seconds(lambda: fixed(x), args.seconds)) for _ in range(3)]  # noqa: B023
        best = [min(turn[i][0] for turn in turns) for i in range(2)]
        usual = [statistics.median(turn[i][1] for turn in turns) for i in range(2)]
        error = (open_(x) - fixed(x)).abs().max().item()
        print(f"{size:6} {1e3 * best[0]:9.3f} ms, fixed {1e3 * best[1]:9.3f}: {best[0] / best[1]:.3f} (medians {usual[0] / usual[1]:.3f}), "
              f"they differ by {error:.1e}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
