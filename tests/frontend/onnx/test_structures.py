"""ONNX sequences and optionals, optimizers and the operators of ai.onnx.ml."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper

from sol.errors import SolError
from tests.frontend.onnx.imported import check, evaluated, import_for, one_node
from tests.frontend.onnx.one_node import expected, randn

ML, TRAINING = "ai.onnx.ml", "ai.onnx.preview.training"


def of_text(text: str) -> onnx.ModelProto:
    return onnx.shape_inference.infer_shapes(onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21]> {text}'))


def same(text: str, **given: np.ndarray) -> None:
    model = of_text(text)
    for mine, other in zip(evaluated(model, given), expected(model, given, "ort"), strict=True):
        assert mine.dtype == other.dtype and mine.shape == other.shape and np.array_equal(mine, other)


def test_sequences() -> None:
    same(
        """f (float[4,3] x, float[2,3] y) => (a, b, c, n) {
          s = SequenceConstruct(x, y)
          back = Constant<value_int = -1>()
          one = Constant<value_int = 1>()
          s2 = SequenceInsert(s, x, one)
          a = ConcatFromSequence<axis = 0>(s2)
          s3 = SequenceErase(s2, back)
          b = ConcatFromSequence<axis = 0, new_axis = 1>(s3)
          c = SequenceAt(s2, back)
          n = SequenceLength(s3)
        }""".replace("(a, b, c, n)", "(float[a0,3] a, float[b0,4,3] b, float[2,3] c, int64 n)"),
        x=randn(4, 3), y=randn(2, 3),
    )  # fmt: skip


@pytest.mark.parametrize("sizes", ["", ", two", ", sizes"])
def test_splitting_into_a_sequence(sizes: str) -> None:
    same(
        f"""f (float[5,3] x) => (float[d,e] y, int64 n) {{
          two = Constant<value_int = 2>()
          sizes = Constant<value_ints = [1, 4]>()
          s = SplitToSequence<axis = 0, keepdims = 1>(x{sizes})
          back = Constant<value_int = -1>()
          y = SequenceAt(s, back)
          n = SequenceLength(s)
        }}""",
        x=randn(5, 3),
    )


def test_optionals() -> None:
    same(
        """f (float[3] x) => (float[3] y, bool b) {
          o = Optional(x)
          y = OptionalGetElement(o)
          b = OptionalHasElement(o)
        }""",
        x=randn(3),
    )


def test_a_position_outside_of_a_sequence() -> None:
    model = of_text("f (float[3] x) => (float[3] y) { s = SequenceConstruct(x) i = Constant<value_int = 1>() y = SequenceAt(s, i) }")
    with pytest.raises(SolError, match="outside of a sequence of 1"):
        import_for(model, {"x": randn(3)})


@pytest.mark.parametrize("step", [0, 3])
def test_optimizers(step: int) -> None:
    rate, count = np.float32(0.1), np.array(step)
    x, g, v, h = randn(4), randn(4), randn(4), np.abs(randn(4))
    pair = [np.concatenate([a, a]).astype(np.float32) for a in (x, g, v, h)]
    options = {"domain": TRAINING, "opset": 1, "norm_coefficient": 0.01}
    check("Adagrad", [rate, count, x, g, h], outputs=2, decay_factor=0.1, epsilon=1e-3, **options)
    adam = [rate, count, x, pair[0], g, pair[1], v, pair[2], h, pair[3]]
    check("Adam", adam, outputs=6, alpha=0.8, beta=0.9, epsilon=1e-3, norm_coefficient_post=0.02, **options)
    for mode in ("standard", "nesterov"):
        check("Momentum", [rate, count, x, g, v], outputs=2, alpha=0.9, beta=0.5, mode=mode, **options)


def test_features() -> None:
    x = randn(3, 4)
    check("ArrayFeatureExtractor", [x, np.array([2, 0])], domain=ML, opset=1)
    check("Binarizer", [x], engine="ort", domain=ML, opset=1, threshold=0.2)
    check("Scaler", [x], engine="ort", domain=ML, opset=1, offset=[1.0, 2.0, 3.0, 4.0], scale=[0.5, 1.0, 2.0, 3.0])
    for norm in ("L1", "L2", "MAX"):
        check("Normalizer", [x], domain=ML, opset=1, norm=norm)


def test_labels() -> None:
    x = np.array([[3, 9], [-1, 4]])
    check("LabelEncoder", [x], engine="ort", domain=ML, opset=2, keys_int64s=[4, 3], values_floats=[0.5, 1.5], default_float=-7.0)
    y = np.array([1.0, np.nan, 2.0], np.float32)
    model, given = one_node("LabelEncoder", [y], opset=2, domain=ML, keys_floats=[np.nan, 1.0], values_int64s=[5, 6])
    assert evaluated(model, given)[0].tolist() == [6, 5, -1]
    words = np.array([["a", "c"]], object)
    model, given = one_node("LabelEncoder", [words], opset=2, domain=ML, keys_strings=["a"], values_strings=["b"], default_string="?")
    assert evaluated(model, given)[0].tolist() == [["b", "?"]]


LINKS = {
    "nodes_featureids": [0, 1, 2], "nodes_truenodeids": [1, 0, 3], "nodes_trueleafs": [0, 1, 1], "nodes_falsenodeids": [2, 1, 4],
    "nodes_falseleafs": [1, 1, 1], "leaf_targetids": [0, 1, 0, 1, 0], "tree_roots": [0, 2],
}  # fmt: skip


@pytest.mark.parametrize("aggregate", [0, 1, 2, 3])
def test_trees(aggregate: int) -> None:
    """Two trees, of depth 2 and 1, with three kinds of comparison."""
    modes, splits, weights = [0, 3, 1], np.array([0.1, -0.3, 0.6], np.float32), np.array([1.0, -2.0, 3.0, 4.0, 0.5], np.float32)
    tensors = {"nodes_modes": np.array(modes, np.uint8), "nodes_splits": splits, "leaf_weights": weights}
    attrs = {n: helper.make_tensor(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape, a) for n, a in tensors.items()}
    x = np.concatenate([randn(20, 3), [[0.1, -0.3, 0.6], [0.1, np.nan, np.nan]]]).astype(np.float32)
    model, given = one_node("TreeEnsemble", [x], opset=5, domain=ML, n_targets=2, aggregate_function=aggregate, **attrs, **LINKS)
    combine = (np.mean, np.sum, np.min, np.max)[aggregate]
    want = np.zeros((len(x), 2), np.float32)
    for row, out in zip(x, want):
        first = 2 if not row[0] <= splits[0] else 0 if row[1] > splits[1] else 1
        reached = [(LINKS["leaf_targetids"][i], weights[i]) for i in (first, 3 if row[2] < splits[2] else 4)]
        for target in range(2):
            mine = [w for t, w in reached if t == target]
            if aggregate == 0:
                out[target] = sum(mine) / 2
            elif mine:
                out[target] = combine(mine)
    assert np.allclose(evaluated(model, given)[0], want)
