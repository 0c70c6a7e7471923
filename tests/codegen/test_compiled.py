"""What a compilation is made for, and that reading one takes little of the compiler."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sol.codegen.compiled import target_for
from sol.codegen.targets import by_name, resolve, usable_cpus
from sol.config import config
from sol.errors import ConfigError

READERS = ("sol.tuning.compile", "sol.runtime.executable", "sol.runtime.torch.module", "sol.runtime.numpy.session", "sol.codegen.packers")
MAKERS = {"sol.compiler", "sol.codegen.kernels.families", "sol.passes.pipeline", "sol.tuning.tuner"}


def test_the_target_is_that_of_the_knobs_unless_one_is_named():
    assert target_for().name == resolve(config["isa"]).name and target_for().team == usable_cpus()
    with config.override(isa="generic"):
        assert target_for(threads=3) == target_for("generic", 3)
    assert target_for(by_name("neon"), 2).name == "neon"  # written here, built and run elsewhere
    assert target_for("generic", 3).team == 3
    with pytest.raises(ConfigError, match="avx1"):
        target_for("avx1")


def test_a_kept_plan_is_read_without_what_makes_plans():
    """To import that takes time at each start of a program."""
    line = [sys.executable, "-c", f"import sys, {', '.join(READERS)}; print(*sys.modules)"]
    imported = set(subprocess.run(line, capture_output=True, text=True, timeout=120, check=True).stdout.split())
    assert imported.issuperset(READERS) and not imported & MAKERS
