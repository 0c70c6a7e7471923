"""One measurement in a process of its own: ``worker.py '{"job": …}'``. ``inference.py`` starts it; the result is one line of JSON.

Job "prepare" leaves inputs, torch's outputs and the ONNX file in a folder, so that the engines that do not need torch run without it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from sol.bench import arrays_of, measure, report

Outputs = list[np.ndarray]


def main() -> None:
    """Do the job that the first argument describes."""
    job = json.loads(sys.argv[1])
    {"prepare": prepare, "measure": measure_engine}[job.pop("job")](**job)


# -- reference ---------------------------------------------------------------------------------------------------------


def prepare(network: str, batch: int, threads: int, folder: str, onnx: bool, float64: bool) -> None:
    """Write inputs.npz, torch.npz, float64.npz and model.onnx; reports which of them could not be made and why."""
    import torch

    torch.set_num_threads(threads)
    model, inputs = _torch_model(network, batch)
    place = Path(folder)
    np.savez(place / "inputs.npz", *[t.numpy() for t in inputs])
    notes: dict[str, Any] = {"parameters": sum(p.numel() for p in model.parameters())}
    with torch.no_grad():
        expected = arrays_of(model(*inputs))
        np.savez(place / "torch.npz", *expected)
        if onnx:
            notes["onnx"] = _export(model, inputs, place / "model.onnx")
        if float64:
            exact = arrays_of(model.double()(*[t.double() if t.is_floating_point() else t for t in inputs]))
            np.savez(place / "float64.npz", *exact)
            notes["torch_error64"] = _error(expected, exact)
    report(notes)


def _torch_model(network: str, batch: int) -> tuple[Any, tuple[Any, ...]]:
    import torch

    from benchmarks.networks import build

    model, make = build(network)
    torch.manual_seed(2)
    return model, make(batch)


def _export(model: Any, inputs: tuple[Any, ...], path: Path) -> str:
    """Which exporter it took, or why there is no ONNX file."""
    import torch

    for dynamo in (False, True):
        try:
            options = {} if dynamo else {"opset_version": 17, "do_constant_folding": True}
            torch.onnx.export(model, inputs, str(path), dynamo=dynamo, **options)
            return "exported with dynamo=True" if dynamo else "exported with dynamo=False"
        except Exception as error:  # the exporter raises whatever it likes
            reason = f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"
    return f"failed: {reason[:200]}"


# -- engines -----------------------------------------------------------------------------------------------------------


def measure_engine(network: str, batch: int, threads: int, folder: str, engine: str, seconds: float) -> None:
    """Report times, set-up, memory and errors of one engine."""
    place = Path(folder)
    inputs = _load(place / "inputs.npz")
    make = ENGINES[engine](network, batch, threads, place, inputs)
    measurement, result = measure(make, seconds=seconds)
    outputs = arrays_of(result)
    measurement["error"] = _error(outputs, _load(place / "torch.npz"))
    if (place / "float64.npz").exists():
        measurement["error64"] = _error(outputs, _load(place / "float64.npz"))
    report(measurement)


Maker = Callable[[], Callable[[], Any]]


def _with_torch(compile_: Callable[[Any, tuple[Any, ...]], Callable[..., Any]]) -> Callable[..., Maker]:
    def engine(network: str, batch: int, threads: int, place: Path, inputs: Outputs) -> Maker:
        import torch

        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        model, _ = _torch_model(network, batch)
        tensors = tuple(torch.from_numpy(a) for a in inputs)

        def make() -> Callable[[], Any]:
            compiled = compile_(model, tensors)
            return lambda: compiled(*tensors)

        return make

    return engine


def _eager(model: Any, inputs: tuple[Any, ...]) -> Any:
    return model


def _inductor(model: Any, inputs: tuple[Any, ...]) -> Any:
    import torch
    import torch._inductor.config

    torch._inductor.config.freezing = True
    return torch.compile(model)


def _sol(model: Any, inputs: tuple[Any, ...]) -> Any:
    import sol

    return sol.optimize(model, list(inputs))


def _sol_onnx(network: str, batch: int, threads: int, place: Path, inputs: Outputs) -> Maker:
    def make() -> Callable[[], Any]:
        import sol

        session = sol.load(str(place / "model.onnx"), threads=threads)
        return lambda: session(*inputs)

    return make


def _onnxruntime(network: str, batch: int, threads: int, place: Path, inputs: Outputs) -> Maker:
    def make() -> Callable[[], Any]:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        session = onnxruntime.InferenceSession(str(place / "model.onnx"), options, providers=["CPUExecutionProvider"])
        feed = {port.name: array for port, array in zip(session.get_inputs(), inputs)}
        return lambda: session.run(None, feed)

    return make


def _openvino(network: str, batch: int, threads: int, place: Path, inputs: Outputs) -> Maker:
    def make() -> Callable[[], Any]:
        import openvino

        core = openvino.Core()
        settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads}
        request = core.compile_model(core.read_model(place / "model.onnx"), "CPU", settings).create_infer_request()
        return lambda: list(request.infer(inputs, share_inputs=True, share_outputs=True).values())

    return make


ENGINES: dict[str, Callable[..., Maker]] = {
    "sol": _with_torch(_sol),
    "sol_onnx": _sol_onnx,
    "eager": _with_torch(_eager),
    "inductor": _with_torch(_inductor),
    "onnxruntime": _onnxruntime,
    "openvino": _openvino,
}
"""Engine → (network, batch, threads, folder, inputs) → a function that makes it ready and returns a call."""


# -- results -----------------------------------------------------------------------------------------------------------


def _load(path: Path) -> Outputs:
    with np.load(path) as arrays:
        return [arrays[f"arr_{i}"] for i in range(len(arrays.files))]


def _error(outputs: Outputs, expected: Outputs) -> float:
    """Largest difference in units of the output's largest magnitude, over all outputs; infinite if shapes or NaN differ."""
    if len(outputs) != len(expected):
        return float("inf")
    worst = 0.0
    for got, wanted in zip(outputs, expected):
        if got.shape != wanted.shape:
            return float("inf")
        if got.size:
            difference = np.abs(got.astype(np.float64) - wanted.astype(np.float64)).max()
            scale = float(np.abs(wanted).max()) or 1.0
            worst = max(worst, float(difference) / scale if np.isfinite(difference) else float("inf"))
    return worst


if __name__ == "__main__":
    main()
