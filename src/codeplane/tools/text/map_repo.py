"""Text form of map_repo: one line per fact, key files with their names, directories.

Every section has a share of the tokens; what it does not use goes to the sections after it. The tree comes last because
it can fill any space.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from codeplane.base.paths import basename, display
from codeplane.base.symbols import parse_symbol_ref
from codeplane.base.text_lines import INDENT, TextLine, note, text
from codeplane.operations.map_repo.structure import TreeRow

DEFAULT_TOKENS = 800
MAP_CHARS_PER_TOKEN = 2.8
"""Paths and numbers have fewer characters per token than prose."""

_MAX_NAMES = 6
"""Maximum names of one key file."""
_NOTE_CHARS = 90
"""Reserved for the line that counts what is left out."""

Fields = Mapping[str, Any]


class MapText(NamedTuple):
    lines: list[TextLine]
    rows: int
    """Number of tree rows shown."""
    left_out: dict[str, int]


def map_lines(fields: Fields, rows: Sequence[TreeRow], max_tokens: int, limit: int) -> MapText:
    """Render a map within `max_tokens`. `rows` are all rows of the tree, the most important first."""
    room = int(max_tokens * MAP_CHARS_PER_TOKEN) - _NOTE_CHARS
    lines: list[TextLine] = []
    left_out: dict[str, int] = {}
    for name, share, make in _SECTIONS:
        if name not in fields:
            continue
        made, left = make(fields, int(room * share))
        lines += made
        room -= _size(made)
        left_out |= {name: left} if left else {}
    shown = 0
    if "structure" in fields:
        tree, shown = tree_lines(rows, 0, limit, max(0, room))
        lines += [text("directories:"), *tree] if len(lines) > 1 else tree
        left_out |= {"structure": len(rows) - shown} if len(rows) > shown else {}
    return MapText(lines, shown, left_out)


def tree_lines(rows: Sequence[TreeRow], offset: int, limit: int, room: int) -> tuple[list[TextLine], int]:
    """Render rows from `offset` as an indented tree, as many as fit but at least one. Return also their number."""
    shown: list[TreeRow] = []
    for row in rows[offset : offset + limit]:
        room -= len(row.path.removesuffix("/").rpartition("/")[2]) + len(str(row.size)) + _ROW_CHARS
        if room < 0 and shown:
            break
        shown.append(row)
    return list(_nested(sorted(shown))), len(shown)


_ROW_CHARS = 6
"""Characters of a tree row besides its name and number: slash, space, line break, some indentation."""


def _nested(rows: Iterable[TreeRow]) -> Iterator[TextLine]:
    """Yield each row under the nearest shown directory above it."""
    above: list[str] = []
    for row in rows:
        while above and not row.path.startswith(above[-1]):
            above.pop()
        name = row.path.removeprefix(above[-1]) if above else row.path
        yield text(f"{INDENT * len(above)}{display(name)} {row.size}")
        if row.path.endswith("/"):
            above.append(row.path)


def left_out_line(left_out: Mapping[str, int], call: str) -> list[TextLine]:
    words = [f"{count:,} {_NAMES[name]}" for name, count in left_out.items() if name in _NAMES]
    return [note(f"more: {', '.join(words)} ({call})")] if words else []


_NAMES = {"key_files": "key files", "structure": "rows of the tree", "entry_points": "entry points"}


def _languages(fields: Fields, room: int) -> tuple[list[TextLine], int]:
    """Number of files, and files per language."""
    count = fields.get("structure", {}).get("file_count")
    rows = [(row["language"], row["file_count"]) for row in fields["languages"]]
    # Images and files of unknown types count as configuration.
    rest = sum(number for name, number in rows if name in _UNKNOWN)
    words = [f"{name} {number:,}" for name, number in rows if name not in _UNKNOWN]
    words += [f"other {rest:,}"] if rest else []
    shown = _joined(words, room)
    return [text(f"{count:,} files: {shown}" if count is not None else f"languages: {shown}")], 0


_UNKNOWN = frozenset({"config", "other"})


def _units(fields: Fields, room: int) -> tuple[list[TextLine], int]:
    markers = [display(marker) for marker in fields["units"]]
    return ([text(f"units: {_joined(markers, room)}")] if markers else []), 0


def _entry_points(fields: Fields, room: int) -> tuple[list[TextLine], int]:
    words = [_place(point) for point in fields["entry_points"]]
    if not words:
        return [], 0
    fitting = _fitting(words, room)
    left = len(words) - len(fitting) + fields.get("left_out", {}).get("entry_points", 0)
    return [text(f"entry points: {', '.join(fitting)}")], left


def _place(point: Fields) -> str:
    if "symbol_ref" not in point:
        return display(str(point["path"]))
    reference = parse_symbol_ref(str(point["symbol_ref"]))
    return display(f"{reference.path}:{reference.line} {reference.lexical_path}")


def _tests(fields: Fields, room: int) -> tuple[list[TextLine], int]:
    found = fields["test_layout"]
    words = [f"{display(place)} {count:,}" for place, count in found["test_files"].items()]
    inline = found.get("inline_count", 0)
    words += [f"{inline:,} source files with tests"] if inline else []
    if not words:
        return [text("tests: none")], 0
    used = ", ".join(map(display, found.get("frameworks", {})))
    return [text(f"tests: {_joined(words, room)}" + (f"; {used}" if used else ""))], 0


def _dependencies(fields: Fields, room: int) -> tuple[list[TextLine], int]:
    modules = fields["dependencies"]["external_modules"]
    words = [f"{display(name)} {count:,}" for name, count in modules.items()]
    return ([text(f"dependencies: {_joined(words, room)}")] if words else []), 0


def _key_files(fields: Fields, room: int) -> tuple[list[TextLine], int]:
    """Files by rank, each with the number of files that use it and its most used names."""
    names = _names_by_file(fields.get("public_api", ()))
    found: Mapping[str, int] = fields["key_files"]
    above = _common_directory(list(found)[:_ALIKE]) if len(found) > _FEW else ""
    title = f"key files{f' in {display(above)}' if above else ''}, files that use each"
    rows = []
    for path, count in found.items():
        if path.startswith(above):
            stem = basename(path).partition(".")[0]
            used = [name for name in names.get(path, ()) if name != stem]
            rows.append(f"{display(path.removeprefix(above))} {count}{_name_words(used)}")
    left = fields.get("left_out", {}).get("key_files", 0) + len(found) - len(rows)
    return _listed(title + (": names used most" if names else ""), rows, room, left)


_FEW = 2
_ALIKE = 12
"""Key files that decide the directory that heads the list; later ones in other directories are left out."""


def _common_directory(paths: Sequence[str]) -> str:
    """Return the deepest common directory, with a slash; empty for the root."""
    folders = [path.split("/")[:-1] for path in paths]
    same = 0
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        same += 1
    return "".join(f"{part}/" for part in folders[0][:same]) if folders else ""


def _public_api(fields: Fields, room: int) -> tuple[list[TextLine], int]:
    """Names by file, unless key files, which have them already, are shown."""
    if "key_files" in fields:
        return [], 0
    names = _names_by_file(fields["public_api"])
    rows = [f"{display(path)}{_name_words(found)}" for path, found in names.items()]
    return _listed("public names:", rows, room, 0)


def _names_by_file(entries: Iterable[Fields]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for entry in entries:
        reference = parse_symbol_ref(str(entry["symbol_ref"]))
        names.setdefault(reference.path, []).append(reference.lexical_path or "")
    return names


def _name_words(names: Sequence[str]) -> str:
    return f": {', '.join(map(display, names[:_MAX_NAMES]))}" if names else ""


def _listed(title: str, rows: Sequence[str], room: int, left: int) -> tuple[list[TextLine], int]:
    if not rows:
        return [], 0
    fitting = _fitting(rows, room - len(title))
    return [text(title), *map(text, fitting)], len(rows) - len(fitting) + left


_SECTIONS: Sequence[tuple[str, float, Callable[[Fields, int], tuple[list[TextLine], int]]]] = (
    ("languages", 0.08, _languages),
    ("units", 0.08, _units),
    ("entry_points", 0.12, _entry_points),
    ("test_layout", 0.12, _tests),
    ("dependencies", 0.08, _dependencies),
    ("key_files", 0.65, _key_files),
    ("public_api", 0.65, _public_api),
)
"""Sections in order, with the share of the remaining space that each may fill."""


def _joined(words: Sequence[str], room: int) -> str:
    fitting = _fitting(words, room)
    more = len(words) - len(fitting)
    return ", ".join(fitting) + (f", {more:,} more" if more else "")


def _fitting(words: Sequence[str], room: int) -> list[str]:
    """Return the first words that fit, at least one."""
    fitting: list[str] = []
    for word in words:
        room -= len(word) + 2
        if room < 0 and fitting:
            break
        fitting.append(word)
    return fitting


def _size(lines: Iterable[TextLine]) -> int:
    return sum(len(line.text) + 1 for line in lines)
