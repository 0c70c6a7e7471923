"""Quantize an ONNX file with onnxruntime as QDQ, QOperator and dynamically: `python benchmarks/quantized.py model.onnx out/`.

Calibrated on four random inputs, per channel, activations unsigned, weights signed. `sol bench out/qdq.onnx --against onnxruntime,openvino`
times the results.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static

SAMPLES = 4
KINDS = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32}


class Samples(CalibrationDataReader):  # type: ignore[misc]
    """Random inputs of a model whose sizes are fixed: floats from 0 to 1, integers from 0 to 99."""

    def __init__(self, model: Path) -> None:
        rng, self.inputs = np.random.default_rng(0), onnxruntime.InferenceSession(str(model)).get_inputs()
        self.left: Iterator[dict[str, np.ndarray]] = iter([{i.name: self._sample(i, rng) for i in self.inputs} for _ in range(SAMPLES)])

    def get_next(self) -> dict[str, np.ndarray] | None:
        """The next one, None at the end."""
        return next(self.left, None)

    def _sample(self, value: onnxruntime.NodeArg, rng: np.random.Generator) -> np.ndarray:
        if value.type not in KINDS or not all(isinstance(n, int) for n in value.shape):
            raise SystemExit(f"input {value.name} is {value.type} {value.shape}: give a model of fixed sizes, of float, int32 or int64")
        numbers = rng.random(value.shape) if value.type == "tensor(float)" else rng.integers(0, 100, value.shape)
        return numbers.astype(KINDS[value.type])


def main() -> None:
    """Write qdq.onnx, qoperator.onnx and dynamic.onnx."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    kinds = {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8, "per_channel": True}
    for name, form in (("qdq", QuantFormat.QDQ), ("qoperator", QuantFormat.QOperator)):
        quantize_static(str(args.model), str(args.out / f"{name}.onnx"), Samples(args.model), quant_format=form, **kinds)
    quantize_dynamic(str(args.model), str(args.out / "dynamic.onnx"), weight_type=QuantType.QUInt8)


if __name__ == "__main__":
    main()
