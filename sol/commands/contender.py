"""One engine timed on one model file in a process of its own: ``python -m sol.commands.contender JSON``, started by ``sol bench``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sol.bench import arrays_of, measure, report


def main() -> None:
    """Measure as the first argument says, report it, and leave the outputs in the folder."""
    job = json.loads(sys.argv[1])
    folder = Path(job["folder"])
    if job["engine"] == "export":
        _export(Path(job["model"]), folder / "model.onnx")
        report({"exported": True})
        return
    with np.load(folder / "inputs.npz") as arrays:
        inputs = {name: arrays[f"arr_{i}"] for i, name in enumerate(job["names"])}
    for name, dtype in job["dtypes"].items():
        inputs[name] = inputs[name].view(_ml_dtype(dtype))
    measurement, result = measure(lambda: ENGINES[job["engine"]](job, folder, inputs), seconds=job["seconds"])
    np.savez(folder / f"{job['engine']}.npz", *arrays_of(result))
    report(measurement)


def _ml_dtype(name: str) -> np.dtype:
    import ml_dtypes

    return np.dtype(getattr(ml_dtypes, name))


def _sol(job: dict[str, Any], folder: Path, inputs: dict[str, np.ndarray]) -> Callable[[], Any]:
    from sol.commands.models import open_model

    shapes = {name: tuple(shape) for name, shape in job["shapes"].items()}
    return open_model(Path(job["model"]), shapes=shapes, threads=job["threads"], isa=job["isa"]).call(inputs)


def _torch(job: dict[str, Any], folder: Path, inputs: dict[str, np.ndarray]) -> Callable[[], Any]:
    from sol.commands.models import TorchModel

    return TorchModel(Path(job["model"]), job["threads"], None).eager(inputs)


def _onnxruntime(job: dict[str, Any], folder: Path, inputs: dict[str, np.ndarray]) -> Callable[[], Any]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = job["threads"] or 0
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(job["onnx"], options, providers=["CPUExecutionProvider"])
    feed = {port.name: array for port, array in zip(session.get_inputs(), inputs.values())}
    return lambda: session.run(None, feed)


def _openvino(job: dict[str, Any], folder: Path, inputs: dict[str, np.ndarray]) -> Callable[[], Any]:
    import openvino

    settings: dict[str, Any] = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    if job["threads"]:
        settings["INFERENCE_NUM_THREADS"] = job["threads"]
    core = openvino.Core()
    request = core.compile_model(core.read_model(job["onnx"]), "CPU", settings).create_infer_request()
    arrays = list(inputs.values())
    return lambda: list(request.infer(arrays, share_inputs=True, share_outputs=True).values())


ENGINES = {"sol": _sol, "torch": _torch, "onnxruntime": _onnxruntime, "openvino": _openvino}


def _export(model: Path, path: Path) -> None:
    """An exported program as ONNX, for the engines that read that."""
    import torch

    from sol.frontend.torch.program_file import load_program

    torch.onnx.export(load_program(model), f=str(path), dynamo=True)


if __name__ == "__main__":
    main()
