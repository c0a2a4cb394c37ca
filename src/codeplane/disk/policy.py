"""Which paths no tool reads or writes, which it writes only on purpose, and which names no new file gets.

One policy for every surface that shows or changes content. Names alone decide, so that nothing is opened to
find out. A protected name is known in every spelling that some file system takes for it: another case, a
short name, a stream, dots or blanks at its end, characters that are not seen.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.disk.ignore import PROTECTED
from codeplane.disk.secrets import is_secret

_SENSITIVE_NAMES = """
.mcp.json .gitmodules .gitlab-ci.yml .travis.yml .pre-commit-config.yaml lefthook.yml azure-pipelines.yml
jenkinsfile opencode.json
"""
_SENSITIVE_DIRECTORIES = """
.claude .cursor .windsurf .codex .gemini .zed .opencode .continue .roo .aider .husky .githooks .devcontainer .circleci
.buildkite
"""
_SENSITIVE_IN = """
.vscode/tasks.json .vscode/launch.json .vscode/settings.json .vscode/mcp.json .idea/workspace.xml
"""
SENSITIVE_NAMES = frozenset(_SENSITIVE_NAMES.split())
SENSITIVE_DIRECTORIES = frozenset(_SENSITIVE_DIRECTORIES.split())
SENSITIVE_IN = frozenset(_SENSITIVE_IN.split())
SENSITIVE_BENEATH = (".github/workflows/", ".github/actions/", ".idea/runconfigurations/")

_PORTS = tuple(f"{port}{number}" for port in ("com", "lpt") for number in "123456789¹²³")
_DEVICES = frozenset(("con", "prn", "aux", "nul", "conin$", "conout$", *_PORTS))
_UNPORTABLE = frozenset('<>:"|?*\\')
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def refuse_protected(path: str) -> None:
    """PROTECTED_PATH for what lies in a directory of git's, of another such program's, or of ours."""
    if is_protected(path):
        raise CodePlaneError(
            ErrorCode.PROTECTED_PATH,
            f"'{display(path[:_MAX_SHOWN])}' belongs to the version control or to CodePlane, and no tool opens it",
            expected="a file of the project",
            received=display(path[:_MAX_SHOWN]),
            example="src/app.py",
        )


def refuse_secret(path: str) -> None:
    """SECRET_PATH for a file that by its name holds secrets."""
    if is_secret(path):
        raise CodePlaneError(
            ErrorCode.SECRET_PATH,
            f"'{display(path[:_MAX_SHOWN])}' may hold secrets and is neither shown nor changed by any tool",
            received=display(path[:_MAX_SHOWN]),
            remedy="A person can open it.",
        )


def is_protected(path: str) -> bool:
    """Whether a name on the way to `path` is protected."""
    return any(_is_protected_name(name) for name in re.split(r"[/\\]", path))


def is_sensitive(path: str) -> bool:
    """Whether the file decides what is run on somebody's machine: settings of agents and editors, hooks, CI."""
    folded = path.lower()
    parts = PurePosixPath(folded).parts
    name = parts[-1] if parts else ""
    within = f"{parts[-2]}/{name}" if len(parts) > 1 else name
    return (
        name in SENSITIVE_NAMES
        or within in SENSITIVE_IN
        or not SENSITIVE_DIRECTORIES.isdisjoint(parts)
        or any(f"/{folded}".find(f"/{beneath}") >= 0 for beneath in SENSITIVE_BENEATH)
        or ("hooks" in parts[:-1] and name.endswith(".sh"))
    )


def refuse_unportable(path: str) -> None:
    """Raise PATH_UNPORTABLE for a name that other systems cannot have, or that is not what it looks like."""
    for name in path.split("/"):
        why = _why_unportable(name)
        if why is not None:
            raise CodePlaneError(
                ErrorCode.PATH_UNPORTABLE,
                f"'{display(path)}' would not be the same file everywhere: a name {why}",
                expected='a name of visible characters without < > : " | ? * and \\',
                received=display(name),
                example="src/app.py",
            )


def fold_name(name: str) -> str:
    """What two names have in common that some file systems cannot tell apart."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def refuse_restricted(path: str) -> None:
    """PROTECTED_PATH or SECRET_PATH for what no tool shows or changes."""
    refuse_protected(path)
    refuse_secret(path)


def _is_protected_name(name: str) -> bool:
    if name.isascii() and "." not in name and "~" not in name:
        return False
    seen = "".join(char for char in name if unicodedata.category(char) not in _UNSEEN)
    # What follows a colon names a stream of the file; blanks and dots at the end are dropped.
    plain = unicodedata.normalize("NFKC", seen).partition(":")[0].rstrip(". ").casefold()
    return plain in PROTECTED or _SHORT.fullmatch(plain) is not None


def _why_unportable(name: str) -> str | None:
    if not _UNPORTABLE.isdisjoint(name):
        return "with a character that some systems do not allow"
    if name[-1:] in (".", " ") or name[:1] == " ":
        return "that begins or ends with a space, or ends with a point"
    if name.split(".", 1)[0].rstrip(" ").lower() in _DEVICES:
        return "of a device"
    if name.isascii() and name.isprintable():
        return None
    if any(unicodedata.category(char) in _INVISIBLE for char in name):
        return "with characters that are not seen"
    if unicodedata.normalize("NFC", name) != name or unicodedata.normalize("NFKC", name).count("/"):
        return "that can be written in another way"
    return None


_MAX_SHOWN = 200
_UNSEEN = frozenset({"Cf", "Cc"})
_SHORT = re.compile(r"(?:git|hg|svn|codepl)~[0-9]{1,6}")
"""Short names that NTFS gives to names with a dot in front."""
