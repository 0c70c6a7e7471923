"""sol as a backend of ``onnx.backend.base``: the interface by which ONNX's own conformance suite runs a runtime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, helper
from onnx.backend.base import Backend, BackendRep, namedtupledict

from sol.runtime.numpy.session import Session, load


class SolBackendRep(BackendRep):
    """A model that is ready to run."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Outputs in order, also by name, for inputs by position or name."""
        outputs = self.session.run(inputs)
        names = [o.name for o in self.session.outputs]
        return namedtupledict("Outputs", names)(*outputs) if all(names) else tuple(outputs)


class SolBackend(Backend):
    """Compiles models for this machine's CPU."""

    @classmethod
    def is_compatible(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """True: what is not supported raises a SolError when prepared or run."""
        return cls.supports_device(device)

    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> SolBackendRep:
        """Check a model, and compile it if its sizes are fixed."""
        return SolBackendRep(load(model, **{k: v for k, v in kwargs.items() if k in ("threads", "isa", "shapes")}))

    @classmethod
    def run_model(cls, model: ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any) -> tuple[Any, ...]:
        """Prepare and run once."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls, node: NodeProto, inputs: Any, device: str = "CPU", outputs_info: Sequence[tuple[np.dtype, tuple[int, ...]]] | None = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Run one operator on arrays in the order of its inputs."""
        arrays = [np.asarray(a) for a in inputs]
        names = [n for n in node.input if n]
        given = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in zip(names, arrays)]
        wanted = [n for n in node.output if n]
        if outputs_info is None:
            results = [helper.make_value_info(n, helper.make_tensor_type_proto(0, None)) for n in wanted]
        else:
            results = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(np.dtype(d)), s)
                       for n, (d, s) in zip(wanted, outputs_info)]  # fmt: skip
        opset = helper.make_opsetid(node.domain, kwargs.pop("opset_version", _newest(node.domain)))
        graph = helper.make_graph([node], "node", given, results)
        return cls.run_model(helper.make_model(graph, opset_imports=[opset]), arrays, device, **kwargs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether a device is the CPU."""
        return device.split(":")[0] == "CPU"


def _newest(domain: str) -> int:
    from onnx import defs

    return max((s.since_version for s in defs.get_all_schemas_with_history() if s.domain == domain), default=1)


is_compatible = SolBackend.is_compatible
prepare = SolBackend.prepare
run_model = SolBackend.run_model
run_node = SolBackend.run_node
supports_device = SolBackend.supports_device
