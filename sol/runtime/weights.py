"""Packed weights: derived from the module's parameters, rebuilt when a parameter changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sol.codegen.packing import apply_pack
from sol.codegen.plan import Weight
from sol.ir.bodies import constants_of, type_at
from sol.ir.graph import Graph
from sol.ir.storage import as_stored
from sol.runtime.memory import Block

CHUNK = 32 << 20
STAGGER = 5 * 64  # weights that start on the same line of different pages would compete for the same cache sets


@dataclass(frozen=True)
class PackedWeights:
    """Addresses of all packed constants of one plan, and the memory that holds them."""

    addresses: tuple[int, ...]
    blocks: tuple[Block, ...]

    @property
    def size(self) -> int:
        """Bytes held."""
        return sum(b.size for b in self.blocks)


def pack_weights(graph: Graph, weights: tuple[Weight, ...], parameters: Mapping[str, np.ndarray]) -> PackedWeights:
    """Evaluate and pack every weight of a plan.

    graph: the fused graph whose constant values the weights name. parameters: target → array (not copied, not changed).
    """
    addresses: list[int] = []
    blocks: list[Block] = []
    used = 0
    values = constants_of(graph, dict.fromkeys(w.value for w in weights), parameters)
    last = {w.value: i for i, w in enumerate(weights)}
    for i, weight in enumerate(weights):
        packed = as_stored(apply_pack(weight.pack, values[weight.value]), type_at(graph, weight.value).dtype)
        if last[weight.value] == i:
            del values[weight.value]
        if not blocks or used + packed.nbytes > blocks[-1].size:
            blocks.append(Block(max(CHUNK if len(weights) > 8 else 0, packed.nbytes)))
            used = 0
        block = blocks[-1]
        block.bytes[used : used + packed.nbytes] = packed.reshape(-1).view(np.uint8)
        addresses.append(block.address + used)
        used = -(-(used + packed.nbytes) // 64) * 64 + STAGGER
    return PackedWeights(tuple(addresses), tuple(blocks))
