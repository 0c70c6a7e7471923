"""If, Loop and Scan from ONNX text: rolled into C where bodies allow it, unrolled or refused where not."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
from onnx import parser
from onnx.reference import ReferenceEvaluator

from sol.errors import SolError
from sol.frontend.onnx import import_model, load_model
from sol.runtime.numpy.session import load

HEAD = '<ir_version: 10, opset_import: ["" : 21]>\n'


def model_of(text: str, head: str = HEAD) -> onnx.ModelProto:
    return parser.parse_model(head + text)


def check(text: str, *calls, head: str = HEAD) -> None:
    """sol gives what the reference evaluator of onnx does."""
    model = model_of(text, head)
    session = load(model, threads=2)
    for arrays in calls:
        names = [i.name for i in model.graph.input]
        wanted = ReferenceEvaluator(model).run(None, dict(zip(names, arrays)))
        for got, want in zip(session.run(list(arrays)), wanted, strict=True):
            assert got.shape == want.shape and got.dtype == want.dtype
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def ops_of(text: str) -> list[str]:
    return [n.op for n in import_model(load_model(model_of(text))).graph.nodes]


X = np.array([[1.0, -2.0, 3.0], [0.5, 0.0, -1.0]], np.float32)
YES, NO = np.array(True), np.array(False)

IF = """test (bool c, float[2,3] x) => (float[2,3] y) {
  y = If (c) <then_branch: graph = t () => (float[2,3] a) { a = Exp (x) },
              else_branch: graph = e () => (float[2,3] b) { s = Relu (x)  b = Add (s, x) }>
}"""


def test_if_is_a_branch_in_c():
    assert "if" in ops_of(IF)
    check(IF, (YES, X), (NO, X))


def test_a_known_condition_is_decided_at_import():
    text = IF.replace("test (bool c, float[2,3] x)", "test (float[2,3] x)").replace("{\n  y", "{ c = Constant <value = bool {1}> ()\n  y")
    assert "if" not in ops_of(text)
    check(text, (X,))


def test_branches_of_other_shapes_are_decided_at_the_call():
    text = """test (bool c, float[2,3] x) => (float[N] y) {
      y = If (c) <then_branch: graph = t () => (float[6] a) { s = Constant <value = int64[1] {-1}> ()  a = Reshape (x, s) },
                  else_branch: graph = e () => (float[1] b) { k = Constant <value = int64[1] {1}> ()  o = ReduceMax <keepdims = 0> (x)
                                                              b = Reshape (o, k) }>
    }"""
    check(text, (YES, X), (NO, X))


RATES = """test (float[1,N] x, int64 rate) => (float[1,M,K] y) {
  wide = Constant <value = int64 {16000}> ()  c = Equal (rate, wide)
  y = If (c) <then_branch: graph = t () => (float[1,M,K] a) { s = Constant <value = int64[3] {1,4,128}> ()  a = Reshape (x, s) },
              else_branch: graph = e () => (float[1,M,K] b) { z = Constant <value = int64[3] {1,4,64}> ()  b = Reshape (x, z) }>
}"""


@pytest.mark.parametrize("rank", ["", "int64[1] "])
def test_a_branch_that_does_not_fit_is_no_error_unless_it_is_taken(rank):
    """Speech models have a branch per sampling rate, each for frames of its own length."""
    model = model_of(RATES.replace("int64 rate", f"{rank or 'int64 '}rate"))
    session = load(model, threads=1)
    for rate, length in ((16000, 512), (8000, 256), (16000, 512)):
        x, given = np.arange(length, dtype=np.float32)[None], np.array([rate] if rank else rate)
        (y,) = session.run([x, given])
        np.testing.assert_array_equal(y, x.reshape(1, 4, -1))
    assert len(session._programs) == 2
    with pytest.raises(SolError, match="reshape"):
        session.run([np.zeros((1, 256), np.float32), np.array([16000] if rank else 16000)])


DATA = """test (float[2,3] x) => (float[N] y) {
  zero = Constant <value = float {0.0}> ()  total = ReduceSum <keepdims = 0> (x)  c = Greater (total, zero)
  y = If (c) <then_branch: graph = t () => (float[N] a) { s = Constant <value = int64[1] {-1}> ()  a = Reshape (x, s) },
              else_branch: graph = odd_branch () => (float[N] b) { z = Constant <value = int64[1] {5}> ()  b = Reshape (x, z) }>
}"""


@pytest.mark.parametrize("kind", ["load", "optimize"])
def test_data_that_takes_a_branch_that_does_not_fit_raises_then(kind):
    import torch

    import sol

    model = model_of(DATA)
    run = load(model, threads=1) if kind == "load" else sol.optimize(model)
    take = (lambda a: np.asarray(run(a))) if kind == "load" else (lambda a: run(torch.from_numpy(a)).numpy())
    for _ in range(2):
        np.testing.assert_array_equal(take(X), X.ravel())
        with pytest.raises(SolError, match="else_branch of ai.onnx.If .* does not fit these inputs.*reshape"):
            take(-X)


def test_no_branch_fits():
    text = DATA.replace("{-1}", "{7}")
    with pytest.raises(SolError, match="then_branch of ai.onnx.If .* does not fit"):
        load(model_of(text))(X)


def test_a_condition_on_sizes_is_decided_at_import():
    text = """test (float[N,3] x) => (float[M,K] y) {
      one = Constant <value = int64[1] {1}> ()  s = Shape <start = 0, end = 1> (x)  c = Equal (s, one)
      y = If (c) <then_branch: graph = t () => (float[M,K] a) { w = Constant <value = int64[2] {3,1}> ()  a = Reshape (x, w) },
                  else_branch: graph = e () => (float[M,K] b) { b = Neg (x) }>
    }"""
    assert "if" not in ops_of(text)
    check(text, (X,), (X[:1],), (np.repeat(X, 3, 0),))


LOOP = """test (int64 n, bool c, float[2,3] x, float[3,3] w) => (float[2,3] y, float[N,2,3] ys) {
  y, ys = Loop (n, c, x) <body: graph = b (int64 i, bool going, float[2,3] s) => (bool more, float[2,3] t, float[2,3] u) {
    m = MatMul (s, w)  f = Cast <to = 1> (i)  u = Add (m, f)  t = Tanh (u)
    total = ReduceSum <keepdims = 0> (t)  four = Constant <value = float {4.0}> ()  more = Less (total, four) }>
}"""
W = np.array([[0.5, 0.1, 0], [0, 1, 0.2], [0.3, 0, 0.5]], np.float32)


def expected(most: int, going: bool) -> tuple[np.ndarray, np.ndarray]:
    """The loop in numpy (the reference evaluator of onnx concatenates slices instead of stacking them)."""
    state, rows = X, []
    while going and len(rows) < most:
        rows.append(state @ W + np.float32(len(rows)))
        state = np.tanh(rows[-1])
        going = bool(state.sum() < 4)
    return state, np.array(rows, np.float32).reshape(-1, 2, 3)


def test_a_loop_ends_when_data_says():
    session = load(model_of(LOOP), threads=2)
    for most, flag in ((5, YES), (1, YES), (0, YES), (5, NO)):
        found = session.run([np.array(most), flag, X, W])
        for got, want in zip(found, expected(most, bool(flag)), strict=True):
            assert got.shape == want.shape
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_sizes_that_data_decides_of_a_loop_and_of_operators():
    """Each has a symbol of its own."""
    text = """test (float[2,3] x) => (int64[2,N] found, float[M,2,3] ys, int64[2,K] again) {
      n = Constant <value = int64 {4}> ()  c = Constant <value = bool {1}> ()  one = Constant <value = float {1.0}> ()
      found = NonZero (x)
      y, ys = Loop (n, c, x) <body: graph = b (int64 i, bool going, float[2,3] s) => (bool more, float[2,3] t, float[2,3] u) {
        u = Identity (s)  t = Add (s, x)  total = ReduceSum <keepdims = 0> (t)  ten = Constant <value = float {10.0}> ()
        more = Less (total, ten) }>
      large = Greater (x, one)  again = NonZero (large)
    }"""
    session = load(model_of(text), threads=2)
    for values, rounds in (([1, 0, 2, 0, 0, 1], 2), ([0, 0, 0.5, 0, 0, 0], 4), ([9, 9, 9, 0, 9, 9], 1)):
        x = np.array(values, np.float32).reshape(2, 3)
        found, ys, again = session.run([x])
        np.testing.assert_array_equal(found, np.array(np.nonzero(x)))
        np.testing.assert_array_equal(ys, np.array([x * (i + 1) for i in range(rounds)]))
        np.testing.assert_array_equal(again, np.array(np.nonzero(x > 1)))


def test_a_while_loop_without_a_bound():
    text = LOOP.replace(", float[N,2,3] ys)", ")").replace("y, ys = Loop (n, c, x)", "y = Loop (, c, x)").replace("int64 n, ", "")
    text = text.replace(", float[2,3] u) {", ") {")
    assert "loop" in ops_of(text)
    check(text, (YES, X, W), (NO, X, W))


def test_stacked_results_need_a_bound():
    text = LOOP.replace("Loop (n, c, x)", "Loop (, c, x)").replace("int64 n, ", "")
    with pytest.raises(SolError, match="give Loop a maximum trip count"):
        load(model_of(text)).run([YES, X, W])


def test_a_fixed_loop_has_no_condition():
    text = """test (float[2,3] x) => (float[2,3] y, float[4,2,3] ys) {
      n = Constant <value = int64 {4}> ()  c = Constant <value = bool {1}> ()
      y, ys = Loop (n, c, x) <body: graph = b (int64 i, bool going, float[2,3] s) => (bool more, float[2,3] t, float[2,3] u) {
        more = Identity (going)  t = Sin (s)  u = Mul (s, s) }>
    }"""
    graph = import_model(load_model(model_of(text))).graph
    (loop,) = (n for n in graph.nodes if n.op == "loop")
    assert loop.attrs["trips"] == 4 and not loop.attrs["conditional"] and loop.attrs["symbol"] is None
    state, squares = load(model_of(text)).run([X])
    np.testing.assert_allclose(state, np.sin(np.sin(np.sin(np.sin(X)))), rtol=1e-5)
    np.testing.assert_allclose(squares[2], np.sin(np.sin(X)) ** 2, rtol=1e-5, atol=1e-6)


def test_a_state_that_grows_is_unrolled():
    text = """test (float[1,3] x) => (float[M,3] y) {
      n = Constant <value = int64 {3}> ()  c = Constant <value = bool {1}> ()
      y = Loop (n, c, x) <body: graph = b (int64 i, bool going, float[K,3] s) => (bool more, float[L,3] t) {
        more = Identity (going)  t = Concat <axis = 0> (s, x) }>
    }"""
    assert "loop" not in ops_of(text)
    check(text, (X[:1],))


def test_large_initializers_are_packed_in_bodies():
    rng = np.random.default_rng(0)
    text = """test (float[2,64] x) => (float[2,64] y) {
      n = Constant <value = int64 {3}> ()  c = Constant <value = bool {1}> ()
      y = Loop (n, c, x) <body: graph = b (int64 i, bool going, float[2,64] s) => (bool more, float[2,64] t) {
        more = Identity (going)  m = MatMul (s, w)  t = Tanh (m) }>
    }"""
    model = parser.parse_model(HEAD + text.replace("{\n      n", "<float[64,64] w> {\n      n", 1))
    del model.graph.value_info[:]
    weight = (rng.standard_normal((64, 64)) / 8).astype(np.float32)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weight, "w"))
    graph = import_model(load_model(model)).graph
    (loop,) = (n for n in graph.nodes if n.op == "loop")
    assert loop.attrs["body"].parameter_targets == ("w",) and len(loop.inputs) == 3
    x = rng.standard_normal((2, 64)).astype(np.float32)
    (found,) = load(model).run([x])
    wanted = x
    for _ in range(3):
        wanted = np.tanh(wanted @ weight)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


SCAN = """test (float[3] s, float[2,5,3] x, float[5,2] z) => (float[3] t, float[3,5] ys) {
  t, ys = Scan <num_scan_inputs = 2, scan_input_axes = [1, 0], scan_input_directions = [0, 1], scan_output_axes = [1],
                scan_output_directions = [1], body: graph = b (float[3] a, float[2,3] u, float[2] v) => (float[3] d, float[3] e) {
    r = Constant <value = int64[2] {2, 1}> ()  w = Reshape (v, r)  m = Mul (u, w)  k = Constant <value = int64[1] {0}> ()
    q = ReduceSum <keepdims = 0> (m, k)  d = Add (a, q)  e = Mul (d, q) }> (s, x, z)
}"""


def test_scan_along_axes_and_backwards():
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(s).astype(np.float32) for s in ((3,), (2, 5, 3), (5, 2))]
    s, x, z = arrays
    state, rows = s, []
    for i in range(5):
        q = (x[:, i] * z[4 - i].reshape(2, 1)).sum(0)
        state = state + q
        rows.append(state * q)
    found = load(model_of(SCAN), threads=2).run(arrays)
    np.testing.assert_allclose(found[0], state, rtol=1e-5)
    np.testing.assert_allclose(found[1], np.stack(rows[::-1], 1), rtol=1e-5, atol=1e-6)


def test_scan_of_opset_8_has_a_batch():
    text = """test (float[2,3] s, float[2,4,3] x) => (float[2,3] t, float[2,4,3] ys) {
      t, ys = Scan <num_scan_inputs = 1, body: graph = b (float[3] a, float[3] u) => (float[3] d, float[3] e) {
        d = Add (a, u)  e = Identity (d) }> (, s, x)
    }"""
    head = '<ir_version: 3, opset_import: ["" : 8]>\n'
    s, x = np.ones((2, 3), np.float32), np.arange(24, dtype=np.float32).reshape(2, 4, 3)
    found = load(model_of(text, head)).run([s, x])
    np.testing.assert_allclose(found[1], 1 + np.cumsum(x, 1))
    np.testing.assert_allclose(found[0], 1 + x.sum(1))


def test_loops_within_loops_and_branches():
    text = """test (float[4,3] x, bool c) => (float[4] y) {
      y = Scan <num_scan_inputs = 1, body: graph = b (float[3] row) => (float r) {
        r = If (c) <then_branch: graph = t () => (float p) {
                      z = Constant <value = float {0.0}> ()
                      n = Constant <value = int64 {3}> ()
                      p = Loop (n, , z) <body: graph = l (int64 i, bool g, float s) => (bool m, float o) {
                            m = Identity (g)  e = Gather (row, i)  w = Exp (e)  o = Add (s, w) }> },
                    else_branch: graph = e () => (float q) { q = ReduceMax <keepdims = 0> (row) }> }> (x)
    }"""
    x = np.random.default_rng(1).standard_normal((4, 3)).astype(np.float32)
    session = load(model_of(text), threads=2)
    np.testing.assert_allclose(session.run([x, YES])[0], np.exp(x).sum(1), rtol=1e-5)
    np.testing.assert_allclose(session.run([x, NO])[0], x.max(1), rtol=1e-5)
