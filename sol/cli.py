"""The ``sol`` program: one function a command, each a few lines over ``sol/commands``. Errors become exit codes that scripts can use."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from sol import __version__
from sol.commands.failures import CODES, FAILED, INTERRUPTED, NOT_COMPARED, OK, USAGE, as_typed, code_of
from sol.commands.files import OutputFile
from sol.commands.interrupts import clean_interrupts
from sol.config import MOST_THREADS
from sol.errors import OutputError, SolError

_CODES = "Exit codes: " + "; ".join(f"{code} {meaning}" for code, meaning in CODES.items()) + "."
MODEL = click.argument("model", type=click.Path(exists=True, dir_okay=False, path_type=Path))
ISAS = ("native", "avx512", "avx2", "generic", "neon")
PEERS = ("onnxruntime", "openvino", "torch")
DAY = 86400.0


class Number(click.FloatRange):
    """A finite number in a range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; fails for NaN too."""
        number = super().convert(value, param, ctx)
        return number if number == number else self.fail(f"{value} is no number.", param, ctx)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and exit. Commands return their exit code, None for 0."""
    _open_streams()
    with clean_interrupts() as interrupts:
        code = run(arguments)
        if interrupts.seen and code != INTERRUPTED:  # the interrupt came out as another error
            code = INTERRUPTED
    sys.exit(code)


def _open_streams() -> None:
    """A standard stream that the caller closed goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))


def run(arguments: Sequence[str] | None = None) -> int:
    """The exit code. Messages about what went wrong go to standard error."""
    try:
        code = sol.main(args=arguments, prog_name="sol", standalone_mode=False) or OK
        return code
    except click.ClickException as error:
        error.show()
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        _forget_output()
        return OK
    except SystemExit:
        if not type(sys.stdout).__name__.endswith("PacifyFlushWrapper"):
            raise
        return OK  # click ends by itself where nobody reads what it prints
    except Exception as error:
        return _failed(error)


def say(text: str = "") -> None:
    """A line to standard output, at once: what cannot be written is an error here, not while Python ends."""
    try:
        click.echo(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _forget_output()
        raise OutputError(f"cannot write to standard output: {error.strerror or error}") from error


def _failed(error: Exception) -> int:
    """Say what went wrong; the exit code."""
    if isinstance(error, SolError):
        click.echo(f"error: {as_typed(error)}", err=True)
    elif isinstance(error, (ImportError, MemoryError, OSError)):
        click.echo(f"error: {type(error).__name__}: {error}", err=True)
    else:
        traceback.print_exc()
        click.echo("error: this is a defect in sol: please report it with the lines above", err=True)
    return code_of(error)


def _forget_output() -> None:
    """What standard output still holds cannot be written: Python shall not try again while it ends."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(epilog=_CODES, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="sol", message="%(prog)s %(version)s")
@click.option("--quiet", "-q", is_flag=True, help="Show no progress, even on a terminal.")
@click.pass_context
def sol(context: click.Context, quiet: bool) -> None:
    """An optimizing compiler for neural networks: ONNX files and programs of torch.export in, C out."""
    from sol.commands.console import settings

    context.with_resource(settings(progress="off" if quiet else None))


def _options(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def decorate(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


THREADS = click.IntRange(1, MOST_THREADS)
_threads = click.option("--threads", type=THREADS, help="Threads per call; default: OMP_NUM_THREADS, else the usable CPUs.")
_isa = click.option("--isa", type=click.Choice(ISAS), help="Instruction set; default: the best one of this machine.")
_shape = click.option("--shape", "shapes", multiple=True, metavar="NAME=1,3,224,224",
                      help="Sizes of an input that the model leaves open; a name in place of a number leaves it open.")  # fmt: skip
_input = click.option("--input", "-i", "inputs", multiple=True, metavar="[NAME=]FILE.npy",
                      help="An input, or several in an .npz file; what is not given is made up.")  # fmt: skip
_seed = click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="For inputs that are made up.")
_json = click.option("--json", "json_file", type=OutputFile(), metavar="FILE", help="Also write the figures.")
_budget = click.option("--time-budget", metavar="60s", help="Measure kernels to choose between them, for at most that long; 0: do not.")
_run_options = _options(_input, _shape, _threads, _isa, _budget, _seed)


@sol.command()
@MODEL
@click.option("-o", "--out", type=click.Path(file_okay=False, path_type=Path), default=Path("."), show_default=True, help="The folder.")
@click.option("--target", type=click.Choice(["shared_lib", "static_lib", "source", "python"]), default="shared_lib", show_default=True)
@click.option("--isa", type=click.Choice(["native", "multi", *ISAS[1:]]), default="native", show_default=True,
              help="Instruction set; multi: several in one library, chosen when it is loaded.")  # fmt: skip
@click.option("--lib-name", default="network", show_default=True, help="lib<NAME>.so, <NAME>.h, ….")
@click.option("--func-name", default="predict", show_default=True, help="The C function; others begin with it.")
@_shape
@click.option("--const", "constants", multiple=True, metavar="NAME=FILE.npy", help="An input whose content becomes part of the library.")
@click.option("--weights", type=click.Choice(["auto", "embedded", "file"]), default="auto", show_default=True,
              help="In the library, or in a file beside it.")  # fmt: skip
@click.option("--threads", type=THREADS, help="1 makes a library without threads.")
@_budget
@click.option("--verify", is_flag=True, help="Run what was made and compare it with float64.")
@click.option("--tolerance", type=Number(0, 1e9), default=1e-4, show_default=True,
              help="For --verify: error in units of the largest output.")  # fmt: skip
@_seed
def compile(model: Path, time_budget: str | None, **options: Any) -> int:
    """Make a C library (or C sources, or a Python package) of MODEL that needs neither Python nor sol to run."""
    from sol.commands.compile import compile_model
    from sol.commands.console import bytes_text, settings

    with settings(time_budget=time_budget):
        made, checks = compile_model(model, **options)
    for place in made.files:
        say(f"{made.path / place}  {bytes_text((made.path / place).stat().st_size)}")
    for check in checks:
        say(f"{check.name}: {check.error:.1e} from float64, {'passed' if check.passed else 'FAILED'}")
    return OK if all(c.passed for c in checks) else FAILED


@sol.command("run")
@MODEL
@_run_options
@click.option("-o", "--output", type=OutputFile(), metavar="FILE", help="Outputs: .npz, or one .npy.")
def run_command(model: Path, time_budget: str | None, **options: Any) -> None:
    """Run MODEL once and show its outputs."""
    from sol.commands.console import settings
    from sol.commands.run import run as command

    with settings(time_budget=time_budget):
        for line in command(model, **options):
            say(line)


@sol.command()
@MODEL
@click.option("--against", metavar="ENGINES", help=f"Of {', '.join(PEERS)}, separated by commas; default: those that are installed.")
@_run_options
@click.option("--rounds", type=click.IntRange(1, 1000), default=3, show_default=True, help="Engines take turns so often.")
@click.option("--seconds", type=Number(0, DAY, min_open=True), default=2.0, show_default=True,
              help="How long an engine is timed in a round.")  # fmt: skip
@click.option("--timeout", type=Number(0, 100 * DAY, min_open=True), default=900.0, show_default=True,
              help="Seconds that one measurement may take.")  # fmt: skip
@_json
def bench(model: Path, time_budget: str | None, json_file: Path | None, **options: Any) -> None:
    """Time MODEL beside other engines: each in a process of its own, in turn over several rounds."""
    from sol.commands.bench import bench as command
    from sol.commands.bench import bench_text
    from sol.commands.console import settings, write_json

    with settings(time_budget=time_budget):
        found = command(model, **options)
    say(bench_text(found))
    if json_file is not None:
        write_json(json_file, found)


@sol.command()
@MODEL
@_run_options
@click.option("--tolerance", type=Number(0, 1e9), default=1e-4, show_default=True, help="Allowed error in units of the largest output.")
@click.option("--peer/--no-peer", default=True, show_default=True, help="Also compare with onnxruntime, or torch for a .pt2 file.")
@_json
def verify(model: Path, time_budget: str | None, json_file: Path | None, **options: Any) -> int:
    """Compare MODEL's results with float64 and another engine; if they differ, name the first node that is wrong."""
    from sol.commands.console import settings, write_json
    from sol.commands.verify import verify as command

    with settings(time_budget=time_budget):
        found = command(model, **options)
    say(str(found))
    if json_file is not None:
        write_json(json_file, found.as_dict())
    return OK if found.passed else FAILED if found.compared else NOT_COMPARED


@sol.command()
@MODEL
@_run_options
@click.option("--profile/--no-profile", default=True, show_default=True, help="Run the model and time every kernel.")
@click.option("--alternatives", is_flag=True, help="Show the best ways to compute each heavy region, with predicted and measured times.")
@click.option("--html", type=OutputFile(), metavar="FILE", help="Write a report: one page, no other file.")
@_json
def inspect(model: Path, time_budget: str | None, html: Path | None, json_file: Path | None, **options: Any) -> None:
    """Show what became of MODEL: operators, fused kernels and their times, and the memory plan."""
    from sol.commands.console import settings, write_json
    from sol.commands.files import write_text
    from sol.commands.inspect import inspect as command

    with settings(time_budget=time_budget):
        found = command(model, **options)
    say(str(found))
    if html is not None:
        write_text(html, found.page())
        say(f"written to {html}")
    if json_file is not None:
        write_json(json_file, found.as_dict())


@sol.command()
@click.option("--calibrate", is_flag=True, help="Measure this machine first and keep what is found, for all later compilations.")
@click.option("--seconds", type=Number(0, DAY), default=3.0, show_default=True, help="How long to measure.")
@click.option("--threads", type=THREADS, help="Threads that work together; default: the usable CPUs.")
@_json
def tune(calibrate: bool, seconds: float, threads: int | None, json_file: Path | None) -> None:
    """Show the figures of this machine by which kernels are chosen, and what they were measured on."""
    from sol.commands.console import write_json
    from sol.commands.tune import tune as command
    from sol.commands.tune import tune_text

    facts = command(calibrate=calibrate, seconds=seconds, threads=threads)
    say(tune_text(facts))
    if json_file is not None:
        write_json(json_file, facts)


@sol.command()
@click.argument("action", type=click.Choice(["list", "clear", "size", "path"]), default="list")
@click.option("--kind", help="Only entries of this kind, as list shows them; machine: what sol tune --calibrate measured.")
def cache(action: str, kind: str | None) -> None:
    """List or clear what was compiled, or tell its size or folder."""
    from sol.commands.cache import cache as command

    for line in command(action, kind):
        say(line)


@sol.group(invoke_without_command=True)
@click.option("--measure", is_flag=True, help="Also measure the machine's limits.")
@_json
@click.pass_context
def devices(context: click.Context, measure: bool, json_file: Path | None) -> None:
    """Show what this machine offers: CPU, instruction sets, caches, compiler, threads. With build: make torch.device("sol")."""
    if context.invoked_subcommand is not None:
        return
    from sol.commands.console import write_json
    from sol.commands.devices import devices as command
    from sol.commands.devices import devices_text

    facts = command(measure=measure)
    say(devices_text(facts))
    if json_file is not None:
        write_json(json_file, facts)


@devices.command()
@click.option("--driver", default="sim", metavar="NAME|FILE", help="A driver of sol, or a C file with one (docs/devices.md).")
def build(driver: str) -> None:
    """Build the extension of PyTorch and a driver, after which torch.device("sol") works in every process."""
    from sol.device.build import build_device

    extension, library = build_device(driver)
    say(f"extension  {extension}")
    say(f"driver     {library}")


@sol.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script for SHELL that completes commands and options: source it, or put it where the shell looks for such."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"click knows no shell {shell}")
    say(kind(sol, {}, "sol", "_SOL_COMPLETE").source())


if __name__ == "__main__":
    main()
