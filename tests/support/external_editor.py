"""An external editor of a working tree: a seeded stream of edits and git commands."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

from support.repositories import git, make_repository, write

SNIPPETS: dict[str, list[str]] = {
    ".py": [
        "import os\n",
        "def {n}(a, b=1):\n    '''Doc of {n}.'''\n    return a + b\n",
        "class {N}:\n    x = 1\n    def {n}(self):\n        return self.x\n",
        "{n} = 3\n",
        "from .{m} import {n}\n",
    ],
    ".js": [
        "export function {n}(a) {{ return a }}\n",
        "class {N} {{ {n}() {{ return this.x }} }}\n",
        "const {n} = (x) => x;\n",
    ],
    ".ts": ["export interface {N} {{ {n}: string }}\n", "export const {n} = 1;\n"],
    ".go": ["package main\n", "func {n}(a int) int {{ return a }}\n", "type {N} struct {{ X int }}\n"],
    ".rs": ["pub fn {n}(a: i32) -> i32 {{ a }}\n", "struct {N} {{ x: i32 }}\n"],
    ".java": ["class {N} {{ int {n}(int a) {{ return a; }} }}\n"],
    ".md": ["# {N}\n\nText about {n}.\n"],
}
NAMES = ["alpha", "beta", "gamma", "delta", "epsilon"]
ACTIONS = (
    *("create", "create", "modify", "modify", "modify", "delete", "rename", "touch", "chmod"),
    *("commit", "branch", "switch", "ignore", "crlf", "directory", "binary", "same_size"),
    *("stash", "rebase", "submodule", "symlink", "case_rename", "conflict", "attributes"),
)


class Outside:
    """Each `step` is one action; what git refuses in the state of the moment is left as it is."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.branches = ["main"]

    def files(self) -> list[Path]:
        hidden = {".git", ".codeplane"}
        return sorted(
            path
            for path in self.root.rglob("*")
            if path.is_file()
            and not path.is_symlink()
            and not hidden & set(path.relative_to(self.root).parts)
            and path.name != ".gitmodules"
        )

    def content(self, suffix: str) -> str:
        pieces = self.random.choices(SNIPPETS.get(suffix, ["{n}\n"]), k=self.random.randint(0, 4))
        return "".join(
            piece.format(n=self.random.choice(NAMES), N=self.random.choice(NAMES).title(), m="alpha")
            for piece in pieces
        )

    def step(self) -> str:
        action = self.random.choice(ACTIONS)
        getattr(self, f"do_{action}")()
        return action

    def do_create(self) -> None:
        suffix = self.random.choice(sorted(SNIPPETS))
        folder = self.random.choice(["", "pkg/", "pkg/deep/", "web/"])
        with suppress(FileExistsError, NotADirectoryError, IsADirectoryError):
            write(self.root, f"{folder}{self.random.choice(NAMES)}{suffix}", self.content(suffix))

    def _pick(self) -> Path | None:
        files = self.files()
        return self.random.choice(files) if files else None

    def do_modify(self) -> None:
        path = self._pick()
        if path is not None:
            path.write_text(path.read_bytes().decode("latin-1") + self.content(path.suffix), "utf-8")

    def do_same_size(self) -> None:
        path = self._pick()
        if path is not None:
            stat = path.stat()
            path.write_bytes(path.read_bytes().replace(b"a", b"e", 1))
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    def do_delete(self) -> None:
        path = self._pick()
        if path is not None:
            path.unlink()

    def do_rename(self) -> None:
        path = self._pick()
        if path is not None:
            path.rename(path.with_name(f"{self.random.choice(NAMES)}_{self.random.randint(0, 9)}{path.suffix}"))

    def do_case_rename(self) -> None:
        path = self._pick()
        if path is not None:
            other = path.with_name(path.name.swapcase())
            if not other.exists():
                path.rename(other)

    def do_touch(self) -> None:
        path = self._pick()
        if path is not None:
            os.utime(path, ns=(0, self.random.randint(0, 2_000_000_000_000_000_000)))

    def do_chmod(self) -> None:
        path = self._pick()
        if path is not None:
            path.chmod(self.random.choice([0o644, 0o755]))

    def do_symlink(self) -> None:
        """A link where a file was, a link that moves, a link that becomes a file or a directory."""
        links = sorted(path for path in self.root.iterdir() if path.is_symlink())
        if links and self.random.random() < 0.5:
            link = self.random.choice(links)
            link.unlink()
            if self.random.random() < 0.5:
                link.write_text(self.content(".py"))
            return
        path = self._pick()
        if path is not None:
            target = self.random.choice(["pkg", "README.md", "nowhere", str(self.root.parent)])
            path.unlink()
            path.symlink_to(target)

    def do_commit(self) -> None:
        self._end_operation()
        self._try("add", "-A")
        self._try("commit", "-qm", "step", "--allow-empty")

    def do_branch(self) -> None:
        name = f"b{len(self.branches)}"
        self.do_commit()
        if self._try("switch", "-qc", name):
            self.branches.append(name)

    def do_switch(self) -> None:
        self.do_commit()
        self._try("switch", "-q", self.random.choice(self.branches))

    def do_stash(self) -> None:
        self._end_operation()
        if not self._try("stash", "push", "-q", "-u"):
            return
        if self.random.random() < 0.7:
            self.do_create()
            self._try("stash", "pop", "-q")

    def do_rebase(self) -> None:
        """Finished, or left in the middle where it conflicts."""
        self.do_commit()
        self._try("rebase", "-q", self.random.choice(self.branches))

    def do_conflict(self) -> None:
        """A merge that conflicts stays as it is: markers in the files, three stages in the index."""
        self.do_commit()
        self._try("merge", "-q", "-m", "merge", self.random.choice(self.branches))

    def do_submodule(self) -> None:
        """Add one, or check out another commit in it."""
        origin, inside = self.root.parent / "library", self.root / "lib"
        if not (origin / ".git").exists():
            make_repository(origin, {"lib.py": "def library():\n    return 1\n"})
        if (inside / ".git").exists():
            write(origin, "lib.py", self.content(".py"))
            git(origin, "commit", "-qam", "step", "--allow-empty")
            self._try("-c", "protocol.file.allow=always", "submodule", "update", "-q", "--remote", "lib")
        elif not os.path.lexists(inside):
            added = ("submodule", "add", "-q", "-f", "--name", "lib", str(origin), "lib")
            self._try("-c", "protocol.file.allow=always", *added)

    def do_ignore(self) -> None:
        patterns = self.random.sample(["*.md", "web/", "pkg/deep", "!alpha.md", "beta.*"], k=self.random.randint(0, 2))
        with suppress(FileExistsError, NotADirectoryError, IsADirectoryError):
            name = self.random.choice([".gitignore", ".cplignore", "pkg/.gitignore"])
            write(self.root, name, "\n".join(patterns) + "\n")

    def do_attributes(self) -> None:
        name = self.random.choice([".gitattributes", "pkg/.gitattributes"])
        what = self.random.choice(["linguist-documentation", "linguist-generated", "-linguist-documentation", "text"])
        with suppress(OSError):
            write(self.root, name, f"{self.random.choice(['*.py', '*', 'deep/**'])} {what}\n")

    def do_crlf(self) -> None:
        path = self._pick()
        if path is not None:
            data = path.read_bytes()
            path.write_bytes(data.replace(b"\r\n", b"\n") if b"\r\n" in data else data.replace(b"\n", b"\r\n"))

    def do_directory(self) -> None:
        """A directory where a file was, or the other way round."""
        path = self._pick()
        if path is not None and path.suffix == ".md":
            path.unlink()
            write(self.root, f"{path.relative_to(self.root)}/alpha.py", self.content(".py"))
        elif (self.root / "pkg/deep").is_dir():
            shutil.rmtree(self.root / "pkg/deep")

    def do_binary(self) -> None:
        name = f"{self.random.choice(NAMES)}.py"
        if not (self.root / name).is_symlink():
            write(self.root, name, bytes(self.random.randrange(256) for _ in range(64)) + b"\0")

    def _end_operation(self) -> None:
        for operation in ("rebase", "merge"):
            self._try(operation, "--abort")

    def _try(self, *arguments: str) -> bool:
        try:
            git(self.root, *arguments)
        except subprocess.CalledProcessError:
            return False
        return True
