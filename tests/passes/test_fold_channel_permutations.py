"""The order of channels is chosen so that selecting them costs little, and nobody but constant weights notices."""

from __future__ import annotations

import numpy as np
import pytest

from sol.ir.builder import GraphBuilder
from sol.ir.graph import Graph
from sol.ir.types import DType, TensorType
from sol.ir.verify import verify
from sol.passes.fold_channel_permutations import fold_channel_permutations
from tests.passes.support import CONV1, CONV3, assert_same, ops, run

HALVES = tuple(i // 2 + 4 * (i % 2) for i in range(8))


def fold(graph: Graph) -> Graph:
    return fold_channel_permutations(graph, 4)


def index_of(graph: Graph) -> tuple[int, ...]:
    return next(n for n in graph.nodes if n.op == "channel_select").attrs["index"]


def test_permuted_input_of_a_convolution():
    text = f"""graph(%x: f32[n,8,5,5]) where n in [2, 9] {{
  %w: f32[6,8,3,3] = parameter{{target="w"}}
  %s: f32[n,8,5,5] = channel_select(%x){{index={HALVES}}}
  %y: f32[n,6,5,5] = conv(%s, %w){CONV3}
  return %y
}}"""
    assert ops(run(fold, text, n=3)) == ["conv"]


def test_permuted_result_of_a_convolution():
    text = f"""graph(%x: f32[2,5,5,5]) {{
  %w: f32[8,5,1,1] = parameter{{target="w"}}
  %b: f32[8] = parameter{{target="b"}}
  %t: f32[8,1,1] = parameter{{target="t"}}
  %d: f32[8,1,3,3] = parameter{{target="d"}}
  %c: f32[2,8,5,5] = conv(%x, %w, %b){CONV1}
  %r: f32[2,8,5,5] = mul(%c, %t)
  %e: f32[2,8,5,5] = conv(%r, %d){CONV3.replace("groups=1", "groups=8")}
  %y: f32[2,8,5,5] = channel_select(%e){{index={HALVES}}}
  return %y
}}"""
    assert ops(run(fold, text)) == ["conv", "mul", "conv"]


def test_channels_come_by_blocks():
    text = f"""graph(%x: f32[2,6,5,5], %z: f32[2,6,5,5]) {{
  %w: f32[4,12,1,1] = parameter{{target="w"}}
  %s: f32[2,12,5,5] = channel_select(%x, %z){{index=(0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11)}}
  %r: f32[2,12,5,5] = relu(%s)
  %y: f32[2,4,5,5] = conv(%r, %w){CONV1}
  return %y
}}"""
    after = run(fold, text)
    assert ops(after) == ["channel_select", "relu", "conv"]
    assert index_of(after) == (0, 1, 2, 3, 6, 7, 8, 9, 4, 5, 10, 11)


def test_whole_blocks_of_two_tensors_are_a_concatenation():
    text = f"""graph(%x: f32[2,4,5,5], %z: f32[2,4,5,5]) {{
  %w: f32[3,8,1,1] = parameter{{target="w"}}
  %s: f32[2,8,5,5] = channel_select(%x, %z){{index={HALVES}}}
  %y: f32[2,3,5,5] = conv(%s, %w){CONV1}
  return %y
}}"""
    assert ops(run(fold, text)) == ["concat", "conv"]


def test_a_select_behind_a_select_is_told():
    text = f"""graph(%x: f32[2,8,5,5], %z: f32[2,8,5,5]) {{
  %w: f32[3,4,1,1] = parameter{{target="w"}}
  %v: f32[3,8,1,1] = parameter{{target="v"}}
  %s: f32[2,8,5,5] = channel_select(%x, %z){{index=(0, 8, 1, 9, 2, 10, 3, 11)}}
  %r: f32[2,8,5,5] = relu(%s)
  %t: f32[2,4,5,5] = channel_select(%r){{index=(0, 2, 4, 6)}}
  %y: f32[2,3,5,5] = conv(%t, %w){CONV1}
  %q: f32[2,3,5,5] = conv(%r, %v){CONV1}
  return %y, %q
}}"""
    after = run(fold, text)
    assert ops(after) == ["channel_select", "relu", "slice", "conv", "conv"]
    assert index_of(after) == (0, 1, 2, 3, 8, 9, 10, 11)


@pytest.mark.parametrize(
    "line",
    [
        "%y: f32[2,8,5,5] = relu(%s)",  # an output of the graph
        "%y: f32[2,8,5,5] = softmax(%s){dim=1}",
        "%y: f32[2,8,5,5] = add(%s, %x)",
        f"%y: f32[2,8,5,5] = conv(%s, %g){CONV3.replace('groups=1', 'groups=2')}",
        "%y: f32[16,5,5] = reshape(%s){shape=(16, 5, 5)}",
        f"%y: f32[2,2,3,3] = conv(%k, %s){CONV3}",  # as a weight
    ],
)
def test_order_that_is_seen_stays(line):
    text = f"""graph(%x: f32[2,8,5,5], %k: f32[2,8,5,5]) {{
  %g: f32[8,4,3,3] = parameter{{target="g"}}
  %s: f32[2,8,5,5] = channel_select(%x){{index={HALVES}}}
  {line}
  return %y
}}"""
    assert "channel_select" in ops(run(fold, text))


KINDS = {
    "select": 0.2, "select2": 0.2, "dense": 0.2, "depthwise": 0.1, "add": 0.1, "scale": 0.05, "gate": 0.05, "pool": 0.05, "grouped": 0.05
}  # fmt: skip


def random_graph(seed: int) -> Graph:
    """Convolutions, depthwise ones, sums, gates, pools and selections over values of the same size, some of them outputs."""
    rng = np.random.default_rng(seed)
    b = GraphBuilder()
    values = [b.input(f"x{i}", TensorType(DType.F32, (2, 8, 4, 4))) for i in range(2)]
    count = 0

    def parameter(*shape: int) -> str:
        nonlocal count
        count += 1
        return b.parameter(f"p{count}", TensorType(DType.F32, shape))

    same = {"stride": (1, 1), "dilation": (1, 1)}
    for _ in range(int(rng.integers(4, 14))):
        x, y = (values[max(0, len(values) - 1 - int(k))] for k in rng.geometric(0.5, 2) - 1)
        kind = str(rng.choice(list(KINDS), p=list(KINDS.values())))
        if kind == "select":
            values.append(b.add("channel_select", [x], index=tuple(int(i) for i in rng.permutation(8))))
        elif kind == "select2":
            values.append(b.add("channel_select", [x, y], index=tuple(int(i) for i in rng.integers(0, 16, 8))))
        elif kind == "dense":
            values.append(b.add("conv", [x, parameter(8, 8, 1, 1), parameter(8)], padding=((0, 0), (0, 0)), groups=1, **same))
        elif kind in ("depthwise", "grouped"):
            groups = 8 if kind == "depthwise" else 2
            values.append(b.add("conv", [x, parameter(8, 8 // groups, 3, 3)], padding=((1, 1), (1, 1)), groups=groups, **same))
        elif kind == "add":
            values.append(b.add("add", [x, y]))
        elif kind == "scale":
            values.append(b.add("relu", [b.add("mul", [x, parameter(8, 1, 1)])]))
        elif kind == "gate":
            mean = b.add("mean", [x], dims=(2, 3), keepdims=True)
            values.append(b.add("mul", [b.add("sigmoid", [mean]), y]))
        else:
            pads = {"kernel": (3, 3), "stride": (1, 1), "padding": ((1, 1), (1, 1)), "dilation": (1, 1), "ceil_mode": False}
            values.append(b.add("max_pool", [x], **pads))
    last = b.add("conv", [values[-1], parameter(8, 8, 1, 1)], padding=((0, 0), (0, 0)), groups=1, **same)
    return b.build([last, values[-2]] if rng.random() < 0.2 else [last])


def test_random_graphs_keep_their_values():
    changed = 0
    for seed in range(150):
        before = verify(random_graph(seed))
        after = verify(fold(before))
        assert_same(before, after)
        changed += any(n.op == "take" for n in after.nodes)
    assert changed > 40
