"""Walks the nodes of an ONNX graph and builds a sol graph: scopes of names, initializers, functions and subgraphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
import onnx
from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto, TensorShapeProto, TypeProto, ValueInfoProto

from sol.errors import ModelError, SolError, UnsupportedError
from sol.frontend.imported import Guard, Imported, SymbolSource
from sol.frontend.onnx.context import Context, NeedsValue
from sol.frontend.onnx.loader import LoadedModel, not_text
from sol.frontend.onnx.registry import OnnxNode, find_converter
from sol.frontend.onnx.structure import Place, gives_of, names_of, takes_of
from sol.frontend.onnx.types import ELEMENT_TYPES, STRING, array_dtype, dtype_of
from sol.ir.builder import GraphBuilder
from sol.ir.dim import Dim, DimLike, substitute
from sol.ir.graph import Graph
from sol.ir.rewrite import pruned
from sol.ir.types import DType, TensorType

SMALL = 1024
"""Elements up to which an initializer becomes a literal, which passes may look into."""

DEEPEST = 64
"""Subgraphs and functions within each other."""

_OF_ONE_MACHINE = "onnxruntime optimized this file for one machine: save it with the level ORT_ENABLE_EXTENDED, or give the original"
REMEDIES = {"com.microsoft.nchwc": _OF_ONE_MACHINE, "com.ms.internal.nhwc": _OF_ONE_MACHINE}
"""What to do about operators of a domain that has no converters."""

Signature = Union[TensorType, tuple["Signature", ...], None]  # noqa: UP007  (a string cannot be joined with |)
"""Type of an input as a call has it: a tensor, a sequence of such, or an empty optional."""


class Scope:
    """Names of one graph or function body; names of the graphs around it are seen through ``parent``."""

    def __init__(self, ctx: Context, opsets: Mapping[str, int], parent: Scope | None = None, *, function: bool = False) -> None:
        self.ctx, self.opsets, self.parent, self.function = ctx, opsets, parent, function
        self.names: dict[str, Any] = {}
        self.initializers: dict[str, TensorProto] = {}
        self.stated: dict[str, TypeProto] = {}
        self.attributes: Mapping[str, AttributeProto] = parent.attributes if parent is not None and not function else {}
        self.depth: int = 0 if parent is None else parent.depth + 1


_MISSING = object()


class Importer:
    """One import of a loaded model.

    signatures: types of inputs as a call has them, where the model's own are not enough or are to be narrowed.
    contents: inputs that become constants. trainable: initializers of float type with dimensions become parameters whatever their size.
    guarded: whether calls check what `guard` was given.
    smallest: what an open size can be at least. sizes: by the names of open sizes what is known of them: a number, or a narrower symbol.
    """

    def __init__(
        self, model: LoadedModel, signatures: Mapping[str, Signature] | None = None, contents: Mapping[str, np.ndarray] | None = None,
        *, trainable: bool = False, smallest: int = 2, sizes: Mapping[str, DimLike] | None = None, guarded: bool = False,
    ) -> None:  # fmt: skip
        self.model, self.trainable, self.guarded = model, trainable, guarded
        self.smallest, self.sizes = smallest, dict(sizes or {})
        self.signatures, self.contents = dict(signatures or {}), dict(contents or {})
        self.parameters: dict[str, np.ndarray] = {}
        self.fixed_parameters: Mapping[str, np.ndarray] = {} if trainable else self.parameters
        self.input_names: dict[str, str] = {}  # graph input → the model's input that it belongs to
        self.symbols: dict[str, SymbolSource] = {}
        self._input_count = 0
        self.streams = 0  # sources of random numbers, so far
        self._guards: list[tuple[str, bool, SolError]] = []

    # the model

    def run(self) -> Imported:
        """Import the main graph. Raises NeedsValue, UnsupportedError or ModelError."""
        ctx = Context(self, GraphBuilder())
        scope = Scope(ctx, self.model.opsets)
        graph = self.model.graph
        self._declare(scope, graph)
        inputs = [(i.name, self._input(scope, i)) for i in graph.input if i.name not in scope.initializers]
        self.nodes(scope, graph.node)
        values: list[str] = []
        outputs = [(o.name, self._place(self.find(scope, o.name, "the graph's outputs"), values)) for o in graph.output]
        guards = tuple(Guard(len(values) + i, expected, error) for i, (_, expected, error) in enumerate(self._guards))
        values += [value for value, _, _ in self._guards]
        takes, taken = takes_of([place for _, place in inputs])
        gives, given = gives_of([place for _, place in outputs])
        return Imported(
            graph=pruned(ctx.builder.build(values)), takes=takes, gives=gives, inputs=taken, outputs=given,
            title=graph.name or "network", input_names=names_of(inputs, self._input_count), output_names=names_of(outputs, len(values)),
            parameters=self.parameters, symbols=self.symbols, guards=guards,
        )  # fmt: skip

    def guard(self, value: str, expected: bool, error: SolError) -> None:
        """Have every call check a value of the main graph: it raises the error unless the value is as expected."""
        self._guards.append((value, expected, error))

    def _place(self, value: Any, values: list[str]) -> Place:
        """The place of an output among those of the graph."""
        if value is None or isinstance(value, np.ndarray):
            return value
        if isinstance(value, tuple):
            return tuple(self._place(v, values) for v in value)
        values.append(value)
        return len(values) - 1

    def _declare(self, scope: Scope, graph: GraphProto) -> None:
        """Enter what a graph says of its names: initializers and types."""
        scope.initializers.update({t.name: t for t in graph.initializer})
        for info in (*graph.value_info, *graph.input, *graph.output):
            scope.stated[info.name] = info.type
        for sparse in graph.sparse_initializer:
            scope.names[sparse.values.name] = scope.ctx.literal(self.model.dense(sparse))

    # inputs

    def _input(self, scope: Scope, info: ValueInfoProto) -> Place:
        name = info.name
        if name in self.contents:
            array = self.contents[name]
            scope.names[name] = array if array.dtype.kind in "OUS" else scope.ctx.literal(array)
            return array
        signature = self.signatures[name] if name in self.signatures else self._signature(info)
        places: list[int] = []
        scope.names[name], place = self._enter(scope, name, signature, places)
        return place

    def _enter(self, scope: Scope, name: str, signature: Signature, places: list[int]) -> tuple[Any, Place]:
        """The value of an input of this signature, and its place."""
        if signature is None:
            return None, None
        if isinstance(signature, tuple):
            parts = [self._enter(scope, f"{name}_{i}", s, places) for i, s in enumerate(signature)]
            return tuple(v for v, _ in parts), tuple(t for _, t in parts)
        index = self._input_count
        self._input_count += 1
        value = scope.ctx.builder.input(name, signature)
        self.input_names[value] = name
        for position, d in enumerate(signature.shape):
            if isinstance(d, Dim):
                self.symbols.setdefault(str(d), SymbolSource(index, position))
        return value, index

    def _signature(self, info: ValueInfoProto) -> Signature:
        """What the model says of an input; NeedsValue where only a call can tell."""
        kind = info.type.WhichOneof("value")
        if kind != "tensor_type" or not info.type.tensor_type.HasField("shape"):
            raise NeedsValue((info.name,), (), "its type" if kind != "tensor_type" else "its rank")
        if info.type.tensor_type.elem_type == STRING:
            raise NeedsValue((info.name,), (), "a tensor of strings")
        tensor = info.type.tensor_type
        return TensorType(dtype_of(tensor.elem_type), self._shape(tensor.shape, info.name))

    def _shape(self, shape: TensorShapeProto, owner: str) -> tuple[DimLike, ...]:
        """A stated shape with what is known of open sizes."""
        return tuple(substitute(d, self.sizes) for d in self.model.shape(shape, owner, self.smallest))

    # names

    def find(self, scope: Scope, name: str, reader: str = "") -> Any:
        """The value of a name, seen from a scope."""
        holder: Scope | None = scope
        while holder is not None:
            if name in holder.names:
                found = holder.names[name]
                return found if holder.ctx is scope.ctx else self._capture(scope.ctx, holder.ctx, name, found)
            if name in holder.initializers:
                holder.names[name] = self.tensor(holder.ctx, self.model.array(holder.initializers[name]), name)
                continue
            holder = None if holder.function else holder.parent
        raise ModelError(f"{reader or 'a node'} reads {name!r}, which no node, input or initializer gives",
                         remedy="the file is damaged or was cut out of a larger model: export it again")  # fmt: skip

    def _capture(self, inner: Context, outer: Context, name: str, value: Any) -> Any:
        """A value of an outer graph inside a body: a literal, or an input of the body that stands for it."""
        if isinstance(value, tuple):
            return tuple(self._capture(inner, outer, f"{name}_{i}", v) for i, v in enumerate(value))
        if not isinstance(value, str):
            return value
        if inner.outer is not outer:
            value = self._capture(inner.outer, outer, name, value)  # type: ignore[arg-type]
            outer = inner.outer  # type: ignore[assignment]
        node = outer.builder.node(value)
        if node.op == "constant":
            return inner.builder.constant(node.attrs["value"].value, node.attrs["dtype"])
        if node.op == "parameter":
            return inner.builder.parameter(node.attrs["target"], node.type)
        content = outer.known(value)
        if content is not None and content.size <= SMALL:
            return inner.builder.constant(content, outer.type(value).dtype)
        known = {v: k for k, v in inner.captures.items()}
        if value not in known:
            entered = inner.builder.input(name, outer.type(value))
            inner.captures[entered] = value
            return entered
        return known[value]

    def tensor(self, ctx: Context, array: np.ndarray, name: str) -> Any:
        """A tensor of the model as a value: a literal if it is small, else a parameter; strings as they are."""
        if array.dtype.kind in "OUS":
            return array
        dtype = array_dtype(array)
        literal = array.size <= SMALL or (dtype.is_int and array.size <= 16 * SMALL and array.ndim <= 1)
        if literal and not (self.trainable and dtype.is_float and array.ndim):
            return ctx.literal(array, dtype)
        outermost = ctx
        while outermost.outer is not None:
            outermost = outermost.outer
        while name in self.parameters and self.parameters[name] is not array:
            name += "_"
        self.parameters[name] = array
        value = outermost.builder.parameter(name, TensorType(dtype, array.shape))
        return value if outermost is ctx else self._capture(ctx, outermost, name, value)

    # nodes

    def nodes(self, scope: Scope, protos: Sequence[NodeProto]) -> None:
        """Convert nodes in order."""
        for index, proto in enumerate(protos):
            self._node(scope, proto, index)

    def _node(self, scope: Scope, proto: NodeProto, index: int) -> None:
        domain = "" if proto.domain == "ai.onnx" else proto.domain
        label = proto.name or f"{proto.op_type}_{index}"
        inputs = tuple(self.find(scope, n, f"node {label} ({proto.op_type})") if n else None for n in proto.input)
        attrs = self._attributes(scope, proto)
        node = OnnxNode(proto.op_type, label, domain, scope.opsets.get(domain, 0), inputs, tuple(proto.output), attrs)
        for name, value in zip(node.outputs, self.results(scope, node, proto.overload)):
            if name:
                scope.names[name] = value

    def results(self, scope: Scope, node: OnnxNode, overload: str = "") -> tuple[Any, ...]:
        """The values of a node's outputs: by a model's own function, a converter, or the function that defines the operator."""
        ctx = scope.ctx
        before = (ctx.node, ctx.scope, ctx.origin, ctx.hint)
        ctx.begin(node, scope)
        try:
            return self._results(scope, node, overload)
        except (NeedsValue, ModelError, UnsupportedError):
            raise
        except SolError as error:
            where = error.origin or node.name
            raise type(error)(f"{ctx.describe()}: {error.message}", origin=where, remedy=error.remedy) from error
        except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ModelError(
                f"{ctx.describe()} has operands or attributes that its specification does not allow ({type(error).__name__}: {error})",
                origin=node.name, remedy="check the model with onnx.checker and export it again",
            ) from error  # fmt: skip
        finally:
            if before[0] is not None:
                ctx.node, ctx.scope, ctx.origin, ctx.hint = before

    def _results(self, scope: Scope, node: OnnxNode, overload: str) -> tuple[Any, ...]:
        function = self.model.functions.get((node.domain, node.op, overload))
        convert = None if function is not None else find_converter(node.domain, node.op, node.opset)
        if convert is not None:
            found = convert(scope.ctx, node)
            return found if isinstance(found, tuple) else (found,)
        if function is None:
            function = self._schema_function(scope, node)
        if function is None:
            remedy = REMEDIES.get(node.domain, "express it with other operators, or run this model in onnxruntime")
            raise UnsupportedError(f"{scope.ctx.describe()} is not supported", origin=node.name, remedy=remedy)
        return self._call(scope, node, function)

    def _attributes(self, scope: Scope, proto: NodeProto) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for attribute in proto.attribute:
            if attribute.ref_attr_name:
                if attribute.ref_attr_name not in scope.attributes:
                    continue
                attribute = _renamed(scope.attributes[attribute.ref_attr_name], attribute.name)
            found[attribute.name] = self._attribute(attribute)
        return found

    def _attribute(self, attribute: AttributeProto) -> Any:
        if attribute.type == AttributeProto.TENSOR:
            return self.model.array(attribute.t)
        if attribute.type == AttributeProto.SPARSE_TENSOR:
            return self.model.dense(attribute.sparse_tensor)
        value = onnx.helper.get_attribute_value(attribute)
        if isinstance(value, bytes):
            return value.decode("utf-8", "surrogateescape")
        if attribute.type == AttributeProto.STRINGS:
            return tuple(v.decode("utf-8", "surrogateescape") for v in value)
        if attribute.type == AttributeProto.TENSORS:
            return tuple(self.model.array(t) for t in value)
        return value if isinstance(value, (int, float, GraphProto, TypeProto)) else tuple(value)

    # functions and subgraphs

    def _schema_function(self, scope: Scope, node: OnnxNode) -> FunctionProto | None:
        """The function that defines an operator in the specification, if there is one."""
        if not onnx.defs.has(node.op, node.opset, node.domain):
            return None
        schema: Any = onnx.defs.get_schema(node.op, node.opset, node.domain)
        if schema.has_function:
            return schema.function_body
        if not schema.has_context_dependent_function:
            return None
        versions = [v for v in schema.context_dependent_function_opset_versions if v <= node.opset]
        proto = onnx.helper.make_node(node.op, [f"i{k}" if v is not None else "" for k, v in enumerate(node.inputs)],
                                      list(node.outputs), domain=node.domain, **node.attrs)  # fmt: skip
        types = [b"" if v is None else self._type_proto(scope.ctx, v).SerializeToString() for v in node.inputs]
        body = schema.get_context_dependent_function_with_opset_version(
            max(versions, default=schema.since_version), proto.SerializeToString(), types
        )
        return FunctionProto.FromString(body) if body else None

    def _type_proto(self, ctx: Context, value: Any) -> TypeProto:
        if isinstance(value, tuple):
            element = self._type_proto(ctx, value[0]) if value else onnx.helper.make_tensor_type_proto(TensorProto.FLOAT, None)
            return onnx.helper.make_sequence_type_proto(element)
        if isinstance(value, np.ndarray):
            return onnx.helper.make_tensor_type_proto(STRING, value.shape)
        type_ = ctx.type(value)
        return onnx.helper.make_tensor_type_proto(ELEMENT_TYPES[type_.dtype], [str(d) if isinstance(d, Dim) else d for d in type_.shape])

    def _call(self, scope: Scope, node: OnnxNode, function: FunctionProto) -> tuple[Any, ...]:
        """Inline a function: its body sees its inputs and attributes and nothing else."""
        opsets = {("" if o.domain == "ai.onnx" else o.domain): o.version for o in function.opset_import}
        inner = Scope(scope.ctx, {**scope.opsets, **opsets}, scope, function=True)
        self._check_depth(inner, function.name)
        inner.names.update(zip(function.input, (*node.inputs, *[None] * (len(function.input) - len(node.inputs)))))
        given = {a.name: a for a in self._given_attributes(node)}
        inner.attributes = {**{a.name: a for a in function.attribute_proto}, **given}
        for info in function.value_info:
            inner.stated[info.name] = info.type
        self.nodes(inner, function.node)
        return tuple(self.find(inner, n, f"the outputs of function {function.name}") for n in function.output)

    def _given_attributes(self, node: OnnxNode) -> list[AttributeProto]:
        return [onnx.helper.make_attribute(k, onnx.numpy_helper.from_array(v) if isinstance(v, np.ndarray) else v)
                for k, v in node.attrs.items() if not (isinstance(v, tuple) and not v)]  # fmt: skip

    def inline(self, ctx: Context, proto: GraphProto, operands: Sequence[Any]) -> tuple[Any, ...]:
        """Convert a subgraph in the graph of ``ctx``; its outputs."""
        inner = Scope(ctx, ctx.scope.opsets, ctx.scope)
        return self.body(inner, proto, operands)

    def body(self, inner: Scope, proto: GraphProto, operands: Sequence[Any]) -> tuple[Any, ...]:
        """Convert a subgraph in a scope made for it; its outputs."""
        self._check_depth(inner, proto.name)
        self._declare(inner, proto)
        inner.names.update(zip((i.name for i in proto.input), operands))
        self.nodes(inner, proto.node)
        return tuple(self.find(inner, o.name, f"the outputs of graph {proto.name}") for o in proto.output)

    def _check_depth(self, scope: Scope, name: str) -> None:
        if scope.depth > DEEPEST:
            raise ModelError(f"{name or 'a subgraph'} lies in more than {DEEPEST} subgraphs or functions within each other",
                             remedy="does a function call itself? inline it in the model")  # fmt: skip

    def separate(self, ctx: Context, proto: GraphProto, types: Sequence[Signature]) -> tuple[Graph, tuple[str, ...], Context]:
        """A subgraph as a graph of its own, for bodies that run as loops in C.

        types: of its declared inputs. Returns the graph (its inputs are the declared ones, then one per captured value), the captured
        values of ``ctx`` in that order, and the context of the body.
        """
        inner_ctx = Context(self, ctx.builder.nested(), ctx)
        inner = Scope(inner_ctx, ctx.scope.opsets, ctx.scope)
        operands = [inner_ctx.builder.input(i.name, t) for i, t in zip(proto.input, types)]  # type: ignore[arg-type]
        outputs = self.body(inner, proto, operands)
        for name, value in zip((o.name for o in proto.output), outputs):
            if not isinstance(value, str):
                ctx.fail(f"output {name} of a body is a sequence or optional", "use tensors")
        return pruned(inner_ctx.builder.build(outputs)), tuple(inner_ctx.captures.values()), inner_ctx

    def convert(self, ctx: Context, op: str, inputs: Sequence[Any], outputs: int, domain: str, attrs: Mapping[str, Any]) -> Any:
        """Convert an operator that the model does not have, in place of the current one."""
        node = OnnxNode(op, ctx.node.name, domain, ctx.scope.opsets.get(domain, ctx.node.opset), tuple(inputs),
                        tuple(f"{ctx.node.name}_{i}" for i in range(outputs)), dict(attrs))  # fmt: skip
        found = self.results(ctx.scope, node)
        return found if outputs > 1 else found[0]

    # types

    def stated_type(self, scope: Scope, name: str) -> TensorType | None:
        """dtype and shape that the model or shape inference says of a name; sizes it does not say are symbols of their own."""
        stated = scope.stated.get(name)
        if stated is None or stated.WhichOneof("value") != "tensor_type" or not stated.tensor_type.HasField("shape"):
            return None
        if not stated.tensor_type.elem_type:
            return None
        return TensorType(dtype_of(stated.tensor_type.elem_type), self._shape(stated.tensor_type.shape, name))


def _renamed(attribute: AttributeProto, name: str) -> AttributeProto:
    copy = AttributeProto()
    copy.CopyFrom(attribute)
    copy.name = name
    return copy


def import_model(
    model: LoadedModel, signatures: Mapping[str, Signature] | None = None, contents: Mapping[str, np.ndarray] | None = None,
    *, trainable: bool = False, smallest: int = 2, sizes: Mapping[str, DimLike] | None = None, guarded: bool = False,
) -> Imported:  # fmt: skip
    """A loaded model as a graph; see `Importer`."""
    try:
        return Importer(model, signatures, contents, trainable=trainable, smallest=smallest, sizes=sizes, guarded=guarded).run()
    except UnicodeDecodeError as error:
        raise not_text(error) from error


__all__ = ["DType", "DimLike", "Importer", "Scope", "Signature", "import_model"]
