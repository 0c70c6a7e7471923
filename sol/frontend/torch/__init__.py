"""Turns torch models into graphs: `import_module`, `import_exported`, `import_graph_module`. Names are loaded when first asked for."""

from __future__ import annotations

from importlib import import_module as _load
from typing import Any

_HOME = {
    "import_exported": "export", "import_graph_module": "export", "import_module": "export",
    "TorchCall": "torch_call",
}  # fmt: skip
__all__ = ["TorchCall", "import_exported", "import_graph_module", "import_module"]  # noqa: F822


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_load(f"{__name__}.{_HOME[name]}"), name)
