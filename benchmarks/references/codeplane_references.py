"""Our own references of a definition, asked for `PATH:LINE:COLUMN` as a person and as an agent ask.

The one place that knows how we are asked: by `cpl refs`, or by `search` with mode references, each with default
arguments and then for the rest that the answer offers. JSON, which has columns and tiers, lists every use with
result_mode raw, as text does without it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.references.data import Answer, Definition
from benchmarks.search.codeplane_search import Ours as OpenTree

from codeplane.tools.surface import EVERYTHING

_MAX_REFERENCES = 1000


class Ours(OpenTree):
    """Keeps the index of one tree open."""

    def __init__(self, work: Path, *, by_search: bool = False) -> None:
        super().__init__(work)
        self._by_search = by_search

    def ask(self, definition: Definition) -> list[Answer]:  # type: ignore[override]
        written = f"{definition.path}:{definition.line}:{definition.col + 1}"
        return list(self._search(written) if self._by_search else self._refs(written))

    def _refs(self, written: str) -> Iterator[Answer]:
        symbols = self._result({"symbol": written}, "refs")["symbols"]
        total = max((each["total"] for each in symbols), default=0)
        if total > max((len(each["references"]) for each in symbols), default=0):
            symbols = self._result({"symbol": written, "limit": min(total, _MAX_REFERENCES)}, "refs")["symbols"]
        for each in symbols:
            for use in each["references"]:
                yield Answer(use["path"], use["line"], use["column"] - 1, use["tier"].upper())

    def _search(self, written: str) -> Iterator[Answer]:
        arguments: dict[str, object] = {"query": written, "mode": "references", "result_mode": "raw"}
        while arguments:
            result = json.loads(self.send(arguments))["result"]
            for row in result["results"]:
                yield Answer(row["path"], row["line_start"], row["column"] - 1, row["tier"].upper())
            cursor = result.get("pagination", {}).get("next_cursor")
            arguments = {"cursor": cursor} if cursor else {}

    def _result(self, arguments: dict[str, object], tool: str) -> dict[str, Any]:
        result: dict[str, Any] = json.loads(self.send(arguments, tool, EVERYTHING))["result"]
        return result
