"""Packers: names, arguments, and the two that every family uses."""

from __future__ import annotations

import numpy as np
import pytest

from sol.codegen.packing import PACKERS, apply_pack, make_pack, packer
from sol.errors import SolError


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
