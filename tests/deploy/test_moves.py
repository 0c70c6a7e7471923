"""Constants of one order made of those of another, and libraries for several instruction sets that hold them once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from sol.deploy import variants
from sol.deploy.api import deploy
from sol.deploy.moves import UNIT, moves_between
from sol.deploy.variants import Feature
from tests.deploy.support import X86, call, close, manifest, program


def panels(w: np.ndarray, lanes: int) -> np.ndarray:
    """[N, K] as [N / lanes, K, lanes], zeros behind the last column."""
    n, k = w.shape
    padded = np.zeros((-(-n // lanes) * lanes, k), w.dtype)
    padded[:n] = w
    return padded.reshape(-1, lanes, k).transpose(0, 2, 1)


def blocked(w: np.ndarray, lanes: int) -> np.ndarray:
    """[N, C, 3, 3] as [N / lanes, C / lanes, 3, 3, lanes of C, lanes of N]."""
    n, c = w.shape[:2]
    return w.reshape(n // lanes, lanes, c // lanes, lanes, 3, 3).transpose(0, 2, 4, 5, 3, 1)


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def sparse(*shape: int) -> np.ndarray:
    """Whole rows of zeros, and a block of equal numbers."""
    w = numbers(*shape)
    w[:, ::3] = 0
    w[8:16] = 1
    return w


FOUND: dict[str, tuple[np.ndarray, Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray], np.ndarray]]] = {
    **{
        f"{a} from {b} lanes of {n}": (numbers(n, 33), lambda w, a=a: panels(w, a), lambda w, b=b: panels(w, b))
        for a, b in ((8, 16), (4, 16), (16, 32), (24, 32), (8, 48), (32, 16)) for n in (1, 7, 15, 16, 17, 100)
    },
    **{f"blocks of {a}": (numbers(32, 32, 3, 3), lambda w, a=a: blocked(w, a), lambda w: blocked(w, 16)) for a in (4, 8)},
    "zeros among": (sparse(48, 40), lambda w: panels(w, 8), lambda w: panels(w, 16)),
    "bytes": ((numbers(64, 32) * 50).astype(np.int8), lambda w: panels(w, 16), lambda w: panels(w, 64)),
    "doubles": (numbers(16, 9).astype(np.float64), lambda w: panels(w, 4), lambda w: panels(w, 8)),
    "backwards": (numbers(64, 4), lambda w: w[::-1], lambda w: w),
    "a part": (numbers(64, 4), lambda w: w[5:40], lambda w: w),
    "nothing but zeros": (np.zeros((8, 8), np.float32), lambda w: w, lambda w: w[:2]),
}  # fmt: skip


def made(wanted: np.ndarray, stored: np.ndarray) -> bytes:
    """What the moves make."""
    units = np.frombuffer(stored.tobytes() + bytes(-stored.nbytes % UNIT), np.dtype((np.void, UNIT)))
    memory = np.zeros(-(-wanted.nbytes // UNIT), np.dtype((np.void, UNIT)))
    moves = moves_between(wanted, stored)
    assert moves is not None
    for move in moves:
        to, source = move.places()
        memory[to] = units[source]
    return memory.tobytes()[: wanted.nbytes]


@pytest.mark.parametrize("name", FOUND)
def test_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[moves_between.__module__], "MOVE_BYTES", 1)  # arrays of a few bytes, too
    w, one, other = FOUND[name]
    assert made(one(w), other(w)) == one(w).tobytes()


def test_few_moves_make_large_constants() -> None:
    w = numbers(512, 64, 3, 3)
    moves = moves_between(blocked(w, 8), blocked(w, 16))
    assert moves is not None and len(moves) <= 4 * 64 * 8


@pytest.mark.parametrize("stored", [numbers(16, 16) + 1, numbers(16, 16).T, numbers(15, 16), np.zeros(0, np.float32)])
def test_other_numbers_are_not_found(stored: np.ndarray) -> None:
    assert moves_between(numbers(16, 16), stored) is None


SETS = [((), "embedded"), (("avx512",), "file"), (("avx512", "avx2"), "embedded")]


@X86
@pytest.mark.parametrize(("lacking", "weights"), SETS, ids=[f"without {' '.join(names) or 'nothing'}" for names, _ in SETS])
def test_all_instruction_sets_with_the_constants_of_one(
    lacking: tuple[str, ...], weights: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library runs on processors that lack the first sets, and holds hardly more than one for the first."""
    torch.manual_seed(0)
    layers = [nn.Conv2d(20, 100, 1), nn.ReLU(), nn.Conv2d(100, 100, 3, padding=1, groups=100), nn.Conv2d(100, 40, 1), nn.Flatten()]
    model, x = nn.Sequential(*layers, nn.Linear(640, 100)).eval(), torch.randn(1, 20, 4, 4)
    features = variants._features
    nowhere = Feature("something", 255, 0, 0, 0)
    monkeypatch.setattr(variants, "_features", lambda t: (*features(t), *([nowhere] if t.name in lacking else ())))
    several = deploy(model, [x], isa="multi", lib_name="Multi", path=tmp_path / "several", weights=weights)
    one = deploy(model, [x], isa="avx512", lib_name="One", path=tmp_path / "one", weights=weights)
    wanted = [model(x).detach().numpy()]
    close(call(program(several), [x.numpy()], wanted), wanted)
    sizes = [manifest(d)["weights"]["bytes"] for d in (several, one)]
    assert sizes[0] < 1.2 * sizes[1], sizes
