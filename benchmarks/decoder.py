"""A decoder like Llama's, and the time of its tokens: `python benchmarks/decoder.py --kinds float32,bfloat16,int8,int4`.

Each token attends to caches of 1,024 positions, which the module keeps in its buffers. Calls of all kinds take turns in one process. Its
prefill is a network of `inference.py`, which takes the number of tokens from the function's name: `benchmarks/decoder.py:prefill_128`.
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
from torch import nn
from torch.nn import functional as F

WIDTH, LAYERS, HEADS, KEY_HEADS, HIDDEN, VOCABULARY, POSITIONS = 1024, 8, 16, 4, 2816, 32_000, 1024
HEAD = WIDTH // HEADS
HELD = 1000
"""How many tokens the caches hold when a call is timed."""


class Attention(nn.Module):
    """Attention with keys and values shared by groups of heads, rotary positions, and caches of (1, heads, positions, head), if any."""

    keys: torch.Tensor
    values: torch.Tensor

    def __init__(self, positions: int) -> None:
        super().__init__()
        self.q, self.o = nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.k, self.v = (nn.Linear(WIDTH, KEY_HEADS * HEAD, bias=False) for _ in range(2))
        if positions:
            self.register_buffer("keys", torch.zeros(1, KEY_HEADS, positions, HEAD))
            self.register_buffer("values", torch.zeros(1, KEY_HEADS, positions, HEAD))

    def forward(self, x: torch.Tensor, angles: torch.Tensor, position: torch.Tensor | None, mask: torch.Tensor | None) -> torch.Tensor:
        """x: (1, tokens, WIDTH), angles: (tokens, HEAD) → (1, tokens, WIDTH)."""
        q = _turned(self.q(x).unflatten(-1, (HEADS, HEAD)).transpose(1, 2), angles)
        k = _turned(self.k(x).unflatten(-1, (KEY_HEADS, HEAD)).transpose(1, 2), angles)
        v = self.v(x).unflatten(-1, (KEY_HEADS, HEAD)).transpose(1, 2)
        if position is not None:
            k, v = self.keys.index_copy_(2, position, k), self.values.index_copy_(2, position, v)
        y = F.scaled_dot_product_attention(q, k, v, mask, is_causal=mask is None, enable_gqa=True)
        return self.o(y.transpose(1, 2).flatten(2))


def _turned(x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, -1)
    return x * angles.cos().to(x.dtype) + torch.cat([-second, first], -1) * angles.sin().to(x.dtype)


class Layer(nn.Module):
    """Attention and SwiGLU, each after an RMS norm and beside a shortcut."""

    def __init__(self, positions: int) -> None:
        super().__init__()
        self.attention, self.norms = Attention(positions), nn.ModuleList(nn.RMSNorm(WIDTH) for _ in range(2))
        self.gate, self.up, self.down = nn.Linear(WIDTH, HIDDEN, False), nn.Linear(WIDTH, HIDDEN, False), nn.Linear(HIDDEN, WIDTH, False)

    def forward(self, x: torch.Tensor, angles: torch.Tensor, position: torch.Tensor | None, mask: torch.Tensor | None) -> torch.Tensor:
        """x: (1, tokens, WIDTH) → the same."""
        x = x + self.attention(self.norms[0](x), angles, position, mask)
        y = self.norms[1](x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):
    """The whole network. positions: how many the caches have, 0 for none, where all tokens come at once."""

    pace: torch.Tensor

    def __init__(self, positions: int = POSITIONS) -> None:
        super().__init__()
        self.positions, self.tokens = positions, nn.Embedding(VOCABULARY, WIDTH)
        self.layers, self.norm = nn.ModuleList(Layer(positions) for _ in range(LAYERS)), nn.RMSNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.register_buffer("pace", 10_000.0 ** (-torch.arange(0, HEAD, 2) / HEAD), persistent=False)

    def forward(self, tokens: torch.Tensor, position: torch.Tensor | None = None) -> torch.Tensor:
        """tokens: (1, n) int64, position: (1,) int64 of the one token where there are caches → (1, n, VOCABULARY)."""
        places = torch.arange(tokens.shape[1], device=tokens.device) if position is None else position
        angles = places[:, None].float() * self.pace.float()
        mask = None if position is None else (torch.arange(self.positions, device=tokens.device) <= position)[None, None, None, :]
        x = self.tokens(tokens)
        for layer in self.layers:
            x = layer(x, torch.cat([angles, angles], -1), position, mask)
        return self.head(self.norm(x))


def __getattr__(name: str) -> Callable[[], tuple[nn.Module, Callable[[int], tuple[torch.Tensor, ...]]]]:
    """prefill_N: the decoder without caches, and a function that makes batches of N tokens."""
    length = name.removeprefix("prefill_")
    if length == name or not length.isdigit():
        raise AttributeError(name)
    return lambda: (Decoder(0).eval(), lambda batch: (torch.randint(0, VOCABULARY, (batch, int(length))),))


def _call(kind: str) -> tuple[Callable[[], Any], int]:
    """A function that computes one token, and how many bytes of weights and caches it reads at least."""
    import sol

    engine, _, kind = kind.rpartition(":")
    weights, _, activations = kind.partition("-")
    torch.manual_seed(0)
    model = Decoder().eval()
    if "bfloat16" in (weights, activations):
        model = model.bfloat16()
    inputs = (torch.randint(0, VOCABULARY, (1, 1)), torch.tensor([HELD]))
    numbers = sum(p.numel() for p in model.parameters()) - VOCABULARY * WIDTH  # of the embedding, a row is read
    held, bits = model.head.weight.element_size(), {"int8": 8.375, "int4": 4.375}  # with 3 bytes of scale and zero point for each 64
    read = numbers * bits[weights] / 8 if weights in bits else numbers * held
    caches = 2 * LAYERS * KEY_HEADS * POSITIONS * HEAD * held
    if engine == "eager":
        call: Callable[..., Any] = model
    elif engine == "inductor":
        call = torch.compile(model)
    else:
        call = sol.optimize(model, list(inputs), weights=weights if weights in bits else None)
    return lambda: call(*inputs), int(read + caches)


def main() -> None:
    """Print tokens per second of each kind: [eager:|inductor:]float32, bfloat16, int8, int4, int8-bfloat16 (its activations) and so on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", default="float32,bfloat16,int8,int8-bfloat16,int4,int4-bfloat16")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=0.5)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    kinds = args.kinds.split(",")
    with torch.inference_mode():
        calls = {kind: _call(kind) for kind in kinds}
        for call, _ in calls.values():
            for _ in range(3):
                call()
        seconds: dict[str, list[float]] = {kind: [] for kind in kinds}
        for _ in range(args.rounds):
            for kind, (call, _) in calls.items():
                seconds[kind].append(_median(call, args.seconds))
    for kind, (_, read) in calls.items():
        best, usual = min(seconds[kind]), statistics.median(seconds[kind])
        print(f"{kind:24} {1 / best:7.1f} tokens/s at best, {1 / usual:7.1f} usually, {read / usual / 1e9:6.1f} GB/s of weights and caches")


def _median(call: Callable[[], Any], seconds: float) -> float:
    call()
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


if __name__ == "__main__":
    main()
