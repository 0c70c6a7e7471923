"""The C of a whole network: the same bytes every time, comments that cannot end early, sizes known at run time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sol.codegen.lowering import KernelLibrary
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


def test_every_function_of_a_network_has_its_prefix():
    plan = plan_of(NETWORKS["windows"])
    plain, named = ({f.name: f.text for f in render_program(plan, "n", prefix)} for prefix in ("", "one_"))
    defined = re.compile(r"^(?:__attribute__.*\) )?void (\w+)\(", re.MULTILINE)
    assert defined.findall(plain["network"])[-2:] == ["sol_run", "sol_prefetch"]
    assert defined.findall(named["network"])[-2:] == ["one_run", "one_prefetch"] and "visibility" not in named["network"]
    for kernel in plan.kernels:
        assert defined.findall(named[kernel.name]) == [f"one_{n}" for n in defined.findall(plain[kernel.name])]
        assert f"    one_{kernel.name}(team, b, a);" in named["network"]


def test_contexts_that_are_written_otherwise_make_kernels_of_their_own():
    library = KernelLibrary()
    values = [0, 1, True, 1.0, 0.0, -0.0, "1", (1, 2), [1, 2], {"a": 1}, {"a": True}]
    names = [library.kernel("k", "t", (), (), {"value": v}) for v in values]
    assert names == ["k", *(f"k_v{i}" for i in range(2, 9)), "k_v8", "k_v9", "k_v10"]
    assert library.kernel("k", "t", (), (), {"value": {"a": 1}}) == "k_v9"
    assert hash(library.kernels["k_v8"]) == hash(library.kernels["k_v8"]) and library.kernels["k_v8"].context["value"] == (1, 2)
