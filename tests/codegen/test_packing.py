"""Packers: names, arguments, and the two that every family uses."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sol.codegen import packing
from sol.codegen.packing import PACKERS, apply_pack, make_pack, pack_into, packed_shape, packer, staged
from sol.codegen.plan import Pack
from sol.errors import SolError
from sol.ir.graph import Attrs


def test_plain_is_row_major():
    packed = apply_pack(make_pack("plain"), np.arange(6.0).reshape(2, 3).T)
    assert packed.flags.c_contiguous and packed.tolist() == [[0, 3], [1, 4], [2, 5]]


@pytest.mark.parametrize("count", [1, 7, 8, 9, 16])
def test_channels_fill_whole_blocks(count):
    packed = apply_pack(make_pack("channels", block=8, fill=2.0), np.arange(count, dtype=np.float32).reshape(1, count, 1, 1))
    assert packed.size % 8 == 0 and packed[:count].tolist() == list(range(count)) and (packed[count:] == 2).all()


def test_equal_packs_are_equal():
    assert make_pack("channels", block=8) == make_pack("channels", block=8) != make_pack("channels", block=16)


def test_unknown_and_double_names():
    with pytest.raises(SolError, match="unknown packer nothing"):
        make_pack("nothing")
    with pytest.raises(SolError, match="plain is registered twice"):
        packer("plain")(lambda array: array)
    assert PACKERS["plain"]


PACKS = [
    ((3, 5), make_pack("plain")),
    ((70, 37, 1, 7), Pack("conv_panels", Attrs({"lanes": 8, "vectors": 3, "groups": 1}))),
    ((12, 9, 2, 3), Pack("conv_panels", Attrs({"lanes": 4, "vectors": 1, "groups": 2}))),
    ((50, 11, 3, 3), Pack("winograd_panels", Attrs({"lanes": 8, "vectors": 2, "my": 4, "mx": 2}))),
    ((20, 6, 5), Pack("winograd_panels", Attrs({"lanes": 4, "vectors": 2, "my": 1, "mx": 3}))),
    ((64, 32, 1, 1), Pack("strassen_panels", Attrs({"lanes": 8, "vectors": 1}))),
    ((32, 48, 3, 3), Pack("strassen_panels", Attrs({"lanes": 8, "vectors": 2}))),
    ((2, 30, 41), Pack("gemm_panels", Attrs({"width": 24, "lanes": 8, "transposed": False}))),
    ((41, 600), Pack("gemm_panels", Attrs({"width": 24, "lanes": 8, "transposed": True}))),
]


@pytest.mark.parametrize("shape, pack", PACKS, ids=str)
def test_packing_in_place_gives_the_same(shape, pack):
    array = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    expected = apply_pack(pack, array)
    out = np.zeros(packed_shape(pack, array), np.float32)
    pack_into(pack, array, out)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("step", [1, 7, 16, 100])
def test_pieces_make_the_whole(step):
    rows = np.arange(5 * 40, dtype=np.float32).reshape(5, 40)
    pieces = [(first, held.astype(np.float64)) for first, held in staged(rows, step, np.float64)]
    assert [first for first, _ in pieces] == list(range(0, 40, step))
    np.testing.assert_array_equal(np.concatenate([held for _, held in pieces], axis=1), rows)


def test_rows_of_a_stage_start_in_different_cache_sets():
    _, held = next(staged(np.zeros((8, 512), np.float32), 512))
    assert held.strides[0] // 64 % 2 == 1


def test_packers_of_other_processes_are_found():
    """Every packer outside of this module has a home, so that a kept plan finds it."""
    code = "from sol.codegen import packing; print([packing._find(k) is packing.PACKERS[k] for k in packing.HOMES])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "False" not in run.stdout
    folder = Path(packing.__file__).parent / "kernels"
    named = {k for f in folder.glob("*.py") for k in re.findall(r'^@packer\("(\w+)"', f.read_text(), re.MULTILINE)}
    assert named == set(packing.HOMES)
