"""Runtime directory of a repository: the socket, port and token by which processes of one user find each other.

It is outside the repository, because files inside may have come with a clone. Directories are owned by the user with
mode 0700, files have mode 0600, and links are not followed. Anything else is rejected, never repaired. Quick to import:
every frontend needs it first.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import stat as modes
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, NoReturn, Self

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display

SOCKET_NAME: Final = "engine.sock"
HTTP_NAME: Final = "http.json"
PORT_NAME: Final = "port"
MAX_SOCKET_PATH: Final = 100
"""Maximum length of a socket path; systems allow 104 to 108 bytes including the final NUL."""
MAX_SECRET_BYTES: Final = 64 * 1024

_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
_READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NOCTTY
_WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_ID_CHARS = 16


def runtime_base(xdg_runtime_dir: str | None, *, temporary: str = "/tmp", users: str = "/run/user") -> Path:
    """Return the base directory; every process of the user must compute the same one.

    Clients start frontends with or without XDG_RUNTIME_DIR, so its usual value is tried even if it is not set.
    """
    uid = os.geteuid()
    for value in (xdg_runtime_dir, f"{users}/{uid}"):
        if value and Path(value).is_absolute() and _is_own_directory(value):
            base = Path(value) / "codeplane"
            if _socket_fits(base):
                return base
    return Path(temporary) / f"codeplane-{uid}"


def repository_id(root: Path) -> str:
    """Return a short id of the repository at a path; symbolic links do not change it."""
    return hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:_ID_CHARS]


class PrivateDirectory:
    """Open directory that only its owner can access. Files in it are opened by name."""

    def __init__(self, path: Path, fd: int) -> None:
        self.path = path
        self._fd = fd

    @classmethod
    def open_at(cls, path: Path) -> Self:
        """Open the directory, or create it in an existing parent."""
        return cls(path, _open_own(path, None))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def write_secret(self, name: str, text: str) -> None:
        """Atomically replace a file that only its owner can read."""
        self._refuse_foreign(name)
        temporary = f".{name}.{secrets.token_hex(8)}"
        try:
            fd = os.open(temporary, _WRITE_FLAGS, 0o600, dir_fd=self._fd)
            try:
                os.fchmod(fd, 0o600)
                with open(fd, "wb", closefd=False) as stream:
                    stream.write(text.encode())
                os.rename(temporary, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(temporary, dir_fd=self._fd)
                raise
            finally:
                os.close(fd)
        except OSError as error:
            _refuse(self.path / name, f"it cannot be written: {error.strerror}", error)

    def read_secret(self, name: str) -> str | None:
        """Return the text of a private file, or None if it does not exist."""
        try:
            fd = os.open(_checked_name(name), _READ_FLAGS, dir_fd=self._fd)
        except FileNotFoundError:
            return None
        except OSError as error:
            _refuse(self.path / name, f"it cannot be opened: {error.strerror}", error)
        try:
            self._check_file(name, os.fstat(fd))
            with open(fd, "rb", closefd=False) as stream:
                data = stream.read(MAX_SECRET_BYTES + 1)
        except OSError as error:
            _refuse(self.path / name, f"it cannot be read: {error.strerror}", error)
        finally:
            os.close(fd)
        if len(data) > MAX_SECRET_BYTES:
            _refuse(self.path / name, f"it has more than {MAX_SECRET_BYTES} bytes")
        return data.decode("utf-8", "replace")

    def remove(self, name: str, *, holding: str | None = None) -> None:
        """Remove a file if it exists; with `holding`, only if it has that text (not the one of a newer process)."""
        if holding is not None and self.read_secret(name) != holding:
            return
        with contextlib.suppress(FileNotFoundError):
            os.unlink(_checked_name(name), dir_fd=self._fd)

    def _refuse_foreign(self, name: str) -> None:
        try:
            found = os.stat(_checked_name(name), dir_fd=self._fd, follow_symlinks=False)
        except FileNotFoundError:
            return
        self._check_file(name, found)

    def _check_file(self, name: str, found: os.stat_result) -> None:
        path = self.path / name
        if not modes.S_ISREG(found.st_mode):
            _refuse(path, "it is not a regular file")
        if found.st_uid != os.geteuid():
            _refuse(path, "it belongs to another user")
        if modes.S_IMODE(found.st_mode) != 0o600:
            _refuse(path, "its mode is not 0600")


class RuntimeDirectory(PrivateDirectory):
    """The runtime directory of one repository."""

    @classmethod
    def open(cls, base: Path, root: Path) -> RuntimeDirectory:
        path = base / repository_id(root)
        if not _socket_fits(base):
            _refuse(path, f"the socket path would be longer than {MAX_SOCKET_PATH} bytes")
        base_fd = _open_own(base, None)
        try:
            return cls(path, _open_own(path, base_fd))
        finally:
            os.close(base_fd)

    @property
    def socket_path(self) -> Path:
        return self.path / SOCKET_NAME


@dataclass(frozen=True)
class HttpRecord:
    """Address and token of an HTTP server. The token is new at each start, unless `keep_token` is set."""

    port: int
    pid: int
    token: str
    api_version: str
    started: float

    def as_text(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))


def read_http(directory: RuntimeDirectory) -> HttpRecord | None:
    """Return the record of the last server; check with `prove` whether it still runs."""
    text = directory.read_secret(HTTP_NAME)
    if text is None:
        return None
    try:
        fields = json.loads(text)
        return HttpRecord(
            int(fields["port"]),
            int(fields["pid"]),
            str(fields["token"]),
            str(fields["api_version"]),
            float(fields["started"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def new_token() -> str:
    return secrets.token_urlsafe(32)


def prove(token: str, challenge: str) -> str:
    """Return the answer to a challenge (HMAC), with which a client verifies a server before it sends the token."""
    return hmac.new(token.encode(), b"codeplane:" + challenge.encode(), hashlib.sha256).hexdigest()


def write_port(directory: Path, port: int) -> None:
    """Write the port to the state directory of the repository, for other programs.

    CodePlane never reads it, because anyone could have written it. Errors are ignored.
    """
    temporary = f".{PORT_NAME}.{secrets.token_hex(8)}"
    try:
        directory_fd = os.open(directory, _DIRECTORY_FLAGS)
    except OSError:
        return
    try:
        fd = os.open(temporary, _WRITE_FLAGS, 0o600, dir_fd=directory_fd)
        with open(fd, "w") as stream:
            stream.write(f"{port}\n")
        os.rename(temporary, PORT_NAME, src_dir_fd=directory_fd, dst_dir_fd=directory_fd)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=directory_fd)
    finally:
        os.close(directory_fd)


def remove_port(directory: Path, port: int) -> None:
    """Remove the port file, unless another server has replaced it."""
    with contextlib.suppress(OSError, ValueError):
        directory_fd = os.open(directory, _DIRECTORY_FLAGS)
        try:
            with open(os.open(PORT_NAME, _READ_FLAGS, dir_fd=directory_fd), "rb") as stream:
                is_ours = int(stream.read(16)) == port
            if is_ours:
                os.unlink(PORT_NAME, dir_fd=directory_fd)
        finally:
            os.close(directory_fd)


def _open_own(path: Path, parent_fd: int | None) -> int:
    """Open a private directory, created if missing; `parent_fd` is its open parent."""
    name: str | Path = path if parent_fd is None else path.name
    try:
        if parent_fd is None:
            _check_parent(path.parent)
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=parent_fd)
        fd = os.open(name, _DIRECTORY_FLAGS, dir_fd=parent_fd)
    except OSError as error:
        _refuse(path, f"it cannot be opened as a directory: {error.strerror}", error)
    found = os.fstat(fd)
    if found.st_uid != os.geteuid():
        os.close(fd)
        _refuse(path, "it belongs to another user")
    if modes.S_IMODE(found.st_mode) & 0o077:
        os.close(fd)
        _refuse(path, "its mode is not 0700")
    return fd


def _check_parent(path: Path) -> None:
    """Reject a parent in which another user could replace the directory."""
    found = os.stat(path)
    if found.st_uid not in (0, os.geteuid()):
        _refuse(path, "it belongs to another user")
    if found.st_mode & 0o022 and not found.st_mode & modes.S_ISVTX:
        _refuse(path, "other users can replace entries in it")


def _is_own_directory(path: str) -> bool:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return False
    return modes.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def _socket_fits(base: Path) -> bool:
    return len(os.fsencode(base)) + len(f"/{'0' * _ID_CHARS}/{SOCKET_NAME}") <= MAX_SOCKET_PATH


def _checked_name(name: str) -> str:
    if not name or "/" in name or "\0" in name or name in (".", ".."):
        raise CodePlaneError(ErrorCode.INTERNAL, "invalid file name in the runtime directory")
    return name


def _refuse(path: Path, why: str, cause: BaseException | None = None) -> NoReturn:
    raise CodePlaneError(
        ErrorCode.RUNTIME_DIRECTORY_UNSAFE,
        f"'{display(str(path))}' cannot be used: {why}",
        remedy="Remove it, or make it private: directories 0700, files 0600. XDG_RUNTIME_DIR moves the sockets.",
    ) from cause
