"""A launch of a memory-bound kernel as data: what ``match`` found about a move, which ``lower`` emits and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sol.codegen.lowering import Lowering, frozen
from sol.codegen.plan import View
from sol.ir.dim import DimLike
from sol.ir.graph import Attrs, Node, Origin


@dataclass(frozen=True)
class Request:
    """The arguments of ``Lowering.emit``.

    check: the operation whose indices the kernel checks, and where it comes from; None if it checks none. The number by which they are
    reported takes the place of the argument ``check``.
    by_rows: whether threads share out rows or channels, where what reads the results should know.
    """

    template: str
    stem: str
    reads: tuple[tuple[str, View], ...]
    writes: tuple[tuple[str, View], ...]
    params: tuple[tuple[str, DimLike], ...]
    bytes: DimLike
    shared_scratch: DimLike
    table: tuple[int, ...]
    check: tuple[str, Origin] | None
    by_rows: bool | None
    context: Attrs

    def emit(self, lowering: Lowering) -> None:
        """The launch."""
        params = dict(self.params)
        if self.check:
            params["check"] = lowering.library.check(*self.check)
        if self.by_rows is not None:
            lowering.set_share(self.by_rows)
        lowering.emit(
            self.template, self.stem, reads=dict(self.reads), writes=dict(self.writes), params=params, bytes=self.bytes,
            shared_scratch=self.shared_scratch, table=self.table, **self.context,
        )  # fmt: skip


def request(
    template: str, stem: str, *, reads: Mapping[str, View], writes: Mapping[str, View], params: Mapping[str, DimLike], bytes: DimLike,
    shared_scratch: DimLike = 0, table: Sequence[int] = (), check: Node | None = None, by_rows: bool | None = None, **context: Any,
) -> Request:  # fmt: skip
    """A request. check: the node whose indices are checked; there must be an argument ``check`` then."""
    checked = (check.attrs["checked"], check.origin) if check is not None else None
    return Request(
        template, stem, tuple(reads.items()), tuple(writes.items()), tuple(params.items()), bytes, shared_scratch, tuple(table),
        checked, by_rows, frozen(context),
    )  # fmt: skip


__all__ = ["Request", "request"]
