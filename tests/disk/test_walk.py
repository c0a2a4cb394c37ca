"""A scan sees what is there; with a warm cache it sees exactly the same."""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath
from codeplane.disk import stats
from codeplane.disk.ignore import IgnoreRules
from codeplane.disk.safe_open import Root
from codeplane.disk.walk import Scan, WalkCache, outermost, walk

RULES = IgnoreRules()
NOBODY = 65534


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Root]:
    with Root.open(tmp_path) as opened:
        yield opened


@pytest.fixture
def public_root() -> Iterator[Root]:
    """A root that another user may enter too."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    with Root.open(place) as opened:
        yield opened
    place.chmod(0o755)
    for folder, names, _ in os.walk(place):
        for name in names:
            Path(folder, name).chmod(0o755)
    shutil.rmtree(place)


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Run as another user: permissions do not apply to root."""
    if os.geteuid() != 0:
        yield
        return
    try:
        os.seteuid(NOBODY)
    except PermissionError:
        pytest.skip("neither an ordinary user nor able to become one")
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def short_window(monkeypatch: pytest.MonkeyPatch) -> float:
    """Directories settle in milliseconds; returns how long to wait for it."""
    monkeypatch.setattr(stats, "RACY_WINDOW_NS", 20_000_000)
    return 0.035


def write(root: Root, *paths: str, text: str = "x") -> None:
    for path in paths:
        target = root.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def remove_deep(place: Path) -> None:
    """Remove a tree that is too deep for shutil."""
    subprocess.run(["rm", "-rf", *map(str, place.iterdir())], check=True)


def visible(scan: Scan) -> tuple[object, ...]:
    """All of a scan but its times."""
    ignored = [(file.path, file.stat, file.digest) for file in scan.ignore_files]
    return (*scan[: scan._fields.index("ignore_files")], ignored, scan.ignore_signature)


def test_every_entry_is_classified(root: Root) -> None:
    write(root, "b.py", "a/z.py", "a/y/x.py", "a-b/c.py", "node_modules/n.js", ".env", "é.py")
    (root.path / "link").symlink_to("b.py")
    (root.path / "link_dir").symlink_to("a")
    (root.path / "dangling").symlink_to("nowhere")
    os.mkfifo(root.path / "fifo.py")
    bad = os.fsdecode(b"bad\xff.py")
    write(root, bad)
    scan = walk(root, RULES)
    assert set(scan.files) == {"b.py", "a/z.py", "a/y/x.py", "a-b/c.py", "é.py", bad}
    assert scan.symlinks == ("dangling", "link", "link_dir")
    assert scan.secrets == (".env",)
    assert scan.pruned == ("node_modules",)
    assert (scan.special, scan.unscanned, scan.unreadable, scan.overlong) == (1, (), (), 0)
    assert scan.files[RepoPath("b.py")] == stats.file_stat(os.stat(root.path / "b.py"))


def test_sockets_are_special(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root.path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.py")
        assert walk(root, RULES).special == 1


def test_nested_repositories_and_submodules_are_walked(root: Root) -> None:
    write(root, "nested/.git/HEAD", "nested/a.py", "module/.git", "module/b.py")
    assert set(walk(root, RULES).files) == {"nested/a.py", "module/b.py"}


def test_order_does_not_depend_on_creation(root: Root, tmp_path_factory: pytest.TempPathFactory) -> None:
    paths = [f"d{number % 7}/f{number}.py" for number in range(60)]
    write(root, *paths)
    with Root.open(tmp_path_factory.mktemp("other")) as other:
        random.Random(5).shuffle(paths)
        write(other, *paths)
        assert list(walk(root, RULES).files) == list(walk(other, RULES).files)


@pytest.mark.parametrize("by_component", [False, True])
def test_deep_tree(tmp_path: Path, by_component: bool) -> None:
    """Deeper than the descriptors that may be open, and with work left at each level on the way back."""
    levels = 1200 if not by_component else 100
    fd = os.open(tmp_path, os.O_RDONLY)
    for _ in range(levels):
        for name in ("b", "a"):
            os.mkdir(name, dir_fd=fd)
        os.close(os.open("f", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
        inner = os.open("a", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = inner
    os.close(fd)
    before = len(os.listdir("/dev/fd"))
    try:
        with Root.open(tmp_path, by_component=by_component) as root:
            scan = walk(root, RULES)
        assert len(os.listdir("/dev/fd")) == before
        assert len(scan.files) == levels
        assert scan.unscanned == ()
    finally:
        remove_deep(tmp_path)


def test_overlong_paths_are_reported(tmp_path: Path) -> None:
    fd = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("n" * 255, dir_fd=fd)
        inner = os.open("n" * 255, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = inner
        os.close(os.open("f", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
    os.close(fd)
    try:
        with Root.open(tmp_path) as root:
            scan = walk(root, RULES)
        assert len(scan.files) == 15
        assert scan.overlong == 2, "the file and the directory in the last one that has a path"
    finally:
        remove_deep(tmp_path)


def test_unreadable_directory_is_reported(public_root: Root) -> None:
    write(public_root, "a/b/c.py", "a/d.py", "e/f.py")
    (public_root.path / "a").chmod(0o000)
    (public_root.path / "e").chmod(0o000)
    with ordinary_user():
        scan = walk(public_root, RULES)
    assert scan.unscanned == ("a", "e")
    assert not scan.files


def test_directory_that_can_be_listed_but_not_entered(public_root: Root) -> None:
    write(public_root, "a/b.py", "a/d/c.py", "x.py")
    (public_root.path / "a").chmod(0o444)
    cache = WalkCache()
    with ordinary_user():
        scans = [walk(public_root, RULES, cache), walk(public_root, RULES, cache)]
    for scan in scans:
        assert set(scan.files) == {"x.py"}
        assert scan.unreadable == ("a/b.py",)
        assert scan.unscanned == ("a/d",)
    (public_root.path / "a").chmod(0o755)
    assert set(walk(public_root, RULES, cache).files) == {"a/b.py", "a/d/c.py", "x.py"}


def test_unreadable_root(public_root: Root) -> None:
    write(public_root, "a.py")
    public_root.path.chmod(0o111)
    with ordinary_user():
        scan = walk(public_root, RULES)
    public_root.path.chmod(0o755)
    assert scan.unscanned == ("",)
    assert not scan.files


def test_missing_root_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    with Root.open(tmp_path / "repo") as root:
        (tmp_path / "repo").rmdir()
        with pytest.raises(CodePlaneError) as caught:
            walk(root, RULES)
    assert caught.value.code is ErrorCode.ROOT_CHANGED


@pytest.mark.parametrize(
    ("prefixes", "kept"),
    [
        (["a/b", "a", "a-b", "a/b/c"], ("a", "a-b")),
        (["ab", "a"], ("a", "ab")),
        (["a/b", "a/bc", "a/b/d"], ("a/b", "a/bc")),
        (["x", "", "y"], ("",)),
        ([], ()),
    ],
)
def test_seen_directories_are_compressed(prefixes: list[str], kept: tuple[str, ...]) -> None:
    assert outermost(map(RepoPath, prefixes)) == kept


def test_unchanged_directory_is_not_listed_again(root: Root, short_window: float) -> None:
    write(root, "a/b.py", "a/c.py", "d.py")
    cache = WalkCache()
    time.sleep(short_window)
    first = walk(root, RULES, cache)
    second = walk(root, RULES, cache)
    assert visible(first) == visible(second)
    assert all(second.files[path] is stat for path, stat in first.files.items())
    write(root, "a/c.py", text="longer")
    third = walk(root, RULES, cache)
    assert third.files[RepoPath("a/c.py")] == stats.file_stat(os.stat(root.path / "a/c.py"))
    assert third.files[RepoPath("a/b.py")] is first.files[RepoPath("a/b.py")]


def test_recently_changed_directory_is_listed_again(root: Root) -> None:
    """Its stat could stay the same while another entry appears: nothing of it may be kept."""
    write(root, "a/b.py")
    cache = WalkCache()
    walk(root, RULES, cache)
    assert not any(listing.settled for listing in cache.listings.values())


def test_changed_configuration_invalidates_the_walk_cache(root: Root, short_window: float) -> None:
    write(root, "a/b.py", "a/c.sql")
    cache = WalkCache()
    time.sleep(short_window)
    assert len(walk(root, RULES, cache).files) == 2
    assert set(walk(root, IgnoreRules(patterns=("*.sql",)), cache).files) == {"a/b.py"}
    assert len(walk(root, RULES, cache).files) == 2


def test_ignored_ignore_file_still_applies(root: Root, short_window: float) -> None:
    write(root, "a/b.py", "a/c.py")
    write(root, ".gitignore", text=".*\n")
    write(root, "a/.gitignore", text="b.py\n")
    cache = WalkCache()
    time.sleep(short_window)
    assert set(walk(root, RULES, cache).files) == {"a/c.py"}
    time.sleep(short_window)
    write(root, "a/.gitignore", text="c.py\n")
    assert set(walk(root, RULES, cache).files) == {"a/b.py"}


def test_cached_walk_equals_cold_walk(root: Root, short_window: float) -> None:
    """After any change, the cached walk and one without memory agree in everything."""
    chance = random.Random(11)
    write(root, *(f"d{number % 4}/e{number % 3}/f{number}.py" for number in range(24)), "g.py")
    write(root, ".git/info/exclude", text="")
    cache = WalkCache()
    top = root.path

    def folder() -> Path:
        folders = [Path(name) for name, _, _ in os.walk(top) if ".git" not in Path(name).parts]
        return chance.choice(folders)

    def entry() -> Path:
        return chance.choice([path for path in top.rglob("*") if ".git" not in path.parts])

    def create() -> None:
        (folder() / f"new{chance.randrange(1000)}.{chance.choice(('py', 'sql', 'log'))}").write_text("n")

    def remove() -> None:
        victim = entry()
        if victim.is_dir() and not victim.is_symlink():
            shutil.rmtree(victim)
        else:
            victim.unlink()

    def rename() -> None:
        source = entry()
        source.rename(folder() / f"moved{chance.randrange(1000)}") if not source.is_dir() else None

    def link() -> None:
        victim = entry()
        aside = victim.with_name("aside" + str(chance.randrange(10**6)))
        victim.rename(aside)
        victim.symlink_to(aside.name)

    def make_folder() -> None:
        write(root, f"{folder().relative_to(top).as_posix()}/sub{chance.randrange(1000)}/x.py")

    def rule() -> None:
        name = chance.choice((".gitignore", ".cplignore", ".satoriignore"))
        target = folder() / name
        if not target.is_symlink() and not target.is_dir():
            target.write_text(chance.choice(("*.py\n", "!*.py\n", "e1/\n", "!e1/\n", "*.sql\n", "")))

    def exclude() -> None:
        (top / ".git/info/exclude").write_text(chance.choice(("e2\n", "*.sql\n", "")))

    def edit() -> None:
        target = entry()
        if target.is_file() and not target.is_symlink():
            target.write_text("changed")

    steps = (create, remove, rename, link, make_folder, rule, rule, exclude, edit)
    sizes = set()
    for _ in range(50):
        chance.choice(steps)()
        time.sleep(short_window if chance.random() < 0.7 else 0)
        warm, cold = walk(root, RULES, cache), walk(root, RULES)
        assert visible(warm) == visible(cold)
        sizes.add(len(cold.files))
    assert len(sizes) > 5
