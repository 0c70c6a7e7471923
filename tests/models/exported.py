"""Networks as ONNX files, made by torch's exporters: the older one where it takes the network, else the newer one."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn

OPSET = 17


def export(model: nn.Module, inputs: Sequence[torch.Tensor], path: Path, *, dynamo: bool | None = None) -> bool:
    """Write ``path``; whether the newer exporter made it. dynamo: which exporter; None tries the older one first."""
    if dynamo is not True:
        try:
            _export(model, inputs, path, dynamo=False)
            return False
        except Exception:
            if dynamo is False:
                raise
    _export(model, inputs, path, dynamo=True)
    return True


def _export(model: nn.Module, inputs: Sequence[torch.Tensor], path: Path, *, dynamo: bool) -> None:
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        if dynamo:
            torch.onnx.export(model, tuple(inputs), str(path), dynamo=True, verbose=False)
        else:
            torch.onnx.export(model, tuple(inputs), str(path), dynamo=False, opset_version=OPSET)
