"""The ``sol`` program: one function a command, each a few lines over ``sol/commands``. Errors become exit codes that scripts can use."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from sol import __version__
from sol.commands.failures import CODES, FAILED, INTERRUPTED, OK, USAGE, code_of
from sol.config import MOST_THREADS
from sol.errors import SolError

_CODES = "Exit codes: " + "; ".join(f"{code} {meaning}" for code, meaning in CODES.items()) + "."
MODEL = click.argument("model", type=click.Path(exists=True, dir_okay=False, path_type=Path))
ISAS = ("native", "avx512", "avx2", "generic", "neon")
PEERS = ("onnxruntime", "openvino", "torch")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and exit. Commands return their exit code, None for 0."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """The exit code. Messages about what went wrong go to standard error."""
    try:
        return sol.main(args=arguments, prog_name="sol", standalone_mode=False) or OK
    except click.ClickException as error:
        error.show()
        return USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except SolError as error:
        click.echo(f"error: {error}", err=True)
        return code_of(error)
    except (ImportError, MemoryError, OSError) as error:
        click.echo(f"error: {type(error).__name__}: {error}", err=True)
        return code_of(error)
    except Exception:
        traceback.print_exc()
        click.echo("error: this is a defect in sol: please report it with the lines above", err=True)
        return FAILED


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
_shape = click.option("--shape", "shapes", multiple=True, metavar="NAME=1,3,224,224", help="Sizes of an input that the model leaves open.")
_input = click.option("--input", "-i", "inputs", multiple=True, metavar="[NAME=]FILE.npy",
                      help="An input, or several in an .npz file; what is not given is made up.")  # fmt: skip
_seed = click.option("--seed", type=int, default=0, show_default=True, help="For inputs that are made up.")
_json = click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Also write the figures.")
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
@click.option("--tolerance", type=float, default=1e-4, show_default=True, help="For --verify: error in units of the largest output.")
@_seed
def compile(model: Path, time_budget: str | None, **options: Any) -> int:
    """Make a C library (or C sources, or a Python package) of MODEL that needs neither Python nor sol to run."""
    from sol.commands.compile import compile_model
    from sol.commands.console import bytes_text, settings

    with settings(time_budget=time_budget):
        made, checks = compile_model(model, **options)
    for place in made.files:
        click.echo(f"{made.path / place}  {bytes_text((made.path / place).stat().st_size)}")
    for check in checks:
        click.echo(f"{check.name}: {check.error:.1e} from float64, {'passed' if check.passed else 'FAILED'}")
    return OK if all(c.passed for c in checks) else FAILED


@sol.command("run")
@MODEL
@_run_options
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Outputs: .npz, or one .npy.")
def run_command(model: Path, time_budget: str | None, **options: Any) -> None:
    """Run MODEL once and show its outputs."""
    from sol.commands.console import settings
    from sol.commands.run import run as command

    with settings(time_budget=time_budget):
        for line in command(model, **options):
            click.echo(line)


@sol.command()
@MODEL
@click.option("--against", metavar="ENGINES", help=f"Of {', '.join(PEERS)}, separated by commas; default: those that are installed.")
@_run_options
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True, help="Engines take turns so often.")
@click.option("--seconds", type=float, default=2.0, show_default=True, help="How long an engine is timed in a round.")
@click.option("--timeout", type=float, default=900.0, show_default=True, help="Seconds that one measurement may take.")
@_json
def bench(model: Path, time_budget: str | None, json_file: Path | None, **options: Any) -> None:
    """Time MODEL beside other engines: each in a process of its own, in turn over several rounds."""
    from sol.commands.bench import bench as command
    from sol.commands.bench import bench_text
    from sol.commands.console import settings, write_json

    with settings(time_budget=time_budget):
        found = command(model, **options)
    click.echo(bench_text(found))
    if json_file is not None:
        write_json(json_file, found)


@sol.command()
@MODEL
@_run_options
@click.option("--tolerance", type=float, default=1e-4, show_default=True, help="Allowed error in units of the largest output.")
@click.option("--peer/--no-peer", default=True, show_default=True, help="Also compare with onnxruntime, or torch for a .pt2 file.")
@_json
def verify(model: Path, time_budget: str | None, json_file: Path | None, **options: Any) -> int:
    """Compare MODEL's results with float64 and another engine; if they differ, name the first node that is wrong."""
    from sol.commands.console import settings, write_json
    from sol.commands.verify import verify as command

    with settings(time_budget=time_budget):
        found = command(model, **options)
    click.echo(str(found))
    if json_file is not None:
        write_json(json_file, found.as_dict())
    return OK if found.passed else FAILED


@sol.command()
@MODEL
@_run_options
@click.option("--profile/--no-profile", default=True, show_default=True, help="Run the model and time every kernel.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write a report: one page, no other file.")
@_json
def inspect(model: Path, time_budget: str | None, html: Path | None, json_file: Path | None, **options: Any) -> None:
    """Show what became of MODEL: operators, fused kernels and their times, and the memory plan."""
    from sol.commands.console import settings, write_json
    from sol.commands.inspect import inspect as command

    with settings(time_budget=time_budget):
        found = command(model, **options)
    click.echo(str(found))
    if html is not None:
        html.parent.mkdir(parents=True, exist_ok=True)
        html.write_text(found.page(), encoding="utf-8")
        click.echo(f"written to {html}")
    if json_file is not None:
        write_json(json_file, found.as_dict())


@sol.command()
@click.argument("action", type=click.Choice(["list", "clear", "size", "path"]), default="list")
def cache(action: str) -> None:
    """List or clear what was compiled, or tell its size or folder."""
    from sol.commands.cache import cache as command

    for line in command(action):
        click.echo(line)


@sol.command()
@click.option("--measure", is_flag=True, help="Also measure the machine's limits.")
@_json
def devices(measure: bool, json_file: Path | None) -> None:
    """Show what this machine offers: CPU, instruction sets, caches, compiler, threads."""
    from sol.commands.console import write_json
    from sol.commands.devices import devices as command
    from sol.commands.devices import devices_text

    facts = command(measure=measure)
    click.echo(devices_text(facts))
    if json_file is not None:
        write_json(json_file, facts)


@sol.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script for SHELL that completes commands and options: source it, or put it where the shell looks for such."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"click knows no shell {shell}")
    click.echo(kind(sol, {}, "sol", "_SOL_COMPLETE").source())


if __name__ == "__main__":
    main()
