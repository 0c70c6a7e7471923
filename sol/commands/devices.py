"""``sol devices``: what this machine offers to generated code."""

from __future__ import annotations

import shutil
from typing import Any

from sol.bench import machine_facts, version_of
from sol.build.toolchain import find_compiler
from sol.codegen.targets import TARGETS, architecture, cache_bytes, resolve
from sol.commands.console import bytes_text
from sol.errors import SolError
from sol.runtime.arrays import default_threads


def devices(*, measure: bool = False) -> dict[str, Any]:
    """Facts by name. measure: also the machine's limits, which takes a moment the first time."""
    native = resolve("native")
    facts: dict[str, Any] = {
        **machine_facts(),
        "architecture": architecture(),
        "threads": default_threads(),
        "isas": {name: _isa(name) for name in TARGETS},
        "native": native.name,
        "caches": {f"L{level}": cache_bytes(level) for level in (1, 2, 3)},
        "compiler": _compiler(),
        "cross_compilers": [name for name in ("aarch64-linux-gnu-gcc", "x86_64-linux-gnu-gcc") if shutil.which(name)],
        "packages": {name: version_of(name) for name in ("sol", "numpy", "torch", "onnx", "onnxruntime", "openvino")},
    }
    if measure:
        from sol.inspect.roofline import roofline

        facts["roofline"] = {n: str(roofline(n)) for n in sorted({1, facts["threads"]})}
    return facts


def _isa(name: str) -> dict[str, Any]:
    target = TARGETS[name]
    return {"runs": target.runs_here(), "lanes": target.lanes, "registers": target.registers}


def _compiler() -> str:
    try:
        return str(find_compiler())
    except SolError as error:
        return f"none: {error.message}"


def devices_text(facts: dict[str, Any]) -> str:
    """The facts for people."""
    caches = ", ".join(f"{level} {bytes_text(size)}" for level, size in facts["caches"].items() if size)
    memory = bytes_text(facts["memory_mb"] << 20)
    lines = [
        f"cpu        {facts['cpu']} ({facts['architecture']}), {facts['cpus']} usable, {memory}, {facts['system']}",
        f"caches     {caches or 'unknown'}",
        f"threads    {facts['threads']} per call unless told otherwise",
        f"compiler   {facts['compiler']}",
    ]
    for name, isa in facts["isas"].items():
        note = "native" if name == facts["native"] else "runs here" if isa["runs"] else "cannot run here"
        lines.append(f"isa        {name:8} {isa['lanes']:2} float lanes, {isa['registers']} registers, {note}")
    lines += [f"cross      {name}" for name in facts["cross_compilers"]]
    lines += [f"roofline   {text}" for text in facts.get("roofline", {}).values()]
    lines += [f"package    {name} {version or 'not installed'}" for name, version in facts["packages"].items()]
    return "\n".join(lines)
