"""Every knob can be read, set, overridden and given by the environment, and refuses what it does not take."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from sol.config import KNOBS, Config
from sol.errors import ConfigError

VALID = {
    "isa": ("avx2", "avx2"),
    "compiler": ("clang -m64", "clang -m64"),
    "compile_timeout": ("7", 7),
    "cache_dir": ("/some/where", "/some/where"),
    "cache_limit_mb": ("0", 0),
    "jobs": ("3", 3),
    "progress": ("OFF", "off"),
    "verify": ("1", True),
    "dump": ("/some/dump", "/some/dump"),
    "fallback": ("eager", "eager"),
    "flush_denormals": ("no", False),
    "check_indices": ("off", False),
    "threads": ("3", 3),
    "recompile_limit": ("2", 2),
    "specialize_sizes": ("0", 0),
    "training": ("Compiled", "compiled"),
    "training_memory_budget": ("0.5", 0.5),
    "conv_max_error": ("2e-6", 2e-6),
    "autotune": ("Quick", "quick"),
    "team": ("Fixed", "fixed"),
    "autotune_seconds": ("12.5", 12.5),
    "calibration": ("off", False),
    "tuning_database": ("/some/tuning.jsonl", "/some/tuning.jsonl"),
}
INVALID = [
    ("isa", "sse9"), ("isa", 3), ("jobs", -1), ("jobs", "two"), ("jobs", True), ("jobs", 1.5), ("recompile_limit", 0),
    ("progress", "maybe"), ("verify", "perhaps"), ("verify", 2), ("fallback", ""), ("cache_dir", 3),
    ("cache_dir", "a\0b"), ("compiler", None), ("compile_timeout", 0), ("flush_denormals", "2"), ("dump", b"/x"),
    ("conv_max_error", -1), ("conv_max_error", "nan"), ("conv_max_error", True), ("conv_max_error", "small"),
    ("training", "fast"), ("training_memory_budget", 1.5), ("training_memory_budget", -0.1),
]  # fmt: skip


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for knob in KNOBS.values():
        monkeypatch.delenv(knob.variable, raising=False)
    yield


def test_table_covers_every_knob() -> None:
    assert set(VALID) == set(KNOBS)


@pytest.mark.parametrize("name", KNOBS)
def test_default_is_valid(name: str) -> None:
    knob = KNOBS[name]
    assert Config()[name] == knob.default
    assert knob.parse(knob.default) == knob.default
    assert knob.help and knob.takes


@pytest.mark.parametrize("name", VALID)
def test_environment_assignment_override(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, value = VALID[name]
    config = Config()
    monkeypatch.setenv(f"SOL_{name.upper()}", text)
    assert config[name] == value
    config[name] = KNOBS[name].default
    assert config[name] == getattr(config, name) == KNOBS[name].default
    with config.override(**{name: value}):
        assert config[name] == getattr(config, name) == value
    assert config[name] == KNOBS[name].default
    config.reset(name)
    assert config[name] == value


@pytest.mark.parametrize(("name", "value"), INVALID)
def test_bad_value_says_what_is_taken(name: str, value: object) -> None:
    config = Config()
    with pytest.raises(ConfigError) as caught:
        config[name] = value
    assert name in str(caught.value) and KNOBS[name].takes in str(caught.value)
    assert config[name] == KNOBS[name].default


def test_bad_environment_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOL_ISA", "sse9")
    with pytest.raises(ConfigError, match=r"SOL_ISA = 'sse9'(.|\n)*avx512"):
        Config()["isa"]


def test_empty_variable_is_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOL_JOBS", "")
    assert Config()["jobs"] == 0


@pytest.mark.parametrize("access", ["item", "attribute", "set", "set attribute", "override", "reset"])
def test_unknown_name_lists_the_knobs(access: str) -> None:
    config = Config()
    with pytest.raises(ConfigError, match="recompile_limit"):
        if access == "item":
            config["size"]
        elif access == "attribute":
            config.size  # noqa: B018
        elif access == "set":
            config["size"] = 1
        elif access == "set attribute":
            config.size = 1
        elif access == "override":
            with config.override(size=1):
                pass
        else:
            config.reset("size")


def test_a_bad_override_changes_nothing() -> None:
    config = Config()
    with pytest.raises(ConfigError), config.override(jobs=5, isa="sse9"):
        pass
    assert config.jobs == 0


def test_override_nests_and_ends_on_error() -> None:
    config = Config()
    with pytest.raises(RuntimeError), config.override(jobs=1):
        with config.override(isa="avx2"):
            assert (config.jobs, config.isa) == (1, "avx2")
        with config.override(jobs=2):
            assert config.jobs == 2
        assert (config.jobs, config.isa) == (1, "native")
        raise RuntimeError
    assert config.jobs == 0


def test_override_is_seen_by_this_thread_only() -> None:
    config = Config()
    seen = []
    with config.override(jobs=9):
        thread = threading.Thread(target=lambda: seen.append(config.jobs))
        thread.start()
        thread.join()
    assert seen == [0]


def test_override_is_seen_by_this_task_only() -> None:
    config = Config()

    async def task(jobs: int) -> list[int]:
        seen = []
        with config.override(jobs=jobs):
            for _ in range(3):
                await asyncio.sleep(0)
                seen.append(config.jobs)
        return seen

    async def both() -> list[list[int]]:
        return [*await asyncio.gather(task(1), task(2))]

    assert asyncio.run(both()) == [[1] * 3, [2] * 3]


def test_description_names_everything() -> None:
    text = Config().describe()
    for knob in KNOBS.values():
        assert f"{knob.name} = {knob.default!r}" in text and knob.variable in text and knob.help in text
    assert set(KNOBS) <= set(dir(Config())) and list(Config()) == list(KNOBS)
