"""How elements of each type lie in memory and come into registers: the one table that kernels ask for C types, loads and stores."""

from __future__ import annotations

from dataclasses import dataclass

from sol.errors import SolError
from sol.ir.types import DType

FAMILIES = {DType.F32: "vf", DType.BF16: "vbf", DType.BOOL: "vb", DType.I32: "vi", DType.U8: "vu8", DType.I8: "vi8", DType.U16: "vu16",
            DType.I16: "vi16"}  # fmt: skip
"""What the functions that load and store vectors of a dtype begin with."""


@dataclass(frozen=True)
class Element:
    """An element type as templates of float32 products spell it: memory may be narrower, registers hold float32.

    c: C type in memory. size: its bytes. vector, half: what the functions that load and store a vector, or load half a vector, begin with.
    result: the same of what stores results of arithmetic, in which denormal numbers may be zero.
    number: pattern of an element's float32 value, ``%s`` standing for the C text of the element. stored: the same of what stores one.
    """

    c: str
    size: int
    vector: str
    result: str
    half: str
    number: str
    stored: str


_ELEMENTS = {
    DType.F32: Element("float", 4, "vf", "vf", "vh", "%s", "%s"),
    DType.BF16: Element("uint16_t", 2, "vbf", "vbf_result", "vhbf", "sol_from_bf16(%s)", "sol_to_bf16(%s)"),
}
PRODUCT_TYPES = tuple(_ELEMENTS)
"""Types of operands and results of products that add up in float32."""


def element(dtype: DType) -> Element:
    """SolError for types of which no product adds up in float32."""
    if dtype not in _ELEMENTS:
        raise SolError(f"products of {dtype} do not add up in float32", remedy=f"give their operands as {' or '.join(map(str, _ELEMENTS))}")
    return _ELEMENTS[dtype]


def vector_load(dtype: DType, address: str, *, stride: int = 1, count: str = "") -> str:
    """C text of a vector from memory. stride: 0 for one element in all lanes. count: number of lanes that exist, if not all."""
    family = FAMILIES[dtype]
    if not stride:
        return f"{family}_set(*({address}))"
    return f"{family}_load_n({address}, {count})" if count else f"{family}_load({address})"


def vector_store(dtype: DType, address: str, value: str, *, count: str = "", result: bool = False) -> str:
    """C statement that stores a vector. result: of arithmetic, in which denormal numbers may be zero."""
    family = element(dtype).result if result and dtype in _ELEMENTS else FAMILIES[dtype]
    return f"{family}_store_n({address}, {value}, {count});" if count else f"{family}_store({address}, {value});"


def rounded(dtype: DType, text: str, *, result: bool = False) -> str:
    """C text of a vector of float32 rounded to a narrower type, as if it had been stored and loaded again. result: as for stores."""
    return f"vf_{'result' if result and dtype in _ELEMENTS else 'round'}_{dtype}({text})"


def from_memory(dtype: DType, text: str) -> str:
    """C text of a stored element as scalar kernels compute with it."""
    if dtype is DType.F16:
        return f"(float){text}"
    return f"sol_from_{dtype}({text})" if dtype is DType.BF16 or dtype.is_minifloat else text


def to_memory(dtype: DType, text: str) -> str:
    """C text that stores a computed value."""
    if dtype is DType.F16:
        return f"(_Float16)({text})"
    return f"sol_to_{dtype}({text})" if dtype is DType.BF16 or dtype.is_minifloat else text
