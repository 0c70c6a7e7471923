"""Lines of pixels that gradients of convolutions for their weights pack: of equal length for all taps, so that a tap is a shift.

Pixel i of the gradient meets pixel i + shift of the packed input, for every pixel of every line. Sums are made of pairs of pixels, so that
an odd shift reads a copy of the input of its own; so do the remainders of a stride. With a single tap, which skips nothing, a pair may
join two lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sol.codegen.kernels.conv_weight_problem import Gradient


@dataclass(frozen=True)
class Axis:
    """One axis of a problem: results, filter, steps, padding before the first, pixels of the input."""

    size: int
    taps: int
    stride: int
    dilation: int
    padding: int
    pixels: int

    @property
    def places(self) -> list[tuple[int, int]]:
        """Of each tap: the first pixel of those that it reads in steps of the stride, and how many steps later it begins."""
        return [((t * self.dilation) % self.stride, t * self.dilation // self.stride) for t in range(self.taps)]

    @property
    def furthest(self) -> int:
        """The largest number of steps."""
        return max(step for _, step in self.places)

    def pitch(self) -> int:
        """Pixels from one line of results to the next, so that what is read beyond a line is zero there and in the next line."""
        return next(n for n in range(self.size, self.size + self.furthest + 1) if self._fits(n))

    def _fits(self, pitch: int) -> bool:
        if pitch >= self.size + self.furthest:
            return True
        for first, steps in self.places:
            before = -(-(self.padding - first) // self.stride)  # pixels of a line that are zeros before the input
            reached = self.size + steps
            exist = -(-(self.pixels + self.padding - first) // self.stride)
            if reached > pitch and (exist > pitch or reached - pitch > before):
                return False
        return True


@dataclass(frozen=True)
class Lines:
    """How pixels are packed.

    lines, pitch: rows and pixels from one image, or one row, to the next. further: rows beyond those of a gradient that it takes. planes:
    (first row, first column, first pixel of the pairs) of the copies of the input. taps: (plane, pairs to skip) of each.
    """

    lines: int
    pitch: int
    further: int
    planes: tuple[tuple[int, int, int], ...]
    taps: tuple[tuple[int, int], ...]

    @property
    def furthest(self) -> int:
        """The most pairs that a tap skips."""
        return max(pairs for _, pairs in self.taps)


def lines_of(p: Gradient) -> Lines:
    """The lines of whole images."""
    (sy, sx), (dy, dx), (py, px) = p.stride, p.dilation, p.padding
    down, along = Axis(p.oh, p.kernel[0], sy, dy, py, p.h), Axis(p.ow, p.kernel[1], sx, dx, px, p.w)
    pitch = along.pitch()
    if len(down.places) * len(along.places) > 1:
        pitch += pitch % 2  # a tap skips whole pairs
    places = [(b, a, off % 2, rows, off // 2) for b, rows in down.places for a, off in along.places]
    planes = _distinct((b, a, odd) for b, a, odd, _, _ in places)
    taps = tuple([(planes.index((b, a, odd)), rows * pitch // 2 + pairs) for b, a, odd, rows, pairs in places])
    return Lines(down.pitch(), pitch, down.furthest, planes, taps)


def _distinct(items: Iterable[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
    return tuple(dict.fromkeys(items))


__all__ = ["Axis", "Lines", "lines_of"]
