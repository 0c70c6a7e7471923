"""The C of a whole network: the same bytes every time, comments that cannot end early, sizes known at run time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sol.codegen.program import arena_buffers, render_program
from tests.codegen.networks import NETWORKS, plan_of

ROOT = Path(__file__).parent.parent.parent
SCRIPT = """
import hashlib
from sol.codegen.program import render_program
from tests.codegen.networks import NETWORKS, plan_of
text = "".join(s.name + s.text for n in ("windows", "prologue", "batched", "attention") for s in render_program(plan_of(NETWORKS[n]), n))
print(hashlib.sha256(text.encode()).hexdigest())
"""


def test_same_bytes_whatever_the_hash_seed():
    found = set()
    for seed in ("0", "1", "4711"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, "-c", SCRIPT], env=env, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found.add(done.stdout)
    assert len(found) == 1


@pytest.mark.parametrize("name", ["windows", "gemm"])
def test_one_file_per_kernel_and_one_for_the_network(name):
    plan = plan_of(NETWORKS[name])
    files = render_program(plan, name)
    assert [f.name for f in files] == [*(k.name for k in plan.kernels), "network"]
    assert len({f.name for f in files}) == len(files)
    assert files[-1].text.count("{\n        void *const b[]") == len(plan.launches)


def test_titles_cannot_end_the_comment():
    text = render_program(plan_of(NETWORKS["rows"]), "a */ b\nc")[-1].text
    assert text.startswith("/* a * / b c\n")


def test_symbolic_batch():
    """Sizes are read from the call; offsets in the arena are given by the caller."""
    plan = plan_of(
        """graph(%x: f32[n,8]) where n in [2, 64] {
  %w = parameter{target="w"}: f32[8,8]
  %a: f32[n,8] = linear(%x, %w)
  %s: f32[n,8] = softmax(%a){dim=1}
  return %s
}"""
    )
    text = render_program(plan, "x")[-1].text
    assert plan.symbols == ("n",) and len(arena_buffers(plan)) == 1
    assert "const int64_t n = call->dims[0];" in text and "arena + call->offsets[0]" in text
