"""The store keeps what it is given, notices damage, and works on broken or hostile surroundings."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sol.build import cache as cache_module
from sol.build import folders
from sol.build.cache import Cache, Store, default_folder, key_of, store
from sol.config import config
from sol.errors import CacheError

KEY = key_of("o", "a")
OTHER = key_of("so", "b")


def entry(folder: Path, key: str = KEY) -> Path:
    return folder / "v1" / key


@pytest.mark.parametrize("payload", [b"", b"x", bytes(range(256)) * 5000])
def test_what_is_put_is_read(cache_folder: Path, payload: bytes) -> None:
    held = store()
    assert held.get(KEY) is None and held.read(KEY) is None
    path = held.put(KEY, payload)
    assert path == entry(cache_folder) == held.get(KEY)
    assert held.read(KEY) == payload and path.read_bytes().startswith(payload)
    assert Store(cache_folder).read(KEY) == payload


def test_a_file_is_put_as_its_contents(cache_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"contents")
    store().put(KEY, tmp_path / "file")
    assert store().read(KEY) == b"contents"


def test_only_the_owner_can_look_inside(cache_folder: Path) -> None:
    old = os.umask(0)
    try:
        path = store().put(KEY, b"x")
    finally:
        os.umask(old)
    assert [stat.S_IMODE(place.stat().st_mode) for place in (cache_folder, path.parent, path)] == [0o700, 0o700, 0o600]


def test_keys_depend_on_every_part() -> None:
    keys = [key_of("o", "a", "b"), key_of("o", "ab"), key_of("o", "ab", ""), key_of("o", "b", "a"), key_of("o")]
    assert len(set(keys)) == len(keys)
    assert key_of("o", "a") == key_of("o", b"a") != key_of("so", "a")


@pytest.mark.parametrize("key", ["", "x", "../" + KEY, KEY + "/", KEY.upper(), KEY[:-2]])
def test_a_key_is_never_a_path(cache_folder: Path, key: str) -> None:
    for call in (store().get, store().remove, lambda key: store().put(key, b"")):
        with pytest.raises(CacheError):
            call(key)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:10],
        lambda data: data[:-1],
        lambda data: data + b"\0",
        lambda data: b"X" + data[1:],
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: data[:-40] + b"\0" * 40,
        lambda data: b"\0" * len(data),
    ],
)
def test_a_damaged_entry_is_removed_and_made_anew(
    cache_folder: Path, caplog: pytest.LogCaptureFixture, damage: Callable[[bytes], bytes]
) -> None:
    path = store().put(KEY, b"payload" * 100)
    path.write_bytes(damage(path.read_bytes()))
    assert store().get(KEY) is None and not path.exists()
    assert "damaged" in caplog.text and str(path) in caplog.text
    assert store().obtain(KEY, lambda: b"anew") == path
    assert store().read(KEY) == b"anew"


def test_obtain_makes_once(cache_folder: Path) -> None:
    made = []

    def make() -> bytes:
        made.append(1)
        time.sleep(0.05)
        return b"made"

    threads = [threading.Thread(target=lambda: store().obtain(KEY, make)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1 and store().read(KEY) == b"made"
    assert not list((cache_folder / "v1").glob("*.lock"))


def test_a_maker_that_fails_frees_the_lock(cache_folder: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        store().obtain(KEY, lambda: bytes(1 // 0))
    assert store().obtain(KEY, lambda: b"x").is_file()


WORKER = """
import sys, time
from pathlib import Path
from sol.build.cache import store
key, log, seconds = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])
def make():
    with open(log, "a") as file:
        file.write("made\\n")
    time.sleep(seconds)
    return b"payload" * 1000
path = store().obtain(key, make)
assert store().read(key) == b"payload" * 1000
"""


def worker(log: Path, seconds: float) -> subprocess.Popen[bytes]:
    root = str(Path(cache_module.__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": root}
    return subprocess.Popen([sys.executable, "-c", WORKER, KEY, str(log), str(seconds)], env=environment)


def test_two_processes_make_once(cache_folder: Path, tmp_path: Path) -> None:
    processes = [worker(tmp_path / "log", 0.5) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert (tmp_path / "log").read_text() == "made\n"


def test_a_killed_holder_frees_its_lock(cache_folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    holder = worker(log, 60)
    wait_for(log.exists)
    follower = worker(log, 0)
    time.sleep(0.2)
    assert follower.poll() is None
    holder.send_signal(signal.SIGKILL)
    assert holder.wait(10) == -signal.SIGKILL
    assert follower.wait(30) == 0
    assert log.read_text() == "made\n" * 2


def test_a_forked_child_does_not_prolong_a_lock(cache_folder: Path) -> None:
    ready, release = os.pipe(), os.pipe()
    with store().locked(KEY):
        child = os.fork()
        if child == 0:
            os.write(ready[1], b"x")
            os.read(release[0], 1)
            os._exit(0)
        os.read(ready[0], 1)
    with store().locked(KEY):
        pass
    os.write(release[1], b"x")
    assert os.waitpid(child, 0)[1] == 0


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.time() + 30
    while not condition():
        assert time.time() < end
        time.sleep(0.01)


def test_list_size_remove_clear(cache_folder: Path) -> None:
    held = store()
    held.put(KEY, b"x" * 100)
    held.put(OTHER, b"x" * 50)
    (cache_folder / "mine.txt").write_text("not an entry")
    (cache_folder / "v1" / "mine.txt").write_text("not an entry")
    public = Cache()
    assert {(e.key, e.kind, e.size) for e in public.list()} == {(KEY, "o", 140), (OTHER, "so", 90)}
    assert public.size() == 230 and public.folder == cache_folder and "2 entries" in repr(public)
    assert held.remove(KEY) and not held.remove(KEY)
    assert public.clear() == 1 and public.list() == [] and public.size() == 0
    assert (cache_folder / "mine.txt").exists() and (cache_folder / "v1" / "mine.txt").exists()


def test_trim_removes_the_least_recently_used(cache_folder: Path) -> None:
    held = store()
    keys = [key_of("o", str(i)) for i in range(6)]
    for age, key in enumerate(keys):
        path = held.put(key, b"x" * 960)
        os.utime(path, (0, time.time() - 1000 * (10 - age)))
    assert held.trim(0) == 0
    assert held.get(keys[0])
    assert held.trim(3500) == 3
    assert [held.get(key) is not None for key in keys] == [True, False, False, False, True, True]


def test_trim_leaves_what_was_just_used(cache_folder: Path) -> None:
    store().put(KEY, b"x" * 1000)
    assert store().trim(1) == 0 and store().get(KEY)


def test_limit_knob_is_kept_hourly(cache_folder: Path) -> None:
    old = store().put(KEY, b"x" * (2 << 20))
    os.utime(old, (0, 0))
    (cache_folder / "v1" / "trimmed").unlink()
    with config.override(cache_limit_mb=1):
        store().put(OTHER, b"x")
    assert not old.exists() and store().get(OTHER)


def test_trim_removes_what_dead_processes_left(cache_folder: Path) -> None:
    held = store()
    held.put(KEY, b"x")
    folder = cache_folder / "v1"
    (folder / "work-dead" / "deep").mkdir(parents=True)
    (folder / "part-dead").write_bytes(b"x")
    (folder / "part-alive").write_bytes(b"x")
    for name in ("work-dead", "part-dead"):
        os.utime(folder / name, (0, 0))
    held.trim()
    assert sorted(p.name for p in folder.iterdir()) == sorted([KEY, "part-alive", "trimmed"])


def test_workdir_is_private_and_goes_away(cache_folder: Path) -> None:
    with store().workdir() as work:
        assert stat.S_IMODE(work.stat().st_mode) == 0o700
        (work / "a").write_text("x")
    assert not work.exists()


def test_folder_removed_under_our_feet(cache_folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    store().put(KEY, b"x")
    shutil.rmtree(cache_folder)
    assert store().get(KEY) is None
    assert store().put(KEY, b"y") == entry(cache_folder)
    with store().locked(KEY), store().workdir():
        pass
    assert not caplog.records


def fails(code: int, below: Path) -> Callable[..., object]:
    """A stand-in for os.replace or tempfile.mkstemp that fails below a folder: no permission bits stop root."""
    real_replace, real_mkstemp = os.replace, tempfile.mkstemp

    def replace(source: str, destination: Path) -> None:
        if str(destination).startswith(str(below)):
            raise OSError(code, os.strerror(code), str(destination))
        real_replace(source, destination)

    def mkstemp(prefix: str, dir: Path) -> tuple[int, str]:
        if str(dir).startswith(str(below)):
            raise OSError(code, os.strerror(code), str(dir))
        return real_mkstemp(prefix=prefix, dir=dir)

    return replace if code == errno.ENOSPC else mkstemp


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
def test_unwritable_folder_is_stood_in_for(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, code: int
) -> None:
    store().put(OTHER, b"was there before")
    if code == errno.ENOSPC:
        monkeypatch.setattr(os, "replace", fails(code, cache_folder))
    else:
        monkeypatch.setattr(tempfile, "mkstemp", fails(code, cache_folder))
    path = store().put(KEY, b"x")
    assert cache_folder not in path.parents and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert store().get(KEY) == path and store().read(KEY) == b"x" and store().read(OTHER) == b"was there before"
    store().put(key_of("o", "again"), b"x")
    assert len(caplog.records) == 1
    assert str(cache_folder) in caplog.text and "SOL_CACHE_DIR" in caplog.text and os.strerror(code) in caplog.text
    assert [p for p in (cache_folder / "v1").iterdir() if p.name.startswith("part-")] == []


def test_folder_that_cannot_be_made(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    with config.override(cache_dir=tmp_path / "file" / "cache"):
        path = store().put(KEY, b"x")
        assert store().read(KEY) == b"x"
        with store().locked(KEY), store().workdir() as work:
            assert work.is_dir()
    assert tmp_path not in path.parents and "SOL_CACHE_DIR" in caplog.text


def test_nothing_can_be_written_anywhere(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "replace", fails(errno.ENOSPC, Path("/")))
    with pytest.raises(CacheError, match="SOL_CACHE_DIR"):
        store().put(KEY, b"x")


def test_a_full_temporary_folder_is_avoided(cache_folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    held = Store(cache_folder)
    seen = set()
    with pytest.raises(CacheError):
        for _ in range(20):
            with held.workdir() as work:
                assert work.parent not in seen
                seen.add(work.parent)
            held.avoid(work.parent, "No space left on device")
    assert len(seen) >= 2 and len(caplog.records) == 1


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
def test_folder_that_others_can_write_is_refused(tmp_path: Path, caplog: pytest.LogCaptureFixture, mode: int) -> None:
    folder = tmp_path / "shared"
    (folder / "v1").mkdir(parents=True, mode=0o700)
    Store(folder).put(KEY, b"was there")
    folder.chmod(mode)
    held = Store(folder)
    assert held.get(KEY) is None
    assert folder not in held.put(KEY, b"x").parents
    assert "other users" in caplog.text and str(folder) in caplog.text


def test_folder_of_another_user_is_refused(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    Store(cache_folder).put(KEY, b"x")
    someone = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: someone)
    held = Store(cache_folder)
    assert held._folder is None and "belongs to another user" in caplog.text


def test_entry_that_others_can_write_is_not_used(cache_folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = store().put(KEY, b"x")
    path.chmod(0o666)
    assert store().get(KEY) is None and "another user" in caplog.text


@pytest.mark.parametrize(
    ("mode", "trusted"), [(0o755, True), (0o775, True), (0o1777, True), (0o777, False), (0o757, False)]
)
def test_folders_above(tmp_path: Path, mode: int, trusted: bool) -> None:
    folder = tmp_path / "above" / "cache"
    folder.mkdir(parents=True, mode=0o700)
    folder.chmod(0o700)
    (tmp_path / "above").chmod(mode)
    assert (folders.untrusted(folder) == "") is trusted


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_folder_below_that_of_another_user(tmp_path: Path) -> None:
    folder = tmp_path / "above" / "cache"
    folder.mkdir(parents=True, mode=0o700)
    os.chown(tmp_path / "above", 12345, 12345)
    assert "another user" in folders.untrusted(folder)


def test_temporary_folder_goes_with_its_process_not_with_a_child(tmp_path: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path; from sol.build.folders import private_folder\n"
        "folder = private_folder(Path(sys.argv[1]))\n"
        "child = os.fork()\n"
        "if child == 0: sys.exit(0)\n"
        "os.waitpid(child, 0)\n"
        "print(folder.is_dir())"
    )
    root = str(Path(cache_module.__file__).parents[2])
    run = subprocess.run([sys.executable, "-c", script, str(tmp_path)], env={**os.environ, "PYTHONPATH": root},
                         capture_output=True, text=True)  # fmt: skip
    assert run.stdout == "True\n", run.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("variable", "home", "expected"),
    [
        ("/x/cache", "/home/me", "/x/cache/sol"),
        ("relative", "/home/me", "/home/me/.cache/sol"),
        ("", "/home/me", "/home/me/.cache/sol"),
    ],
)
def test_default_folder(variable: str, home: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", variable)
    monkeypatch.setenv("HOME", home)
    assert str(default_folder()) == expected


def test_file_system_without_locks(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def flock(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    caplog.set_level(logging.WARNING)
    assert store().obtain(KEY, lambda: b"x") == entry(cache_folder)
    assert not caplog.records


def test_the_knob_may_change_while_running(tmp_path: Path) -> None:
    for name in ("one", "two"):
        with config.override(cache_dir=tmp_path / name):
            store().put(KEY, name.encode())
    for name in ("one", "two"):
        with config.override(cache_dir=tmp_path / name):
            assert store().read(KEY) == name.encode()
