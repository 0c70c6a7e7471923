"""A deployed library where other programs look for it: installed by make and CMake, found by CMake and pkg-config, staged for a package."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sol.deploy.api import deploy
from tests.deploy.support import small

NAME = "Net"
TOLD = "output0, 441 elements"
needs_cmake = pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not on PATH (Debian package cmake)")
needs_pkg_config = pytest.mark.skipif(shutil.which("pkg-config") is None, reason="pkg-config is not on PATH (Debian package pkg-config)")


def run(*line: str | Path, **env: str) -> str:
    done = subprocess.run([str(part) for part in line], capture_output=True, text=True, env={**os.environ, **env})
    assert done.returncode == 0, f"{line}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module", params=["embedded", "file"])
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source deployment with a Makefile and CMakeLists.txt."""
    return deploy(
        small("recurrent")[0], target="source", lib_name=NAME, path=tmp_path_factory.mktemp("source"), isa="generic", weights=request.param
    ).path


@pytest.fixture(scope="module")
def made(source: Path) -> Path:
    """The same, built by make."""
    run("make", "-s", "-j2", "-C", source)
    return source


@pytest.fixture(scope="module")
def built(source: Path) -> Path:
    """The folder in which CMake built it."""
    build = source / "cmake_build"
    run("cmake", "-S", source, "-B", build, "-DCMAKE_INSTALL_PREFIX=/opt/none")
    run("cmake", "--build", build, "-j2")
    return build


def found_by_cmake(where: Path, user: Path, example: Path, target: str) -> str:
    """What a CMake project says that asks for the package; where: a folder of CMAKE_PREFIX_PATH."""
    user.mkdir()
    shutil.copy(example, user / "main.c")
    (user / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.13)\nproject(user C)\n"
        f"find_package({NAME} 1 REQUIRED)\nadd_executable(user main.c)\ntarget_link_libraries(user PRIVATE {target})\n"
    )
    run("cmake", "-S", user, "-B", user / "build", f"-DCMAKE_PREFIX_PATH={where}")
    run("cmake", "--build", user / "build")
    return run(user / "build" / "user")


def found_by_pkg_config(folder: Path, user: Path, example: Path, *, static: bool = False) -> str:
    """What a program says that is compiled with the flags of pkg-config."""
    user.mkdir()
    flags = run("pkg-config", *(["--static"] if static else []), "--cflags", "--libs", NAME, PKG_CONFIG_PATH=str(folder)).split()
    where = run("pkg-config", "--variable=libdir", NAME, PKG_CONFIG_PATH=str(folder)).strip()
    run("gcc", example, "-o", user / "user", *flags, f"-Wl,-rpath,{where}")
    return run(user / "user")


def test_make_installs_below_a_prefix(made: Path, tmp_path: Path) -> None:
    prefix = tmp_path / "usr"
    run("make", "-s", "-C", made, "install", f"PREFIX={prefix}")
    files = {str(p.relative_to(prefix)) for p in prefix.rglob("*") if p.is_file()}
    weights = {"lib/Net.bin"} if (made / "Net.bin").exists() else set()
    assert files == weights | {
        "include/Net.h", "lib/libNet.so", "lib/libNet.a", "lib/pkgconfig/Net.pc", "lib/cmake/Net/NetConfig.cmake",
        "lib/cmake/Net/NetConfigVersion.cmake",
    }  # fmt: skip
    example = made / "Net_example.c"
    if shutil.which("cmake"):
        for target in ("Net",) if weights else ("Net", "Net_static"):  # a static one looks for a file of weights beside the program
            assert TOLD in found_by_cmake(prefix, tmp_path / target, example, f"Net::{target}")
    if shutil.which("pkg-config"):
        assert TOLD in found_by_pkg_config(prefix / "lib" / "pkgconfig", tmp_path / "pkg", example)
    run("make", "-s", "-C", made, "uninstall", f"PREFIX={prefix}")
    assert not [p for p in prefix.rglob("*") if p.is_file()]


def test_make_stages_for_a_package(made: Path, tmp_path: Path) -> None:
    run("make", "-s", "-C", made, "install", f"DESTDIR={tmp_path}", "PREFIX=/opt/nets", "LIBDIR=/opt/nets/lib64")
    text = (tmp_path / "opt/nets/lib64/pkgconfig/Net.pc").read_text()
    assert "prefix=/opt/nets\n" in text and "libdir=/opt/nets/lib64\n" in text and str(tmp_path) not in text
    assert str(tmp_path) not in (tmp_path / "opt/nets/lib64/cmake/Net/NetConfig.cmake").read_text()
    assert (tmp_path / "opt/nets/include/Net.h").exists() and os.access(tmp_path / "opt/nets/lib64/libNet.so", os.X_OK)


@needs_cmake
@pytest.mark.parametrize("target", ["Net::Net", "Net::Net_static"])
def test_cmake_installs_and_exports(built: Path, tmp_path: Path, target: str) -> None:
    prefix = tmp_path / "usr"
    run("cmake", "--install", built, "--prefix", prefix)
    if not ((built.parent / "Net.bin").exists() and target.endswith("static")):  # weights are looked for beside the program then
        assert TOLD in found_by_cmake(prefix, tmp_path / "user", built.parent / "Net_example.c", target)
    assert list(prefix.rglob("Net.h")) and list(prefix.rglob("Net.pc")) and list(prefix.rglob("NetConfigVersion.cmake"))


@needs_cmake
def test_cmake_finds_it_where_it_was_built(built: Path, tmp_path: Path) -> None:
    assert TOLD in found_by_cmake(built, tmp_path / "user", built.parent / "Net_example.c", "Net::Net")
    assert TOLD in run(built / "Net_example")


@needs_cmake
@pytest.mark.parametrize(("kind", "target"), [("shared_lib", "Net::Net"), ("static_lib", "Net::Net_static")])
def test_cmake_finds_a_library_where_it_was_deployed(tmp_path: Path, kind: str, target: str) -> None:
    where = deploy(small("recurrent")[0], target=kind, lib_name=NAME, path=tmp_path / "out").path
    assert TOLD in found_by_cmake(where, tmp_path / "user", where / "Net_example.c", target)


@needs_pkg_config
@pytest.mark.parametrize("kind", ["shared_lib", "static_lib"])
def test_pkg_config_finds_a_library_where_it_was_deployed(tmp_path: Path, kind: str) -> None:
    where = deploy(small("recurrent")[0], target=kind, lib_name=NAME, path=tmp_path / "out").path
    assert TOLD in found_by_pkg_config(where, tmp_path / "user", where / "Net_example.c", static=kind == "static_lib")
