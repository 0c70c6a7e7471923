"""Sizes: torch's SymInts (sympy expressions) as sol dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy
import torch

from sol.ir.dim import Dim, DimLike, dim_max, floor_div

UPPER = 2**40


class SizeError(Exception):
    """A size expression that `Dim` does not express."""


class Sizes:
    """Maps SymInts to Dims. Symbols are named ``s0, s1…`` by first appearance, unbacked ones ``u0, u1…``."""

    def __init__(self, ranges: Mapping[Any, Any] | None = None, smallest: int = 2) -> None:
        """ranges: torch's, of its symbols. smallest: no size is taken as open to smaller values, even if its range is."""
        self._ranges, self._smallest = dict(ranges or {}), smallest
        self._known: dict[sympy.Expr, DimLike] = {}
        self._names: dict[str, str] = {}
        self._numbers: set[str] = set()
        self.unbacked: set[str] = set()

    def dim(self, value: Any) -> DimLike:
        """The dimension of an int or SymInt; SizeError if it has no form as a Dim."""
        if isinstance(value, int):
            return value
        expression = value.node.expr
        found = self._known.get(expression)
        if found is None:
            found = self._known[expression] = self._convert(expression)
        return found

    def number(self, value: Any) -> DimLike:
        """The symbol of a number among the arguments, which may be as small as torch allows."""
        self._numbers |= {s.name for s in value.node.expr.free_symbols}
        return self.dim(value)

    @property
    def symbolic(self) -> bool:
        """Whether any size seen so far was symbolic."""
        return bool(self._known)

    def learn(self, value: Any, dim: DimLike) -> None:
        """From now on a SymInt is written as ``dim``, an equal expression in sol's own form."""
        if not isinstance(value, int):
            self._known[value.node.expr] = dim

    def shape(self, shape: Any) -> tuple[DimLike, ...]:
        """A shape with every SymInt as Dim."""
        return tuple([d if type(d) is int else self.dim(d) for d in shape])

    def is_unbacked(self, dim: Any) -> bool:
        """Whether the size is known only after an operation ran."""
        if not self.unbacked or not isinstance(dim, Dim):
            return False
        from sol.ir.dim import symbols

        return any(s.name in self.unbacked for s in symbols(dim))

    def _symbol(self, symbol: sympy.Symbol) -> DimLike:
        from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

        unbacked = bool(free_unbacked_symbols(symbol))
        letter = "u" if unbacked else "s"
        name = self._names.get(symbol.name)
        if name is None:
            count = sum(n.startswith(letter) for n in self._names.values())
            name = self._names[symbol.name] = f"{letter}{count}"
        if unbacked:
            self.unbacked.add(name)
            return Dim.symbol(name, 0, UPPER)
        low, high = -UPPER if symbol.name in self._numbers else self._smallest, UPPER
        allowed = self._ranges.get(symbol)
        if allowed is not None:
            low = max(low, _bound(allowed.lower, low))
            high = min(high, _bound(allowed.upper, high))
        return Dim.symbol(name, low, max(low, high))

    def _convert(self, e: sympy.Expr) -> DimLike:
        if e.is_Integer:
            return int(e)
        if e.is_Symbol:
            return self._symbol(e)
        name = type(e).__name__
        if name in ("ToFloat", "TruncToInt", "FloorToInt", "CeilToInt") or not e.args:
            raise SizeError(str(e))
        if e.is_Pow:
            base, exponent = e.args
            if not exponent.is_Integer or int(exponent) < 1:
                raise SizeError(str(e))
            result: DimLike = 1
            for _ in range(int(exponent)):
                result = result * self._convert(base)
            return result
        parts = [self._convert(a) for a in e.args]
        if e.is_Add:
            return sum(parts[1:], parts[0])
        if e.is_Mul:
            result = 1
            for p in parts:
                result = result * p
            return result
        if name in ("FloorDiv", "CleanDiv", "PythonFloorDiv"):
            return floor_div(parts[0], parts[1])
        if name in ("Mod", "PythonMod"):
            return parts[0] - floor_div(parts[0], parts[1]) * parts[1]
        if name in ("Max", "Min"):
            result = parts[0]
            for p in parts[1:]:
                result = dim_max(result, p) if name == "Max" else result + p - dim_max(result, p)
            return result
        raise SizeError(str(e))


def _bound(value: Any, default: int) -> int:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError, AttributeError):
        return default


def is_symbolic_number(value: Any) -> bool:
    """SymInt, SymFloat or SymBool."""
    return isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool))
