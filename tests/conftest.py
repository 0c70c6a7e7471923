"""What all tests share: options, seeds, a cache of one's own, and strict mode: nothing that fails to compile hides behind torch."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterator
from multiprocessing.util import get_temp_dir
from pathlib import Path
from typing import Any

import pytest

from tests import budget, instruction_sets, random_numbers

os.environ.setdefault("SOL_FALLBACK", "error")  # also for the processes that tests start; tests of the default ask for it
os.environ.setdefault("SOL_CALIBRATION", "off")  # kernels are chosen by tables, wherever tests run
os.environ.setdefault("SOL_SPECIALIZE_SIZES", "0")  # tests of it ask for it: nothing is compiled beside the others


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--refresh-golden", action="store_true", help="write tests/golden anew from what is generated now")
    parser.addoption("--durations-file", metavar="FILE", help="run what the budget leaves out, too, and write down how long functions take")
    parser.addoption("--without-isa", metavar="NAME", help="do as a machine that lacks this instruction set")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--without-isa"):
        instruction_sets.pretend_to_lack(config.getoption("--without-isa"))


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marks = metafunc.definition.own_markers
    marks[:] = [instruction_sets.completed(m) if m.name == "parametrize" else m for m in marks]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    instruction_sets.leave_to_conformance(items)
    if not config.getoption("--durations-file"):
        budget.leave_to_conformance(items, budget.known())


def pytest_collectstart(collector: pytest.Collector) -> None:
    random_numbers.begin(collector.nodeid)  # for what modules draw when they are imported


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> None:
    random_numbers.begin(f"{request.node.nodeid} {fixturedef.argname} {getattr(request, 'param_index', '')}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    random_numbers.begin(item.nodeid)
    instruction_sets.taken_notes()
    try:
        return (yield)
    finally:
        item.user_properties += instruction_sets.taken_notes()


def pytest_collection_finish() -> None:
    """What is there before the first test stays: the collector, which many tests call, need not walk it each time."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    reports = [r for found in terminalreporter.stats.values() for r in found if isinstance(r, pytest.TestReport)]
    if config.getoption("--durations-file"):
        Path(config.getoption("--durations-file")).write_text(budget.written(reports))
    lines = instruction_sets.summary(reports)
    if lines:
        terminalreporter.section("instruction sets that this machine does not run")
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture
def refresh_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written instead of compared."""
    return bool(request.config.getoption("--refresh-golden"))


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder that is the cache of this test and of the processes it starts."""
    from sol.config import config  # reads the environment, which is set above

    folder = tmp_path / "cache"
    (tmp_path / "tmp").mkdir(mode=0o700)
    get_temp_dir()  # multiprocessing keeps its own, in which names of sockets must stay short
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("SOL_CACHE_DIR", str(folder))
    with config.override(cache_dir=folder, progress="off"):
        yield folder
