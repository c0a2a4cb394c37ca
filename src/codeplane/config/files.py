"""Reading and parsing of configuration files, with limits.

A repository's file is untrusted input: links are not followed, only a small regular file is read, and the YAML may not
contain aliases, tags that construct objects, or duplicate keys. Errors in it are reported and do not stop a command;
errors in the user's own file do.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display
from codeplane.base.warnings import WarningCode
from codeplane.config.layers import ConfigLayer, document_layer
from codeplane.config.model import IgnoredSetting, TrustState
from codeplane.config.trust import REPOSITORY_CONFIG, Grant

MAX_DOCUMENT_BYTES = 64 * 1024
MAX_DEPTH = 8
MAX_SETTINGS = 100
"""More than the number of keys; each invalid setting costs time to report."""

_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def user_layer(path: Path) -> ConfigLayer:
    """Read the user's configuration file, which may be a link."""
    origin = display(str(path))
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return ConfigLayer()
    except OSError as error:
        raise _unusable(origin, error.strerror or "cannot be opened") from None
    return document_layer(parse_document(_read(descriptor, origin), origin), origin)


def repository_layer(root: Path, grant: Grant | None = None) -> ConfigLayer:
    """Read the repository's configuration file.

    The trust check uses the digest of the parsed bytes, so the file cannot change in between.
    """
    origin = REPOSITORY_CONFIG
    try:
        data = _repository_bytes(root, origin)
        if data is None:
            return ConfigLayer(trust=TrustState.ABSENT)
        document = parse_document(data, origin)
        if sum(len(content) if isinstance(content, dict) else 1 for content in document.values()) > MAX_SETTINGS:
            raise _unusable(origin, f"contains more than {MAX_SETTINGS} settings")
    except CodePlaneError as error:
        reason = str(error.details.get("reason", "cannot be read"))
        return ConfigLayer(
            trust=TrustState.UNTRUSTED, ignored=(IgnoredSetting("", origin, reason, WarningCode.CONFIG_IGNORED),)
        )
    digest = hashlib.sha256(data).hexdigest()
    if grant is None or origin not in grant.files:
        trust = TrustState.UNTRUSTED
    else:
        trust = TrustState.TRUSTED if grant.covers(origin, digest) else TrustState.VOID
    return replace(document_layer(document, origin, trust), digest=digest)


def _repository_bytes(root: Path, origin: str) -> bytes | None:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        directory = os.open(root / ".codeplane", flags | os.O_DIRECTORY)
    except OSError:
        # Users of the state directory decide whether this is an error.
        return None
    try:
        descriptor = os.open("config.yaml", flags, dir_fd=directory)
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = "is a link" if error.errno == errno.ELOOP else error.strerror or "cannot be opened"
        raise _unusable(origin, reason) from None
    finally:
        os.close(directory)
    return _read(descriptor, origin)


def parse_document(data: bytes, origin: str) -> dict[object, object]:
    """Parse a YAML mapping; an empty document is an empty mapping."""
    if len(data) > MAX_DOCUMENT_BYTES:
        raise _unusable(origin, f"is larger than {MAX_DOCUMENT_BYTES // 1024} KiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _unusable(origin, "is not UTF-8") from None
    try:
        _check_events(text, origin)
        document = yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise _unusable(origin, _reason(error)) from None
    except (ValueError, OverflowError, RecursionError):
        # Numbers and dates that are valid in YAML but not in Python.
        raise _unusable(origin, "contains an invalid value") from None
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise _unusable(origin, "is not a mapping of sections")
    return document


class _Loader(_SafeLoader):  # type: ignore[misc]
    """Safe loader that rejects duplicate keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[object, object]:
        seen: set[str] = set()
        for name, _ in node.value:
            if isinstance(name, yaml.ScalarNode):
                if name.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key '{display(name.value[:80])}' is duplicated", name.start_mark
                    )
                seen.add(name.value)
        mapping: dict[object, object] = super().construct_mapping(node, deep=deep)
        return mapping


def _check_events(text: str, origin: str) -> None:
    """Reject aliases and deep nesting before anything is built."""
    depth = 0
    for event in yaml.parse(text, Loader=_SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise _unusable(origin, "uses an alias, which is not supported")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise _unusable(origin, f"is nested deeper than {MAX_DEPTH} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _read(descriptor: int, origin: str) -> bytes:
    # Check the descriptor first: fdopen fails for a directory.
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _unusable(origin, "is not a regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(MAX_DOCUMENT_BYTES + 1)
    except OSError as error:
        raise _unusable(origin, error.strerror or "cannot be read") from None
    finally:
        os.close(descriptor)


def _reason(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = display(str(getattr(error, "problem", None) or "is not valid YAML")[:200])
    return f"cannot be read: {problem}" + (f" (line {mark.line + 1})" if mark is not None else "")


def _unusable(origin: str, reason: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.CONFIG_INVALID,
        f"{origin} {reason}",
        details={"origin": origin, "reason": reason},
        expected=f"a YAML mapping of at most {MAX_DOCUMENT_BYTES // 1024} KiB, without aliases and repeated keys",
        example="index:\n  overlay: off\n",
        remedy="Correct the file, or remove it.",
    )
