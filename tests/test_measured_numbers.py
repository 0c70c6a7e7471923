"""No measured number stands outside the tables of machines: constants of kernels, passes and what runs them are of other kinds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from math import inf
from pathlib import Path

import pytest

SOL = Path(__file__).parent.parent / "sol"
TABLES = SOL / "codegen/machines"
ROOMS = ("codegen", "passes", "runtime", "inspect")
FILES = sorted(p for room in ROOMS for p in (SOL / room).rglob("*.py") if not p.is_relative_to(TABLES))

ERRORS = "bounds on errors, and how long sums may become: results depend on them"
WORDS = "sizes of words, cache lines, pages and table entries, and values with a meaning of their own"
ALGORITHMS = "what an algorithm consists of, and register tiles that follow from the instruction set"
SEARCHES = "how far rules look, and how much is measured"
CODE = "how much code is written, and what compilers make of it"
EVENNESS = "from how many pieces on work is shared out evenly; templates count the same"
BLOCKS = "pieces of work or memory that fit the smallest caches, at any processor about the same"
KEPT = "how much is kept, compiled or shown: more would be of little use"
DOUBT = "from when on times are to be doubted, and how long is waited"

KINDS = {
    ERRORS: "ERROR INNER_PRODUCT_ERROR LEAST_ERROR SPARSE AMPLIFIED LONE STRETCH WIDE_STRETCH PACED_STRETCH PIECE SLICE TINY MOST_EXACT "
    "SPECIFIED FACTOR NEAR LARGEST_PRODUCT EXPONENT LOSS",
    WORDS: "WORD VECTOR BYTES LINE SHORTEST_ROW LINE_UNIT PAGE POINTER DOUBLE ORIGIN PLACE NONE _NEVER USUAL_NUMBERS LARGEST HUGE STAGGER "
    "PAIR MATRIX_ROWS MATRIX_STEP NUMBER _REQUEST _ASK_FOR _TILES IMPLEMENTATION _BEFORE _COUNTER _VERSION _OMP_PAUSE_SOFT OPENCL_C "
    "SLICED_ARGUMENTS CACHE_LINE LARGEST_BYTE LARGEST_WEIGHT USUAL "
    "LARGEST_WORD FLOAT HALF SLICE_BYTES PART_BYTES",
    ALGORITHMS: "PAIRS LANES MOST LEAST MOST_WIDE LEAST_WIDE LEFT_WIDE FETCHES MOST_FETCHES BEHIND LEFT NV HALVED FEW WIDTH "
    "MAX_PARTS MOST_THREADS SMALLEST LARGEST_KERNEL REDUCED "
    "SIDE PARTS STEPS CHANNELS SPATIAL IN_BLOCKS TO_END TO_FRONT VOLUME PAIRS_BESIDE PRODUCT_BESIDE MOST_PLANES MOST_AXES WHOLE "
    "MOST_DEPTH RIGHT_SIDES",
    SEARCHES: "WORST_TILING MARGIN BEFORE OCCURRENCES FAR DEEPEST SIZES_TRIED LONGEST_EPILOGUE LARGEST_PROLOGUE_WINDOW MOST_EPILOGUES "
    "ROUNDS SAMPLED MOST_SETS VARIANTS _SAMPLES MOST_STEPS LONGEST_ROW",
    CODE: "DIRECT_STEP WINOGRAD_STEP WORD_STEP STEP UNROLLED_TAPS WORTH_A_WIDTH FEWEST_TENSORS FEWEST_CHANNELS FEWEST_MAPS LOOKED_UP "
    "MOST_PLACES MOST_ELEMENTS LONGEST_OF_BYTES FEW_REGISTERS",
    EVENNESS: "UNEVEN FEW_TILES FEW_UNITS SMALLEST_POOLED_GROUPS LARGEST_POOLED_MAP",
    BLOCKS: "CHUNK SHORT MOST_TILES AT_ONCE APART SMALL_RESULT LARGE_RESULT TABULATED FIRST_CHUNK LARGE_WEIGHT LARGEST_OBJECT LONGEST "
    "FEWEST FEWEST_STEPS FEWEST_ROWS FEWEST_COLUMNS FEWEST_OUTPUTS FEWEST_TILES MANY_ROWS SHARES BLOCK WIDEST MOST_AHEAD CHUNKS GROUP "
    "MOST_READY LONGEST_SLAB LARGEST_RIGHT MOST_MIXED MOST_THIN MOST_ROWS SHORT_ROW AHEAD MOST_IN_PAIRS WIDEST_IN_PAIRS TOGETHER "
    "CUTS DEPTHS MORE_SETS",
    KEPT: "GRADIENTS MOST_SOURCES MOST_CHANGES STATES_LEFT MOST_OPERATIONS FEWEST_MULTIPLICATIONS "
    "POOLS SHARE MOST_RANGES OPEN_AT AGAIN MOST_COMPILED FEW_KINDS FRUITLESS SPARE SHOWN LOOKED_AT KEPT KEPT_STEPS SLOW",
    DOUBT: "GROWTHS TRIES UNSTEADY WAITED OTHERS STOLEN PAUSE PATIENCE PACKINGS",
}
"""Kind of constant → names of those that may stand in these rooms."""
NAMES = {name: kind for kind, names in KINDS.items() for name in names.split()}

PLAIN = (0.0, 0.5, 1.0, 2.0, inf)
UNITS = (1e-9, 1e3, 1e6, 1e9)
"""Between seconds, operations or bytes and parts or multiples of them, in rooms that tell people about them."""
MEANINGFUL = {
    "passes/canonicalize_activations.py": (0.044715, 3.0),  # of GELU and the hard sigmoid
    "passes/canonicalize_products.py": (8.0,),  # the middle of four bits
    "passes/factors.py": (1e-5,),  # to which numbers are taken for equal
    "passes/find_integer_products.py": (128.0,),  # between bytes with and without sign
    "inspect/explanation.py": (999.5,),  # from which three digits round to 1000
    "inspect/load.py": (0.005,),  # below which a share rounds to 0 %
    "inspect/session_verification.py": (1e-4, 4e-3, 3e-2),  # errors that float32, float16 and bfloat16 may have
    "inspect/verification.py": (1e-4,),  # the same of float32
}
"""File → numbers in its functions that belong to what it computes."""


def name_of(path: Path) -> str:
    return str(path.relative_to(SOL))


def is_number(node: ast.expr) -> bool:
    """Numbers, expressions of numbers and tuples of both."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    return isinstance(node, ast.Tuple) and bool(node.elts) and all(map(is_number, node.elts))


def constants(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Names that a module gives to numbers, and where."""
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None and is_number(node.value):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        yield name.id, node


def inner_numbers(tree: ast.Module) -> set[float]:
    """Floating-point numbers that are written elsewhere than in a constant with a name."""
    named = {id(inside) for _, node in constants(tree) for inside in ast.walk(node)}
    found = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, float) and id(n) not in named)
    return {n.value for n in found}  # type: ignore[misc]


REMEDY = "a measured number belongs in a table of sol/codegen/machines; one that no machine decides, in KINDS with its like"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_constant_is_not_measured(path: Path) -> None:
    tree = ast.parse(path.read_text())
    wrong = [name for name, _ in constants(tree) if name not in NAMES]
    assert not wrong, f"{name_of(path)} has {', '.join(wrong)}: {REMEDY}"
    plain = PLAIN + (UNITS if path.parts[len(SOL.parts)] in ("runtime", "inspect") else ())
    loose = sorted(inner_numbers(tree) - {*plain, *MEANINGFUL.get(name_of(path), ())})
    assert not loose, f"{name_of(path)} has {loose} in its functions: {REMEDY}"


def test_every_name_is_in_use() -> None:
    used = {name for path in FILES for name, _ in constants(ast.parse(path.read_text()))}
    assert NAMES.keys() == used, f"in KINDS but nowhere else: {sorted(NAMES.keys() - used)}"
    numbers = {name_of(path): inner_numbers(ast.parse(path.read_text())) for path in FILES}
    assert all(set(found) <= numbers[name] for name, found in MEANINGFUL.items())


@pytest.mark.parametrize(
    ("text", "named", "loose"),
    [
        ("GAIN = 0.95", ["GAIN"], set()),
        ("A, B = 3, -(1 << 4)", ["A", "B"], set()),
        ("COST: float = 2 * 3.5\n\ndef f(x=0.3):\n    return 1.4 * x", ["COST"], {0.3, 1.4}),
        ("class Costs:\n    tile: float = 30.0", [], {30.0}),
        ("KERNELS = {'a': 1}\nNAME = 'x'\nON = True", [], set()),
    ],
)
def test_what_counts_as_a_number(text: str, named: list[str], loose: set[float]) -> None:
    tree = ast.parse(text)
    assert [name for name, _ in constants(tree)] == named and inner_numbers(tree) == loose
