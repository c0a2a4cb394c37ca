"""Path policy: protected and secret paths, and unportable names of new files.

One policy for every tool and command that shows or changes content. Decisions use the name only, so nothing is opened.
A protected name is recognized in all spellings that some file system treats as equal: other case, 8.3 short names, NTFS
streams, trailing dots and spaces, invisible characters.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.disk.allowed_secrets import is_blocked_secret, log_opened_secret
from codeplane.disk.ignore import PROTECTED

_PORTS = tuple(f"{port}{number}" for port in ("com", "lpt") for number in "123456789¹²³")
_DEVICES = frozenset(("con", "prn", "aux", "nul", "conin$", "conout$", *_PORTS))
_UNPORTABLE = frozenset('<>:"|?*\\')
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def refuse_protected(path: str) -> None:
    """Raise PROTECTED_PATH for a path in a directory of a version control system or of CodePlane."""
    if is_protected(path):
        raise CodePlaneError(
            ErrorCode.PROTECTED_PATH,
            f"'{display(path[:_MAX_SHOWN])}' belongs to version control or to CodePlane; no tool opens it",
            expected="a file of the project",
            received=display(path[:_MAX_SHOWN]),
            example="src/app.py",
        )


def refuse_secret(root: Path, path: str) -> None:
    """Raise SECRET_PATH for a file whose name indicates secrets, unless the operator has allowed it."""
    if is_blocked_secret(root, path):
        raise CodePlaneError(
            ErrorCode.SECRET_PATH,
            f"'{display(path[:_MAX_SHOWN])}' may contain secrets; no tool reads or changes it",
            received=display(path[:_MAX_SHOWN]),
            remedy="Ask the user to open it, or to allow it with the setting 'secrets.allow'.",
        )
    log_opened_secret(root, path)


def is_protected(path: str) -> bool:
    """True if any segment of `path` is protected."""
    return any(_is_protected_name(name) for name in re.split(r"[/\\]", path))


def refuse_unportable(path: str) -> None:
    """Raise PATH_UNPORTABLE for a name that some systems do not allow or that is visually misleading."""
    for name in path.split("/"):
        why = _why_unportable(name)
        if why is not None:
            raise CodePlaneError(
                ErrorCode.PATH_UNPORTABLE,
                f"'{display(path)}' is not portable: a name {why}",
                expected='a name of visible characters without < > : " | ? * and \\',
                received=display(name),
                example="src/app.py",
            )


def fold_name(name: str) -> str:
    """Return a key that is equal for names which some file systems treat as equal."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def refuse_restricted(root: Path, path: str) -> None:
    """Raise PROTECTED_PATH or SECRET_PATH for a path that no tool may open."""
    refuse_protected(path)
    refuse_secret(root, path)


def _is_protected_name(name: str) -> bool:
    if name.isascii() and "." not in name and "~" not in name and name[:1] != "_":
        return False
    visible = "".join(char for char in name if unicodedata.category(char) not in _IGNORABLE)
    # NTFS: a colon separates the stream name; trailing spaces and dots are ignored.
    plain = unicodedata.normalize("NFKC", visible).partition(":")[0].rstrip(". ").casefold()
    return plain in PROTECTED or _SHORT.fullmatch(plain) is not None


def _why_unportable(name: str) -> str | None:
    if not _UNPORTABLE.isdisjoint(name):
        return "has a character that some systems do not allow"
    if name[-1:] in (".", " ") or name[:1] == " ":
        return "starts or ends with a space, or ends with a dot"
    if name.split(".", 1)[0].rstrip(" ").lower() in _DEVICES:
        return "is reserved for a device"
    if name.isascii() and name.isprintable():
        return None
    if any(unicodedata.category(char) in _INVISIBLE for char in name):
        return "has invisible characters"
    if unicodedata.normalize("NFC", name) != name or unicodedata.normalize("NFKC", name).count("/"):
        return "is not in Unicode normal form"
    return None


_MAX_SHOWN = 200
_IGNORABLE = frozenset({"Cf", "Cc"})
_SHORT = re.compile(r"(?:git|hg|svn|jj|bzr|sl|pijul|codepl)~[0-9]{1,6}")
"""NTFS 8.3 short names of the protected directories."""
