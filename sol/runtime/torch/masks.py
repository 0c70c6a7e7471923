"""Masks of dropout: the numbers that torch would draw, computed by vectors.

torch computes the numbers of its generator (a Mersenne Twister) one after the other: 5 ns for each element of a mask, on an Intel Xeon
(Granite Rapids). Where torch draws in another way, as by the library of a processor's vendor, it draws here, too: the masks of this module
are compared with its own once.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Sequence
from typing import Any

import torch

from sol.build import library as libraries
from sol.build.build import Unit, build
from sol.codegen.render import render
from sol.codegen.targets import resolve
from sol.errors import SolError
from sol.frontend.torch.draws import LIBRARY

log = logging.getLogger("sol.runtime")
_CDEF = "void sol_dropout_mask(void *state, uint8_t *mask, int64_t size, double kept);"
FEWEST = 4096
"""Elements from which on to take and set the state of torch's generator costs less than is saved."""
_SAMPLES = ((1, 0.5), (1000, 0.1), (313, 0.9), (700, 1 / 3))
"""Elements and probabilities of masks that are compared with torch's."""


@functools.cache
def _drawing() -> Any:
    """What fills a mask from a generator, or None where it cannot be had or draws what torch does not."""
    try:
        draw = _compiled()
    except (SolError, OSError) as error:
        log.info("masks of dropout are drawn by torch: %s", error)
        return None
    generators = [torch.Generator().manual_seed(7) for _ in range(2)]
    for size, kept in _SAMPLES:
        masks = [torch.empty(size, dtype=torch.bool, device="cpu") for _ in generators]
        masks[0].bernoulli_(kept, generator=generators[0])
        draw(generators[1], masks[1], kept)
        if not torch.equal(*masks) or not torch.equal(*(g.get_state() for g in generators)):
            log.info("masks of dropout are drawn by torch, which draws in another way than its generator does")
            return None
    return draw


def _compiled() -> Callable[[Any, torch.Tensor, float], None]:
    """templates/dropout_mask.c.j2 as a function of a generator, a mask and the probability of True."""
    units, target = [Unit("dropout_mask", render("dropout_mask.c.j2"))], resolve("native")
    library = libraries.load(build(units, target), _CDEF, lambda: build(units, target))
    return functools.partial(_draw, library.ffi, library.functions.sol_dropout_mask)


def _draw(ffi: Any, function: Any, generator: torch.Generator, mask: torch.Tensor, kept: float) -> None:
    """Fill a mask. Where another thread draws from the generator meanwhile, that comes first."""
    while True:
        before = generator.get_state()
        state = before.clone()
        function(ffi.cast("void *", state.data_ptr()), ffi.cast("uint8_t *", mask.data_ptr()), mask.numel(), kept)
        if torch.equal(generator.get_state(), before):
            generator.set_state(state)
            return


def dropout_mask(kept: float, sizes: Sequence[int]) -> torch.Tensor:
    """A mask of that shape which is true with probability ``kept``: what ``bernoulli_`` makes of a bool tensor, in the order of memory."""
    mask = torch.empty(tuple(sizes), dtype=torch.bool, device="cpu")
    draw = _drawing() if mask.numel() >= FEWEST else None
    if draw is None:
        return mask.bernoulli_(kept)
    draw(torch.default_generator, mask, kept)
    return mask


LIBRARY.impl("dropout_mask", dropout_mask, "CompositeExplicitAutograd")
