"""Read marker files within limits: bytes in, a Manifest out.

A marker is untrusted input: one that is too large, invalid, deeply nested or of unexpected types becomes a note, and
counts as a bare marker.
"""

from __future__ import annotations

from codeplane.base.errors import CodePlaneError
from codeplane.base.paths import display
from codeplane.config.files import parse_document
from codeplane.index.units.globs import check
from codeplane.index.units.markers import find_marker
from codeplane.languages.family import Marker
from codeplane.languages.manifest import InvalidManifest, Manifest

MAX_MARKER_BYTES = 512 * 1024
MAX_MEMBERS = 2000
MAX_NAME_CHARS = 200


def read_manifest(path: str, data: bytes | None) -> Manifest:
    """Return the declarations of the marker at `path`; `data` is None if it could not be read within limits."""
    found = find_marker(path)
    if found is None or (found.marker.read is None and found.marker.read_yaml is None):
        return Manifest()
    if data is None or len(data) > MAX_MARKER_BYTES:
        return Manifest(note=f"it is larger than {MAX_MARKER_BYTES // 1024} KiB and was not read", open=True)
    try:
        return _bounded(_declarations(found.marker, data))
    except InvalidManifest as error:
        return Manifest(note=str(error), open=True)
    except CodePlaneError as error:
        return Manifest(note=str(error.details.get("reason", error.message)), open=True)
    except (ValueError, RecursionError, OverflowError, MemoryError):
        return Manifest(note="it cannot be read", open=True)


def _declarations(marker: Marker, data: bytes) -> Manifest:
    if marker.read_yaml is not None:
        return marker.read_yaml(parse_document(data, "it"))
    return marker.read(data) if marker.read is not None else Manifest()


def _bounded(found: Manifest) -> Manifest:
    """Cut lists and names to their limits, and replace text that cannot be stored."""
    note = found.note
    lists = [found.members or (), found.exclude, found.extra]
    if any(len(each) > MAX_MEMBERS for each in lists):
        note = f"only the first {MAX_MEMBERS} entries of a list are used"
    members, exclude, extra = (tuple(map(_storable, each[:MAX_MEMBERS])) for each in lists)
    bad = check({pattern.removeprefix("!") for pattern in (*members, *exclude)}) if not found.open else ()
    if bad:
        pattern, reason = min(bad)
        note = f"the pattern '{display(pattern[:80])}' {reason}; nothing is left out on its word"
    return found._replace(
        name=_storable(found.name)[:MAX_NAME_CHARS] or None if found.name else None,
        members=members if found.members is not None else None,
        exclude=exclude,
        extra=extra,
        moved=tuple((_storable(name), _storable(place)) for name, place in found.moved[:MAX_MEMBERS]),
        open=found.open or bool(bad),
        note=note,
    )


def _storable(value: str) -> str:
    return value.encode("utf-8", "replace").decode()
