"""Is any operation slower than eager torch? About 300 operations x sizes, compiled by sol and in eager torch, in turn in one process.

    python benchmarks/corners.py --json corners.json --threads 1,2      run again to go on where it stopped
    python benchmarks/corners.py --only 'transpose|flip' --json …       operations whose text matches
    python benchmarks/corners.py --json corners.json --report 1.0       what was measured and takes longer than 1.0 times torch's time

A ratio is sol's smallest time over torch's smallest time. Both use the same number of threads, of one pool.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import torch
import torch.nn.functional as F
from torch import nn

from benchmarks.corner_cases import Row, rows
from sol.bench import geometric_mean

ROUNDS = 7
BLOCK = 2e-3  # seconds of calls between turns
DTYPES = {
    "f32": torch.float32, "f64": torch.float64, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
    "i64": torch.int64, "b": torch.bool, "bf16": torch.bfloat16, "f16": torch.float16,
}  # fmt: skip


class Mixing(nn.Module):
    """Linear, depthwise convolution on the tokens as a map, GELU, linear: between them permutes and reshapes."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.expand, self.project = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.depthwise = nn.Conv2d(4 * width, 4 * width, 3, padding=1, groups=4 * width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        side = int(x.shape[1] ** 0.5)
        y = self.expand(x).transpose(1, 2).reshape(x.shape[0], -1, side, side)
        return self.project(F.gelu(self.depthwise(y).flatten(2).transpose(1, 2)))


class NormedBottleneck(nn.Module):
    """1x1 convolutions with GroupNorm between."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(width, 2 * width, 1), nn.Conv2d(2 * width, width, 1)
        self.norms = nn.ModuleList([nn.GroupNorm(8, width), nn.GroupNorm(8, 2 * width)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.second(F.relu(self.norms[1](self.first(self.norms[0](x)))))


class ChannelsLast(nn.Module):
    """Depthwise convolution, LayerNorm over channels, two linear layers."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.depthwise, self.norm = nn.Conv2d(width, width, 7, padding=3, groups=width), nn.LayerNorm(width)
        self.expand, self.project = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        return x + self.project(F.gelu(self.expand(y))).permute(0, 3, 1, 2)


class Experts(nn.Module):
    """A mixture of experts: tokens are collected by where and added back by index_add."""

    def __init__(self, width: int, count: int) -> None:
        super().__init__()
        self.gate, self.experts = nn.Linear(width, count), nn.ModuleList(nn.Linear(width, width) for _ in range(count))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight, chosen = self.gate(x).softmax(-1).topk(2)
        y = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            token, slot = torch.where(chosen == i)
            y = y.index_add(0, token, expert(x[token]) * weight[token, slot, None])
        return y


NAMES = {"torch": torch, "F": F, "nn": nn}
NAMES |= {c.__name__: c for c in (Mixing, NormedBottleneck, ChannelsLast, Experts)}  # type: ignore[dict-item]


class Operation(nn.Module):
    """The expression of a row as a forward of up to three inputs."""

    def __init__(self, row: Row) -> None:
        super().__init__()
        if row.module:
            self.m = eval(row.module, dict(NAMES))
        self.run = eval(f"lambda m, x, y=None, z=None: {row.text.strip()}", dict(NAMES))

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.run(getattr(self, "m", None), *inputs)


def make_input(text: str, positive: bool) -> torch.Tensor:
    """``64x64``, ``64x64:u8``, ``100:i64<50``."""
    sizes, _, kind = text.partition(":")
    kind, _, limit = kind.partition("<")
    shape, dtype = tuple(int(n) for n in sizes.split("x")), DTYPES[kind or "f32"]
    if dtype is torch.bool:
        return torch.rand(shape) > 0.5
    if not dtype.is_floating_point:
        return torch.randint(0, int(limit or 100), shape).to(dtype)
    return (1 - torch.rand(shape) if positive else torch.randn(shape)).to(dtype)


def _seconds(call: Callable[[], object], count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def compare(first: Callable[[], object], second: Callable[[], object], rounds: int = ROUNDS) -> tuple[float, float]:
    """Seconds of a call of each: the smallest over rounds in which they take turns."""
    counts = []
    for call in (first, second):
        call()
        counts.append(max(1, min(1000, int(BLOCK / max(_seconds(call, 2), 1e-7)))))
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for call, count, found in zip((first, second), counts, times):
            found.append(_seconds(call, count))
    return min(times[0]), min(times[1])


def measure(row: Row, size: str, threads: int) -> dict[str, Any]:
    """Times in microseconds, or why there are none."""
    import sol

    torch.set_num_threads(threads)
    torch.manual_seed(1)
    model = Operation(row).eval()
    inputs = [make_input(t, row.positive) for t in size.split(",")]
    try:
        fast = sol.optimize(model, inputs, fallback="eager")
        with torch.no_grad():
            got, wanted = fast(*inputs), model(*inputs)
            error = float((got.double() - wanted.double()).abs().nan_to_num().max()) if got.numel() else 0.0
            ours, theirs = compare(lambda: fast(*inputs), lambda: model(*inputs))
        facts = sol.explain(fast, inputs)
    except Exception as problem:
        return {"failed": f"{type(problem).__name__}: {str(problem)[:300]}"}
    kernels = [*(k for region in facts.regions for k in region.kernels), *(f"torch:{t.operation}" for t in facts.torch)]
    return {"sol": 1e6 * ours, "torch": 1e6 * theirs, "error": error, "kernels": kernels}


def _key(row: Row, size: str, threads: int) -> str:
    return f"{row.group} | {row.text.rstrip()}{' | ' + row.module if row.module else ''} | {size} | {threads}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=Path("corners.json"), help="where results go after every measurement")
    parser.add_argument("--only", default="", help="a regular expression over group, operation, module, size and threads")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after that many")
    parser.add_argument("--fresh", action="store_true", help="measure also what the file holds")
    parser.add_argument("--report", type=float, help="measure nothing, show what takes more than that many times torch's time")
    options = parser.parse_args(arguments)
    results: dict[str, Any] = json.loads(options.json.read_text()) if options.json.exists() else {}
    pattern, end = re.compile(options.only), time.time() + options.seconds
    wanted = [(_key(r, s, int(t)), r, s, int(t)) for t in options.threads.split(",") for r in rows() for s in r.sizes]
    wanted = [w for w in wanted if pattern.search(w[0])]
    left = 0
    for key, row, size, threads in wanted if options.report is None else ():
        if key in results and not options.fresh:
            continue
        if time.time() > end:
            left += 1
            continue
        results[key] = measure(row, size, threads)
        options.json.write_text(json.dumps(results, indent=0))
    chosen = {k: results[k] for k, *_ in wanted if k in results}
    _show(chosen, options.report or 0.0)
    print(f"{left} are left" if left else "")
    return 0


def _show(results: dict[str, Any], least: float) -> None:
    ratios = sorted(((r["sol"] / r["torch"], key) for key, r in results.items() if "sol" in r), reverse=True)
    for key, result in results.items():
        if "failed" in result:
            print(f"  failed  {key}: {result['failed']}")
    for ratio, key in ratios:
        if ratio > least:
            r = results[key]
            print(f"{ratio:8.2f}  {r['sol']:10.1f} / {r['torch']:10.1f} us  {r['error']:.1e}  {key}  [{' '.join(r['kernels'])}]")
    slower = sum(ratio > 1 for ratio, _ in ratios)
    print(f"{len(ratios)} measured, {slower} slower than torch, geometric mean {geometric_mean([r for r, _ in ratios]):.2f}")


if __name__ == "__main__":
    sys.exit(main())
