"""What marker files say of units: name, members, what is left out. Bytes in, a Manifest out.

Every marker is a stranger's input: whatever is wrong with it, too large, not of its format,
nested without end, of odd types, becomes a note, and the file counts as a bare marker.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from typing import Any

import orjson

from codeplane.base.errors import CodePlaneError
from codeplane.base.paths import basename, display
from codeplane.config.files import parse_document
from codeplane.index.units import gradle, maven, spelled
from codeplane.index.units.globs import check
from codeplane.index.units.jsonc import strip_comments
from codeplane.index.units.model import Manifest

MAX_MARKER_BYTES = 512 * 1024
MAX_MEMBERS = 2000
MAX_NAME_CHARS = 200

_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){64}""")


def declare(path: str, data: bytes | None) -> Manifest:
    """What the marker at `path` says; `data` is None for one that could not be read within bounds."""
    name = basename(path)
    reader = _READERS.get(name) or _READERS.get(name[name.rfind(".") :])
    if reader is None:
        return Manifest()
    if data is None or len(data) > MAX_MARKER_BYTES:
        return Manifest(note=f"it is larger than {MAX_MARKER_BYTES // 1024} KiB and was not read", open=True)
    try:
        found = reader(data)
    except _Unusable as error:
        return Manifest(note=str(error), open=True)
    except CodePlaneError as error:
        return Manifest(note=str(error.details.get("reason", error.message)), open=True)
    except (ValueError, RecursionError, OverflowError, MemoryError):
        return Manifest(note="it cannot be read", open=True)
    return _bounded(found)


class _Unusable(Exception):
    pass


def _bounded(found: Manifest) -> Manifest:
    """Within limits, and of text that can be stored."""
    note = found.note
    lists = [found.members or (), found.exclude, found.extra]
    if any(len(each) > MAX_MEMBERS for each in lists):
        note = f"only the first {MAX_MEMBERS} entries of a list are used"
    members, exclude, extra = (tuple(map(_text, each[:MAX_MEMBERS])) for each in lists)
    bad = check({pattern.removeprefix("!") for pattern in (*members, *exclude)}) if not found.open else ()
    if bad:
        pattern, reason = min(bad)
        note = f"the pattern '{display(pattern[:80])}' {reason}; nothing is left out on its word"
    return found._replace(
        name=_text(found.name)[:MAX_NAME_CHARS] or None if found.name else None,
        members=members if found.members is not None else None,
        exclude=exclude,
        extra=extra,
        moved=tuple((_text(name), _text(place)) for name, place in found.moved[:MAX_MEMBERS]),
        open=found.open or bool(bad),
        note=note,
    )


def _text(value: str) -> str:
    return value.encode("utf-8", "replace").decode()


def _json(data: bytes) -> dict[str, Any]:
    try:
        document = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        raise _Unusable("it is not valid JSON") from None
    if not isinstance(document, dict):
        raise _Unusable("it is not a JSON object")
    return document


def _toml(data: bytes) -> dict[str, Any]:
    try:
        text = data.decode("utf-8-sig")
        if _LONG_KEY.search(text) is not None:
            # Reading one takes the square of its length.
            raise _Unusable("it holds a key of more than 64 parts")
        return tomllib.loads(text)
    except UnicodeDecodeError:
        raise _Unusable("it is not UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError):
        raise _Unusable("it is not valid TOML") from None


def _strings(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _string(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _table(value: object, *names: str) -> dict[str, Any]:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _package_json(data: bytes) -> Manifest:
    document = _json(data)
    workspaces = document.get("workspaces")
    if isinstance(workspaces, dict):
        workspaces = workspaces.get("packages")
    members = _strings(workspaces) if isinstance(workspaces, list) else None
    odd = document.get("workspaces") is not None and members is None
    note = "its workspaces are neither a list nor an object with packages" if odd else None
    return Manifest(_string(document.get("name")), members, note=note)


def _deno_json(data: bytes) -> Manifest:
    document = _json(strip_comments(data))
    workspace = document.get("workspace")
    if isinstance(workspace, dict):
        workspace = workspace.get("members")
    return Manifest(_string(document.get("name")), _strings(workspace) if isinstance(workspace, list) else None)


def _lerna_json(data: bytes) -> Manifest:
    # Without packages it goes by the workspaces of package.json.
    packages = _json(strip_comments(data)).get("packages")
    return Manifest(members=_strings(packages) if isinstance(packages, list) else None)


def _pnpm_workspace(data: bytes) -> Manifest:
    packages = parse_document(data, "it").get("packages")
    # Without packages it only holds settings of the root package.
    return Manifest(members=_strings(packages) if isinstance(packages, list) else None)


def _cargo(data: bytes) -> Manifest:
    document = _toml(data)
    workspace = document.get("workspace")
    package = document.get("package")
    name = _string(_table(document, "package").get("name"))
    shared = {key: _path_of(value) for key, value in _table(document, "workspace", "dependencies").items()}
    needs = sorted(set(_path_dependencies(document)))
    if not isinstance(workspace, dict):
        return Manifest(name, extra=tuple(needs), package=isinstance(package, dict))
    # A dependency that members take from the workspace is written there, and is a member once one of them takes it.
    moved = tuple(sorted((key, path) for key, path in shared.items() if path is not None))
    members, exclude = _strings(workspace.get("members")), _strings(workspace.get("exclude"))
    return Manifest(name, members, exclude, tuple(needs), isinstance(package, dict), moved=moved)


def _path_dependencies(document: dict[str, Any]) -> Iterable[str]:
    """Paths; for one that is taken from the workspace its key, after a sign that no path begins with."""
    tables = [document, *(table for table in _table(document, "target").values() if isinstance(table, dict))]
    kinds = ("dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies", "build_dependencies")
    for table in tables:
        for kind in kinds:
            for key, value in _table(table, kind).items():
                path = _path_of(value)
                if path is not None:
                    yield path
                elif isinstance(value, dict) and value.get("workspace") is True:
                    yield f"={key}"


def _path_of(value: object) -> str | None:
    return _string(value.get("path")) if isinstance(value, dict) else None


def _pyproject(data: bytes) -> Manifest:
    document = _toml(data)
    names = (_table(document, "project").get("name"), _table(document, "tool", "poetry").get("name"))
    name = next((name for name in map(_string, names) if name), None)
    workspace = _table(document, "tool", "uv").get("workspace")
    if not isinstance(workspace, dict):
        return Manifest(name)
    # Both are patterns there.
    left_out = (f"!{pattern}" for pattern in _strings(workspace.get("exclude")))
    return Manifest(name, (*_strings(workspace.get("members")), *left_out))


def _composer(data: bytes) -> Manifest:
    return Manifest(_string(_json(data).get("name")))


def _buf(data: bytes) -> Manifest:
    return Manifest(_string(parse_document(data, "it").get("name")))


def _decoded(read: Callable[[str], Manifest]) -> Callable[[bytes], Manifest]:
    return lambda data: read(data.decode("utf-8-sig", "replace"))


_READERS: dict[str, Callable[[bytes], Manifest]] = {
    "package.json": _package_json,
    "deno.json": _deno_json,
    "deno.jsonc": _deno_json,
    "lerna.json": _lerna_json,
    "pnpm-workspace.yaml": _pnpm_workspace,
    "go.work": _decoded(spelled.read_go_work),
    "go.mod": _decoded(spelled.read_go_mod),
    "Cargo.toml": _cargo,
    "settings.gradle": _decoded(gradle.read_settings),
    "settings.gradle.kts": _decoded(gradle.read_settings),
    "pom.xml": _decoded(maven.read_pom),
    "build.sbt": _decoded(spelled.read_build_sbt),
    "pyproject.toml": _pyproject,
    "setup.cfg": _decoded(spelled.read_setup_cfg),
    "setup.py": _decoded(spelled.read_setup_py),
    "composer.json": _composer,
    "buf.yaml": _buf,
    "mix.exs": _decoded(spelled.read_mix),
    "Package.swift": _decoded(spelled.read_swift_package),
    ".cabal": _decoded(spelled.read_cabal),
}
