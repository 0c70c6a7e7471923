"""Sizes by which passes decide what pays: measured, so that their values stand in the tables of machines (sol/codegen/machines)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class GraphSizes:
    """From which sizes on a rewrite of the graph pays on a machine.

    reordered_from: multiply-adds per input element from which on a convolution over a sequence or a volume pays for putting its input into
    blocks and its result back in rows.
    chain_map: bytes of a map between two convolutions from which on it pays not to write it; a smaller one stays in the second-level cache.
    chain_large_map: bytes from which on any map between a 1x1 and a depthwise convolution is worth not writing.
    chain_expansion: wide over input channels: for a smaller map, a 1x1 convolution that widens less computes for longer than its result
    takes to write.
    chain_weights: bytes of weights that may go through the cache for every strip of rows.
    chain_rows: rows from which on threads share out a map evenly: then a depthwise and a 1x1 convolution in one kernel save a barrier, and
    no thread reads what another made between them.
    chain_shared_weights: bytes of the 1x1 convolution's weights up to which that holds: more of them are read once for the whole map, or
    multiplied less often.
    chain_row: bytes of a row between a depthwise convolution that reads from memory and the 1x1 convolution, which reads it several times.
    byte_weight_rows: rows up to which a layer whose weight alone is bytes reads these: with more, multiply-adds take longer than reading
    floats.
    """

    reordered_from: int
    chain_map: int
    chain_large_map: int
    chain_expansion: int
    chain_weights: int
    chain_rows: int
    chain_shared_weights: int
    chain_row: int
    byte_weight_rows: int


class MachineLike(Protocol):
    """What passes read of a machine's table."""

    @property
    def graph(self) -> GraphSizes: ...


class TargetLike(Protocol):
    """What passes read of a target. lanes: float32 values per vector. matrix_tiles: whether it has such for products of bfloat16.
    multiplies_pairs: whether these are faster in pairs than widened to float32. blocks_bytes: whether images of bytes may lie in blocks
    of channels. space: the memory space that its kernels address."""

    @property
    def lanes(self) -> int: ...
    @property
    def machine(self) -> MachineLike: ...
    @property
    def matrix_tiles(self) -> bool: ...
    @property
    def multiplies_pairs(self) -> bool: ...
    @property
    def blocks_bytes(self) -> bool: ...
    @property
    def space(self) -> str: ...
