"""From ONNX to sol's ops without torch: `load_model` reads and checks a file, `import_model` makes a graph of it.

One file per family holds its converters; importing this package registers them all.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from sol.errors import SolError

if find_spec("onnx") is None:
    raise SolError("the onnx package is not installed", remedy='pip install "sol[onnx]"')

from sol.frontend.onnx.importer import import_model
from sol.frontend.onnx.loader import LoadedModel, load_model

FAMILIES = (
    "source", "pointwise", "view", "move", "scatter", "ramp", "sequence", "reduce", "norm", "select", "loss", "random",
    "train", "classic", "conv", "pool", "matmul", "attention", "recurrent", "quantize", "image", "signal", "control", "dynamic", "text",
    "ort_fused", "ort_norm", "ort_attention", "ort_quantized", "ort_weights",
)  # fmt: skip
for _family in FAMILIES:  # each registers its converters
    if find_spec(f"sol.frontend.onnx.{_family}") is not None:
        import_module(f"sol.frontend.onnx.{_family}")

__all__ = ["LoadedModel", "import_model", "load_model"]
