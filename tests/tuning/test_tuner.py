"""Tuning: decisions from invented times, a database that outlives processes, and whole networks that stay right whatever is chosen."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

import sol
from sol.build.cache import store
from sol.codegen.plan import Launch
from sol.codegen.targets import by_name, resolve
from sol.codegen.trial import Group, Trial, Way, make_trial
from sol.config import config
from sol.errors import ConfigError
from sol.ir.graph import NO_ORIGIN
from sol.ir.text import parse_graph
from sol.passes.pipeline import run_passes
from sol.tuning import tuner as tuning
from sol.tuning.budget import budgeted
from sol.tuning.compile import compile_tuned
from sol.tuning.database import Database, Record, export_tuning, import_tuning, machine_of, read_file
from sol.tuning.trials import Bench
from sol.tuning.tuner import Tuner, corrected, decide, run_all, typical

ONE = "dilation=(1, 1), groups=1, padding=((0, 0), (0, 0)), stride=(1, 1)"
CONVS = f"""graph(%x: f32[1,16,16,16]) {{
  %w = parameter{{target="w"}}: f32[16,16,3,3]
  %v = parameter{{target="v"}}: f32[32,16,1,1]
  %a: f32[1,16,16,16] = conv(%x, %w){{dilation=(1, 1), groups=1, padding=((1, 1), (1, 1)), stride=(1, 1)}}
  %b: f32[1,16,16,16] = relu(%a)
  %y: f32[1,32,16,16] = conv(%b, %v){{{ONE}}}
  return %y
}}"""
CHAIN = f"""graph(%x: f32[1,16,16,16]) {{
  %w = parameter{{target="w"}}: f32[256,16,1,1]
  %v = parameter{{target="v"}}: f32[256,1,3,3]
  %u = parameter{{target="u"}}: f32[16,256,1,1]
  %a: f32[1,256,16,16] = conv(%x, %w){{{ONE}}}
  %b: f32[1,256,16,16] = relu(%a)
  %c: f32[1,256,16,16] = conv(%b, %v){{dilation=(1, 1), groups=256, padding=((1, 1), (1, 1)), stride=(1, 1)}}
  %d: f32[1,256,16,16] = relu(%c)
  %y: f32[1,16,16,16] = conv(%d, %u){{{ONE}}}
  return %y
}}"""


# -- decisions


def test_the_models_choice_stays_unless_clearly_beaten():
    assert decide({"a": 1.0, "b": 0.98}, "a") == "a"
    assert decide({"a": 1.0, "b": 0.9, "c": 0.8}, "a") == "c"
    assert decide({"a": None, "b": 0.9, "c": 0.9}, "a") == "b"
    assert decide({}, "a") == "a"


def test_a_slow_second_of_the_machine_does_not_count():
    true = [[1.0, 0.8], [2.0, 2.0], [3.0]]
    times = [[{} for _ in ways] for ways in true]
    for run in range(12):
        slow = 1.5 if run % 3 == 0 else 1.0
        for ways, group in zip(true, times):
            pick = run % len(ways)
            group[pick][run] = ways[pick] * slow
    found = corrected(times)
    assert max(found[0][1].values()) < min(found[0][0].values())
    assert typical(found[2][0]) == pytest.approx(3.0)


class Invented:
    """A trial whose ways take the given times, with disturbances in one run of ``every``."""

    def __init__(self, seconds: Sequence[Sequence[float]], every: int = 0) -> None:
        ways = [tuple(Way(f"w{i}", ()) for i in range(len(times))) for times in seconds]
        groups = tuple(Group(f"r{k}", f"k{k}" if len(w) > 1 else "", frozenset({f"n{k}"}), w) for k, w in enumerate(ways))
        self.trial = Trial(None, groups)  # type: ignore[arg-type]
        self.seconds, self.every, self.runs = seconds, every, 0
        self.picked: list[tuple[int, ...]] = []

    def run(self, picks: Sequence[int]) -> np.ndarray:
        self.runs += 1
        self.picked.append(tuple(picks))
        factor = 10.0 if self.every and self.runs % self.every == 0 else 1.0
        return np.array([times[p] * factor for times, p in zip(self.seconds, picks)])


def test_every_way_is_run_often_and_hopeless_ones_soon_no_more():
    bench = Invented([[1.0, 0.95, 5.0], [1.0], [2.0, 2.1]], every=5)
    (times,) = run_all([bench], 12, 0.0 + 1e9, lambda: 0.0)
    assert all(len(w) >= 8 for w in times[0][:2]) and len(times[0][2]) < 8
    assert typical(times[0][1]) == pytest.approx(0.95)
    assert len(set(bench.picked)) > 3


def test_a_disturbed_run_makes_no_way_fast():
    """Most regions take twice as long in some runs, one does not: it must not look twice as fast."""
    times = [[{run: 1.0 for run in range(8)}, {run: 1.0 for run in range(8, 16)}]]
    times += [[{run: 2.0 if run < 4 else 1.0 for run in range(16)}] for _ in range(5)]
    first, second = (typical(w) for w in corrected(times)[0])
    assert first == pytest.approx(second)


def test_when_the_time_is_over_a_few_runs_are_made():
    bench = Invented([[1.0, 0.9, 1.05]])
    (times,) = run_all([bench], 100, 0.0, lambda: 1.0)
    assert all(len(w) >= tuning.FIRST_RUNS for w in times[0])
    assert bench.runs < 20


# -- the database


@pytest.fixture
def machine(cache_folder: Path) -> str:
    return machine_of(resolve("native"), 2)


def test_records_outlive_the_object_and_merge(machine):
    one, other = Database(machine), Database(machine)
    one.add([Record("k", "a", {"a": 1e-3, "b": None}, "quick")])
    other.add([Record("l", "b", {"b": 2e-3}, "full")])
    found = Database(machine)
    assert found.get("k") == Record("k", "a", {"a": 1e-3, "b": None}, "quick") and found.get("l") is not None
    assert Database(machine + "x").get("k") is None


def test_a_machine_is_told_by_isa_threads_and_kernels(machine):
    target = resolve("native")
    assert machine == machine_of(target, 2)
    assert len({machine, machine_of(target, 1), machine_of(by_name("generic"), 2)}) == 3


def test_a_damaged_entry_is_as_good_as_none(machine):
    Database(machine).add([Record("k", "a", {}, "quick")])
    path = store().get(Database(machine).entry)
    assert path is not None
    path.write_bytes(b"x" + path.read_bytes()[1:])
    assert Database(machine).get("k") is None


def test_an_exported_file_is_read_but_never_written(machine, tmp_path):
    Database(machine).add([Record("k", "a", {"a": 1.0}, "quick")])
    file = tmp_path / "tuning.jsonl"
    assert export_tuning(file) == 1
    before = file.read_bytes()
    store().clear()
    with config.override(tuning_database=file):
        found = Database(machine)
        assert found.get("k") is not None and found.is_shipped("k")
        found.add([Record("k", "b", {"b": 1.0}, "full"), Record("l", "b", {}, "quick")])
        assert Database(machine).get("k").choice == "a", "the file comes first"
    assert file.read_bytes() == before
    assert Database(machine).get("l") is not None
    store().clear()
    assert import_tuning(file) == 1 and Database(machine).get("k").choice == "a"


@pytest.mark.parametrize("change", [lambda t: t[:-3], lambda t: "nonsense\n" + t, lambda t: t.replace('"a"', '"b"'), lambda t: ""])
def test_a_changed_file_is_refused(machine, tmp_path, change):
    Database(machine).add([Record("k", "a", {"a": 1.0}, "quick")])
    file = tmp_path / "tuning.jsonl"
    export_tuning(file)
    file.write_text(change(file.read_text()))
    with pytest.raises(ConfigError, match="no tuning database"):
        read_file(file)


# -- the tuner


def tuner(level: str = "quick") -> Tuner:
    with config.override(autotune=level):
        return Tuner(resolve("native"), 2)


def test_what_is_unknown_is_missing_and_answered_by_the_model(cache_folder):
    asked = tuner()
    assert asked.choose("k", ("a", "b"), ["n"]) == "a"
    assert asked.missing["k"].options == ("a", "b")


def test_what_is_known_is_answered_without_measuring(machine):
    Database(machine).add([Record("k", "b", {"a": 2.0, "b": 1.0}, "quick")])
    asked = tuner()
    assert asked.choose("k", ("a", "b")) == "b" and not asked.missing
    assert asked.choose("k", ("a", "c")) == "a" and "k" in asked.missing, "what was chosen is no option any more"
    thorough = tuner("full")
    assert thorough.choose("k", ("a", "b")) == "b" and "k" in thorough.missing, "it was measured less thoroughly"


def compiled_with(text: str, **knobs: object):
    with config.override(**knobs):
        return compile_tuned(parse_graph(text), threads=2)


@pytest.fixture
def invented(monkeypatch: pytest.MonkeyPatch) -> list[Trial]:
    """Benches that compile nothing and in which the last way of every group is by far the fastest."""
    made: list[Trial] = []

    class Fake:
        def __init__(self, trial: Trial, *rest: object) -> None:
            self.trial = trial
            made.append(trial)

        def run(self, picks: Sequence[int]) -> np.ndarray:
            return np.array([1.0 if p == len(g.ways) - 1 else 2.0 for g, p in zip(self.trial.groups, picks)])

    monkeypatch.setattr(tuning, "Bench", Fake)
    return made


def test_off_measures_nothing_and_reads_nothing(machine, invented):
    plan = compiled_with(CONVS, autotune="off").plan
    tuned = compiled_with(CONVS, autotune="quick").plan
    assert tuned.kernels != plan.kernels
    assert len(invented) == 1
    assert compiled_with(CONVS, autotune="off").plan == plan


def test_a_second_network_measures_nothing(machine, invented):
    first = compiled_with(CONVS, autotune="quick")
    assert invented
    count = len(invented)
    assert compiled_with(CONVS, autotune="quick").sources == first.sources
    assert len(invented) == count
    renamed = CONVS.replace("%a", "%other").replace('"w"', '"elsewhere"')
    assert compiled_with(renamed, autotune="quick").plan.kernels == first.plan.kernels
    assert len(invented) == count


def test_passes_ask_too(machine, invented):
    """Three ways of fusing are compared, by the regions that hold the convolutions."""
    compiled_with(CHAIN, autotune="quick")
    found = [r for r in json_lines(machine) if r["key"].startswith("chain ")]
    assert [set(r["seconds"]) for r in found] == [{"expand", "start", "none"}]
    assert found[0]["seconds"]["expand"] < found[0]["seconds"]["none"]
    anchors = [n.attrs["anchor"] for n in compiled_with(CHAIN, autotune="quick").graph.nodes if n.op == "region"]
    assert anchors.count("conv_chain") == 1 and anchors.count("conv") == 0


def json_lines(machine: str) -> list[dict]:
    data = store().read(Database(machine).entry)
    assert data is not None
    return [json.loads(line) for line in data.decode().splitlines()]


def test_an_unusable_compiler_leaves_the_choice_to_the_model(machine, monkeypatch, caplog):
    def broken(*rest: object) -> None:
        raise sol.SolError("no compiler today")

    monkeypatch.setattr(tuning, "Bench", broken)
    assert compiled_with(CONVS, autotune="quick").plan == compiled_with(CONVS, autotune="off").plan
    assert "cost model decides" in caplog.text


def test_symbolic_sizes_are_not_measured(machine, invented):
    text = CONVS.replace("[1,", "[n,").replace("16,16,16]) {", "16,16,16]) where n in [2, 9] {")
    compiled_with(text, autotune="quick")
    assert not invented


def test_budget():
    with budgeted(None):
        assert config["autotune"] == "off"
    for seconds, level in ((0, "off"), (5, "quick"), (60, "full")):
        with budgeted(seconds):
            assert config["autotune"] == level and config["autotune_seconds"] == seconds


# -- for real


def test_a_trial_runs_and_times_every_group(cache_folder):
    target = resolve("native")
    graph = list(run_passes(parse_graph(CONVS), target))[-1][1]
    trial = make_trial(graph, target, lambda key, options: options[:2])
    bench = Bench(trial, graph, target, 2)
    seconds = bench.run([0] * len(trial.groups))
    assert len(seconds) == len(trial.groups) and (seconds > 0).all()
    assert (bench.run([len(g.ways) - 1 for g in trial.groups]) > 0).all()


def test_a_tuned_network_is_right(cache_folder):
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(16, 32, 3, padding=1), torch.nn.ReLU(),
        torch.nn.Conv2d(32, 32, 3, padding=1, groups=32), torch.nn.Hardtanh(), torch.nn.Conv2d(32, 16, 1),
    ).eval()  # fmt: skip
    x = torch.randn(1, 3, 14, 14)
    with torch.no_grad():
        fast = sol.optimize(model, [x], time_budget=2, threads=2)
        torch.testing.assert_close(fast(x), model(x), rtol=1e-4, atol=1e-5)
    assert export_tuning(cache_folder / "tuning.jsonl") > 1


def test_launches_compare_by_value():
    """Ways that are the same must be found equal, or one kernel would be timed against itself."""
    assert Launch("k", (), (1,), "r", NO_ORIGIN) == Launch("k", (), (1,), "r", NO_ORIGIN)
